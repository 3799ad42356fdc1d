// SPDX-License-Identifier: LGPL-2.1-only
/* Parses the sizes of ring buffers. */
#include "cli/common/buffers.h"

#include "lttng-session/profile/profile.h"

uint64_t buffers_parse_size(const char *arg, const struct argp_state *state)
{
	const uint64_t bytes = profile_parse_size(arg, 4096);

	if (!bytes)
		argp_error(state, "--subbuf-size: '%s' is not a power of two (at least 4k)", arg);
	return bytes;
}

uint64_t buffers_parse_count(const char *arg, const struct argp_state *state)
{
	const uint64_t count = profile_parse_size(arg, 2);

	if (!count)
		argp_error(state, "--num-subbuf: '%s' is not a power of two (at least 2)", arg);
	return count;
}
