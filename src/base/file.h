// SPDX-License-Identifier: Apache-2.0
// Files and folders. Errors name the path and the system's reason.
#ifndef JBASE_FILE_H
#define JBASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

// The whole file, with a terminating zero after `*size` bytes, in the arena. Files over
// `limit` bytes are refused.
jo_status jfile_read(jo_context* ctx, jarena* a, const char* path, size_t limit, char** data,
                     size_t* size);

// Write all of it under a temporary name beside `path`, then rename: readers see old or new, never
// half of it.
jo_status jfile_write(jo_context* ctx, const char* path, const void* data, size_t size);

// The path without links, dots and the current folder, so that it holds from anywhere; as given where
// there is no such file. NULL: no memory.
const char* jfile_absolute(jarena* a, const char* path);

// How a file is found from the folder of another one, both absolute: "../models/a.yaml". As it is where
// they have nothing but the root in common. NULL: no memory.
const char* jfile_relative(jarena* a, const char* path, const char* from_file);

// A path as found from the folder of a file: what jfile_relative() gave, back again.
const char* jfile_beside(jarena* a, const char* file, const char* path);

bool jfile_exists(const char* path);

// The folder for cached files: $JOUNCE_CACHE_DIR, else $XDG_CACHE_HOME/jounce, else
// $HOME/.cache/jounce. Made with mode 0700 where missing; refused when it belongs to another user
// or others may write to it.
jo_status jfile_cache_dir(jo_context* ctx, jarena* a, const char** path);

// Make a folder and its parents (mode 0777 less umask). Fine when it exists.
jo_status jfile_make_dirs(jo_context* ctx, const char* path);

// A new empty private folder below `parent`; remove it and the plain files in it.
jo_status jfile_temp_dir(jo_context* ctx, jarena* a, const char* parent, const char** path);
void jfile_remove_dir(const char* path);

#endif
