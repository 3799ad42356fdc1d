/* SPDX-License-Identifier: LGPL-2.1-only */
/* Results of the analysis of function calls, and the functions that report them. */
#ifndef LTTNG_MM_FN_REPORT_REPORT_H
#define LTTNG_MM_FN_REPORT_REPORT_H

#include "analysis/fn/account/accounts.h"
#include "analysis/fn/decode/states.h"
#include "analysis/fn/options.h"
#include "analysis/fn/track/pairing.h"
#include "reader/report/report.h"
#include "reader/sysinfo/call-sites.h"
#include "reader/sysinfo/threads.h"

/* Complete calls of the recorder's own processes. */
struct fn_recorder_calls {
	bool known;	  /* the recorder's processes are known; no figure includes their calls */
	bool any_unknown; /* some calls in the figures are by threads of unknown processes */
	uint64_t calls, self_ns;
};

struct fn_results {
	const struct fn_classes *classes;
	const struct fn_pairing *pairing;
	const struct fn_accounts *accounts;
	const struct mm_threads *threads;
	const struct mm_call_sites *call_sites;
	const struct fn_state_dumps *states;
	const struct mm_sysinfo *sysinfo;
	const struct fn_recorder_calls *recorder;
	/* functions in the report (with events, and selected by --function), sorted by name */
	uint32_t *listed;
	uint32_t listed_count;
};

/* Names of the outcomes in metrics and tables. */
extern const char *const fn_outcome_names[FN_OUTCOMES];

/*
 * Fills the table of added functions, and states missed calls. If @by_pid is true, omits call
 * counts, because the kernel module counts the calls of all processes together. Returns 0, or -1
 * when out of memory.
 */
int fn_report_added(const struct fn_results *results, bool by_pid, struct mm_report *report);

/* Fills the report. Returns 0, or -1 when out of memory. */
int fn_report_fill(const struct fn_results *results, const struct fn_option_values *options,
		   struct mm_report *report);

/* Allocates results->listed, which the caller frees. Returns 0, or -1 when out of memory. */
int fn_report_list(struct fn_results *results);

/* Adds the sentences of the first screen, findings and notes. */
void fn_conclude(const struct fn_results *results, const struct fn_option_values *options,
		 struct mm_report *report);

#endif /* LTTNG_MM_FN_REPORT_REPORT_H */
