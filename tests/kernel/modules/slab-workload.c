// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes known allocations and frees when it is loaded, for the tests of lttng-probe-slab. Nothing
 * remains allocated. On each of two CPUs, three contexts (thread, softirq, hardirq) make the same
 * calls in each round, so all counts are multiples of the number of rounds. Only threads perform
 * operations that can sleep.
 *
 * Parameters: rounds (repetitions in each context), pairs (if set, the module only measures the
 * time of that many kmalloc/kfree pairs).
 */

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <linux/version.h>

enum { BULK = 16, PAGES = 8, OBJECT_BYTES = 200, REUSES = 200, LONG_NAME = 200 };

static unsigned int rounds = 10;
module_param(rounds, uint, 0444);
static unsigned int pairs;
module_param(pairs, uint, 0444);

struct rcu_object {
	struct rcu_head rcu;
	char bytes[72];
};

static const size_t sizes[] = { 8, 24, 96, 100, 192, 1000, 4096, 8000, 8192 };

static struct kmem_cache *cache, *merged;
static void *volatile kept;

/* noinline: each call keeps its own call site. The compiler cannot merge it with other calls. */
static noinline void run_kmalloc(size_t bytes, gfp_t gfp)
{
	kept = kmalloc(bytes, gfp);
	kfree(kept);
}

static noinline void run_cache(gfp_t gfp)
{
	kept = kmem_cache_alloc(cache, gfp);
	kmem_cache_free(cache, kept);
}

static noinline void run_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp, order);

	if (page)
		__free_pages(page, order);
}

/* Operations that are possible in every context. */
static void run_anywhere(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		run_kmalloc(sizes[i], GFP_ATOMIC | __GFP_NOWARN);
	run_cache(GFP_ATOMIC);
	run_cache(GFP_ATOMIC | __GFP_NOWARN);
	run_pages(GFP_ATOMIC, 0);
	run_pages(GFP_ATOMIC | __GFP_COMP, 2);
}

static noinline void run_node(void)
{
	kept = kmalloc_node(64, GFP_KERNEL, 0);
	kfree(kept);
	kept = kmem_cache_alloc_node(cache, GFP_KERNEL, 0);
	kmem_cache_free(cache, kept);
}

static noinline void run_fail(void)
{
	size_t volatile bytes = (size_t)KMALLOC_MAX_SIZE * 2;

	kept = kmalloc(bytes, GFP_KERNEL | __GFP_NOWARN);
	kfree(kept);
	kfree(NULL);
	kfree(ZERO_SIZE_PTR);
}

static noinline void run_bulk(void)
{
	void *objects[BULK];

	if (kmem_cache_alloc_bulk(cache, GFP_KERNEL, BULK, objects))
		kmem_cache_free_bulk(cache, BULK, objects);
}

/* Allocates in bulk into an array that already has two pages. */
static noinline void run_page_bulk(gfp_t gfp)
{
	struct page *pages[PAGES + 2] = { [1] = alloc_page(GFP_KERNEL | __GFP_NOFAIL),
					  [4] = alloc_page(GFP_KERNEL | __GFP_NOFAIL) };

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
	__alloc_pages_bulk(gfp, numa_mem_id(), NULL, ARRAY_SIZE(pages), pages);
#else
	__alloc_pages_bulk(gfp, numa_mem_id(), NULL, ARRAY_SIZE(pages), NULL, pages);
#endif
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		if (pages[i])
			__free_page(pages[i]);
}

static noinline void run_krealloc(void)
{
	void *object = kmalloc(100, GFP_KERNEL), *again;

	again = krealloc(object, 120, GFP_KERNEL);
	kfree(again ? again : object);
}

static noinline void run_kfree_rcu(void)
{
	struct rcu_object *object = kmalloc(sizeof(*object), GFP_KERNEL);

	kfree_rcu(object, rcu);
}

#ifdef kmalloc_nolock
static noinline void run_nolock(void)
{
	kept = kmalloc_nolock(48, 0, NUMA_NO_NODE);
	kfree_nolock(kept);
}
#else
static void run_nolock(void)
{
}
#endif

static void run_of_thread(void)
{
	size_t volatile large = 100000;

	run_anywhere();
	run_kmalloc(256, GFP_KERNEL_ACCOUNT);
	run_kmalloc(large, GFP_KERNEL);
	run_node();
	run_fail();
	run_bulk();
	run_page_bulk(GFP_KERNEL);
	run_page_bulk(GFP_KERNEL | __GFP_ZERO);
	run_krealloc();
	run_kfree_rcu();
	run_nolock();
}

struct workload_thread {
	struct task_struct *thread;
	struct completion thread_done, timer_done, irq_done;
	struct timer_list timer;
	struct irq_work irq;
	unsigned int cpu, timer_left, irq_left;
};

static struct workload_thread contexts[2];

static void on_timer(struct timer_list *timer)
{
	struct workload_thread *context = container_of(timer, struct workload_thread, timer);

	run_anywhere();
	if (--context->timer_left) {
		context->timer.expires = jiffies + 1;
		add_timer_on(&context->timer, context->cpu);
	} else {
		complete(&context->timer_done);
	}
}

static void on_irq(struct irq_work *irq)
{
	struct workload_thread *context = container_of(irq, struct workload_thread, irq);

	run_anywhere();
	if (!--context->irq_left)
		complete(&context->irq_done);
}

static int run_in_thread(void *data)
{
	struct workload_thread *context = data;

	for (unsigned int i = 0; i < rounds; i++) {
		run_of_thread();
		irq_work_queue(&context->irq);
		irq_work_sync(&context->irq);
	}
	complete(&context->thread_done);
	return 0;
}

static int run_on(unsigned int index)
{
	struct workload_thread *context = &contexts[index];

	context->cpu = index % num_online_cpus();
	context->timer_left = rounds;
	context->irq_left = rounds;
	init_completion(&context->thread_done);
	init_completion(&context->timer_done);
	init_completion(&context->irq_done);
	context->irq = IRQ_WORK_INIT_HARD(on_irq);
	timer_setup(&context->timer, on_timer, TIMER_PINNED);
	context->thread = kthread_create(run_in_thread, context, "slab-workload/%u", index);
	if (IS_ERR(context->thread))
		return PTR_ERR(context->thread);
	kthread_bind(context->thread, context->cpu);
	pr_info("slab-workload: thread %d\n", context->thread->pid);
	wake_up_process(context->thread);
	context->timer.expires = jiffies + 1;
	add_timer_on(&context->timer, context->cpu);
	wait_for_completion(&context->thread_done);
	wait_for_completion(&context->timer_done);
	wait_for_completion(&context->irq_done);
	timer_shutdown_sync(&context->timer);
	return 0;
}

static noinline void time_pairs(void)
{
	u64 start, end;

	start = get_cycles();
	for (unsigned int i = 0; i < pairs; i++) {
		kept = kmalloc(64, GFP_KERNEL);
		kfree(kept);
	}
	end = get_cycles();
	pr_info("slab-workload: kmalloc %llu\n", (end - start) / pairs);
	start = get_cycles();
	for (unsigned int i = 0; i < pairs; i++) {
		kept = kmem_cache_alloc(cache, GFP_KERNEL);
		kmem_cache_free(cache, kept);
	}
	end = get_cycles();
	pr_info("slab-workload: kmem_cache %llu\n", (end - start) / pairs);
}

/* A cache with a constructor is never merged with another. */
static void construct(void *object)
{
}

/*
 * Creates and destroys caches one by one, so that many have the same address. Their number exceeds
 * the number of slots that the probe searches for an address. Prints the largest number of caches
 * that had the same address.
 */
static void run_reuse(void)
{
	static struct {
		struct kmem_cache *cache;
		unsigned int count;
	} seen[REUSES];
	unsigned int most = 0;

	for (unsigned int i = 0; i < REUSES; i++) {
		struct kmem_cache *made =
			kmem_cache_create("slab-workload-reuse", 40, 0, 0, construct);
		unsigned int at = 0;

		if (!made)
			return;
		kmem_cache_free(made, kmem_cache_alloc(made, GFP_KERNEL | __GFP_NOFAIL));
		while (seen[at].count && seen[at].cache != made)
			at++;
		seen[at].cache = made;
		most = max(most, ++seen[at].count);
		kmem_cache_destroy(made);
	}
	pr_info("slab-workload: %u of %u caches at one address\n", most, REUSES);
}

/*
 * Creates two caches for each name length. Their names differ in the last character only. One
 * length is above 47 characters, and the other is very long.
 */
static void run_long_names(void)
{
	static const unsigned int lengths[] = { 60, LONG_NAME };
	static char name[LONG_NAME + 1];
	struct kmem_cache *named[2 * ARRAY_SIZE(lengths)];

	for (unsigned int i = 0; i < ARRAY_SIZE(named); i++) {
		unsigned int length = lengths[i / 2];

		memset(name, 'x', length);
		memcpy(name, "slab-workload-long-", strlen("slab-workload-long-"));
		name[length - 1] = '0' + i % 2;
		name[length] = '\0';
		named[i] = kmem_cache_create(name, 48, 0, 0, construct);
		if (named[i])
			kmem_cache_free(named[i],
					kmem_cache_alloc(named[i], GFP_KERNEL | __GFP_NOFAIL));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(named); i++)
		kmem_cache_destroy(named[i]);
}

/* This function is not __init, because call sites in init code have a separate code range. */
static noinline int run(void)
{
	int ret;

	/*
	 * Stay on one CPU: since Linux 7.0, a task may move to another CPU between two callbacks of
	 * a tracepoint, and two recorders would then record different CPUs.
	 */
	ret = set_cpus_allowed_ptr(current, cpumask_of(0));
	if (ret)
		return ret;
	cache = kmem_cache_create("slab-workload-object", OBJECT_BYTES, 0,
				  SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT, construct);
	/*
	 * This cache has the size of another cache. The kernel merges the two unless merging is
	 * disabled.
	 */
	merged = kmem_cache_create("slab-workload-merged", 64, 0, 0, NULL);
	if (!cache || !merged)
		return -ENOMEM;
	pr_info("slab-workload: direct map at %lx\n", PAGE_OFFSET);
	if (pairs) {
		/* The second round has warm caches. */
		time_pairs();
		time_pairs();
	} else {
		for (unsigned int i = 0; i < ARRAY_SIZE(contexts) && !ret; i++)
			ret = run_on(i);
		run_reuse();
		run_long_names();
	}
	rcu_barrier();
	kmem_cache_destroy(merged);
	kmem_cache_destroy(cache);
	return ret;
}

static int __init slab_workload_init(void)
{
	return run();
}

static void __exit slab_workload_exit(void)
{
	rcu_barrier();
}

module_init(slab_workload_init);
module_exit(slab_workload_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("lttng-mm");
MODULE_DESCRIPTION("Known slab allocations, for tests");
