// SPDX-License-Identifier: LGPL-2.1-only
/* Accounts that are left out of the figures. */
#include "analysis/slab/listed.h"

#include <stdlib.h>

#include "analysis/slab/report/select.h"
#include "analysis/sysinfo/selection.h"

/* slab_accounts.leaves_out of a second reading. */
static enum slab_left_out was_left_out(const void *user, uint32_t number, const struct slab_op *op)
{
	const struct slab_state *state = user;

	(void)op;
	return number < state->unlisted_count ? state->unlisted[number] : SLAB_LISTED;
}

/* Is the recorder to be recognized while the trace is read? */
static bool recognizes(const struct slab_state *state)
{
	return !state->include_recorder && !state->unlisted && state->sysinfo &&
	       mm_sysinfo_lists_recorder(state->sysinfo);
}

int slab_listed_start(struct slab_state *state)
{
	struct slab_accounts *accounts = &state->tracker.pairing.accounts;
	int tid;

	if (state->unlisted) {
		accounts->leaves_out = was_left_out;
		accounts->user = state;
	}
	if (!recognizes(state))
		return 0;
	accounts->leaves_out = slab_expected_leaves_out;
	accounts->user = &state->tracker.expected;
	for (size_t i = 0; (tid = mm_sysinfo_thread(state->sysinfo, i)) >= 0; i++) {
		int64_t start_ns;

		if (!mm_sysinfo_is_recorder(state->sysinfo, mm_sysinfo_pid(state->sysinfo, tid),
					    &start_ns))
			continue;
		start_ns = mm_recorder_start(state->sysinfo, state->boot_ns, start_ns);
		if (slab_expected_set(&state->recorders, (uint32_t)tid, start_ns) ||
		    slab_expected_set(&state->tracker.expected, (uint32_t)tid, start_ns))
			return -1;
	}
	return 0;
}

static int set(struct slab_state *state, uint32_t tid, bool recorder, int64_t time_ns)
{
	int64_t since_ns = recorder ? INT64_MIN : INT64_MAX;

	if (recorder == slab_expected_has(&state->recorders, tid, time_ns))
		return 0;
	if (slab_expected_set(&state->recorders, tid, since_ns))
		return -1;
	if (!state->started)
		return slab_expected_set(&state->tracker.expected, tid, since_ns);
	*state->batches.next = (struct slab_op){ .time_ns = time_ns,
						 .key = { .tid = tid },
						 .bytes_req = recorder,
						 .how = { .what = SLAB_OPERATION_EXPECT } };
	return slab_batches_push(&state->batches);
}

int slab_listed_see(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	bool exec = event->type->request == SLAB_EVENT_EXEC;
	int64_t tid = f[0].i, pid = exec ? tid : f[1].i;
	const char *name = event->type->kinds[2] == MM_KIND_STRING ? f[2].s : NULL;
	bool recorder;

	if (!recognizes(state) || tid <= 0 || tid > INT32_MAX || pid <= 0 || pid > INT32_MAX)
		return 0;
	if (exec && name)
		name = mm_threads_exec_name(name);
	/* A thread is the recorder's if its process is. */
	recorder =
		pid == tid
			? slab_recorder_is_likely(state->sysinfo, (uint32_t)tid, (int32_t)pid, name)
			: slab_expected_has(&state->recorders, (uint32_t)pid, event->time_ns) ||
				  slab_recorder_is_likely(state->sysinfo, (uint32_t)tid,
							  (int32_t)pid, NULL);
	return set(state, (uint32_t)tid, recorder, event->time_ns);
}

int slab_listed_again(const struct slab_state *state, const struct mm_report_options *options,
		      uint8_t **unlisted)
{
	const struct slab_accounts *accounts = state->results.accounts;
	uint32_t count = slab_accounts_count(accounts);
	bool differs = slab_filters_objects(options) != state->tracker.remote.of_listed;

	*unlisted = calloc(count, sizeof(**unlisted));
	if (!*unlisted)
		return -1;
	/* The account 0 is nobody. */
	for (uint32_t i = 1; i < count; i++) {
		(*unlisted)[i] =
			!options->include_recorder &&
					slab_recorder_is_account(state->results.recorder, i)
				? SLAB_RECORDER
			: slab_matches_account(&state->results, options, i) ? SLAB_LISTED
									    : SLAB_FILTERED;
		differs |= (*unlisted)[i] != accounts->unlisted[i];
	}
	if (differs)
		return 0;
	free(*unlisted);
	*unlisted = NULL;
	return 0;
}

void slab_listed_take(struct slab_state *state, uint8_t *unlisted, uint32_t count)
{
	state->unlisted = unlisted;
	state->unlisted_count = count;
}
