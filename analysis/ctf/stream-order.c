// SPDX-License-Identifier: LGPL-2.1-only
/* The order of streams for events of equal time: that of babeltrace2's muxer. */
#include <string.h>

#include "analysis/ctf/packet.h"

static const char *trace_name(const struct ctf_trace_class *class)
{
	const struct ctf_env *host = ctf_env_find(class, "hostname");

	return host && host->kind == CTF_ENV_STRING ? host->s : "";
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int ctf_stream_compare(const struct ctf_stream *a, const struct ctf_stream *b)
{
	const struct ctf_trace_class *left = a->trace->class, *right = b->trace->class;
	int ret = 0;

	if (left != right) {
		/* Those with a UUID first. */
		ret = right->has_uuid - left->has_uuid;
		if (!ret && left->has_uuid)
			ret = memcmp(left->uuid, right->uuid, sizeof(left->uuid));
		if (!ret)
			ret = strcmp(trace_name(left), trace_name(right));
	}
	if (!ret)
		ret = compare_numbers(a->class->id, b->class->id);
	return ret ? ret : compare_numbers(a->id, b->id);
}
