// SPDX-License-Identifier: Apache-2.0
// Reading of what parts are made of. Mistakes are told and leave something harmless.
#ifndef JPARTS_READ_H
#define JPARTS_READ_H

#include "parts/part.h"

jparts_name jparts_get_name(const jmodel_at* at, const jmodel_node* map, const char* key);
jparts_name jparts_need_name(const jmodel_at* at, const jmodel_node* map, const char* key);
// One name, or a list of them.
jparts_names jparts_get_names(const jmodel_at* at, const jmodel_node* map, const char* key);

// A finite number; a whole number from `least` on.
bool jparts_number_at(const jmodel_at* at, const jmodel_node* node, const char* label, double* out);
double jparts_get_number(const jmodel_at* at, const jmodel_node* map, const char* key,
                         double otherwise);
int jparts_get_count(const jmodel_at* at, const jmodel_node* map, const char* key, int least,
                     int otherwise);
// A finite number that is not less than 0.
double jparts_get_positive(const jmodel_at* at, const jmodel_node* map, const char* key,
                           double otherwise);
bool jparts_get_bool(const jmodel_at* at, const jmodel_node* map, const char* key, bool otherwise);

// for: {NAME: [value, value]}, and map: {NAME: value}, whose length is returned.
void jparts_read_runs(const jmodel_at* at, const jmodel_node* map, jparts_part* p);
int jparts_read_values(const jmodel_at* at, const jmodel_node* map, const char* key,
                       jparts_value** out);
// objectives: "all" is none by name; objective: at most one.
void jparts_read_objectives(const jmodel_at* at, const jmodel_node* map, jparts_part* p);
void jparts_read_objective(const jmodel_at* at, const jmodel_node* map, jparts_part* p);
// wrt, by default the number that runs differ by.
void jparts_read_wrt(const jmodel_at* at, const jmodel_node* map, jparts_part* p);

// Names one after the other, for titles.
const char* jparts_list_names(jarena* a, const jparts_names* names);
const char* jparts_name_objectives(jarena* a, const jmodel* m, const jparts_part* p);

#endif
