/* SPDX-License-Identifier: LGPL-2.1-only */
/* Describes intervals and their parts in sentences. */
#ifndef LTTNG_MM_WHY_SENTENCE_H
#define LTTNG_MM_WHY_SENTENCE_H

#include "analysis/why/state.h"

#define WHY_SENTENCE 2048u

extern const char *const why_part_names[WHY_PART_KINDS];

static inline enum why_part_kind why_part_kind(const struct why_part *part)
{
	return (enum why_part_kind)(part->key.a - 1);
}

/*
 * Writes the kind of an interval in the form that tables use: a function, `dax_pmd`, or `START,END`
 * (untrusted).
 */
void why_interval_of(const struct why_state *state, const struct why_interval *interval, char *text,
		     size_t size);
/*
 * Returns the function of a part in the form that tables use. Returns NULL for the first row, which
 * is the sum of the parts beyond the maximum.
 */
const char *why_part_function(const struct why_state *state, const struct why_part *part);

/*
 * Returns an array of the parts that took time, largest first, or NULL when out of memory. The
 * caller frees the array, but not the parts.
 */
const struct why_part **why_parts_sorted(const struct why_state *state,
					 const struct why_timeline *timeline, uint32_t *count);

/* Writes `The 2nd slowest of 12 calls of f() took 12.3 ms: 11.9 ms (97 %) of it ...`. */
void why_sentence(const struct why_state *state, const struct why_timeline *timeline,
		  const struct why_part *const *parts, uint32_t count, char *text, size_t size);
/*
 * Writes `Other parts: 0.2 ms (2 %) in h() itself.`, or "" if all other parts are negligibly short.
 */
void why_sentence_others(const struct why_state *state, const struct why_timeline *timeline,
			 const struct why_part *const *parts, uint32_t count, char *text,
			 size_t size);
/* Writes `off the CPU in g()`. Also works for parts of several intervals. */
void why_part_place(const struct why_state *state, const struct why_part *part, char *text,
		    size_t size);

/* States that there is no interval, and explains why. */
void why_answer_nothing(const struct why_state *state, const struct why_option_values *options,
			struct mm_report *report);
/* States which process and files the options select. */
void why_remark_selection(const struct why_state *state, const struct why_option_values *options,
			  struct mm_report *report);

#endif /* LTTNG_MM_WHY_SENTENCE_H */
