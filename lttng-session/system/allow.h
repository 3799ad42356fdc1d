/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Lists of the names whose values are written to a snapshot, as far as the values may be secrets.
 * Each has defaults, which a file in /etc/lttng-mm replaces; lttng-mm-snapshot(1) shows them.
 */
#ifndef LTTNG_MM_SESSION_ALLOW_H
#define LTTNG_MM_SESSION_ALLOW_H

#include <stdbool.h>
#include <stddef.h>

/* What stands for a value that is not written. */
#define ALLOW_WITHHELD "..."

struct allow_list {
	char **names; /* or shell patterns */
	size_t count;
	bool failed; /* out of memory: it lists too little */
};

/*
 * Reads /etc/lttng-mm/@file: one name or pattern per line, and comments after #. Without that file,
 * the list is @defaults, which end with NULL; one that cannot be read lists nothing. Release with
 * allow_release().
 */
void allow_read(struct allow_list *list, const char *file, const char *const *defaults);
void allow_release(struct allow_list *list);

/* Is the name, of @length bytes, listed? A dash equals an underscore. */
bool allow_has(const struct allow_list *list, const char *name, size_t length);
/* Is it, by an entry that starts with @kind, which is no part of the pattern? */
bool allow_has_of(const struct allow_list *list, const char *kind, const char *name, size_t length);

#endif /* LTTNG_MM_SESSION_ALLOW_H */
