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

// All `size` bytes of an open file from its beginning; false: an error, or it has become shorter.
bool jfile_read_open(int fd, char* data, size_t size);

// Write all of it under a temporary name beside `path`, to the disk, then rename: readers see old or
// new, never half of it, whatever stops the machine. Links and files without permission to write are
// refused: a rename would replace them all the same.
jo_status jfile_write(jo_context* ctx, const char* path, const void* data, size_t size);

// Whether jfile_write() would get to writing: to be asked before the work whose result it is.
jo_status jfile_check_output(jo_context* ctx, const char* path);

// A new file, mode 0600, in a folder of one's own; what it is for may be lost with the machine.
jo_status jfile_write_new(jo_context* ctx, const char* path, const void* data, size_t size);

// Bring a file made so to another name, of the same file system, as safely as jfile_write() does.
jo_status jfile_publish(jo_context* ctx, const char* from, const char* to);

// The path without links, dots and the current folder, so that it holds from anywhere; as given where
// there is no such file. NULL: no memory.
const char* jfile_absolute(jarena* a, const char* path);

// How a file is found from the folder of another one, both absolute: "../models/a.yaml". As it is where
// they have nothing but the root in common. NULL: no memory.
const char* jfile_relative(jarena* a, const char* path, const char* from_file);

// A path as found from the folder of a file: what jfile_relative() gave, back again.
const char* jfile_beside(jarena* a, const char* file, const char* path);

bool jfile_exists(const char* path);

// open(), with O_CLOEXEC, but never as standard input, output or error: a host may have closed those,
// and what it prints later would get into the file. -1: errno says why.
int jfile_open(const char* path, int flags, unsigned mode);

// The same for a descriptor that is open already: itself, or a copy above those three in its place.
int jfile_raise(int fd);

// The folder for cached files: $JOUNCE_CACHE_DIR, else $XDG_CACHE_HOME/jounce, else
// $HOME/.cache/jounce. It need not be there.
jo_status jfile_cache_dir(jo_context* ctx, jarena* a, const char** path);

// Make a folder and its parents (mode 0777 less umask, 0700 when private). Fine when it exists.
jo_status jfile_make_dirs(jo_context* ctx, const char* path);
jo_status jfile_make_private(jo_context* ctx, const char* path);

// Open a folder what lies in it may be run from: ours, for nobody else to write to, and no link. The
// caller closes *fd.
jo_status jfile_open_private(jo_context* ctx, const char* path, int* fd);

// Whether what an open file or folder holds is ours alone: our own, and others may not write to it.
bool jfile_is_ours(int fd);

// A new empty private folder below `parent`; remove it and what is in it, folders in folders a few deep.
jo_status jfile_temp_dir(jo_context* ctx, jarena* a, const char* parent, const char** path);
void jfile_remove_dir(const char* path);

// Remove what an open folder holds, likewise; takes the descriptor.
void jfile_empty_dir(int fd);

// Whether a file of so many bytes can be written there: by trying, so that quotas and limits of the process count as well.
bool jfile_has_room(const char* folder, size_t size);

// All n bytes to an open file, whatever interrupts; false: errno says why.
bool jfile_write_all(int fd, const char* data, size_t n);

#endif
