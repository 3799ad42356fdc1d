/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lists the snapshots of earlier daemons, because a daemon stores its list only in memory. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_RECALL_H
#define LTTNG_MM_DAEMON_SUPERVISOR_RECALL_H

/*
 * Starts a child process that removes what killed processes left in the recorders' folders, and
 * sends {"snapshot": ...} (loop.h) to the socket @report for each of the newest snapshots there.
 * The child is killed with the calling process. Does not wait for the child: a disk may hang.
 */
void recall_start(int report);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_RECALL_H */
