// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the CPUs of the recorded machine from the state dump of a snapshot. */
#include "reader/coverage/find/state-cpus.h"

#include "reader/ctf/decode/source.h"
#include "util/hash.h"

static int see_cpu(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct state_cpus *cpus = user;
	uint32_t *grown = mm_array_grow(cpus->all, cpus->count, &cpus->room, sizeof(*grown));

	if (!grown)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	cpus->all = grown;
	if (event->fields[0].u < MM_CPU_UNKNOWN)
		grown[cpus->count++] = (uint32_t)event->fields[0].u;
	return 0;
}

int state_cpus_read(const char *folder, struct state_cpus *cpus)
{
	const struct mm_handler handler = { .user = cpus, .event = see_cpu };
	struct mm_source_options options;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_requests requests;
	struct mm_source *dump;

	mm_source_options_init(&options);
	options.jobs = 1;
	options.check_packets = options.metadata_clock = true;
	dump = mm_ctf_source_create_of(folder, &folder, 1, &options, &err);
	mm_requests_init(&requests);
	mm_requests_add(&requests, "page_statedump_cpu");
	mm_requests_add_field(&requests, "cpu", MM_FIELD_INTEGER);
	if (dump)
		mm_source_run(dump, &requests, &handler, &err);
	mm_requests_release(&requests);
	mm_source_destroy(dump);
	return err.code == MM_EXIT_ENVIRONMENT ? -1 : 0;
}
