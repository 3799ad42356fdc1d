/* SPDX-License-Identifier: LGPL-2.1-only */
/* Context for filling in the report of ctf_info(). */
#ifndef LTTNG_MM_INSPECT_INFO_PRIVATE_H
#define LTTNG_MM_INSPECT_INFO_PRIVATE_H

#include "reader/inspect/info-gather.h"
#include "reader/inspect/info-sentence.h"
#include "reader/report/report.h"
#include "reader/events/source.h"

struct info_ctx {
	struct mm_report *report;
	struct mm_source *source;
	struct ctf_trace *const *traces;
	size_t trace_count;
	const struct ctf_info_stream *infos;
	size_t info_count;
	const struct ctf_info_options *options;
	struct ctf_info_facts facts;
};

#endif /* LTTNG_MM_INSPECT_INFO_PRIVATE_H */
