// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the facts of a run, as members of run.json. */
#include "regress/run-write.h"

#include <stdlib.h>

#include "tests/tap.h"

static char *command[] = { "make", "-j4", NULL }, *profiles[] = { "slab", NULL };

static void is_json(const struct regress_run_facts *facts, const char *expected, const char *what)
{
	json_t *got = regress_run_facts_json(facts), *wanted = json_loads(expected, 0, NULL);
	char *text = got ? json_dumps(got, JSON_COMPACT) : NULL;

	tap(wanted && json_equal(got, wanted), "%s", what);
	printf("# %s\n", text ? text : "no facts");
	free(text);
	json_decref(got);
	json_decref(wanted);
}

int main(void)
{
	struct regress_run_facts facts = {
		.command = command,
		.profiles = profiles,
		.kernel = "6.12.118+deb13-amd64 1a2b3c4d5e6f",
		.probes = "lttng_probe_slab 99aa00bb",
		.machine = "2 CPUs, 1987 MiB",
		.clock = REGRESS_TIME,
		.started_s = 1795342100,
		.elapsed_ns = 1200000000,
		.trace = "trace-20261130-033700-0",
	};

	is_json(&facts,
		"{\"format\": 1, \"command\": [\"make\", \"-j4\"], \"profiles\": [\"slab\"],"
		" \"all\": false, \"kernel\": \"6.12.118+deb13-amd64 1a2b3c4d5e6f\","
		" \"probes\": \"lttng_probe_slab 99aa00bb\", \"machine\": \"2 CPUs, 1987 MiB\","
		" \"clock\": \"time\", \"started\": 1795342100, \"elapsed_ns\": 1200000000,"
		" \"trace\": \"trace-20261130-033700-0\", \"inconclusive\": null}",
		"each fact is a member");
	facts.all = true;
	facts.clock = REGRESS_INSTRUCTIONS;
	facts.kernel = NULL;
	facts.inconclusive = "the ring buffers wrapped";
	is_json(&facts,
		"{\"format\": 1, \"command\": [\"make\", \"-j4\"], \"profiles\": [\"slab\"],"
		" \"all\": true, \"kernel\": null, \"probes\": \"lttng_probe_slab 99aa00bb\","
		" \"machine\": \"2 CPUs, 1987 MiB\", \"clock\": \"instructions\","
		" \"started\": 1795342100, \"elapsed_ns\": 1200000000,"
		" \"trace\": \"trace-20261130-033700-0\","
		" \"inconclusive\": \"the ring buffers wrapped\"}",
		"all processes, an unknown kernel, and an inconclusive run");
	return tap_status();
}
