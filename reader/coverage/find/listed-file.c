// SPDX-License-Identifier: LGPL-2.1-only
/* Compares a stream file with its entry in traces.json or in a certificate. */
#include "reader/coverage/find/listed-file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/find/list-mismatch.h"
#include "reader/coverage/find/file-packets.h"
#include "reader/coverage/find/search.h"
#include "reader/sysinfo/snapshot-dirs.h"

const char missing_by_list[] = "the system information lists it";

static int64_t later(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/* Does a certificate list a size other than @bytes for the file? */
static bool is_certified_otherwise(const struct missing_search *search,
				   const struct missing_listed *listed, uint64_t bytes)
{
	const struct mm_trace_snapshot *member =
		&search->snapshots->members[listed->missing.folder];
	const struct mm_certificate *certificate;

	if (member->dir == SIZE_MAX || search->snapshots->all[member->dir].problem)
		return false;
	certificate = &search->snapshots->all[member->dir].snapshot.certificate;
	for (size_t i = 0; i < certificate->stream_count; i++)
		if (!strcmp(certificate->streams[i].file, listed->name) &&
		    !strcmp(certificate->streams[i].trace, member->trace))
			return certificate->streams[i].bytes != bytes;
	return false;
}

/*
 * Handles a file whose size differs from the list. If the file has fewer packets than listed,
 * packets are missing, even if the sequence numbers show no loss. Otherwise, the file was replaced,
 * for example by another snapshot's file, and counts as a mismatch. If the size also differs from
 * the certificate, no mismatch is added, because the file is already reported to differ from the
 * certificate.
 */
static void check_length(struct missing_search *search, struct missing_folder *packets,
			 const char *file, struct missing_listed *listed, uint64_t bytes)
{
	const bool longer = bytes > listed->bytes;
	const struct missing_file *found;
	uint64_t seen = 0, truncated = 0;

	found = missing_file_find(search, packets, listed->name);
	if (found) {
		seen = found->packets;
		truncated = found->packets_truncated + found->packets_damaged;
		if (found->packets_lost > listed->packets_lost)
			seen += found->packets_lost - listed->packets_lost;
	}
	/*
	 * Damaged packets do not count as missing. A packet truncated by the end of the file does
	 * not count as missing, either.
	 */
	if (seen && (longer || seen + truncated >= listed->packets)) {
		if (listed->missing.source == missing_by_list && !truncated && !found->cut &&
		    !is_certified_otherwise(search, listed, bytes))
			search->failed |=
				mm_mismatch_add(search->list, file,
						"%" PRIu64 " bytes, not %" PRIu64 " as listed",
						bytes, listed->bytes) != 0;
		return;
	}
	listed->missing.what = longer		    ? "the file has no packets of this stream"
			       : seen || !truncated ? "it is shorter than recorded"
						    : "it ends in its first packet's header";
	listed->missing.complete_stream = !seen;
	listed->missing.packets =
		listed->packets > seen + truncated ? listed->packets - seen - truncated : 0;
	listed->missing.begin_ns = seen ? later(found->begin_ns, found->resumed_ns) : INT64_MIN;
	listed->missing.end_ns = seen ? found->end_ns : INT64_MAX;
	missing_search_add(search, file, &listed->missing);
}

void missing_check_listed(struct missing_search *search, struct missing_folder *packets,
			  size_t number, struct missing_listed *listed, bool in_state)
{
	uint64_t bytes;
	char *file;

	if (asprintf(&file, "%s/%s", packets->folder, listed->name) < 0) {
		search->failed = true;
		return;
	}
	listed->missing.folder = number;
	listed->missing.in_state = in_state;
	listed->missing.what = missing_why_absent(file, &bytes);
	if (!listed->missing.what && number == SIZE_MAX)
		listed->missing.what = "there is no metadata";
	if (listed->missing.what)
		missing_search_add(search, file, &listed->missing);
	else if (bytes != listed->bytes)
		check_length(search, packets, file, listed, bytes);
	free(file);
}
