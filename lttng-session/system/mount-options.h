/* SPDX-License-Identifier: LGPL-2.1-only */
/* Mount options, without values that may be secret. */
#ifndef LTTNG_MM_SESSION_MOUNT_OPTIONS_H
#define LTTNG_MM_SESSION_MOUNT_OPTIONS_H

#include "lttng-session/system/allow.h"

/*
 * The names or patterns of the mount options whose values are stored in a snapshot, unless
 * /etc/lttng-mm/mount-options lists others; ends with NULL.
 */
extern const char *const mount_options_defaults[];

void mount_options_list(struct allow_list *list);

/*
 * The mount options @options as stored in a snapshot: their names, and the values of those that are
 * listed; `...` replaces other values, and what is not a name. The caller frees it with free().
 * NULL: out of memory.
 */
char *mount_options_without_secrets(const struct allow_list *list, const char *options);

#endif /* LTTNG_MM_SESSION_MOUNT_OPTIONS_H */
