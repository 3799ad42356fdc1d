/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lists the snapshots of earlier daemons, because a daemon stores its list only in memory. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_RECALL_H
#define LTTNG_MM_DAEMON_SUPERVISOR_RECALL_H

/*
 * Starts a child process that removes unfinished snapshots of killed processes from the recorders'
 * folders. For each of the newest snapshots there, the child sends {"snapshot": ...} (loop.h) to
 * the socket @report. This function does not wait for the child, because a disk may hang. The child
 * is killed when the calling process ends.
 */
void recall_start(int report);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_RECALL_H */
