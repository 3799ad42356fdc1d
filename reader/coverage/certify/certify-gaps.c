// SPDX-License-Identifier: LGPL-2.1-only
/* Counts the gaps in certificates. */
#include "reader/coverage/certify/certify.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/missing.h"

static uint64_t count_gaps(const struct mm_certificate *certificate)
{
	uint64_t gaps = 0;

	for (size_t i = 0; i < certificate->stream_count; i++)
		for (size_t j = 0; j < certificate->streams[i].hole_count; j++)
			gaps += certificate->streams[i].holes[j].kind == MM_HOLE_GAP &&
				!mm_trace_is_state(certificate->streams[i].trace);
	return gaps;
}

int certificate_gaps(const struct certify_traces *opened, uint64_t *gaps, struct mm_error *err)
{
	const struct mm_source *source = opened->source;
	struct mm_certificate derived;
	struct mm_snapshots snapshots;
	bool bare = false;
	int ret = mm_snapshots_find(&snapshots, source);

	*gaps = 0;
	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory",
			     mm_source_path(source));
	for (size_t i = 0; i < snapshots.count && !ret; i++)
		if (!snapshots.all[i].problem)
			*gaps += count_gaps(&snapshots.all[i].snapshot.certificate);
	for (size_t i = 0; i < snapshots.member_count; i++)
		bare |= snapshots.members[i].dir == SIZE_MAX ||
			snapshots.all[snapshots.members[i].dir].problem;
	mm_snapshots_release(&snapshots);
	if (!ret && bare) {
		ret = certify_opened(opened, &derived, err);
		*gaps += ret ? 0 : count_gaps(&derived);
		mm_certificate_release(&derived);
	}
	/*
	 * If no certificate has a gap, look for gaps of single streams. Certificates do not list
	 * them.
	 */
	for (size_t i = 0; i < mm_source_missing(source)->pause_count && !ret && !*gaps; i++)
		*gaps = mm_source_missing(source)->pauses[i].maybe;
	return ret;
}
