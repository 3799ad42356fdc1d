// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the time range in which a trace has all of its events. */
#include "reader/coverage/coverage.h"

#include "reader/coverage/missing.h"

int64_t mm_coverage_begin(const struct mm_source *source, const struct mm_loss *loss)
{
	const struct mm_covered *covered = mm_missing_covered(source, loss->stream);

	return covered && covered->start_ns < loss->begin_ns ? covered->start_ns : loss->begin_ns;
}

int64_t mm_coverage_certified_later(const struct mm_source *source, const char *stream,
				    int64_t begin_ns, int64_t since_ns)
{
	const struct mm_covered *covered = mm_missing_covered(source, stream);

	return covered && begin_ns < covered->start_ns && covered->start_ns > since_ns
		       ? covered->start_ns
		       : since_ns;
}

int64_t mm_coverage_certified_since(const struct mm_source *source)
{
	int64_t since_ns = INT64_MIN;

	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);

		if (loss->has_subject && !mm_loss_is_state(loss) && loss->begin_ns != INT64_MIN)
			since_ns = mm_coverage_certified_later(source, loss->stream, loss->begin_ns,
							       since_ns);
	}
	return since_ns;
}

/*
 * Does the requested part of the trace lack the stream? A certified stream without packets was
 * idle, so it is not absent.
 */
static bool is_absent(const struct mm_loss *loss, const struct mm_covered *covered)
{
	return loss->begin_ns == INT64_MIN && loss->end_ns == INT64_MAX && !covered;
}

static int64_t end_of(const struct mm_loss *loss, const struct mm_covered *covered)
{
	if (!covered || (loss->end_ns != INT64_MAX && loss->end_ns > covered->end_ns))
		return loss->end_ns;
	return covered->end_ns;
}

/* Do the stream's start and end limit the time range for requested events? */
static bool limits(const struct mm_loss *loss)
{
	return loss->has_requested && (!loss->has_subject || loss->affects_others);
}

int64_t mm_coverage_started(const struct mm_source *source)
{
	int64_t start_ns = INT64_MIN;

	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);
		const struct mm_covered *covered = mm_missing_covered(source, loss->stream);
		int64_t begin = covered && loss->begin_ns == INT64_MIN
					? covered->start_ns
					: mm_coverage_begin(source, loss);

		if (limits(loss) && begin > start_ns)
			start_ns = begin;
	}
	return start_ns;
}

void mm_coverage(const struct mm_source *source, int64_t *start_ns, int64_t *end_ns)
{
	bool part = mm_source_options_windowed(mm_source_options(source));

	*start_ns = mm_coverage_started(source);
	*end_ns = INT64_MAX;
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);
		const struct mm_covered *covered = mm_missing_covered(source, loss->stream);
		int64_t end = part && is_absent(loss, covered) ? INT64_MIN : end_of(loss, covered);

		if (!limits(loss))
			continue;
		if (loss->damaged_since_ns < end)
			end = loss->damaged_since_ns;
		if (end < *end_ns)
			*end_ns = end;
	}
}
