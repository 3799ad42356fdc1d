/* SPDX-License-Identifier: LGPL-2.1-only */
/* Refuses folders that hold more than one recording. */
#ifndef LTTNG_MM_COVERAGE_FIND_RECORDINGS_H
#define LTTNG_MM_COVERAGE_FIND_RECORDINGS_H

#include "reader/events/source.h"
#include "reader/sysinfo/snapshot-dirs.h"

struct ctf_trace;

/*
 * Checks that all folders of @source can be read as one trace. Refuses folders whose recordings
 * conflict: different snapshots of one trace, snapshots by lttng-mm of one host, recordings of the
 * same event of one kernel, or recordings of two boots of one host. In a merged trace, events
 * between the recordings would be missing or doubled, and no count would show it.
 *
 * The chunks of a session, traces of different hosts, and traces of the kernel and of user space
 * can be read together.
 *
 * The folders must be identified (mm_source_identify()). Returns 0, or -1 with @err set. The error
 * lists the recordings, newest first.
 */
int mm_recordings_check(const struct mm_source *source, const struct mm_snapshots *snapshots,
			struct mm_error *err);

/*
 * Checks that no packet occurs twice in the open @traces of @source. If packets of one stream
 * repeat or overlap in two files, one file is a copy or belongs to another recording. Returns 0, or
 * -1 with @err set.
 */
int mm_recordings_check_packets(const struct mm_source *source,
				const struct mm_snapshots *snapshots,
				struct ctf_trace *const *traces, size_t count,
				struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_FIND_RECORDINGS_H */
