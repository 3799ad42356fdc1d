/* SPDX-License-Identifier: LGPL-2.1-only */
/* This machine's mounts, and its files below /proc and /sys. */
#ifndef LTTNG_MM_UTIL_MOUNTS_H
#define LTTNG_MM_UTIL_MOUNTS_H

#include <stddef.h>

/* A mount. The strings may be long, and are valid until the visitor returns. */
struct mount {
	unsigned int major, minor;
	const char *root, *mountpoint, *fstype, *source, *options;
	char dax[16]; /* "always", "inode", "never", or empty if not specified */
};

/* Calls @visit for each mount until a call returns non-zero. Returns that result, or 0. */
int mounts_each(int (*visit)(const struct mount *mount, void *user), void *user);

/*
 * Returns the prefix for paths below /proc, /sys, /lib, /etc and /run. It is normally "". Tests set
 * it to a folder with synthetic files, such as mounts, modules, symbols, merged caches and the
 * command line.
 */
const char *mounts_root(void);

/*
 * Writes the prefix and a path, which is formatted from @fmt, to @path. Returns 0. If the path does
 * not fit, makes @path empty and returns -1, because a truncated path could name another file.
 */
int mounts_path(char *path, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Reads the first line of the file @path, below the prefix, into @text without the newline. If the
 * file cannot be read, @text is empty.
 */
void mounts_read_line(const char *path, char *text, size_t size);

#endif /* LTTNG_MM_UTIL_MOUNTS_H */
