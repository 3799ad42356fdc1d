// SPDX-License-Identifier: LGPL-2.1-only
/* Opens a trace: its metadata, then its files. */
#include "analysis/ctf/metadata/metadata.h"
#include "analysis/ctf/packet/packet.h"

struct ctf_trace *ctf_trace_open(const char *folder, int64_t clock_shift_ns, struct mm_error *err)
{
	struct ctf_trace_class *class = ctf_metadata_read(folder, err);

	for (size_t i = 0; class && clock_shift_ns && i < class->clock_count; i++)
		ctf_clock_shift(class->clocks[i], clock_shift_ns);
	return class ? ctf_trace_open_class(folder, class, err) : NULL;
}
