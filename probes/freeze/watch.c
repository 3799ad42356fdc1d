// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records when LTTng's sessions and channels start and stop, and when their events are disabled and
 * enabled again. (trackers.c records changes of trackers.) A trace does not show that recording was
 * off for a while: packets are numbered consecutively, and the gap looks like the gap of an idle
 * CPU.
 *
 * Stopping: LTTng first clears a flag and then detaches from its tracepoints. The time of a stop is
 * the time of the call.
 *
 * Starting: LTTng sets the flag as the last step before it dumps the state. The time of a start is
 * the time of the state dump. If our probes are not attached to the kernel at that time, they are
 * attached when the system call returns (probes/lib/attach.c). The time of the start is then the
 * time of the return. A call that fails changes nothing and is not recorded.
 */

#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/task_work.h>
#include <lttng/tracer.h>
#include <probes/freeze/freeze.h>
#include <probes/freeze/watch.h>
#include <probes/lib/ring-buffer.h>

#ifdef LTTNG_MM_RING_BUFFER_INLINE

/* Maximum number of sessions whose changes are stored. */
#define SESSIONS 64

/* Maximum number of concurrent calls to follow. LTTng serializes calls, so few are enough. */
#define MAX_ACTIVE 16

/* Maximum number of disabled rules per session. If more are disabled, the changes are unknown. */
#define DISABLED 64

/* An enabler, LTTng's rule for the events of a channel: a name or a pattern. */
#if LTTNG_MODULES_MAJOR_VERSION > 2 || LTTNG_MODULES_MINOR_VERSION >= 14
typedef struct lttng_event_enabler_common lttng_rule;
static const struct lttng_kernel_channel_buffer *channel_of(const lttng_rule *rule)
{
	/* An enabler of a counter or a trigger has no recording channel. */
	if (rule->enabler_type != LTTNG_EVENT_ENABLER_TYPE_RECORDER)
		return NULL;
	return container_of(rule, struct lttng_event_recorder_enabler, parent.parent)->chan;
}
static bool is_enabled(const lttng_rule *rule)
{
	return rule->enabled;
}
#else
typedef struct lttng_event_enabler lttng_rule;
static const struct lttng_kernel_channel_buffer *channel_of(const lttng_rule *rule)
{
	return rule->chan;
}
static bool is_enabled(const lttng_rule *rule)
{
	return rule->base.enabled;
}
#endif

/* A disabled rule, or a disabled event of a user-space or kernel probe. */
struct disabled_rule {
	const void *rule;
	u32 channel;
};

/* The changes of one session. */
struct change_history {
	bool used;
	u8 uuid[sizeof_field(struct lttng_mm_freeze_channel, uuid)];
	u64 since;		  /* all later changes are stored */
	unsigned int count, next; /* number of stored @changes (a ring buffer); index of the next */
	struct lttng_mm_freeze_change changes[LTTNG_MM_FREEZE_CHANGES];
	unsigned int tracking; /* calls in progress that change a tracker */
	unsigned int pending;  /* calls in progress that start or stop the session or a channel */
	struct lttng_mm_freeze_change pending_change;
	struct disabled_rule disabled[DISABLED];
	unsigned int disabled_count;
	bool disabled_unknown; /* more than DISABLED rules were disabled */
};

static struct change_history histories[SESSIONS];
static u64 watched_since; /* 0: not watching */
/* time of the last change in a dropped history */
static u64 forgotten;
/* Protects everything above. Taken in process context, with interrupts disabled. */
static DEFINE_RAW_SPINLOCK(lock);

struct change_call {
	u8 uuid[sizeof_field(struct lttng_mm_freeze_channel, uuid)];
	const void *rule; /* the changed rule; NULL: the session or a channel changes */
	struct lttng_mm_freeze_change change;
};

/* A successful start whose system call has not returned yet. */
struct delayed_start {
	struct callback_head head;
	bool used, queued_again;
	struct change_call call;
};

static struct delayed_start delayed_starts[MAX_ACTIVE]; /* protected by @lock */
static bool any_delayed_start;				/* since this module was loaded */

static struct change_history *find(const u8 *uuid)
{
	for (unsigned int i = 0; i < SESSIONS; i++)
		if (histories[i].used &&
		    !memcmp(histories[i].uuid, uuid, sizeof(histories[i].uuid)))
			return &histories[i];
	return NULL;
}

static u64 last_change(const struct change_history *history)
{
	const unsigned int last =
		(history->next + LTTNG_MM_FREEZE_CHANGES - 1) % LTTNG_MM_FREEZE_CHANGES;

	return history->count ? history->changes[last].clock : history->since;
}

/*
 * Returns an unused history. If there is none, considers the histories without calls in progress,
 * and returns the history whose last change is oldest. Returns NULL if all histories have calls in
 * progress.
 */
static struct change_history *make_room(void)
{
	struct change_history *oldest = NULL;

	for (unsigned int i = 0; i < SESSIONS; i++) {
		struct change_history *history = &histories[i];

		if (!history->used)
			return history;
		if (!history->pending && !history->tracking &&
		    (!oldest || last_change(history) < last_change(oldest)))
			oldest = history;
	}
	if (oldest)
		forgotten = max(forgotten, last_change(oldest));
	return oldest;
}

static struct change_history *find_or_add(const u8 *uuid)
{
	struct change_history *history = find(uuid);

	if (history)
		return history;
	history = make_room();
	if (!history)
		return NULL;
	memset(history, 0, sizeof(*history));
	history->used = true;
	history->since = max(watched_since, forgotten);
	memcpy(history->uuid, uuid, sizeof(history->uuid));
	return history;
}

static void note(struct change_history *history, struct lttng_mm_freeze_change change)
{
	struct lttng_mm_freeze_change *to = &history->changes[history->next];

	/* The change of a call that began later may already be stored. Keep the clock ascending. */
	change.clock = max(change.clock, last_change(history));
	if (history->count == LTTNG_MM_FREEZE_CHANGES)
		history->since = to->clock;
	else
		history->count++;
	*to = change;
	history->next = (history->next + 1) % LTTNG_MM_FREEZE_CHANGES;
}

/* Under @lock. */
static void note_step(struct change_history *history, const struct lttng_mm_watch_tracking *call,
		      u64 now, bool active, int id)
{
	note(history, (struct lttng_mm_freeze_change){
			      .clock = now,
			      .channel = LTTNG_MM_FREEZE_SESSION,
			      .active = active,
			      .what = LTTNG_MM_FREEZE_TRACKER,
			      .tracker = call->tracker,
			      .id = id,
		      });
}

void lttng_mm_watch_note(const struct lttng_mm_watch_tracking *call,
			 const struct lttng_mm_watch_steps *steps)
{
	struct change_history *history;
	unsigned long flags;
	u64 now;

	raw_spin_lock_irqsave(&lock, flags);
	now = trace_clock_read64();
	history = find_or_add(call->uuid);
	for (unsigned int i = 0; history && i < steps->count; i++)
		note_step(history, call, now, steps->active, steps->ids[i]);
	if (history && steps->all)
		note_step(history, call, now, true, LTTNG_MM_FREEZE_ALL);
	/*
	 * If the session was destroyed since the start of the call, this is a new history, which
	 * has not counted the call.
	 */
	if (history && (steps->tracking > 0 || history->tracking))
		history->tracking += steps->tracking;
	if (history && steps->forget)
		history->since = now;
	if (!history)
		forgotten = now;
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void begin(struct change_call *call, const struct lttng_kernel_session *session, u32 channel,
		  bool active)
{
	struct change_history *history;
	unsigned long flags;

	memcpy(call->uuid, session->priv->uuid.b, sizeof(call->uuid));
	call->rule = NULL;
	call->change = (struct lttng_mm_freeze_change){
		.clock = active ? 0 : trace_clock_read64(),
		.channel = channel,
		.active = active,
	};
	raw_spin_lock_irqsave(&lock, flags);
	history = find_or_add(call->uuid);
	if (history) {
		history->pending++;
		history->pending_change = call->change;
	} else {
		forgotten = trace_clock_read64();
	}
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* Does the channel have disabled rules? */
static bool has_disabled(const struct change_history *history, u32 channel)
{
	for (unsigned int i = 0; i < history->disabled_count; i++)
		if (history->disabled[i].channel == channel)
			return true;
	return false;
}

static int find_disabled(const struct change_history *history, const void *rule)
{
	for (unsigned int i = 0; i < history->disabled_count; i++)
		if (history->disabled[i].rule == rule)
			return (int)i;
	return -1;
}

/*
 * Records a change when the first rule of a channel is disabled, and when the last disabled rule is
 * enabled again. If a rule is enabled for the first time, nothing changes, because nobody relied on
 * its events before.
 */
static void note_rule(struct change_history *history, struct change_call *call)
{
	const u32 channel = call->change.channel;
	int at = find_disabled(history, call->rule);
	bool before = has_disabled(history, channel);

	if (call->change.active && at >= 0)
		history->disabled[at] = history->disabled[--history->disabled_count];
	else if (!call->change.active && at < 0 && history->disabled_count < DISABLED)
		history->disabled[history->disabled_count++] =
			(struct disabled_rule){ call->rule, channel };
	else if (!call->change.active && at < 0)
		history->disabled_unknown = true;
	if (before == has_disabled(history, channel))
		return;
	if (!call->change.clock)
		call->change.clock = trace_clock_read64();
	note(history, call->change);
}

/* Records a call's change after the call has ended. @changed is true if the call succeeded. */
static void conclude(struct change_call *call, bool changed)
{
	struct change_history *history;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	history = call->rule ? find_or_add(call->uuid) : find(call->uuid);
	if (call->rule) {
		if (history)
			note_rule(history, call);
		else
			forgotten = trace_clock_read64();
		raw_spin_unlock_irqrestore(&lock, flags);
		return;
	}
	if (history && history->pending) {
		history->pending--;
		if (!call->change.clock)
			call->change.clock = trace_clock_read64();
		if (changed)
			note(history, call->change);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
}

/*
 * Runs when the system call returns, before or after other queued work, such as attaching hooks. It
 * therefore queues itself once more; when it runs again, all that work is done.
 */
static void on_return(struct callback_head *head)
{
	struct delayed_start *start = container_of(head, struct delayed_start, head);

	if (!start->queued_again) {
		start->queued_again = true;
		if (!task_work_add(current, head, TWA_RESUME))
			return;
	}
	conclude(&start->call, true);
	WRITE_ONCE(start->used, false);
	/* lttng_mm_freeze_watch_stop() waits until the task has left this function. */
	module_put(THIS_MODULE);
}

/*
 * Arranges that a start is recorded when the system call returns. Returns false if no other work is
 * queued for that time: all hooks are already attached, and the caller can record the start at
 * once.
 */
static bool conclude_on_return(const struct change_call *call)
{
	struct delayed_start *start = NULL;
	unsigned long flags;

	if (!task_work_pending(current) || !try_module_get(THIS_MODULE))
		return false;
	raw_spin_lock_irqsave(&lock, flags);
	for (unsigned int i = 0; i < MAX_ACTIVE && !start; i++)
		if (!READ_ONCE(delayed_starts[i].used))
			start = &delayed_starts[i];
	if (start) {
		*start = (struct delayed_start){ .used = true, .call = *call };
		any_delayed_start = true;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	if (start) {
		init_task_work(&start->head, on_return);
		if (!task_work_add(current, &start->head, TWA_RESUME))
			return true;
		WRITE_ONCE(start->used, false);
	}
	module_put(THIS_MODULE);
	return false;
}

static int end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct change_call *call = (void *)instance->data;
	const bool changed = !(int)regs_return_value(regs);
	struct change_history *history;
	unsigned long flags;

	if (call->change.active && changed && conclude_on_return(call))
		return 0;
	if (call->rule) {
		conclude(call, changed);
		return 0;
	}
	/* on_statedump() may have stored the time at which the start took effect. */
	raw_spin_lock_irqsave(&lock, flags);
	history = find(call->uuid);
	if (call->change.active && history && history->pending_change.active)
		call->change.clock = history->pending_change.clock;
	raw_spin_unlock_irqrestore(&lock, flags);
	conclude(call, changed);
	return 0;
}

static int on_session(struct kretprobe_instance *instance, struct pt_regs *regs, bool active)
{
	begin((void *)instance->data, (void *)regs_get_kernel_argument(regs, 0),
	      LTTNG_MM_FREEZE_SESSION, active);
	return 0;
}

/* In 2.13, the argument is a struct lttng_kernel_channel_buffer. Its first member is @parent. */
static int on_channel(struct kretprobe_instance *instance, struct pt_regs *regs, bool active)
{
	struct lttng_kernel_channel_common *common = (void *)regs_get_kernel_argument(regs, 0);
	const struct lttng_kernel_channel_buffer *channel =
		container_of(common, struct lttng_kernel_channel_buffer, parent);

	/*
	 * Ignore channels of counters. If the entry handler returns 1, the return handler is not
	 * called.
	 */
	if (common->type != LTTNG_KERNEL_CHANNEL_TYPE_BUFFER)
		return 1;
	begin((void *)instance->data, common->session, channel->priv->id, active);
	return 0;
}

static int on_session_enable(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return on_session(instance, regs, true);
}

static int on_session_disable(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return on_session(instance, regs, false);
}

static int on_channel_enable(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return on_channel(instance, regs, true);
}

static int on_channel_disable(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return on_channel(instance, regs, false);
}

/* Returns false if the rule has no channel that records. */
static bool set_rule(struct change_call *call, const void *rule,
		     const struct lttng_kernel_channel_buffer *channel, bool active)
{
	if (!channel)
		return false;
	memcpy(call->uuid, channel->parent.session->priv->uuid.b, sizeof(call->uuid));
	call->rule = rule;
	call->change = (struct lttng_mm_freeze_change){
		.channel = channel->priv->id,
		.active = active,
		.what = LTTNG_MM_FREEZE_EVENTS,
	};
	return true;
}

/* Events may be missing until the call returns, so its return is the time of the change. */
static int on_events_enable(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const lttng_rule *rule = (void *)regs_get_kernel_argument(regs, 0);

	return !set_rule((void *)instance->data, rule, channel_of(rule), true);
}

/* Events may be missing as soon as the call begins, so its start is the time of the change. */
static int on_events_disable(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const lttng_rule *rule = (void *)regs_get_kernel_argument(regs, 0);
	struct change_call call;

	if (is_enabled(rule) && set_rule(&call, rule, channel_of(rule), false))
		conclude(&call, true);
	return 1;
}

/* Returns the channel for an event of a kernel or user-space probe. Such an event has no rule. */
static const struct lttng_kernel_channel_buffer *
channel_of_event(const struct lttng_kernel_event_common *event)
{
	return event->type == LTTNG_KERNEL_EVENT_TYPE_RECORDER
		       ? container_of(event, struct lttng_kernel_event_recorder, parent)->chan
		       : NULL;
}

static int on_event_enable(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct lttng_kernel_event_common *event = (void *)regs_get_kernel_argument(regs, 0);

	return !set_rule((void *)instance->data, event, channel_of_event(event), true);
}

static int on_event_disable(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct lttng_kernel_event_common *event = (void *)regs_get_kernel_argument(regs, 0);
	struct change_call call;

	if (event->enabled && set_rule(&call, event, channel_of_event(event), false))
		conclude(&call, true);
	return 1;
}

/* Stores the time at which a starting session has become active. */
static int on_statedump(struct kprobe *probe, struct pt_regs *regs)
{
	const struct lttng_kernel_session *session = (void *)regs_get_kernel_argument(regs, 0);
	struct change_history *history;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	history = find(session->priv->uuid.b);
	if (history && history->pending && history->pending_change.active &&
	    history->pending_change.channel == LTTNG_MM_FREEZE_SESSION &&
	    READ_ONCE(session->active))
		history->pending_change.clock = trace_clock_read64();
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

static int on_destroy(struct kprobe *probe, struct pt_regs *regs)
{
	const struct lttng_kernel_session *session = (void *)regs_get_kernel_argument(regs, 0);
	struct change_history *history;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	history = find(session->priv->uuid.b);
	if (history)
		history->used = false;
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

#define WATCH(function, entry)                                                                   \
	{                                                                                        \
		.kp.symbol_name = "lttng_tracer:" #function, .entry_handler = (entry),           \
		.handler = end, .data_size = sizeof(struct change_call), .maxactive = MAX_ACTIVE \
	}

#define WATCH_TRACKERS(function, entry)                                                      \
	{                                                                                    \
		.kp.symbol_name = "lttng_tracer:" #function, .entry_handler = (entry),       \
		.handler = lttng_mm_watch_tracked,                                           \
		.data_size = sizeof(struct lttng_mm_watch_tracking), .maxactive = MAX_ACTIVE \
	}

static struct kretprobe calls[] = {
	WATCH(lttng_session_enable, on_session_enable),
	WATCH(lttng_session_disable, on_session_disable),
	WATCH(lttng_channel_enable, on_channel_enable),
	WATCH(lttng_channel_disable, on_channel_disable),
	WATCH(lttng_event_enabler_enable, on_events_enable),
	WATCH(lttng_event_enabler_disable, on_events_disable),
	WATCH(lttng_event_enable, on_event_enable),
	WATCH(lttng_event_disable, on_event_disable),
	WATCH_TRACKERS(lttng_session_track_id, lttng_mm_watch_track),
	WATCH_TRACKERS(lttng_session_untrack_id, lttng_mm_watch_untrack),
};

/*
 * Optional hooks. Without them, a start is recorded when its call returns, and a destroyed session
 * keeps its history.
 */
static struct kprobe others[] = {
	{ .symbol_name = "lttng_statedump:lttng_statedump_start", .pre_handler = on_statedump },
	{ .symbol_name = "lttng_tracer:lttng_session_destroy", .pre_handler = on_destroy },
};
static bool attached[ARRAY_SIZE(others)];

/*
 * Hooks disappear with the module of the hooked function. This reference to a symbol of
 * lttng-tracer keeps lttng-tracer loaded, and lttng-tracer keeps the state-dump module loaded.
 */
static void *const tracer __used = &lttng_kernel_find_context;

void lttng_mm_freeze_watch_start(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(calls); i++) {
		int ret = register_kretprobe(&calls[i]);

		if (!ret)
			continue;
		pr_warn("lttng-mm-freeze: %s() cannot be hooked: error %d: snapshots do not show whether recording was paused or events were excluded\n",
			calls[i].kp.symbol_name, ret);
		while (i--)
			unregister_kretprobe(&calls[i]);
		return;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		attached[i] = !register_kprobe(&others[i]);
	WRITE_ONCE(watched_since, trace_clock_read64());
}

void lttng_mm_freeze_watch_stop(void)
{
	if (!watched_since)
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(calls); i++)
		unregister_kretprobe(&calls[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		if (attached[i])
			unregister_kprobe(&others[i]);
	/*
	 * A task may still be leaving on_return(). Wait until every task has slept or returned to
	 * user space.
	 */
	if (any_delayed_start)
		synchronize_rcu_tasks();
}

/* Did we drop the record of a rule that is still disabled? */
static bool forgot_disabled(const struct change_history *history,
			    const struct lttng_mm_freeze_watch *request)
{
	for (unsigned int i = 0; i < history->disabled_count; i++) {
		bool found = false;

		for (unsigned int k = 0; k < request->count && !found; k++)
			found = request->changes[k].what == LTTNG_MM_FREEZE_EVENTS &&
				request->changes[k].channel == history->disabled[i].channel;
		if (!found)
			return true;
	}
	return history->disabled_unknown;
}

/* Has a return probe missed a call? */
static bool missed(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].nmissed || calls[i].kp.nmissed)
			return true;
	return false;
}

void lttng_mm_freeze_watch_read(const struct lttng_kernel_channel_buffer *channel,
				struct lttng_mm_freeze_watch *request)
{
	const struct lttng_kernel_session *session = channel->parent.session;
	const struct change_history *history;
	unsigned long flags;
	bool known;

	request->count = 0;
	request->pending = 0;
	request->tracking = 0;
	raw_spin_lock_irqsave(&lock, flags);
	known = lttng_mm_watch_read_trackers(session, request);
	history = find(session->priv->uuid.b);
	request->since = max(watched_since, history ? history->since : forgotten);
	if (history) {
		const unsigned int first = history->next + LTTNG_MM_FREEZE_CHANGES - history->count;

		request->count = history->count;
		request->pending = history->pending;
		request->tracking = history->tracking;
		request->pending_change = history->pending_change;
		for (unsigned int i = 0; i < history->count; i++)
			request->changes[i] =
				history->changes[(first + i) % LTTNG_MM_FREEZE_CHANGES];
		if (forgot_disabled(history, request))
			request->since = 0;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	if (!watched_since || !known || missed())
		request->since = 0;
}

#else /* LTTNG_MM_RING_BUFFER_INLINE */

void lttng_mm_freeze_watch_start(void)
{
}

void lttng_mm_freeze_watch_stop(void)
{
}

void lttng_mm_freeze_watch_read(const struct lttng_kernel_channel_buffer *channel,
				struct lttng_mm_freeze_watch *request)
{
}

#endif /* LTTNG_MM_RING_BUFFER_INLINE */
