/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Compares two sets of runs. Declared metrics are judged (regress/verdict.h). Rows of tables are
 * only listed if they appeared, vanished, grew or shrank: among thousands of rows, some differ by
 * chance.
 */
#ifndef LTTNG_MM_REGRESS_DIFF_H
#define LTTNG_MM_REGRESS_DIFF_H

#include "regress/runs.h"
#include "regress/values.h"
#include "regress/verdict.h"

enum { REGRESS_BASE, REGRESS_NEW, REGRESS_SIDES };

/* One side of a comparison: the values of runs, and where they come from. */
struct regress_side {
	struct regress_values *values; /* of each run */
	double *lengths_ns;	       /* length of each run; 0: not known */
	/*
	 * The reports of each run: bit N is report number N. NULL: all runs have all reports. If a
	 * run is one stored report, it counts only for the metrics of this report.
	 */
	uint32_t *reports;
	bool *are_files; /* for each run: is it one stored report? NULL if @reports is. */
	size_t count;
	/* All runs are commands that `lttng-mm run` recorded from start to end. */
	bool is_command;
	/* Kernel, probes and machine; NULL: not known, or not the same in all runs. */
	char *kernel, *probes, *machine;
	char *clock; /* REGRESS_INSTRUCTIONS or REGRESS_TIME (also if mixed); NULL: not known */
	char *doubt; /* an incomplete run, and the reason; NULL: all are complete */
};

/*
 * Collects the values of @runs. Returns 0, or -1 when out of memory. Release the side with
 * regress_side_release() in any case. @catalogue must outlive the side.
 */
int regress_side_collect(struct regress_side *side, const struct regress_runs *runs,
			 const struct mm_catalogue *catalogue);
void regress_side_release(struct regress_side *side);

/* A metric in all runs of both sides. */
struct regress_difference {
	struct regress_value value;    /* name and labels; does not own the texts */
	double *values[REGRESS_SIDES]; /* value of each run, per second if scaled; NAN: not known */
	bool is_scaled;		       /* per second */
	/* Values and lengths of the runs, without stored reports of other analyses. */
	struct regress_bounds *bounds[REGRESS_SIDES];
	double *lengths[REGRESS_SIDES]; /* in seconds */
	size_t counts[REGRESS_SIDES];
	double medians[REGRESS_SIDES]; /* median of the known values; NAN: none */
	double change;		       /* relative median change; infinite from 0 to non-zero */
	enum regress_verdict verdict;
	const char *reason; /* why there is no verdict; NULL: there is a verdict */
	bool is_beyond;	    /* each new run is beyond all base runs, and the medians differ */
};

struct regress_diff {
	const struct regress_side *sides; /* two */
	/* declared metrics, worst first, then rows that appeared, grew, vanished or shrank */
	struct regress_difference *all;
	size_t count, room, metric_count;
	bool have_lengths;     /* lengths differ, so values may depend on them */
	bool is_scaled;	       /* lengths differ so much that sums are shown per second */
	bool has_instructions; /* times of both sides count instructions, so they are judged */
	char **notes;	       /* sentences about the sides */
	size_t note_count;
	size_t counts[REGRESS_VERDICTS]; /* of declared metrics */
	/* number of declared metrics without a verdict; ignores metrics without a direction */
	size_t undecided;
	size_t fewest[REGRESS_SIDES]; /* smallest number of runs of a declared metric */
	/* if the sides have different builds: names of functions, to which labels refer */
	char **names;
	size_t name_count, name_room;
};

/*
 * Compares the sides. If @has_instructions is true and a side does not state its clock, its times
 * are instruction counts. Returns 0, or -1 with @err set when out of memory.
 */
int regress_diff(struct regress_diff *diff, const struct regress_side sides[REGRESS_SIDES],
		 bool has_instructions, struct mm_error *err);
void regress_diff_release(struct regress_diff *diff);
/* Are the kernels of both sides the same build? Offsets in functions are then the same. */
bool regress_diff_is_one_build(const struct regress_diff *diff);
/* diff-judge.c: sets verdict, reason, medians and change of a metric from its values. */
void regress_diff_judge(const struct regress_diff *diff, struct regress_difference *difference);

/*
 * Confirms the verdicts `worse` of @diff. @again compares the same base with fresh runs. A metric
 * that is not worse in @again becomes `maybe worse` in @diff.
 */
void regress_diff_confirm(struct regress_diff *diff, const struct regress_diff *again);

/*
 * Returns the exit status. 1: a metric is worse; 3: it is not known whether a metric is worse; 0:
 * no metric is worse.
 */
int regress_diff_status(const struct regress_diff *diff);

/*
 * Prints the result. If @all is true, also lists metrics that did not change. Returns 0, or -1 if
 * writing failed or when out of memory.
 */
int regress_diff_print(FILE *out, const struct regress_diff *diff, bool all, unsigned int width);
int regress_diff_print_json(FILE *out, const struct regress_diff *diff);
/*
 * Prints each metric that is worse, with what the reports of @runs say about its cause. @base: rows
 * before the change (rows.h); NULL: not known.
 *
 *	worse: slab.allocations{of="kmalloc"}: 1000, then 2000 objects
 *	  allocations grew most: do_eventfd+0x41, from 0 to 1000 objects
 *	Report slab of run-6:
 *	  No anomaly (double free, wrong cache, ...) and no failed allocation.
 */
void regress_diff_print_worse(FILE *out, const struct regress_diff *diff,
			      const struct regress_runs *runs, const struct regress_values *base);

#endif /* LTTNG_MM_REGRESS_DIFF_H */
