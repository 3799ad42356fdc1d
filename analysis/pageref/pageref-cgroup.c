// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the memory of the recorded cgroup from the system information, which is untrusted. */
#include "analysis/pageref/pageref-report.h"
#include "reader/sysinfo/part.h"
#include "reader/sysinfo/sysinfo.h"

static const json_t *find(const struct pageref_state *state)
{
	return json_array_get(mm_sysinfo_list(state->sysinfo, MM_SYSINFO_CGROUP), 0);
}

const char *pageref_cgroup(const struct pageref_state *state)
{
	return json_string_value(json_object_get(find(state), "cgroup"));
}

bool pageref_cgroup_bytes(const struct pageref_state *state, const char *member, uint64_t *bytes)
{
	const json_t *value = json_object_get(find(state), member);

	if (!pageref_cgroup(state) || !json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*bytes = (uint64_t)json_integer_value(value);
	return true;
}
