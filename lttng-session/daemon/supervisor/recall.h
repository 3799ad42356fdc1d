/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lists the snapshots of earlier daemons. (A daemon stores its list only in memory.) */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_RECALL_H
#define LTTNG_MM_DAEMON_SUPERVISOR_RECALL_H

/*
 * Starts a child process that removes what killed processes left in the recorders' folders. For
 * each of the newest snapshots there, it sends {"snapshot": ...} (loop.h) to the socket @report.
 * The child is killed with the calling process. Does not wait for it, because a disk may hang.
 */
void recall_start(int report);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_RECALL_H */
