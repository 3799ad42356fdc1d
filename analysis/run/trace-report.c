// SPDX-License-Identifier: LGPL-2.1-only
/* Makes reports of traces. */
#include "analysis/run/trace-report.h"

#include "analysis/registry/registry.h"
#include "analysis/run/rules.h"
#include "reader/coverage/certify/certify.h"

int mm_trace_suspects(const char *path, const struct mm_source_options *options,
		      struct mm_suspects *suspects, struct mm_error *err)
{
	for (size_t i = 0; mm_rules_at(i); i++)
		if (mm_rules_suspects(mm_rules_at(i), path, options, suspects, err))
			return -1;
	return 0;
}

struct mm_report *mm_trace_report(const struct mm_analysis *analysis, const char *path,
				  const struct mm_source_options *source_options,
				  const struct mm_report_options *options, struct mm_error *err)
{
	struct mm_source *source = NULL;
	struct mm_report *report =
		mm_analysis_run(analysis, path, source_options, options, &source, err);
	int ret = report && source ? certificate_warn(source, report, err) : 0;

	mm_source_destroy(source);
	if (!ret)
		return report;
	mm_report_destroy(report);
	return NULL;
}
