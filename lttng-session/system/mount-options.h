/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lists mount options without values that may be secret. */
#ifndef LTTNG_MM_SESSION_MOUNT_OPTIONS_H
#define LTTNG_MM_SESSION_MOUNT_OPTIONS_H

#include "lttng-session/system/allow.h"

/*
 * Default list of the mount options (names or patterns) whose values a snapshot contains,
 * terminated by NULL. The file /etc/lttng-mm/mount-options replaces it.
 */
extern const char *const mount_options_defaults[];

void mount_options_list(struct allow_list *list);

/*
 * Returns the mount options for a snapshot: all names, and the values of listed options. Replaces
 * other values, and everything that is not a name, by `...`. Returns NULL when out of memory.
 * Release the result with free().
 */
char *mount_options_without_secrets(const struct allow_list *list, const char *options);

#endif /* LTTNG_MM_SESSION_MOUNT_OPTIONS_H */
