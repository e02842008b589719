// SPDX-License-Identifier: Apache-2.0
// Reading of what parts are made of. Mistakes are told and leave something harmless.
#ifndef JSTUDY_READ_H
#define JSTUDY_READ_H

#include "study/part.h"

jstudy_name jstudy_get_name(const jmodel_at* at, const jmodel_node* map, const char* key);
jstudy_name jstudy_need_name(const jmodel_at* at, const jmodel_node* map, const char* key);
// One name, or a list of them.
jstudy_names jstudy_get_names(const jmodel_at* at, const jmodel_node* map, const char* key);

// A finite number; a whole number from `least` on.
bool jstudy_number_at(const jmodel_at* at, const jmodel_node* node, const char* label, double* out);
double jstudy_get_number(const jmodel_at* at, const jmodel_node* map, const char* key,
                         double otherwise);
int jstudy_get_count(const jmodel_at* at, const jmodel_node* map, const char* key, int least,
                     int otherwise);
// A finite number that is not less than 0.
double jstudy_get_positive(const jmodel_at* at, const jmodel_node* map, const char* key,
                           double otherwise);
bool jstudy_get_bool(const jmodel_at* at, const jmodel_node* map, const char* key, bool otherwise);

// for: {NAME: [value, value]}, and map: {NAME: value}, whose length is returned.
void jstudy_read_runs(const jmodel_at* at, const jmodel_node* map, jstudy_part* p);
int jstudy_read_values(const jmodel_at* at, const jmodel_node* map, const char* key,
                       jstudy_value** out);
// objectives: "all" is none by name; objective: at most one.
void jstudy_read_objectives(const jmodel_at* at, const jmodel_node* map, jstudy_part* p);
void jstudy_read_objective(const jmodel_at* at, const jmodel_node* map, jstudy_part* p);
// wrt, by default the number that runs differ by.
void jstudy_read_wrt(const jmodel_at* at, const jmodel_node* map, jstudy_part* p);

// Names one after the other, for titles.
const char* jstudy_list_names(jarena* a, const jstudy_names* names);
const char* jstudy_name_objectives(jarena* a, const jmodel* m, const jstudy_part* p);

#endif
