/* SPDX-License-Identifier: LGPL-2.1-only */
/* Drops the privileges of a process that reads files named by users. */
#ifndef LTTNG_MM_SESSION_RIGHTS_H
#define LTTNG_MM_SESSION_RIGHTS_H

#include <sys/types.h>

/*
 * Closes all descriptors except 0 to 2 and @kept. Standard input and output become /dev/null.
 * Returns the new number of @kept, or -1 with errno set.
 */
int rights_close_others(int kept);

/*
 * Permanently becomes the user @uid with the group @gid and the user's other current groups. Root
 * stays root, but keeps only the capability to read files. The process and its programs cannot gain
 * privileges. It leaves no core dumps, cannot be traced, has little memory and a low priority, and
 * is killed when its parent exits. Without root's rights, the process must already belong to @uid.
 * Returns 0. Returns -1 with errno set, and the process must then exit.
 */
int rights_drop(uid_t uid, gid_t gid);

#endif /* LTTNG_MM_SESSION_RIGHTS_H */
