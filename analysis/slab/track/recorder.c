// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the accounts of the processes that recorded the trace. The system information lists the
 * processes that were running at the time of the snapshot. Processes of lttng-mm and LTTng that had
 * ended before are recognized by name. Without the list, no process counts as the recorder's.
 */
#include "analysis/slab/track/recorder.h"

#include <stdlib.h>

#include "reader/sysinfo/selection.h"

/* A thread id, and whether the recorder and other processes used it. */
struct recorder_tid {
	struct mm_row row;
	bool ours, others;
};

/*
 * Was the thread a recorder that has ended? The name of its process decides. If the process has no
 * known name, the name of the thread decides. @pid: -1 if unknown.
 */
static bool is_ours_by_name(const struct slab_recorder *recorder, uint32_t tid, int32_t pid)
{
	uint32_t leader = slab_thread_leader(recorder->threads, tid, pid);
	const char *name = NULL;

	/*
	 * A thread in the list of the system information has not ended. The list contains only the
	 * last user of each thread id, so it contains no thread with SLAB_THREAD_PAST.
	 */
	if ((!(tid & SLAB_THREAD_PAST) && mm_sysinfo_comm(recorder->threads->sysinfo, (int)tid)) ||
	    (pid > 0 && !(leader & SLAB_THREAD_PAST) &&
	     mm_sysinfo_comm(recorder->threads->sysinfo, pid)))
		return false;
	if (pid > 0)
		name = slab_thread_traced_name(recorder->threads, leader);
	if (!name)
		name = slab_thread_traced_name(recorder->threads, tid);
	return mm_recorder_has_name(name);
}

bool slab_recorder_did(const struct slab_recorder *recorder, uint32_t tid, int64_t first_ns)
{
	const struct mm_thread *thread = slab_thread_find(recorder->threads, tid);
	int32_t pid = slab_thread_pid(recorder->threads, tid);
	int64_t start_ns;

	/* If the thread started after @first_ns, another thread had the id at @first_ns. */
	if (!mm_sysinfo_lists_recorder(recorder->threads->sysinfo) || !tid || !pid ||
	    (thread && thread->since_ns > first_ns))
		return false;
	if (mm_sysinfo_is_recorder(recorder->threads->sysinfo, pid, &start_ns))
		return first_ns >=
		       mm_recorder_start(recorder->threads->sysinfo, recorder->boot_ns, start_ns);
	return is_ours_by_name(recorder, tid, pid);
}

int slab_recorder_find(struct slab_recorder *recorder, const struct slab_accounts *accounts,
		       const struct slab_threads *threads, int64_t boot_ns, bool is_known)
{
	recorder->threads = threads;
	recorder->boot_ns = boot_ns;
	if (!mm_sysinfo_lists_recorder(threads->sysinfo))
		return 0;
	recorder->accounts = calloc(slab_accounts_count(accounts), sizeof(*recorder->accounts));
	if (!recorder->accounts ||
	    mm_rows_init(&recorder->users, sizeof(struct recorder_tid), UINT32_MAX - 1, 8))
		return -1;
	/* Account 0 belongs to no thread. */
	for (uint32_t i = 1; i < slab_accounts_count(accounts); i++) {
		uint32_t tid = slab_account_at(accounts, i)->key.tid;
		struct recorder_tid *thread = mm_rows_get(&recorder->users, tid, 0);

		if (!thread)
			return -1;
		recorder->accounts[i] =
			is_known ? accounts->omissions[i] == SLAB_OMITTED_RECORDER
				 : slab_recorder_did(recorder, tid, accounts->first_ns[i]);
		thread->ours |= recorder->accounts[i];
		thread->others |= !recorder->accounts[i];
	}
	return 0;
}

void slab_recorder_release(struct slab_recorder *recorder)
{
	free(recorder->accounts);
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
	const struct recorder_tid *user =
		recorder->accounts ? mm_rows_lookup(&recorder->users, tid, 0) : NULL;

	return user && user->ours && !user->others;
}
