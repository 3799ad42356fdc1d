/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parts of the report of page references. */
#ifndef LTTNG_MM_PAGEREF_PAGEREF_REPORT_H
#define LTTNG_MM_PAGEREF_PAGEREF_REPORT_H

#include "analysis/pageref/pageref-schema.h"

/* Values of the report's options. */
struct pageref_options {
	struct mm_report_options report;
	const char *by;		 /* NULL: not given */
	const char *first_touch; /* name of a file; NULL: not given */
	bool heat_map;
	const char *image, *axis; /* NULL: not given */
};

/* Sums over the selected address spaces. */
struct pageref_sums {
	uint64_t processes, touches[PAGEREF_KINDS];
	uint64_t spaces; /* address spaces with touches */
	double cluster;	 /* pageref_cluster() of the recorded pages */
	struct pageref_counts counts;
	struct pageref_resident resident;
	uint64_t armed, unseen, around, unmarked, left_out;
	uint32_t first_passed, last_passed; /* as in struct touched_space */
	bool lacking;			    /* an unknown number of touches may be missing */
	/* touches may be missing, so numbers of touches are lower bounds */
	bool least;
	bool has_ended; /* all address spaces with touches have ended */
};

/*
 * The working sets in all windows of one length. @bytes: touched memory; @most: upper bounds. Both
 * arrays are sorted.
 */
struct pageref_windows {
	uint64_t *bytes, *most;
	size_t count;
};

struct pageref_working_set {
	struct pageref_windows windows[PAGEREF_SPANS];
	size_t excluded; /* number of intervals in which events may be missing */
};

/* Returns the share of all pages that was recorded during the whole time range. */
double pageref_share(const struct pageref_state *state);
/* Scales a count of recorded pages or touches to all pages. */
uint64_t pageref_scaled(const struct pageref_state *state, uint64_t count);

/*
 * Bounds of a value. If a sample of the pages was recorded, the bounds are right in 9 of 10 cases.
 */
struct pageref_range {
	uint64_t least, most;
};
/*
 * Scales a count of recorded pages, which is between @least and @most, to all pages. @cluster is
 * the mean number of pages that can only be in the sample together (see pageref-sample.c).
 */
struct pageref_range pageref_range(const struct pageref_state *state, uint64_t least, uint64_t most,
				   double cluster);
/* Returns the argument @cluster of pageref_range() for pages of @spaces address spaces. */
double pageref_cluster(const struct pageref_counts *counts, uint64_t spaces);
/* Scale counts to all pages. If all pages were recorded, the counts do not change. */
void pageref_scale_counts(const struct pageref_state *state, uint64_t spaces,
			  struct pageref_counts *counts);
void pageref_scale_resident(const struct pageref_state *state, double cluster,
			    struct pageref_resident *resident);

static inline bool pageref_is_selected(const struct touched_space *space,
				       const struct mm_report_options *options)
{
	return !options->by_pid || mm_options_select(options, (int32_t)space->pid);
}

/* Returns the address space @mm if the options select it, or NULL. */
static inline const struct touched_space *pageref_selected(const struct pageref_state *state,
							   uint32_t mm,
							   const struct mm_report_options *options)
{
	const struct touched_space *space = mm_rows_lookup(&state->spaces, mm, 0);

	return space && pageref_is_selected(space, options) ? space : NULL;
}

/* Is the trace at least as long as the age? */
static inline bool pageref_has_age(const struct pageref_state *state, int age)
{
	return state->end_ns - state->start_ns >= pageref_ages_ns[age];
}

/* Returns the name of an object in the table of files. */
const char *pageref_object_name(const struct pageref_object *object);

/*
 * Finds the bytes touched in the windows from the first to the last pass over the selected address
 * spaces. Release with pageref_working_set_release(). Returns 0, or -1 when out of memory.
 */
int pageref_working_set_find(const struct pageref_state *state,
			     const struct mm_report_options *options,
			     const struct pageref_sums *sums, struct pageref_working_set *set);
void pageref_working_set_release(struct pageref_working_set *set);
/* Returns the nearest-rank quantile @q of @count ascending values. */
uint64_t pageref_quantile(const uint64_t *values, size_t count, double q);

/*
 * Fills the report. @options is the first member of a struct pageref_options. Returns 0, or -1 with
 * report->failed set.
 */
int pageref_report_fill(struct pageref_state *state, const struct mm_report_options *options,
			struct mm_report *report);

/* Adds all tables. Errors set report->failed. */
void pageref_tables_fill(const struct pageref_state *state, const struct pageref_options *options,
			 const struct pageref_sums *sums, struct mm_report *report);
/* Adds the sentences of the first screen. Call it after pageref_tables_fill(). */
void pageref_answer(const struct pageref_state *state, const struct pageref_options *options,
		    const struct pageref_sums *sums, const struct pageref_working_set *set,
		    struct mm_report *report);

/* Returns the path of the recorded cgroup, or NULL if the system information has none. */
const char *pageref_cgroup(const struct pageref_state *state);
/* Reads a member of the cgroup's memory. Returns false if it is not known. */
bool pageref_cgroup_bytes(const struct pageref_state *state, const char *member, uint64_t *bytes);

#endif /* LTTNG_MM_PAGEREF_PAGEREF_REPORT_H */
