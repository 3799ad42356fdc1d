/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the keeper's process does: see keeper.h. */
#ifndef LTTNG_MM_SESSION_KEEPING_H
#define LTTNG_MM_SESSION_KEEPING_H

#include "lttng-session/serve/settings.h"

/*
 * Records what the settings say, and keeps it recording, until the other side of the socket @report
 * is closed. Sends messages to it, each with one of these members, or none to show that it is
 * alive:
 *
 *   "repair": as in repairs.h
 *   "rescue": { "path": ..., "what": ... } or { "error": ..., "what": ... }
 *   "problem": what cannot be repaired at present; empty: nothing
 *   "note": for the log
 */
void keeping_run(const struct settings *settings, int report);

#endif /* LTTNG_MM_SESSION_KEEPING_H */
