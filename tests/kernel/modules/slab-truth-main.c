// SPDX-License-Identifier: GPL-2.0-only
/*
 * A million allocations and frees, each known: for the test that compares the slab report with
 * them. They are made when the module is loaded; /proc/slab-truth lists them by function until it
 * is unloaded.
 *
 * A thread, a timer and an irq work on each of two CPUs put objects into slots, or free what they
 * contain; the two CPUs share half of the slots. In addition there are leaks, bulk and RCU frees,
 * mismatched but legal frees, and simulated errors (slab-truth-acts.c).
 *
 * Parameters: acts (total number of allocations and frees).
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
	SLOTS = 128,	  /* of each CPU, for each context; and as many shared ones */
	SOFT_STEPS = 200, /* of each timer */
	HARD_STEPS = 100, /* of each irq work */
};

static unsigned int acts = 1000000;
module_param(acts, uint, 0444);

enum context_kind { IN_THREAD, IN_SOFTIRQ, IN_HARDIRQ, CONTEXTS };

static struct actor {
	struct task_struct *thread;
	struct completion thread_done, timer_done;
	struct timer_list timer;
	struct irq_work irq;
	unsigned int cpu, timer_left;
	u64 random[CONTEXTS]; /* one per context: none interrupts another's use of it */
	unsigned int irq_count, timer_count;
} actors[2];

/* Of CPU 0, of CPU 1, shared, shared. */
static void *slots[CONTEXTS][4 * SLOTS];

static u32 next_random(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

/* Frees the content of a slot, or fills it. */
static void step(struct actor *actor, enum context_kind kind)
{
	u32 random = next_random(&actor->random[kind]);
	unsigned int number = random % (2 * SLOTS) + (random >> 20 & 1 ? 2 * SLOTS : 0);
	gfp_t gfp = kind == IN_THREAD ? GFP_KERNEL : GFP_ATOMIC | __GFP_NOWARN;
	void **slot, *object;

	if (number < 2 * SLOTS)
		number = number % SLOTS + actor->cpu * SLOTS;
	slot = &slots[kind][number];
	object = xchg(slot, NULL);
	if (!object) {
		random = next_random(&actor->random[kind]);
		object = truth_take(random % (kind == IN_THREAD ? S_RCU + 1 : S_RCU), gfp);
		object = xchg(slot, object);
	}
	if (object)
		truth_give(object);
}

static void on_timer(struct timer_list *timer)
{
	struct actor *actor = container_of(timer, struct actor, timer);

	for (int i = 0; i < SOFT_STEPS; i++)
		step(actor, IN_SOFTIRQ);
	if (actor->timer_count++ % 8 == 0)
		truth_leak(truth_take(S_LEAK_SOFTIRQ, GFP_ATOMIC | __GFP_NOWARN));
	if (--actor->timer_left) {
		actor->timer.expires = jiffies + 1;
		add_timer_on(&actor->timer, actor->cpu);
	} else {
		complete(&actor->timer_done);
	}
}

static void on_irq(struct irq_work *irq)
{
	struct actor *actor = container_of(irq, struct actor, irq);

	for (int i = 0; i < HARD_STEPS; i++)
		step(actor, IN_HARDIRQ);
	if (actor->irq_count++ % 16 == 0)
		truth_leak(truth_take(S_LEAK_HARDIRQ, GFP_ATOMIC | __GFP_NOWARN));
}

/* Allocations with immediate frees, until the total is reached. */
static void act_until(u64 enough)
{
	while ((u64)atomic64_read(&truth_acts) + 1 < enough) {
		void *object = truth_take(S_AND_FREE, GFP_KERNEL);

		if (object)
			truth_give(object);
		cond_resched();
	}
}

static int act_as_thread(void *data)
{
	struct actor *actor = data;

	for (unsigned int i = 0; i < acts / 10 * 3; i++) {
		step(actor, IN_THREAD);
		if (i % 1024 == 0)
			truth_act_in_bulk(i / 1024);
		if (i % 1024 == 128)
			truth_act_on_pages(i / 1024);
		if (i % 1024 == 256)
			truth_act_at_times(i / 1024);
		if (i % 1024 == 512) {
			irq_work_queue(&actor->irq);
			irq_work_sync(&actor->irq);
		}
		if (i % 4096 == 768)
			truth_say_what_is_wrong();
		if (i % 4096 == 1792)
			truth_act_in_pieces();
		if (i % 4096 == 2816)
			truth_leak(truth_take(S_LEAK_THREAD, GFP_KERNEL));
		cond_resched();
	}
	complete(&actor->thread_done);
	return 0;
}

/* When no other context is active any more. */
static int act_last(void *data)
{
	struct actor *actor = data;

	for (int kind = 0; kind < CONTEXTS; kind++)
		for (int i = 0; i < 4 * SLOTS; i++)
			if (slots[kind][i])
				truth_give(slots[kind][i]);
	truth_act_on_pages_last();
	act_until(acts);
	if ((u64)atomic64_read(&truth_acts) < acts)
		truth_leak(truth_take(S_LEAK_END, GFP_KERNEL));
	complete(&actor->thread_done);
	return 0;
}

static int run_thread(struct actor *actor, int (*act)(void *data))
{
	init_completion(&actor->thread_done);
	actor->thread = kthread_create(act, actor, "slab-truth/%u", actor->cpu);
	if (IS_ERR(actor->thread))
		return PTR_ERR(actor->thread);
	kthread_bind(actor->thread, actor->cpu);
	wake_up_process(actor->thread);
	return 0;
}

static int start_actor(struct actor *actor, unsigned int index)
{
	int ret;

	actor->cpu = index;
	actor->timer_left = max(acts / (20 * SOFT_STEPS), 1u);
	for (int kind = 0; kind < CONTEXTS; kind++)
		actor->random[kind] = index * CONTEXTS + kind;
	init_completion(&actor->timer_done);
	actor->irq = IRQ_WORK_INIT_HARD(on_irq);
	timer_setup(&actor->timer, on_timer, TIMER_PINNED);
	ret = run_thread(actor, act_as_thread);
	if (ret)
		return ret;
	actor->timer.expires = jiffies + 1;
	add_timer_on(&actor->timer, actor->cpu);
	return 0;
}

static void finish(struct actor *actor)
{
	wait_for_completion(&actor->thread_done);
	wait_for_completion(&actor->timer_done);
	timer_shutdown_sync(&actor->timer);
}

static int act(void)
{
	int ret = start_actor(&actors[0], 0), second;

	if (ret)
		return ret;
	second = start_actor(&actors[1], 1);
	finish(&actors[0]);
	if (second)
		return second;
	finish(&actors[1]);
	ret = run_thread(&actors[0], act_last);
	if (ret)
		return ret;
	wait_for_completion(&actors[0].thread_done);
	/* Frees what was passed to RCU, if the kernel provides a way. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	kvfree_rcu_barrier();
#endif
	return 0;
}

/* Not init text, which has a separate code range. */
static noinline int run_acts(void)
{
	int ret = num_online_cpus() < 2 ? -ENODEV : truth_begin();

	if (ret)
		return ret;
	ret = act();
	if (!ret && !proc_create_single("slab-truth", 0444, NULL, truth_show))
		ret = -ENOMEM;
	if (ret)
		truth_end();
	return ret;
}

static int __init slab_truth_init(void)
{
	return run_acts();
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
