/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Allow lists name the values that a snapshot may contain. All other values are withheld, because
 * they may be secret. Each list has defaults, which lttng-mm-snapshot(1) shows. A file in
 * /etc/lttng-mm can replace the defaults.
 */
#ifndef LTTNG_MM_SESSION_ALLOW_H
#define LTTNG_MM_SESSION_ALLOW_H

#include <stdbool.h>
#include <stddef.h>

/* Text that replaces a withheld value. */
#define ALLOW_WITHHELD "..."

struct allow_list {
	char **names; /* names or shell patterns */
	size_t count;
	bool failed; /* memory was exhausted, so the list is incomplete */
};

/*
 * Reads /etc/lttng-mm/@file, which has one name or pattern per line, and comments after #. If there
 * is no such file, uses @defaults, an array terminated by NULL. If the file is unreadable, the list
 * is empty. Release @list with allow_release().
 */
void allow_read(struct allow_list *list, const char *file, const char *const *defaults);
void allow_release(struct allow_list *list);

/* Does the list contain the name @name of @length bytes? Dashes count as underscores. */
bool allow_has(const struct allow_list *list, const char *name, size_t length);
/* Does an entry with the prefix @kind match the name? The rest of the entry is the pattern. */
bool allow_has_of(const struct allow_list *list, const char *kind, const char *name, size_t length);

#endif /* LTTNG_MM_SESSION_ALLOW_H */
