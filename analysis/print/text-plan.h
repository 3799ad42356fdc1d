/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Text of CTF fields, compiled: a plan is a list of steps, each with the literal text before its
 * value, made once per event class and run for every event straight from the packet's bytes.
 */
#ifndef LTTNG_MM_PRINT_TEXT_PLAN_H
#define LTTNG_MM_PRINT_TEXT_PLAN_H

#include "analysis/ctf/packet/read.h"
#include "analysis/print/names.h"
#include "analysis/print/text-labels.h"
#include "analysis/trace/source.h"

/* `{ a = 1, b = "x" }` as sink.text.pretty writes it, or as mm_event_field_text() does. */
enum mm_text_style { MM_TEXT_BABELTRACE, MM_TEXT_LINE };

struct mm_text_plan;

/* @trace outlives the plan. NULL when memory is short. Release with mm_text_plan_destroy(). */
struct mm_text_plan *mm_text_plan_create(enum mm_text_style style,
					 const struct ctf_trace_class *trace);
void mm_text_plan_destroy(struct mm_text_plan *plan);

/*
 * These append to the plan, which goes through fields in the order of the packet. What fails for
 * want of memory is told by mm_text_plan_finish().
 */
void mm_text_plan_literal(struct mm_text_plan *plan, const char *text, size_t length);
/*
 * The text of @field, which may be a structure; @names: members' names and elements' numbers too.
 */
void mm_text_plan_field(struct mm_text_plan *plan, const struct ctf_field *field, bool names);
/* The same where the field stands by itself: a string has no quotes in a line then. */
void mm_text_plan_top_field(struct mm_text_plan *plan, const struct ctf_field *field);
/* The same of a call site's number, by its name if @names, which outlives the plan, has one. */
void mm_text_plan_call_site(struct mm_text_plan *plan, const struct ctf_field *field,
			    struct mm_names *names);
/* Moves to where the members of @structure begin, for who goes through them one by one. */
void mm_text_plan_enter(struct mm_text_plan *plan, const struct ctf_field *structure);
/* Moves over @field, which may be NULL. */
void mm_text_plan_skip(struct mm_text_plan *plan, const struct ctf_field *field);
/* The plan begins at the packet's begin, so that all places in it are known. */
void mm_text_plan_at_begin(struct mm_text_plan *plan);

/*
 * Opens @structure, which is `fixed`: its members can then be shown in any order, and several
 * times. Returns false when that cannot be done; nothing is appended then.
 */
bool mm_text_plan_open(struct mm_text_plan *plan, const struct ctf_field *structure);
/* Member @index of the structure that was opened last. */
void mm_text_plan_member(struct mm_text_plan *plan, const struct ctf_field *structure,
			 size_t index);
/* @set when the member's value has a bit of @mask, else @clear. */
void mm_text_plan_choice(struct mm_text_plan *plan, const struct ctf_field *structure, size_t index,
			 uint64_t mask, const char *set, const char *clear);

/* To be called once, after the last field. Returns -1 when memory was short. */
int mm_text_plan_finish(struct mm_text_plan *plan);

/* Does it read or keep lengths and selectors, so that the cursor needs slots? */
bool mm_text_plan_needs_slots(const struct mm_text_plan *plan);

/*
 * Appends the text of the fields at @cursor and moves on. Returns 0, or -1 when memory is short or
 * the fields are not what a decoder found sound.
 */
int mm_text_plan_run(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
		     struct mm_text *text);

/* Is it left out of texts? Sizes, times and ids that babeltrace2's reader keeps to itself. */
bool mm_text_is_hidden(const struct ctf_field *field);

#endif /* LTTNG_MM_PRINT_TEXT_PLAN_H */
