/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Compiled formatting of CTF fields. A plan is a list of steps. Each step writes a literal text and
 * then a value. A plan is made once per event class. It is run for every event, on the bytes of the
 * packet.
 */
#ifndef LTTNG_MM_PRINT_TEXT_PLAN_H
#define LTTNG_MM_PRINT_TEXT_PLAN_H

#include "reader/ctf/packet/read.h"
#include "reader/events/source.h"
#include "reader/print/names.h"
#include "reader/print/text-labels.h"

/* The style of the text: like babeltrace2's sink.text.pretty, or like mm_event_field_text(). */
enum mm_text_style { MM_TEXT_BABELTRACE, MM_TEXT_LINE };

struct mm_text_plan;

/*
 * @trace must outlive the plan. Returns NULL when out of memory. Release with
 * mm_text_plan_destroy().
 */
struct mm_text_plan *mm_text_plan_create(enum mm_text_style style,
					 const struct ctf_trace_class *trace);
void mm_text_plan_destroy(struct mm_text_plan *plan);

/*
 * The following functions append to the plan. Append fields in packet order. If a function runs out
 * of memory, mm_text_plan_finish() fails.
 */
void mm_text_plan_literal(struct mm_text_plan *plan, const char *text, size_t length);
/*
 * Appends the text of @field, which may be a structure. With @names, also prints the names of
 * members and the indexes of elements.
 */
void mm_text_plan_field(struct mm_text_plan *plan, const struct ctf_field *field, bool names);
/*
 * Appends the text of a field that is not inside another field. In the style MM_TEXT_LINE, a string
 * in this place has no quotes.
 */
void mm_text_plan_top_field(struct mm_text_plan *plan, const struct ctf_field *field);
/*
 * Appends the text of a function's result (64 bits, unsigned). Errors are shown by name: -ENOENT.
 */
void mm_text_plan_result(struct mm_text_plan *plan, const struct ctf_field *field);
/* Appends the name of a call site, or its number. @names must outlive the plan. */
void mm_text_plan_call_site(struct mm_text_plan *plan, const struct ctf_field *field,
			    struct mm_names *names);
/* Moves to the start of @structure. The caller then appends its members one by one. */
void mm_text_plan_enter(struct mm_text_plan *plan, const struct ctf_field *structure);
/* Skips @field, which may be NULL. */
void mm_text_plan_skip(struct mm_text_plan *plan, const struct ctf_field *field);
/* States that the plan starts at the start of a packet. All positions are then known. */
void mm_text_plan_at_begin(struct mm_text_plan *plan);

/*
 * Opens @structure, which must be `fixed`. Its members can then be printed in any order, and
 * repeatedly. If this is impossible, returns false and appends nothing.
 */
bool mm_text_plan_open(struct mm_text_plan *plan, const struct ctf_field *structure);
/*
 * Opens the first @count members, which must be `fixed`. Afterwards, call mm_text_plan_moving() for
 * each remaining member in packet order. Opened members may be printed between these calls.
 */
bool mm_text_plan_open_first(struct mm_text_plan *plan, const struct ctf_field *structure,
			     size_t count);
void mm_text_plan_moving(struct mm_text_plan *plan, const struct ctf_field *field);
/* Appends member @index of the structure opened last. Appends nothing if its label is NONE. */
void mm_text_plan_member(struct mm_text_plan *plan, const struct ctf_field *structure,
			 size_t index);
/* Like mm_text_plan_member(), but prints the label NONE. With @result, prints errors by name. */
void mm_text_plan_opened(struct mm_text_plan *plan, const struct ctf_field *structure, size_t index,
			 bool result);
/* Like mm_text_plan_member(), for an integer that is shown as `?` if all its bits are set. */
void mm_text_plan_optional(struct mm_text_plan *plan, const struct ctf_field *structure,
			   size_t index);
/* Appends @set if the member's value has a bit of @mask, else @clear. */
void mm_text_plan_choice(struct mm_text_plan *plan, const struct ctf_field *structure, size_t index,
			 uint64_t mask, const char *set, const char *clear);

/* Completes the plan. Call it once, after the last field. Returns 0, or -1 when out of memory. */
int mm_text_plan_finish(struct mm_text_plan *plan);

/* Does the plan read or store lengths or selectors? If so, its cursor needs slots. */
bool mm_text_plan_needs_slots(const struct mm_text_plan *plan);

/*
 * Appends the text of the fields at @cursor, and advances the cursor. Returns 0. Returns -1 when
 * out of memory, or if the file has changed since the fields were decoded.
 */
int mm_text_plan_run(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
		     struct mm_text *text);

/* Is @field omitted from text? babeltrace2's reader does not show sizes, timestamps and ids. */
bool mm_text_is_hidden(const struct ctf_field *field);

#endif /* LTTNG_MM_PRINT_TEXT_PLAN_H */
