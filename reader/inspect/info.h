/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Describes the contents of a trace by its metadata and packet headers, and on request by its
 * events.
 */
#ifndef LTTNG_MM_INSPECT_INFO_H
#define LTTNG_MM_INSPECT_INFO_H

#include <stdbool.h>

#include "reader/inspect/info-brief.h"
#include "reader/report/report.h"
#include "util/error.h"

struct ctf_info_options {
	bool events; /* count the events of each class, which decodes the whole trace */
	bool gmt;    /* print times in UTC instead of the local time zone */
	unsigned int jobs;
	/*
	 * for --require-complete: receives the error of certificate_require(); NULL: not requested
	 */
	struct mm_error *incomplete;
	/* receives findings for the short text form; NULL: not requested */
	struct ctf_info_brief *brief;
};

/*
 * Describes the trace in folder @path: streams, time range, events, losses, gaps, clocks,
 * environment. Damage that can be skipped is part of the report. Returns a report to release with
 * mm_report_destroy(). Returns NULL with @err set if the trace cannot be opened or read to its end.
 */
struct mm_report *ctf_info(const char *path, const struct ctf_info_options *options,
			   struct mm_error *err);

#endif /* LTTNG_MM_INSPECT_INFO_H */
