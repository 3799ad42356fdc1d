// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What the processes that recorded the trace allocated themselves. The system information lists
 * those that ran at the snapshot; lttng-mm and LTTng's programs that had ended by then are known by
 * their names. Without that list nobody is taken for one of them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/report.h"

/* A thread id: has the recorder had it, and has anybody else? */
struct user {
	struct mm_row row; /* thread */
	bool ours, others;
};

struct slab_recorder {
	bool *accounts;		 /* by number: is it the recorder's? */
	struct slab_site *sites; /* by number: the recorder's part; without peaks */
	struct mm_rows users;
	uint32_t site_count;
};

/* When a process started, as events have time: not before that. */
static int64_t start_time(const struct slab_state *state, int64_t start_ns)
{
	int64_t asleep_ns = mm_context_system_number(state->context, "snapshot_boottime_ns", 0) -
			    mm_context_system_number(state->context, "snapshot_monotonic_ns", 0);
	int64_t time_ns;

	/* The trace's clock stands still while the machine sleeps. */
	if (asleep_ns < 0 || __builtin_sub_overflow(start_ns, asleep_ns, &start_ns) ||
	    __builtin_add_overflow(start_ns, state->boot_ns, &time_ns))
		return INT64_MIN;
	return time_ns;
}

/*
 * The thread has ended, and its process has: by the name of the process or, where that is not
 * known, of the thread.
 * @pid: -1 where nobody knows.
 */
static bool is_ours_by_name(const struct slab_state *state, uint32_t tid, int32_t pid)
{
	const char *name = NULL;

	if (mm_context_comm(state->context, (int)tid) ||
	    (pid > 0 && mm_context_comm(state->context, pid)))
		return false;
	if (pid > 0)
		name = slab_traced_name(state, (uint32_t)pid);
	if (!name)
		name = slab_traced_name(state, tid);
	return name && !strncmp(name, "lttng-", strlen("lttng-"));
}

bool slab_recorder_did(const struct slab_state *state, uint32_t tid, int64_t first_ns)
{
	const struct mm_thread *thread = slab_find_thread(state, tid);
	int32_t pid = slab_thread_pid(state, tid);
	int64_t start_ns;

	/* Whoever had the number before this thread was another. */
	if (!mm_context_lists_recorder(state->context) || !tid || !pid ||
	    (thread && thread->since_ns > first_ns))
		return false;
	if (mm_context_is_recorder(state->context, pid, &start_ns))
		return first_ns >= start_time(state, start_ns);
	return is_ours_by_name(state, tid, pid);
}

static int find_accounts(struct slab_state *state, struct slab_recorder *recorder)
{
	struct slab_pairing *pairing = &state->pairing;

	/* The account 0 is nobody. */
	for (uint32_t i = 1; i < pairing->accounts.count; i++) {
		const struct slab_account *account = slab_pairing_account(pairing, i);
		struct user *user = mm_rows_get(&recorder->users, account->key.tid, 0);

		if (!user)
			return -1;
		recorder->accounts[i] =
			slab_recorder_did(state, account->key.tid, pairing->first_ns[i]);
		user->ours |= recorder->accounts[i];
		user->others |= !recorder->accounts[i];
		if (recorder->accounts[i])
			slab_pairing_add_to_site(pairing, i, &recorder->sites[account->site]);
	}
	return 0;
}

/* What slab_pairing_judge() took from the pairs. */
static void subtract_anomalies(struct slab_state *state, struct slab_recorder *recorder)
{
	struct slab_pairing *pairing = &state->pairing;

	for (size_t i = 0; i < pairing->anomaly_count; i++) {
		const struct slab_anomaly *anomaly = &pairing->anomalies[i];
		uint32_t owner;

		if (anomaly->kind == SLAB_SIZE || anomaly->kind == SLAB_DOUBLE_FREE ||
		    anomaly->verdict == SLAB_PAIRED)
			continue;
		owner = mm_rows_number(&pairing->accounts, &anomaly->first.row);
		if (owner < pairing->accounts.count && recorder->accounts[owner])
			recorder->sites[anomaly->site].outcomes[SLAB_PAIRED]--;
	}
}

static void find_live(struct slab_state *state, struct slab_recorder *recorder)
{
	const struct slab_objects *objects = &state->pairing.objects;

	for (uint32_t i = 0; i < objects->count; i++) {
		const struct slab_object *object = &objects->all[i];
		struct slab_site *site;

		if (!slab_object_lives(object) || !recorder->accounts[object->account])
			continue;
		site = &recorder->sites[slab_object_site(&state->pairing, object)];
		site->live++;
		site->live_req += object->bytes_req;
		site->live_alloc += object->bytes_alloc;
		site->outcomes[SLAB_LIVE]++;
	}
}

int slab_recorder_finish(struct slab_state *state)
{
	struct slab_recorder *recorder;

	if (!mm_context_lists_recorder(state->context))
		return 0;
	recorder = calloc(1, sizeof(*recorder));
	state->recorder = recorder;
	if (!recorder)
		return -1;
	recorder->site_count = state->pairing.sites.count;
	recorder->accounts = calloc(state->pairing.accounts.count, sizeof(*recorder->accounts));
	recorder->sites = calloc(recorder->site_count, sizeof(*recorder->sites));
	if (!recorder->accounts || !recorder->sites ||
	    mm_rows_init(&recorder->users, sizeof(struct user), UINT32_MAX - 1, 8) ||
	    find_accounts(state, recorder))
		return -1;
	for (uint32_t i = 0; i < recorder->site_count; i++)
		recorder->sites[i].row = slab_pairing_site(&state->pairing, i)->row;
	subtract_anomalies(state, recorder);
	find_live(state, recorder);
	return 0;
}

void slab_recorder_release(struct slab_state *state)
{
	if (!state->recorder)
		return;
	free(state->recorder->accounts);
	free(state->recorder->sites);
	mm_rows_release(&state->recorder->users);
	free(state->recorder);
}

bool slab_recorder_is_account(const struct slab_state *state, uint32_t account)
{
	return state->recorder && state->recorder->accounts[account];
}

bool slab_recorder_is_thread(const struct slab_state *state, uint32_t tid)
{
	const struct user *user =
		state->recorder ? mm_rows_lookup(&state->recorder->users, tid, 0) : NULL;

	return user && user->ours && !user->others;
}

void slab_listed_site(const struct slab_state *state, const struct mm_report_options *options,
		      uint32_t number, struct slab_site *site)
{
	const struct slab_site *part;

	*site = *slab_pairing_site(&state->pairing, number);
	if (!state->recorder || options->include_recorder)
		return;
	part = &state->recorder->sites[number];
	site->allocs -= part->allocs;
	site->bytes_req -= part->bytes_req;
	site->bytes_alloc -= part->bytes_alloc;
	site->live -= part->live;
	site->live_req -= part->live_req;
	site->live_alloc -= part->live_alloc;
	for (int i = 0; i < SLAB_OUTCOMES; i++)
		site->outcomes[i] -= part->outcomes[i];
	site->pairs.other_cpu -= part->pairs.other_cpu;
	site->pairs.other_thread -= part->pairs.other_thread;
	site->pairs.kfreed -= part->pairs.kfreed;
	for (int i = 0; i < SLAB_LIFETIME_BINS; i++)
		site->pairs.lifetimes[i] -= part->pairs.lifetimes[i];
}

/* NULL: who recorded is not known, and so is nothing of it. */
static void fill_metrics(struct mm_report *report, const struct slab_sum *sum, uint64_t pages)
{
	const struct slab_sum none = { 0 }, *own = sum ? sum : &none;
	const struct {
		const char *name;
		uint64_t value, unsized, count;
	} metrics[] = {
		{ "slab.recorder.allocations", own->allocs, 0, 0 },
		{ "slab.recorder.bytes_allocated", own->bytes_alloc, own->unsized, own->allocs },
		{ "slab.recorder.live", own->live, 0, 0 },
		{ "slab.recorder.live_bytes", own->live_alloc, own->live_unsized, own->live },
		{ "slab.recorder.page_allocations", pages, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		struct mm_metric *metric = mm_report_metric(report, metrics[i].name, NULL);

		if (sum)
			slab_set_bytes(&metric->value, metrics[i].value, metrics[i].unsized,
				       metrics[i].count);
	}
}

void slab_report_recorder(struct slab_state *state, const struct mm_report_options *options,
			  uint64_t all, struct mm_report *report)
{
	struct slab_sum sum = { 0 };
	uint64_t pages = 0;

	if (!state->recorder) {
		fill_metrics(report, NULL, 0);
		return;
	}
	for (uint32_t i = 0; i < state->recorder->site_count; i++) {
		const struct slab_site *site = &state->recorder->sites[i];

		if (slab_kind_is_pages(site->row.b))
			pages += site->allocs;
		else
			slab_sum_site(state, site, &sum);
	}
	mm_report_finding(
		report,
		"The recorder's own, %s: %" PRIu64 " allocations of %s%.1f MiB, %s%.1f MiB of"
		" them live at the end; %" PRIu64 " page allocations.",
		options->include_recorder ? "in the lists too"
					  : "left out of the lists (--include-recorder)",
		sum.allocs, sum.unsized ? "at least " : "", (double)sum.bytes_alloc / 1048576,
		sum.live_unsized ? "at least " : "", (double)sum.live_alloc / 1048576, pages);
	fill_metrics(report, &sum, pages);
	if (all)
		mm_cell_set_r(&report->coverage[MM_COVERAGE_RECORDER_SHARE],
			      (double)(sum.allocs + pages) / (double)all);
}
