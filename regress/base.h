/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Base files: the values of all declared metrics in ten runs of a command, as text for git.
 *
 *	# Values of ten runs, written by lttng-mm gate --accept.
 *	@format 1
 *	@accepted 2026-11-30
 *	@kernel 6.12.118+deb13-amd64 1a2b3c4d5e6f
 *	@probes lttng_probe_slab 99aa00bb
 *	@machine 2 CPUs, 1987 MiB
 *	@clock time
 *	@profiles slab
 *	@command make -j4
 *	slab.allocations{of="kmalloc"} 1000 1003 998 1000 1001 1002 999 1000 1000 1004
 *	+slab.call_site.allocations{call_site="do_eventfd+0x34",kind="kmalloc-64"} 1000
 *
 * Lines with `+` are rows (see rows.h), each with its largest value in any run. `?` stands for a
 * value that is not known, `>=5` and `<=5` for bounds. Times are compared only if the clock of both
 * sides counts `instructions`.
 */
#ifndef LTTNG_MM_REGRESS_BASE_H
#define LTTNG_MM_REGRESS_BASE_H

#include "regress/diff.h"
#include "regress/rows.h"

struct regress_base {
	struct regress_side side; /* without values of rows */
	struct regress_values rows;
	char *profiles, *command; /* may be hostile */
	char accepted[16];	  /* a date, "2026-11-30" */
};

/*
 * Reads the file @path. Ignores metrics that @catalogue lacks, because a later version may have
 * written them. Returns 0, or -1 with @err set to the file, the line and the fault.
 */
int regress_base_read(struct regress_base *base, const char *path,
		      const struct mm_catalogue *catalogue, struct mm_error *err);
void regress_base_release(struct regress_base *base);

/*
 * Writes the declared metrics and the rows of @side to a temporary file, and finally renames this
 * file to @path.
 * Returns 0, or -1 with @err set.
 */
int regress_base_write(const char *path, const struct regress_side *side, const char *accepted,
		       const char *profiles, const char *command, struct mm_error *err);

/*
 * Returns the number of days from @accepted to @now, which are dates such as "2026-11-30". Returns
 * 0 if @accepted is the later date, or -1 if a date is invalid.
 */
int regress_base_age(const char *accepted, const char *now);

/*
 * Are two machines alike, such as "2 CPUs, 1987 MiB" and "2 CPUs, 1985 MiB"? The numbers of CPUs
 * must be equal, and memory within 3 %. False for NULL.
 */
bool regress_machines_match(const char *x, const char *y);

#endif /* LTTNG_MM_REGRESS_BASE_H */
