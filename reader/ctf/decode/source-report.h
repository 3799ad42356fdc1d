/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reports losses and damage of a source's streams to its handler. */
#ifndef LTTNG_MM_CTF_DECODE_SOURCE_REPORT_H
#define LTTNG_MM_CTF_DECODE_SOURCE_REPORT_H

#include "reader/ctf/decode/source-private.h"

/* Notes which requested events a stream of the plan's class may have. */
void ctf_report_requests(const struct ctf_source *source, const struct ctf_plan *plan,
			 struct mm_loss *loss);

/*
 * Called before the first event. Report files without a readable packet, and packets that are out
 * of order or belong to other traces. Return 0, or -1 with @err set.
 */
int ctf_report_files(struct ctf_source *source, struct mm_error *err);
int ctf_report_order(struct ctf_source *source, struct mm_error *err);

/* Reports that time goes backwards in a stream, so the order of its events is unknown. */
void ctf_report_backward(struct ctf_source *source, struct mm_loss *loss);
/*
 * Reports the damage in the chunk's events if @in_events is true, or else the chunk's other damage.
 * Call it with false before the chunk's events, and with true after them.
 */
void ctf_report_damage(struct ctf_source *source, const struct ctf_chunk *chunk, bool in_events);
/* Reports the loss before the first event of the line's chunk. */
void ctf_report_loss(struct ctf_source *source, struct ctf_line *line);
/* Reports an event earlier than the previous packet's last event. Returns 0, or -1 on failure. */
int ctf_report_late(struct ctf_source *source, const struct ctf_line *line,
		    const struct ctf_chunk *chunk);
/* Reports unreadable events between the line's last event and the chunk @next. */
void ctf_report_unreadable(struct ctf_source *source, struct ctf_line *line,
			   const struct ctf_chunk *next);
/* Reports the loss at the end of the line's stream, and releases its last chunk. */
void ctf_report_end(struct ctf_source *source, struct ctf_line *line);

#endif /* LTTNG_MM_CTF_DECODE_SOURCE_REPORT_H */
