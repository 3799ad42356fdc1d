// SPDX-License-Identifier: LGPL-2.1-only
/* Common parts of commands that read a trace. */
#include "cli/common/command.h"

#include "reader/open/open.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/path.h"

const char *command_trace(char *arg)
{
	if (!mm_source_is_live(arg))
		mm_path_strip(arg);
	return arg;
}

void command_lock_trace(const char *trace)
{
	/* Ignore failures, because live sessions and traces outside snapshots need no lock. */
	(void)mm_snapshots_lock(trace);
}

void command_require_trace(const char *trace, const struct argp_state *state)
{
	if (!trace)
		argp_error(state,
			   "no trace given; name the folder that `lttng-mm snapshot` printed");
}

error_t command_parse_trace(int key, char *arg, struct argp_state *state, const char **trace)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*trace)
			argp_error(state, "only one trace can be given");
		*trace = command_trace(arg);
		return 0;
	case ARGP_KEY_END:
		command_require_trace(*trace, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
