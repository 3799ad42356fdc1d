/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the files that fill the slab report share. */
#ifndef LTTNG_MM_SLAB_REPORT_REPORT_H
#define LTTNG_MM_SLAB_REPORT_REPORT_H

#include "analysis/slab/account/requests.h"
#include "analysis/slab/account/stacks.h"
#include "analysis/slab/decode/labels.h"
#include "analysis/slab/decode/nodes.h"
#include "analysis/slab/decode/paths.h"
#include "analysis/slab/decode/threads.h"
#include "analysis/slab/report/options.h"
#include "analysis/slab/report/schema.h"
#include "analysis/slab/track/recorder.h"
#include "analysis/slab/track/tracker.h"
#include "analysis/subsystem/analysis.h"
#include "reader/sysinfo/addresses.h"
#include "reader/sysinfo/call-sites.h"

/* Sums over call sites; sizes of caches are in them. */
struct slab_sum {
	uint64_t allocs, bytes_req, bytes_alloc;
	uint64_t outcomes[SLAB_OUTCOMES];
	uint64_t live, live_req, live_alloc, peak, peak_alloc;
	uint64_t maybe_live;		/* of the undetermined: not freed in the trace */
	uint64_t unsized, live_unsized; /* of these, the size is not known: they add no bytes */
	uint64_t other_cpu, other_thread, kfreed, partly_freed;
	uint64_t lifetimes[SLAB_LIFETIME_BINS];
};

/* All that is listed: what percentages and rates relate to. */
struct slab_totals {
	struct slab_sum objects, pages;
	double seconds; /* that the coverage states; 0: it states none */
};

/* What the other parts of the analysis found: a report reads it, and changes nothing. */
struct slab_results {
	const struct slab_tracker *tracker;
	const struct slab_pairing *pairing;   /* of the tracker */
	const struct slab_accounts *accounts; /* of the pairing */
	const struct slab_requests *requests;
	const struct slab_caches *caches;
	const struct slab_labels *labels;
	const struct slab_threads *threads;
	const struct slab_paths *paths;
	const struct slab_nodes *nodes;
	const struct slab_stacks *stacks;
	const struct mm_addresses *addresses; /* NULL: there are no stacks */
	const struct mm_call_sites *call_sites;
	const struct slab_recorder *recorder;
	const struct slab_coverage *coverage;
	bool later_known; /* objects that are freed after the time range are marked */
	const struct mm_sysinfo *sysinfo;
	const struct mm_source *source;
	const struct slab_totals *whole; /* while the report is filled */
};

int slab_report_fill(const struct slab_results *results, const struct slab_options *options,
		     struct mm_report *report);

/*
 * names.c: what things are called; @text is always terminated. slab_kind_name_shown() says that a
 * cache stands for others too: `vm_area_struct (+2 merged)`, with their names if @all;
 * slab_thread_name_shown() whether that is interrupts.
 */
void slab_call_site_name(const struct slab_results *results, uint32_t code, char *text,
			 size_t size);
void slab_kind_name_shown(const struct slab_results *results, uint32_t kind, bool all, char *text,
			  size_t size);
void slab_thread_name_shown(const struct slab_results *results, uint32_t tid, char *text,
			    size_t size);

/* "1.5 MiB"; returns @text. */
const char *slab_bytes_text(uint64_t bytes, char *text, size_t size);

/*
 * paths.c: @since: the first kernel that has it. 1: the trace is of such a kernel; 0: of an earlier
 * one; -1: not known.
 */
int slab_kernel_is_since(const struct slab_results *results, unsigned int major,
			 unsigned int minor);

/* A call site with a kind of object, or a kind. */
struct slab_row {
	struct slab_sum sum;
	uint32_t code, kind;
};

/* conclusions.c: what is missing from the trace, and the peak. */
void slab_report_notes(const struct slab_results *results, struct mm_report *report);
void slab_report_outcomes(const struct slab_results *results, struct mm_report *report);
/*
 * "about 1.5 MiB, 0.100 s after the first slab or page event": the peak of live bytes. Returns
 * @text.
 */
const char *slab_peak_text(const struct slab_results *results, char *text, size_t size);
/* The remark on what is the recorder's own. */
void slab_report_recorder(const struct slab_results *results, const struct slab_options *options,
			  struct mm_report *report);

/* leaks.c, most-wasted.c, anomalies.c, tallies.c, nodes.c, pages.c: their tables. */
struct slab_answer;
void slab_report_leaks(struct slab_answer *answer);
void slab_report_most_wasted(const struct slab_results *results, const struct slab_options *options,
			     struct mm_report *report);
void slab_report_anomalies(const struct slab_results *results, const struct slab_options *options,
			   struct mm_report *report);
/* What helps to judge the rest of the report: it comes last. */
void slab_report_diagnostics(const struct slab_results *results, const struct slab_options *options,
			     struct mm_report *report);
/* paths.c: the table of untraced allocation and free paths. */
void slab_report_paths(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report);
/* Says so if it is not known which of them were traced. */
void slab_note_paths(const struct slab_results *results, struct mm_report *report);
/* Says so if the snapshot has no symbols because the kernel hid their addresses. */
void slab_note_symbols(const struct slab_results *results, struct mm_report *report);
void slab_report_tallies(const struct slab_results *results, const struct slab_options *options,
			 struct mm_report *report);
/* stacks.c: the most frequent call stacks of each call site, and those of live objects. */
void slab_report_stacks(const struct slab_results *results, const struct slab_options *options,
			struct mm_report *report);
void slab_report_nodes(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report);
/*
 * pages.c: the failed allocations that are selected, as struct slab_failed, most first. In place of
 * a thread, a row has the id of its process, or SLAB_NO_PROCESS. @folded is to be released in any
 * case. Returns 0, or -1: out of memory.
 */
#define SLAB_NO_PROCESS UINT32_MAX
int slab_fold_failed(const struct slab_results *results, const struct slab_options *options,
		     struct mm_rows *folded);
void slab_report_pages(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report);

#endif /* LTTNG_MM_SLAB_REPORT_REPORT_H */
