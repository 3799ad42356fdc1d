// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records changes of LTTng's trackers, which select the processes and users that a session records.
 * An unset tracker accepts every ID; a set tracker accepts only the IDs of its set, which may be
 * empty.
 *
 * The recorder derives earlier states from the current one by undoing changes, the latest first. A
 * recorded change is therefore one of four steps that can be undone: from all IDs to the empty set,
 * from the empty set to all IDs, one ID more, one ID less. A call may consist of several steps:
 *
 *   lttng track --pid=7 without a tracker:  all IDs -> empty set,  empty set -> {7}
 *
 * If a session records less after a step, the step has the time of the call's start. If it records
 * more, the step has the time of the call's return. The recorded periods of exclusion are therefore
 * never shorter than the real periods.
 */

#include <linux/build_bug.h>
#include <linux/kprobes.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <lttng/tracer.h>
#include <probes/freeze/freeze.h>
#include <probes/freeze/watch.h>
#include <probes/lib/ring-buffer.h>

#ifdef LTTNG_MM_RING_BUFFER_INLINE

static_assert((int)LTTNG_MM_FREEZE_PID == (int)TRACKER_PID &&
	      (int)LTTNG_MM_FREEZE_VPID == (int)TRACKER_VPID &&
	      (int)LTTNG_MM_FREEZE_UID == (int)TRACKER_UID &&
	      (int)LTTNG_MM_FREEZE_VUID == (int)TRACKER_VUID &&
	      (int)LTTNG_MM_FREEZE_GID == (int)TRACKER_GID &&
	      (int)LTTNG_MM_FREEZE_VGID == (int)TRACKER_VGID);

/* Returns a tracker of the session, or NULL if TRACKER is invalid. */
static const struct lttng_kernel_id_tracker *tracker_of(const struct lttng_kernel_session *session,
							u32 tracker)
{
	switch (tracker) {
	case LTTNG_MM_FREEZE_PID:
		return &session->pid_tracker;
	case LTTNG_MM_FREEZE_VPID:
		return &session->vpid_tracker;
	case LTTNG_MM_FREEZE_UID:
		return &session->uid_tracker;
	case LTTNG_MM_FREEZE_VUID:
		return &session->vuid_tracker;
	case LTTNG_MM_FREEZE_GID:
		return &session->gid_tracker;
	case LTTNG_MM_FREEZE_VGID:
		return &session->vgid_tracker;
	default:
		return NULL;
	}
}

/*
 * Returns the IDs of a tracker, or NULL if it is not set. Context: preemption off, because LTTng
 * frees the IDs after a grace period.
 */
static struct lttng_kernel_id_tracker_rcu *ids_of(const struct lttng_kernel_id_tracker *tracker)
{
	return READ_ONCE(tracker->p);
}

/* Copies up to ROOM IDs. Returns the number of IDs in the set. */
static unsigned int copy_ids(const struct lttng_kernel_id_tracker_rcu *set, int *ids,
			     unsigned int room)
{
	const struct lttng_id_hash_node *node;
	unsigned int count = 0;

	for (unsigned int i = 0; i < LTTNG_ID_TABLE_SIZE; i++)
		hlist_for_each_entry_rcu(node, &set->id_hash[i], hlist) {
			if (count < room)
				ids[count] = node->id;
			count++;
		}
	return count;
}

/* Records only the start or the end of the call, without a step. */
static void note_none(const struct lttng_mm_watch_tracking *call, int tracking)
{
	const struct lttng_mm_watch_steps steps = { .tracking = tracking };

	lttng_mm_watch_note(call, &steps);
}

static void note_id(const struct lttng_mm_watch_tracking *call, bool active, int id, int tracking)
{
	const struct lttng_mm_watch_steps steps = {
		.active = active,
		.ids = &id,
		.count = 1,
		.tracking = tracking,
	};

	lttng_mm_watch_note(call, &steps);
}

/* Records one step per ID of the tracker. With @all, also records the step to all IDs. */
static void note_set(const struct lttng_mm_watch_tracking *call, bool active, bool all,
		     int tracking)
{
	const struct lttng_mm_watch_steps steps = {
		.active = active,
		.ids = call->ids,
		.count = call->count,
		.all = all,
		.forget = call->too_many,
		.tracking = tracking,
	};

	lttng_mm_watch_note(call, &steps);
}

/* Reads the arguments of a call. Returns false if the call changes nothing. */
static bool read_call(struct lttng_mm_watch_tracking *call, struct pt_regs *regs, bool add)
{
	const struct lttng_kernel_session *session = (void *)regs_get_kernel_argument(regs, 0);
	const struct lttng_kernel_id_tracker *tracker;
	struct lttng_kernel_id_tracker_rcu *set;

	call->tracker = (u32)regs_get_kernel_argument(regs, 1);
	call->id = (int)regs_get_kernel_argument(regs, 2);
	call->add = add;
	call->count = 0;
	call->too_many = false;
	tracker = tracker_of(session, call->tracker);
	if (!tracker || call->id < LTTNG_MM_FREEZE_ALL)
		return false;
	memcpy(call->uuid, session->priv->uuid.b, sizeof(call->uuid));
	set = ids_of(tracker);
	call->was_set = set;
	if (call->id == LTTNG_MM_FREEZE_ALL) {
		if (add && !set)
			return false;
		if (set)
			call->count = copy_ids(set, call->ids, LTTNG_MM_WATCH_IDS);
		call->too_many = call->count > LTTNG_MM_WATCH_IDS;
		call->count = min(call->count, (unsigned int)LTTNG_MM_WATCH_IDS);
		return true;
	}
	return add ? !set || !lttng_id_tracker_lookup(set, call->id)
		   : set && lttng_id_tracker_lookup(set, call->id);
}

int lttng_mm_watch_track(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct lttng_mm_watch_tracking *call = (void *)instance->data;

	if (!read_call(call, regs, true))
		return 1;
	if (call->was_set)
		note_none(call, 1);
	else
		note_id(call, false, LTTNG_MM_FREEZE_ALL, 1);
	return 0;
}

int lttng_mm_watch_untrack(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct lttng_mm_watch_tracking *call = (void *)instance->data;

	if (!read_call(call, regs, false))
		return 1;
	if (call->id == LTTNG_MM_FREEZE_ALL && call->was_set)
		note_set(call, false, false, 1);
	else
		note_id(call, false, call->id, 1);
	return 0;
}

/* Undoes the steps recorded at the entry, because the call failed. */
static void undo(const struct lttng_mm_watch_tracking *call)
{
	if (!call->add && call->id == LTTNG_MM_FREEZE_ALL && call->was_set)
		note_set(call, true, false, -1);
	else if (!call->add)
		note_id(call, true, call->id, -1);
	else if (!call->was_set)
		note_id(call, true, LTTNG_MM_FREEZE_ALL, -1);
	else
		note_none(call, -1);
}

int lttng_mm_watch_tracked(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct lttng_mm_watch_tracking *call = (void *)instance->data;

	if ((int)regs_return_value(regs))
		undo(call);
	else if (!call->add)
		note_none(call, -1);
	else if (call->id == LTTNG_MM_FREEZE_ALL)
		note_set(call, false, true, -1);
	else
		note_id(call, true, call->id, -1);
	return 0;
}

bool lttng_mm_watch_read_trackers(const struct lttng_kernel_session *session,
				  struct lttng_mm_freeze_watch *request)
{
	request->restricted = 0;
	request->tracked_count = 0;
	for (u32 i = 0; i < LTTNG_MM_FREEZE_TRACKERS; i++) {
		const struct lttng_kernel_id_tracker_rcu *set = ids_of(tracker_of(session, i));
		const struct lttng_id_hash_node *node;

		if (!set)
			continue;
		request->restricted |= 1u << i;
		for (unsigned int k = 0; k < LTTNG_ID_TABLE_SIZE; k++)
			hlist_for_each_entry_rcu(node, &set->id_hash[k], hlist) {
				if (request->tracked_count == LTTNG_MM_FREEZE_TRACKED)
					return false;
				request->tracked[request->tracked_count++] =
					(struct lttng_mm_freeze_tracked){ .tracker = i,
									  .id = node->id };
			}
	}
	return true;
}

#endif /* LTTNG_MM_RING_BUFFER_INLINE */
