// SPDX-License-Identifier: GPL-2.0-only
/* Provider "process": dumps the existing threads with their names. */

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <instrumentation/events/process.h>
#include <probes/lib/events.h>
#include <probes/lib/statedump.h>

/*
 * Context: process. Before Linux 7.0, preemption is off, as in every tracepoint callback. Reads the
 * threads under RCU. Takes no lock.
 */
static void lttng_mm_dump_process_statedump_thread(void *event,
						   struct lttng_kernel_session *session);

lttng_mm_define_statedump_provider(process, lttng_mm_process_statedump_events);

static void write_thread(void *event, const struct task_struct *thread)
{
	const struct lttng_mm_process_statedump_thread rec = {
		.tid = thread->pid,
		.pid = thread->tgid,
	};
	char name[TASK_COMM_LEN];

	/* The thread may be renamed concurrently. Terminate the copy in any case. */
	memcpy(name, thread->comm, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	preempt_disable_notrace();
	lttng_mm_record_text(event, &lttng_mm_class_process_statedump_thread, &rec, sizeof(rec),
			     name);
	preempt_enable_notrace();
}

static void lttng_mm_dump_process_statedump_thread(void *event,
						   struct lttng_kernel_session *session)
{
	const struct task_struct *process, *thread;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	rcu_read_lock();
	for_each_process_thread(process, thread)
		write_thread(event, thread);
	rcu_read_unlock();
}

int lttng_mm_process_events_init(void)
{
	return lttng_mm_register_process();
}

void lttng_mm_process_events_exit(void)
{
	lttng_mm_unregister_process();
}
