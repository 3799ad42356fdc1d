// SPDX-License-Identifier: LGPL-2.1-only
/* Pairs two events of a thread. */
#include "analysis/why/event-pairs.h"

/*
 * The number of threads is limited, because the trace may be hostile. Further threads have no
 * intervals.
 */
#define OPEN_MAX (1u << 18)

const char *const why_outcome_names[WHY_OUTCOMES] = {
	[WHY_NOT_ENDED] = "not_ended",	     [WHY_WITHOUT_START] = "without_start",
	[WHY_WITHOUT_END] = "without_end",   [WHY_STARTED_AGAIN] = "started_again",
	[WHY_THREAD_ENDED] = "thread_ended", [WHY_LOST] = "undetermined",
	[WHY_TOO_DEEP] = "too_deep",	     [WHY_NO_THREAD] = "no_thread",
};

struct open_start {
	struct mm_row row;
	bool is_open;
	int64_t time_ns;
	uint64_t serial, a, b;
};

int why_pairs_init(struct why_pairs *pairs, unsigned int kinds)
{
	*pairs = (struct why_pairs){ .kinds = kinds };
	return mm_rows_init(&pairs->open, sizeof(struct open_start), OPEN_MAX, 10);
}

void why_pairs_release(struct why_pairs *pairs)
{
	mm_rows_release(&pairs->open);
}

int why_pairs_start(struct why_pairs *pairs, const struct why_endpoint *endpoint)
{
	struct open_start *open = mm_rows_get(&pairs->open, endpoint->key, endpoint->kind + 1);

	if (!open)
		return -1;
	/* All threads beyond the limit share the first row. */
	if (!open->row.b) {
		pairs->counts[WHY_NO_THREAD]++;
		return 0;
	}
	pairs->counts[WHY_STARTED_AGAIN] += open->is_open;
	open->is_open = true;
	open->time_ns = endpoint->time_ns;
	open->serial = endpoint->serial;
	open->a = endpoint->a;
	open->b = endpoint->b;
	return 0;
}

int why_pairs_end(struct why_pairs *pairs, const struct why_endpoint *endpoint,
		  struct mm_loss_times *losses, struct why_interval *interval, bool *found)
{
	struct open_start *open = mm_rows_get(&pairs->open, endpoint->key, endpoint->kind + 1);
	struct mm_loss_bound missed;

	*found = false;
	if (!open)
		return -1;
	if (!open->is_open || open->a != endpoint->a || open->b != endpoint->b) {
		pairs->counts[WHY_WITHOUT_START]++;
		return 0;
	}
	open->is_open = false;
	missed = mm_loss_between(losses, open->time_ns, endpoint->time_ns);
	if (missed.events) {
		pairs->counts[WHY_LOST]++;
		return 0;
	}
	pairs->uncertain += missed.absent;
	*found = true;
	interval->kind = endpoint->kind;
	interval->function = 0;
	interval->start_ns = open->time_ns;
	interval->end_ns = endpoint->time_ns;
	interval->duration_ns = endpoint->time_ns > open->time_ns
					? (uint64_t)(endpoint->time_ns - open->time_ns)
					: 0;
	interval->start_serial = open->serial;
	interval->end_serial = endpoint->serial;
	interval->key = endpoint->key;
	return 0;
}

int why_pairs_forked(struct why_pairs *pairs, uint32_t key)
{
	for (unsigned int kind = WHY_PAIR; kind < pairs->kinds; kind++) {
		struct open_start *open;

		if (!mm_rows_lookup(&pairs->open, key, kind + 1))
			continue;
		open = mm_rows_get(&pairs->open, key, kind + 1);
		if (!open)
			return -1;
		pairs->counts[WHY_THREAD_ENDED] += open->is_open;
		open->is_open = false;
	}
	return 0;
}

int why_pairs_renamed(struct why_pairs *pairs, uint32_t from, uint32_t key)
{
	for (unsigned int kind = WHY_PAIR; kind < pairs->kinds; kind++) {
		const struct open_start *old = mm_rows_lookup(&pairs->open, from, kind + 1);
		struct open_start kept, *open;

		if (!old || !old->is_open)
			continue;
		kept = *old;
		open = mm_rows_get(&pairs->open, key, kind + 1);
		if (!open)
			return -1;
		kept.row = open->row;
		if (open->row.b)
			*open = kept;
		open = mm_rows_get(&pairs->open, from, kind + 1);
		if (!open)
			return -1;
		open->is_open = false;
	}
	return 0;
}

void why_pairs_finish(struct why_pairs *pairs)
{
	for (uint32_t i = 1; i < pairs->open.count; i++)
		pairs->counts[WHY_NOT_ENDED] +=
			((const struct open_start *)mm_rows_at(&pairs->open, i))->is_open;
}
