// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What the processes that recorded the trace allocated themselves. The system information lists
 * those that ran at the snapshot; lttng-mm and LTTng's programs that had ended by then are known by
 * their names. Without that list nobody is taken for one of them.
 */
#include "analysis/slab/track/recorder.h"

#include <stdlib.h>
#include <string.h>

/* A thread id: has the recorder had it, and has anybody else? */
struct user {
	struct mm_row row; /* thread */
	bool ours, others;
};

/* When a process started, as events have time: not before that. */
static int64_t start_time(const struct slab_recorder *recorder, int64_t start_ns)
{
	int64_t asleep_ns =
		mm_sysinfo_system_number(recorder->threads->sysinfo, "snapshot_boottime_ns", 0) -
		mm_sysinfo_system_number(recorder->threads->sysinfo, "snapshot_monotonic_ns", 0);
	int64_t time_ns;

	/* The trace's clock stands still while the machine sleeps. */
	if (asleep_ns < 0 || __builtin_sub_overflow(start_ns, asleep_ns, &start_ns) ||
	    __builtin_add_overflow(start_ns, recorder->boot_ns, &time_ns))
		return INT64_MIN;
	return time_ns;
}

/*
 * The thread has ended, and its process has: by the name of the process or, where that is not
 * known, of the thread.
 * @pid: -1 where nobody knows.
 */
static bool is_ours_by_name(const struct slab_recorder *recorder, uint32_t tid, int32_t pid)
{
	uint32_t leader = slab_thread_leader(recorder->threads, tid, pid);
	const char *name = NULL;

	/* The system information has the last thread of a thread id. */
	if ((!(tid & SLAB_THREAD_PAST) && mm_sysinfo_comm(recorder->threads->sysinfo, (int)tid)) ||
	    (pid > 0 && !(leader & SLAB_THREAD_PAST) &&
	     mm_sysinfo_comm(recorder->threads->sysinfo, pid)))
		return false;
	if (pid > 0)
		name = slab_thread_traced_name(recorder->threads, leader);
	if (!name)
		name = slab_thread_traced_name(recorder->threads, tid);
	return name && !strncmp(name, "lttng-", strlen("lttng-"));
}

bool slab_recorder_did(const struct slab_recorder *recorder, uint32_t tid, int64_t first_ns)
{
	const struct mm_thread *thread = slab_thread_find(recorder->threads, tid);
	int32_t pid = slab_thread_pid(recorder->threads, tid);
	int64_t start_ns;

	/* Whoever had the number before this thread was another. */
	if (!mm_sysinfo_lists_recorder(recorder->threads->sysinfo) || !tid || !pid ||
	    (thread && thread->since_ns > first_ns))
		return false;
	if (mm_sysinfo_is_recorder(recorder->threads->sysinfo, pid, &start_ns))
		return first_ns >= start_time(recorder, start_ns);
	return is_ours_by_name(recorder, tid, pid);
}

static int find_accounts(struct slab_recorder *recorder, const struct slab_accounts *accounts,
			 bool (*is)(const void *user, uint32_t account), const void *user)
{
	/* The account 0 is nobody. */
	for (uint32_t i = 1; i < slab_accounts_count(accounts); i++) {
		const struct slab_account *account = slab_account_at(accounts, i);
		struct user *thread = mm_rows_get(&recorder->users, account->key.tid, 0);

		if (!thread)
			return -1;
		recorder->accounts[i] = is(user, i);
		thread->ours |= recorder->accounts[i];
		thread->others |= !recorder->accounts[i];
		if (recorder->accounts[i])
			slab_account_add_to_site(accounts, i, &recorder->sites[account->site]);
	}
	return 0;
}

/* What slab_pairing_judge() took from the pairs. */
static void subtract_anomalies(struct slab_recorder *recorder, const struct slab_pairing *pairing)
{
	for (size_t i = 0; i < pairing->anomaly_count; i++) {
		const struct slab_anomaly *anomaly = &pairing->anomalies[i];

		if (anomaly->kind == SLAB_SIZE || anomaly->kind == SLAB_DOUBLE_FREE ||
		    anomaly->verdict == SLAB_PAIRED)
			continue;
		if (recorder->accounts[anomaly->account])
			recorder->sites[anomaly->site].outcomes[SLAB_PAIRED]--;
	}
}

static void find_live(struct slab_recorder *recorder, const struct slab_pairing *pairing)
{
	const struct slab_object *object;
	uint32_t at = 0;

	while ((object = slab_pairing_next_maybe_live(pairing, &at)))
		if (recorder->accounts[object->account])
			recorder->sites[slab_object_site(pairing, object)].maybe_live++;
	at = 0;

	while ((object = slab_pairing_next_live(pairing, &at))) {
		struct slab_site *site;

		if (!recorder->accounts[object->account])
			continue;
		site = &recorder->sites[slab_object_site(pairing, object)];
		site->live++;
		site->live_req += object->bytes_req;
		site->live_alloc += object->bytes_alloc;
		site->outcomes[SLAB_LIVE]++;
	}
}

int slab_recorder_take(struct slab_recorder *recorder, const struct slab_pairing *pairing,
		       bool (*is)(const void *user, uint32_t account), const void *user)
{
	const struct slab_accounts *accounts = &pairing->accounts;

	recorder->site_count = slab_sites_count(accounts);
	recorder->accounts = calloc(slab_accounts_count(accounts), sizeof(*recorder->accounts));
	recorder->sites = calloc(recorder->site_count, sizeof(*recorder->sites));
	if (!recorder->accounts || !recorder->sites ||
	    mm_rows_init(&recorder->users, sizeof(struct user), UINT32_MAX - 1, 8) ||
	    find_accounts(recorder, accounts, is, user))
		return -1;
	for (uint32_t i = 0; i < recorder->site_count; i++)
		recorder->sites[i].row = slab_site_at(accounts, i)->row;
	subtract_anomalies(recorder, pairing);
	find_live(recorder, pairing);
	return 0;
}

struct search {
	const struct slab_recorder *recorder;
	const struct slab_accounts *accounts;
};

static bool recorder_did(const void *user, uint32_t account)
{
	const struct search *search = user;

	return slab_recorder_did(search->recorder,
				 slab_account_at(search->accounts, account)->key.tid,
				 search->accounts->first_ns[account]);
}

int slab_recorder_find(struct slab_recorder *recorder, const struct slab_pairing *pairing,
		       const struct slab_threads *threads, int64_t boot_ns)
{
	const struct search search = { recorder, &pairing->accounts };

	recorder->threads = threads;
	recorder->boot_ns = boot_ns;
	if (!mm_sysinfo_lists_recorder(threads->sysinfo))
		return 0;
	return slab_recorder_take(recorder, pairing, recorder_did, &search);
}

void slab_recorder_release(struct slab_recorder *recorder)
{
	free(recorder->accounts);
	free(recorder->sites);
	mm_rows_release(&recorder->users);
}

bool slab_recorder_is_known(const struct slab_recorder *recorder)
{
	return recorder->accounts;
}

bool slab_recorder_is_account(const struct slab_recorder *recorder, uint32_t account)
{
	return recorder->accounts && recorder->accounts[account];
}

bool slab_recorder_is_thread(const struct slab_recorder *recorder, uint32_t tid)
{
	const struct user *user =
		recorder->accounts ? mm_rows_lookup(&recorder->users, tid, 0) : NULL;

	return user && user->ours && !user->others;
}

const struct slab_site *slab_recorder_site(const struct slab_recorder *recorder, uint32_t number)
{
	return recorder->accounts ? &recorder->sites[number] : NULL;
}
