/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fills in the tables of ctf_info() that describe the contents of the trace. */
#ifndef LTTNG_MM_INSPECT_INFO_TABLES_H
#define LTTNG_MM_INSPECT_INFO_TABLES_H

#include "reader/inspect/info-private.h"

/*
 * Fills the tables of traces, streams, gaps, damage, clocks and environment. If events were
 * counted, also fills the table of events.
 */
void info_fill_tables(struct info_ctx *ctx);

#endif
