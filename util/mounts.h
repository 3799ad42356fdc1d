/* SPDX-License-Identifier: LGPL-2.1-only */
/* Files of this machine below /proc and /sys, and its mounts. */
#ifndef LTTNG_MM_UTIL_MOUNTS_H
#define LTTNG_MM_UTIL_MOUNTS_H

#include <stddef.h>

/* One mount. The strings, of any length, are valid until the visitor returns. */
struct mount {
	unsigned int major, minor;
	const char *root, *mountpoint, *fstype, *source, *options;
	char dax[16]; /* "always", "inode", "never", or empty if not specified */
};

/* Calls @visit for each mount until it returns non-zero; returns that value, or 0. */
int mounts_each(int (*visit)(const struct mount *mount, void *user), void *user);

/*
 * Returns the prefix of paths below /proc, /sys, /lib, /etc and /run, normally "". Tests set it to
 * a folder with synthetic mounts, modules, symbols, merged caches, command line, and most files
 * that `doctor` checks.
 */
const char *mounts_root(void);

/*
 * Writes the prefix and a path formatted from @fmt to @path. Returns 0, or -1 with an empty @path
 * if the path does not fit: a truncated path could name another file.
 */
int mounts_path(char *path, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Reads the first line of the file @path, below the prefix, into @text, without the newline. @text
 * is empty if the file cannot be read.
 */
void mounts_read_line(const char *path, char *text, size_t size);

#endif /* LTTNG_MM_UTIL_MOUNTS_H */
