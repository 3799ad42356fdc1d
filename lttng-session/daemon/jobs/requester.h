/* SPDX-License-Identifier: LGPL-2.1-only */
/* The credentials of a client of the recorder daemon. A process can switch to them. */
#ifndef LTTNG_MM_DAEMON_JOBS_REQUESTER_H
#define LTTNG_MM_DAEMON_JOBS_REQUESTER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Maximum number of supplementary groups. If a client has more groups, all of them are ignored, so
 * the client's request may have too few rights, but never too many.
 */
#define REQUESTER_GROUPS_MAX 256

struct requester {
	uid_t uid;
	gid_t gid;
	gid_t groups[REQUESTER_GROUPS_MAX];
	size_t group_count;
};

/* Reads the credentials of the peer of a Unix socket. Returns 0, or -1 with errno set. */
int requester_of(int socket, struct requester *requester);

/* Do both requesters have the same user and groups? */
bool requester_equal(const struct requester *a, const struct requester *b);

/*
 * Permanently switches this process to the requester's user and groups, without any other rights.
 * Hides this process's memory from that user. Returns 0, or -1 with errno set. After -1, the
 * process must exit.
 */
int requester_become(const struct requester *requester);

#endif /* LTTNG_MM_DAEMON_JOBS_REQUESTER_H */
