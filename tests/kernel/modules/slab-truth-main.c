// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a million known allocations and frees when it is loaded, for the test that compares the
 * slab report with them. /proc/slab-truth lists them by function until the module is unloaded.
 *
 * On each of two CPUs, a thread, a timer and an irq work put objects into slots or free the
 * contents of slots; the two CPUs share half of the slots. In addition there are leaks, bulk and
 * RCU frees, mismatched but legal frees, and simulated errors (slab-truth-operations.c).
 *
 * Parameter: operations, the total number of allocations and frees.
 */

#include <linux/completion.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <linux/version.h>

#include "slab-truth.h"

enum {
	SLOTS = 128,	  /* per CPU and context; the CPUs share 2 * SLOTS more */
	SOFT_STEPS = 200, /* per run of the timer */
	HARD_STEPS = 100, /* per run of the irq work */
};

static unsigned int operations = 1000000;
module_param(operations, uint, 0444);

enum context_kind { IN_THREAD, IN_SOFTIRQ, IN_HARDIRQ, CONTEXTS };

static struct truth_worker {
	struct task_struct *thread;
	struct completion thread_done, timer_done;
	struct timer_list timer;
	struct irq_work irq;
	unsigned int cpu, timer_left;
	u64 random[CONTEXTS]; /* a state per context, because contexts interrupt each other */
	unsigned int irq_count, timer_count;
} workers[2];

/* Each context has slots of CPU 0, slots of CPU 1, and two sets of shared slots. */
static void *slots[CONTEXTS][4 * SLOTS];

static u32 next_random(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

/* Frees the contents of a random slot, or fills the slot if it is empty. */
static void step(struct truth_worker *worker, enum context_kind kind)
{
	u32 random = next_random(&worker->random[kind]);
	unsigned int number = random % (2 * SLOTS) + (random >> 20 & 1 ? 2 * SLOTS : 0);
	gfp_t gfp = kind == IN_THREAD ? GFP_KERNEL : GFP_ATOMIC | __GFP_NOWARN;
	void **slot, *object;

	if (number < 2 * SLOTS)
		number = number % SLOTS + worker->cpu * SLOTS;
	slot = &slots[kind][number];
	object = xchg(slot, NULL);
	if (!object) {
		random = next_random(&worker->random[kind]);
		object = truth_take(random % (kind == IN_THREAD ? S_RCU + 1 : S_RCU), gfp);
		object = xchg(slot, object);
	}
	if (object)
		truth_give(object);
}

static void on_timer(struct timer_list *timer)
{
	struct truth_worker *worker = container_of(timer, struct truth_worker, timer);

	for (int i = 0; i < SOFT_STEPS; i++)
		step(worker, IN_SOFTIRQ);
	if (worker->timer_count++ % 8 == 0)
		truth_leak(truth_take(S_LEAK_SOFTIRQ, GFP_ATOMIC | __GFP_NOWARN));
	if (--worker->timer_left) {
		worker->timer.expires = jiffies + 1;
		add_timer_on(&worker->timer, worker->cpu);
	} else {
		complete(&worker->timer_done);
	}
}

static void on_irq(struct irq_work *irq)
{
	struct truth_worker *worker = container_of(irq, struct truth_worker, irq);

	for (int i = 0; i < HARD_STEPS; i++)
		step(worker, IN_HARDIRQ);
	if (worker->irq_count++ % 16 == 0)
		truth_leak(truth_take(S_LEAK_HARDIRQ, GFP_ATOMIC | __GFP_NOWARN));
}

/* Allocates and immediately frees objects until the total is reached. */
static void run_until(u64 enough)
{
	while ((u64)atomic64_read(&truth_operations) + 1 < enough) {
		void *object = truth_take(S_AND_FREE, GFP_KERNEL);

		if (object)
			truth_give(object);
		cond_resched();
	}
}

static int run_in_thread(void *data)
{
	struct truth_worker *worker = data;

	for (unsigned int i = 0; i < operations / 10 * 3; i++) {
		step(worker, IN_THREAD);
		if (i % 1024 == 0)
			truth_act_in_bulk(i / 1024);
		if (i % 1024 == 128)
			truth_act_on_pages(i / 1024);
		if (i % 1024 == 256)
			truth_act_at_times(i / 1024);
		if (i % 1024 == 512) {
			irq_work_queue(&worker->irq);
			irq_work_sync(&worker->irq);
		}
		if (i % 4096 == 768)
			truth_say_what_is_wrong();
		if (i % 4096 == 1792)
			truth_act_in_pieces();
		if (i % 4096 == 2816)
			truth_leak(truth_take(S_LEAK_THREAD, GFP_KERNEL));
		cond_resched();
	}
	complete(&worker->thread_done);
	return 0;
}

/* Runs after all other contexts have finished. */
static int run_last(void *data)
{
	struct truth_worker *worker = data;

	for (int kind = 0; kind < CONTEXTS; kind++)
		for (int i = 0; i < 4 * SLOTS; i++)
			if (slots[kind][i])
				truth_give(slots[kind][i]);
	truth_act_on_pages_last();
	run_until(operations);
	if ((u64)atomic64_read(&truth_operations) < operations)
		truth_leak(truth_take(S_LEAK_END, GFP_KERNEL));
	complete(&worker->thread_done);
	return 0;
}

static int run_thread(struct truth_worker *worker, int (*function)(void *data))
{
	init_completion(&worker->thread_done);
	worker->thread = kthread_create(function, worker, "slab-truth/%u", worker->cpu);
	if (IS_ERR(worker->thread))
		return PTR_ERR(worker->thread);
	kthread_bind(worker->thread, worker->cpu);
	wake_up_process(worker->thread);
	return 0;
}

static int start_worker(struct truth_worker *worker, unsigned int index)
{
	int ret;

	worker->cpu = index;
	worker->timer_left = max(operations / (20 * SOFT_STEPS), 1u);
	for (int kind = 0; kind < CONTEXTS; kind++)
		worker->random[kind] = index * CONTEXTS + kind;
	init_completion(&worker->timer_done);
	worker->irq = IRQ_WORK_INIT_HARD(on_irq);
	timer_setup(&worker->timer, on_timer, TIMER_PINNED);
	ret = run_thread(worker, run_in_thread);
	if (ret)
		return ret;
	worker->timer.expires = jiffies + 1;
	add_timer_on(&worker->timer, worker->cpu);
	return 0;
}

static void finish(struct truth_worker *worker)
{
	wait_for_completion(&worker->thread_done);
	wait_for_completion(&worker->timer_done);
	timer_shutdown_sync(&worker->timer);
}

static int run(void)
{
	int ret = start_worker(&workers[0], 0), second;

	if (ret)
		return ret;
	second = start_worker(&workers[1], 1);
	finish(&workers[0]);
	if (second)
		return second;
	finish(&workers[1]);
	ret = run_thread(&workers[0], run_last);
	if (ret)
		return ret;
	wait_for_completion(&workers[0].thread_done);
	/* Waits for frees through RCU if the kernel has a function for this. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	kvfree_rcu_barrier();
#endif
	return 0;
}

/* This function is not __init, because call sites in init code have a separate code range. */
static noinline int run_operations(void)
{
	int ret = num_online_cpus() < 2 ? -ENODEV : truth_begin();

	if (ret)
		return ret;
	ret = run();
	if (!ret && !proc_create_single("slab-truth", 0444, NULL, truth_show))
		ret = -ENOMEM;
	if (ret)
		truth_end();
	return ret;
}

static int __init slab_truth_init(void)
{
	return run_operations();
}

static void __exit slab_truth_exit(void)
{
	remove_proc_entry("slab-truth", NULL);
	truth_end();
}

module_init(slab_truth_init);
module_exit(slab_truth_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("lttng-mm");
MODULE_DESCRIPTION("A million known slab allocations and frees, for tests");
