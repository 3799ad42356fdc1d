/* SPDX-License-Identifier: LGPL-2.1-only */
/* Refuses folders that hold more than one recording. */
#ifndef LTTNG_MM_COVERAGE_FIND_RECORDINGS_H
#define LTTNG_MM_COVERAGE_FIND_RECORDINGS_H

#include "reader/events/source.h"
#include "reader/sysinfo/snapshot-dirs.h"

struct ctf_trace;

/*
 * Checks that all folders of @source, which is identified, can be read as one trace. They cannot
 * if two of them are of different recordings of the same thing: two snapshots of one trace, two
 * snapshots by lttng-mm of one host, two recordings of the same events of one kernel, or recordings
 * of two boots of one host. Merged, events between the recordings would be missing, or be there
 * twice, and no count would show it.
 * The chunks of a session, the traces of different hosts, and those of the kernel and of user space
 * can be read together.
 *
 * Returns 0, or -1 with @err set. The error lists the recordings, newest first.
 */
int mm_recordings_check(const struct mm_source *source, const struct mm_snapshots *snapshots,
			struct mm_error *err);

/*
 * Checks that no packet is there twice: that no two files of @source, whose traces are open as
 * @traces, have packets of the same stream that repeat or overlap. One is a copy, or they are of
 * different recordings. Returns 0, or -1 with @err set.
 */
int mm_recordings_check_packets(const struct mm_source *source,
				const struct mm_snapshots *snapshots,
				struct ctf_trace *const *traces, size_t count,
				struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_FIND_RECORDINGS_H */
