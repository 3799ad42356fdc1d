/* SPDX-License-Identifier: LGPL-2.1-only */
/* Refuses folders that hold more than one recording. */
#ifndef LTTNG_MM_COVERAGE_FIND_RECORDINGS_H
#define LTTNG_MM_COVERAGE_FIND_RECORDINGS_H

#include "reader/events/source.h"
#include "reader/sysinfo/snapshot-dirs.h"

struct ctf_trace;

/*
 * Checks that all folders of @source can be read as one trace. This is impossible if two belong to
 * different recordings of the same thing: two snapshots of one trace, two snapshots by lttng-mm of
 * one host, two recordings of the same events of one kernel, or recordings of two boots of one
 * host. If they were merged, events between the recordings would be missing or doubled, and no
 * count would show it.
 *
 * The chunks of a session, traces of different hosts, and traces of the kernel and of user space
 * can be read together.
 *
 * The folders must be identified (mm_source_identify()). Returns 0, or -1 with @err set, which
 * lists the recordings, newest first.
 */
int mm_recordings_check(const struct mm_source *source, const struct mm_snapshots *snapshots,
			struct mm_error *err);

/*
 * Checks that no packet occurs twice: that no two files of the open @traces of @source have packets
 * of the same stream that repeat or overlap. Such a file is a copy, or belongs to another
 * recording. Returns 0, or -1 with @err set.
 */
int mm_recordings_check_packets(const struct mm_source *source,
				const struct mm_snapshots *snapshots,
				struct ctf_trace *const *traces, size_t count,
				struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_FIND_RECORDINGS_H */
