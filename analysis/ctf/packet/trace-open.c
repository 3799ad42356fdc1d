// SPDX-License-Identifier: LGPL-2.1-only
/* Opens a trace: its metadata, then its files. */
#include "analysis/ctf/metadata/metadata.h"
#include "analysis/ctf/packet/packet.h"

struct ctf_trace *ctf_trace_open_read(const char *folder, struct ctf_trace_class *class,
				      int64_t clock_shift_ns, struct mm_error *err)
{
	for (size_t i = 0; clock_shift_ns && i < class->clock_count; i++)
		ctf_clock_shift(class->clocks[i], clock_shift_ns);
	return ctf_trace_open_class(folder, class, err);
}

struct ctf_trace *ctf_trace_open(const char *folder, int64_t clock_shift_ns, struct mm_error *err)
{
	struct ctf_trace_class *class = ctf_metadata_read(folder, err);

	return class ? ctf_trace_open_read(folder, class, clock_shift_ns, err) : NULL;
}
