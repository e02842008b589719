// SPDX-License-Identifier: Apache-2.0
// JSON schemas of files, written from the keys that their readers know.
#ifndef JMODEL_SCHEMA_H
#define JMODEL_SCHEMA_H

#include "base/text/text.h"
#include "model/read/keys.h"

// `file` is the map that a file is: its name becomes the title. `number` is what its numbers are.
void jmodel_write_schema(jtext* out, const jmodel_key* file, const jmodel_key* number);

#endif
