// SPDX-License-Identifier: LGPL-2.1-only
/* The time range in which a trace has all of its events. */
#include "analysis/trace/coverage.h"

void mm_coverage(const struct mm_source *source, int64_t *start_ns, int64_t *end_ns)
{
	bool part = source->options.begin_ns != INT64_MIN || source->options.end_ns != INT64_MAX;

	*start_ns = INT64_MIN;
	*end_ns = INT64_MAX;
	for (size_t i = 0; i < source->loss_count; i++) {
		const struct mm_loss *loss = &source->losses[i];
		bool absent = part && loss->begin_ns == INT64_MIN && loss->end_ns == INT64_MAX;
		int64_t end = absent ? INT64_MIN : loss->end_ns;

		if (!loss->has_requested)
			continue;
		if (loss->damaged_since_ns < end)
			end = loss->damaged_since_ns;
		if (loss->begin_ns > *start_ns)
			*start_ns = loss->begin_ns;
		if (end < *end_ns)
			*end_ns = end;
	}
}
