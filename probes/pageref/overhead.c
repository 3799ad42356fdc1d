// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses the sample of pages, and counts touched pages: when their size reaches a limit, a pass
 * marks all pages again.
 *
 * The cost of recording is estimated for each interval and compared with the processor time of the
 * recorded processes (overhead.h):
 *
 *   touches   their number multiplied by the time of a touch. This time is measured when recording
 *             starts: pages of a buffer are marked and touched, so the time includes the exception,
 *             the hook, the record and the refill of the TLB.
 *   passes    the processor time of their thread while it holds mmap locks; other threads that
 *             preempt it are not included
 *
 * The processor time is sum_exec_runtime, which the scheduler updates at each tick and each switch.
 * It is exact to a few ms and includes the time of the touches.
 */

#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <probes/pageref/overhead.h>
#include <probes/pageref/pageref.h>

/* Assumed cost of a touch, if the cost cannot be measured. */
#define TOUCH_NS 2000
/*
 * The buffer to measure with. Only a part of it is mapped at a time, so that the kernel does not
 * map it with a huge page.
 */
#define BUFFER_PARTS 2
#define PART_PAGES 256
/*
 * An interval lasts at least this long. The processor time of a shorter one would not be exact
 * enough.
 */
#define STEP_NS (100 * NSEC_PER_MSEC)

u32 pageref_sample = LTTNG_MM_PAGEREF_SAMPLE_ALL;
unsigned long pageref_size_batch;
DEFINE_PER_CPU(unsigned long, pageref_size);

/* Settings of the control file. */
static u32 fixed_sample = LTTNG_MM_PAGEREF_SAMPLE_ALL;
static unsigned int max_overhead;
static u64 from_bytes;
static struct mm_struct *lender; /* protected by pageref_mutex */

/* Only passes use these. */
static struct pageref_overhead overhead;
static u32 lowest_sample = LTTNG_MM_PAGEREF_SAMPLE_ALL;
static unsigned int touch_ns = TOUCH_NS;
static u64 since_ns, touches_before, pass_ns_before; /* values at the start of the interval */
static atomic64_t consumed_ns;			     /* processor time of the interval so far */

/*
 * `size`: touched pages of the sample since the last pass. `size_limit`: a pass is due at this
 * size.
 */
static atomic_long_t size;
static long size_limit;

int pageref_set_sample(u32 threshold)
{
	if (!threshold || threshold > LTTNG_MM_PAGEREF_SAMPLE_ALL)
		return -ERANGE;
	WRITE_ONCE(max_overhead, 0);
	WRITE_ONCE(fixed_sample, threshold);
	return 0;
}

int pageref_set_max_overhead(unsigned int limit)
{
	if (limit > LTTNG_MM_PAGEREF_OVERHEAD_MAX)
		return -ERANGE;
	WRITE_ONCE(fixed_sample, LTTNG_MM_PAGEREF_SAMPLE_ALL);
	WRITE_ONCE(max_overhead, limit);
	return 0;
}

int pageref_set_from(u64 bytes)
{
	if (bytes && (bytes < LTTNG_MM_PAGEREF_FROM_MIN || bytes > LTTNG_MM_PAGEREF_FROM_MAX))
		return -ERANGE;
	WRITE_ONCE(from_bytes, bytes);
	return 0;
}

void pageref_overhead_reset(void)
{
	pageref_set_max_overhead(0);
	pageref_set_from(0);
	WRITE_ONCE(pageref_sample, LTTNG_MM_PAGEREF_SAMPLE_ALL);
	WRITE_ONCE(lowest_sample, LTTNG_MM_PAGEREF_SAMPLE_ALL);
	WRITE_ONCE(pageref_size_batch, 0);
	pageref_set_lender(NULL);
}

void pageref_set_lender(struct mm_struct *mm)
{
	struct mm_struct *previous;

	if (mm)
		mmgrab(mm);
	mutex_lock(&pageref_mutex);
	previous = lender;
	lender = mm;
	mutex_unlock(&pageref_mutex);
	if (previous)
		mmdrop(previous);
}

int pageref_overhead_print(char *text, size_t room)
{
	return scnprintf(text, room,
			 "max-overhead %u\nfrom %llu\nsample %u\nsample_lowest %u\noverhead %u\n"
			 "touch_ns %u\n",
			 READ_ONCE(max_overhead), READ_ONCE(from_bytes), READ_ONCE(pageref_sample),
			 READ_ONCE(lowest_sample), READ_ONCE(overhead.last), READ_ONCE(touch_ns));
}

u64 pageref_process_ns(struct pid *pid)
{
	struct task_struct *task, *thread;
	u64 ns = 0;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	if (task) {
		ns = READ_ONCE(task->signal->sum_sched_runtime);
		for_each_thread(task, thread) ns += READ_ONCE(thread->se.sum_exec_runtime);
	}
	rcu_read_unlock();
	return ns;
}

/*
 * A thread that is just ending may be missing from the sum, so the sum can be lower than before. In
 * this case nothing is added, and the next call adds the whole difference.
 */
void pageref_account(struct pageref_space *space)
{
	s64 now = (s64)pageref_process_ns(space->process), before = atomic64_read(&space->cpu_ns);

	if (now > before && atomic64_try_cmpxchg(&space->cpu_ns, &before, now))
		atomic64_add(now - before, &consumed_ns);
}

/* Calls pageref_account() for all address spaces. Returns the number of their resident pages. */
static u64 account_all(void)
{
	struct pageref_space *space = NULL;
	u64 pages = 0;

	while ((space = pageref_next_space(space))) {
		pageref_account(space);
		pages += get_mm_rss(space->mm);
	}
	return pages;
}

static int touch_buffer(unsigned long start)
{
	for (unsigned int i = 0; i < PART_PAGES; i++)
		if (put_user(1, (char __user *)(start + i * PAGE_SIZE)))
			return -EFAULT;
	return 0;
}

/* Returns the time of a touch in ns, or 0 if it cannot be measured. */
static unsigned int time_touches(struct pageref_space *space)
{
	const unsigned long bytes = PART_PAGES * PAGE_SIZE;
	unsigned long start =
		vm_mmap(NULL, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	u64 ns = 0;

	if (IS_ERR_VALUE(start))
		return 0;
	/* The first touches map the pages, and must not be recorded. */
	WRITE_ONCE(space->sample, 0);
	if (!touch_buffer(start) && pageref_mark_range(space, start, start + bytes) == PART_PAGES) {
		WRITE_ONCE(space->sample, LTTNG_MM_PAGEREF_SAMPLE_ALL);
		ns = ktime_get_ns();
		ns = touch_buffer(start) ? 0 : ktime_get_ns() - ns;
	}
	vm_munmap(start, bytes);
	return (unsigned int)min_t(u64, ns / PART_PAGES, NSEC_PER_SEC);
}

/*
 * Measures the time of a touch: times the touches of several parts of the buffer, and uses the
 * fastest part. Interrupts and other threads can only make a part slower.
 */
static void measure_touch(void)
{
	struct pageref_space *space = pageref_add_own_space();
	unsigned int least = 0, ns;

	if (!space)
		return;
	for (unsigned int i = 0; i < BUFFER_PARTS; i++) {
		ns = time_touches(space);
		if (ns && (!least || ns < least))
			least = ns;
	}
	pageref_remove_own_space(space);
	if (least)
		WRITE_ONCE(touch_ns, least);
}

/* Measures in the address space of the process that has the control file open. */
static void calibrate(void)
{
	struct mm_struct *mm;

	if (!(current->flags & PF_KTHREAD)) {
		measure_touch();
		return;
	}
	mutex_lock(&pageref_mutex);
	mm = lender && mmget_not_zero(lender) ? lender : NULL;
	mutex_unlock(&pageref_mutex);
	if (!mm)
		return;
	kthread_use_mm(mm);
	measure_touch();
	kthread_unuse_mm(mm);
	mmput_async(mm);
}

static void start_interval(void)
{
	since_ns = ktime_get_ns();
	touches_before = pageref_counter(PAGEREF_TOUCHES);
	pass_ns_before = pageref_counter(PAGEREF_PASS_NS);
	atomic64_set(&consumed_ns, 0);
}

static void start_recording(unsigned int limit)
{
	pageref_overhead_init(&overhead, limit);
	if (!limit)
		return;
	calibrate();
	pageref_overhead_start(&overhead, account_all(), touch_ns,
			       (u64)pageref_interval() * NSEC_PER_MSEC);
	start_interval();
}

static void end_interval(unsigned int limit)
{
	struct pageref_cost cost = { .elapsed = ktime_get_ns() - since_ns };

	if (limit != overhead.limit) {
		start_recording(limit);
		return;
	}
	if (!limit || cost.elapsed < STEP_NS)
		return;
	account_all();
	cost.touches = (pageref_counter(PAGEREF_TOUCHES) - touches_before) * touch_ns;
	cost.passes = pageref_counter(PAGEREF_PASS_NS) - pass_ns_before;
	cost.consumed = (u64)atomic64_read(&consumed_ns);
	pageref_overhead_step(&overhead, &cost);
	start_interval();
}

/* Starts to count the touched pages from zero. */
static void start_size(u32 sample)
{
	u64 bytes = READ_ONCE(from_bytes);
	u64 limit = ((bytes / 2) >> PAGE_SHIFT) * sample >> LTTNG_MM_PAGEREF_SAMPLE_BITS;
	int cpu;

	/*
	 * The pass is due at five eighths of the limit. At most another eighth is in batches that
	 * the CPUs have not added yet, and a quarter is left for touches during the pass.
	 */
	WRITE_ONCE(size_limit, (long)max_t(u64, limit / 8 * 5, 1));
	for_each_possible_cpu(cpu)
		per_cpu(pageref_size, cpu) = 0;
	atomic_long_set(&size, 0);
	WRITE_ONCE(pageref_size_batch,
		   bytes ? max_t(unsigned long, limit / 8 / num_online_cpus(), 1) : 0);
}

void pageref_overhead_pass(bool is_first)
{
	const unsigned int limit = READ_ONCE(max_overhead);
	u32 sample;

	if (is_first) {
		start_recording(limit);
		WRITE_ONCE(lowest_sample, LTTNG_MM_PAGEREF_SAMPLE_ALL);
	} else {
		end_interval(limit);
	}
	sample = limit ? pageref_overhead_sample(&overhead) : READ_ONCE(fixed_sample);
	WRITE_ONCE(pageref_sample, sample);
	WRITE_ONCE(lowest_sample, min(lowest_sample, sample));
	start_size(sample);
}

/* Wakes the thread from an interrupt, because the hook must not take the lock of a run queue. */
static void wake_marker(struct irq_work *work)
{
	pageref_marker_wake();
}
static DEFINE_IRQ_WORK(wake_work, wake_marker);

void pageref_add_size(void)
{
	long limit = READ_ONCE(size_limit), added = (long)this_cpu_xchg(pageref_size, 0);
	long sum = atomic_long_add_return(added, &size);

	if (sum >= limit && sum - added < limit)
		irq_work_queue(&wake_work);
}

bool pageref_is_size_due(void)
{
	return READ_ONCE(pageref_size_batch) && atomic_long_read(&size) >= READ_ONCE(size_limit);
}

void pageref_overhead_exit(void)
{
	irq_work_sync(&wake_work);
	pageref_set_lender(NULL);
}
