/* SPDX-License-Identifier: LGPL-2.1-only */
/* Functions and types that the files of the slab report share. */
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

/* Sums over call sites, including the bytes of caches. */
struct slab_sum {
	uint64_t allocs, bytes_req, bytes_alloc;
	uint64_t outcomes[SLAB_OUTCOMES];
	uint64_t live, live_req, live_alloc, peak, peak_alloc;
	uint64_t maybe_live;		/* undetermined objects without a free in the trace */
	uint64_t unsized, live_unsized; /* objects of unknown size; they add no bytes */
	uint64_t other_cpu, other_thread, kfreed, partly_freed;
	uint64_t lifetimes[SLAB_LIFETIME_BINS];
};

/* Sums over all counted call sites. Percentages and rates are relative to these sums. */
struct slab_totals {
	struct slab_sum objects, pages;
	double seconds; /* duration of the coverage; 0: unknown */
};

/* Results of the analysis, which the report reads. */
struct slab_results {
	const struct slab_tracker *tracker;
	const struct slab_pairing *pairing;   /* part of the tracker */
	const struct slab_accounts *accounts; /* part of the pairing */
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
	bool later_known; /* objects freed after the time range have been marked */
	const struct mm_sysinfo *sysinfo;
	const struct mm_source *source;
	const struct slab_totals *whole; /* set while the report is filled */
};

int slab_report_fill(const struct slab_results *results, const struct slab_options *options,
		     struct mm_report *report);

/*
 * names.c: these functions write names to @text. slab_kind_name_shown() appends the number of
 * merged caches, "vm_area_struct (+2 merged)", or with @all the names of these caches.
 * slab_thread_name_shown() marks interrupts.
 */
void slab_call_site_name(const struct slab_results *results, uint32_t code, char *text,
			 size_t size);
void slab_kind_name_shown(const struct slab_results *results, uint32_t kind, bool all, char *text,
			  size_t size);
void slab_thread_name_shown(const struct slab_results *results, uint32_t tid, char *text,
			    size_t size);

/* Returns @text: "1.5 MiB". */
const char *slab_bytes_text(uint64_t bytes, char *text, size_t size);

/*
 * paths.c: returns 1 if the traced kernel has this version or a later one, 0 if it is older, or -1
 * if its version is unknown.
 */
int slab_kernel_is_since(const struct slab_results *results, unsigned int major,
			 unsigned int minor);

/* Sums of one kind of objects, at one call site or at all call sites. */
struct slab_row {
	struct slab_sum sum;
	uint32_t code, kind;
};

/* outcomes.c: notes gaps in the trace, and reports the peak and the outcomes. */
void slab_report_notes(const struct slab_results *results, struct mm_report *report);
void slab_report_outcomes(const struct slab_results *results, struct mm_report *report);
/*
 * Returns @text with the peak of live bytes: "about 1.5 MiB, 0.100 s after the first slab or page
 * event".
 */
const char *slab_peak_text(const struct slab_results *results, char *text, size_t size);
/* recorder.c: reports the recorder's own allocations. */
void slab_report_recorder(const struct slab_results *results, const struct slab_options *options,
			  struct mm_report *report);

/* leaks.c, most-wasted.c, anomalies.c, tally-tables.c, nodes.c, pages.c: fill their tables. */
struct slab_answer;
void slab_report_leaks(struct slab_answer *answer);
void slab_report_most_wasted(const struct slab_results *results, const struct slab_options *options,
			     struct mm_report *report);
void slab_report_anomalies(const struct slab_results *results, const struct slab_options *options,
			   struct mm_report *report);
/* Fills the tables about the quality of the data, which are the last tables of the report. */
void slab_report_diagnostics(const struct slab_results *results, const struct slab_options *options,
			     struct mm_report *report);
/* paths.c: fills the table of untraced allocation and free paths. */
void slab_report_paths(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report);
/* Notes that the trace does not say if some paths were traced. */
void slab_note_paths(const struct slab_results *results, struct mm_report *report);
/* Notes that the snapshot has no symbols because the kernel hid their addresses. */
void slab_note_symbols(const struct slab_results *results, struct mm_report *report);
void slab_report_tallies(const struct slab_results *results, const struct slab_options *options,
			 struct mm_report *report);
/* stacks.c: fills the tables of call stacks. */
void slab_report_stacks(const struct slab_results *results, const struct slab_options *options,
			struct mm_report *report);
void slab_report_nodes(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report);
/*
 * pages.c: fills @folded with the selected failed allocations (struct slab_failed), most frequent
 * first. A row has the process id instead of the thread, or SLAB_NO_PROCESS if the process is
 * unknown. Release @folded even on failure. Returns 0, or -1 when out of memory.
 */
#define SLAB_NO_PROCESS UINT32_MAX
int slab_fold_failed(const struct slab_results *results, const struct slab_options *options,
		     struct mm_rows *folded);
void slab_report_pages(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report);

#endif /* LTTNG_MM_SLAB_REPORT_REPORT_H */
