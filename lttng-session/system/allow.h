/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Allow lists: names whose values may be written to a snapshot. (Other values may be secret.) Each
 * list has defaults. A file in /etc/lttng-mm can replace them. lttng-mm-snapshot(1) shows them.
 */
#ifndef LTTNG_MM_SESSION_ALLOW_H
#define LTTNG_MM_SESSION_ALLOW_H

#include <stdbool.h>
#include <stddef.h>

/* Written instead of a withheld value. */
#define ALLOW_WITHHELD "..."

struct allow_list {
	char **names; /* names or shell patterns */
	size_t count;
	bool failed; /* out of memory: the list is incomplete */
};

/*
 * Reads /etc/lttng-mm/@file: one name or pattern per line, and comments after #. If there is no
 * file, uses @defaults, an array that ends with NULL. If the file is unreadable, the list is empty.
 * Release with allow_release().
 */
void allow_read(struct allow_list *list, const char *file, const char *const *defaults);
void allow_release(struct allow_list *list);

/* Does the list contain @name, of @length bytes? Dashes equal underscores. */
bool allow_has(const struct allow_list *list, const char *name, size_t length);
/* Does an entry that starts with @kind match the name? (@kind is not a part of the pattern.) */
bool allow_has_of(const struct allow_list *list, const char *kind, const char *name, size_t length);

#endif /* LTTNG_MM_SESSION_ALLOW_H */
