/* SPDX-License-Identifier: LGPL-2.1-only */
/* The mounts of this machine and which of them use DAX. */
#ifndef LTTNG_MM_SESSION_MOUNTS_H
#define LTTNG_MM_SESSION_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

/* The strings, of any length, last until the visitor returns. */
struct mount {
	unsigned int major, minor;
	const char *root, *mountpoint, *fstype, *source, *options;
	char dax[16]; /* "always", "inode", "never", or empty where nothing is said */
};

/* Calls @visit for each mount until it returns non-zero; returns that, or 0. */
int mounts_each(int (*visit)(const struct mount *mount, void *user), void *user);

/* Is any filesystem mounted with DAX (always, or per inode)? */
bool mounts_have_dax(void);

/*
 * Put before the paths of files below /proc, /sys, /lib, /etc and /run by what a test can run on a
 * folder of its own: mounts, modules, symbols, merged caches, the command line, and most of what
 * `doctor` looks at.
 */
const char *mounts_root(void);

/*
 * Puts that and a path, made by printf from @fmt, into @path. Returns 0, or -1: it does not fit,
 * and @path is empty, so that nothing else is opened by it.
 */
int mounts_path(char *path, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* LTTNG_MM_SESSION_MOUNTS_H */
