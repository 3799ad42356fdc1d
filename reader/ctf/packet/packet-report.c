// SPDX-License-Identifier: LGPL-2.1-only
/* Passes findings to the user of a packet iterator. */
#include "reader/ctf/packet/packet-report.h"

#include <stdarg.h>
#include <stdio.h>

#include "reader/ctf/packet/packet.h"

void ctf_packet_report(const struct ctf_packet_iterator *iterator, const struct ctf_file *file,
		       uint64_t offset, unsigned int how, const char *fmt, ...)
{
	struct ctf_finding finding = { .file = file->path,
				       .packet = iterator->number,
				       .offset = offset,
				       .skipped = how & CTF_FOUND_SKIPPED,
				       .truncated = how & CTF_FOUND_TRUNCATED,
				       .foreign = how & CTF_FOUND_FOREIGN,
				       .backward = how & CTF_FOUND_BACKWARD,
				       .unseen = how & CTF_FOUND_UNSEEN,
				       .other = how & CTF_FOUND_OTHER,
				       .counter = how & CTF_FOUND_COUNTER,
				       .doubtful = how & CTF_FOUND_DOUBTFUL,
				       .whole = how & CTF_FOUND_WHOLE,
				       .note = how & CTF_FOUND_NOTE };
	char what[256];
	va_list args;

	if (!iterator->finding)
		return;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	finding.what = what;
	iterator->finding(iterator->user, &finding);
}
