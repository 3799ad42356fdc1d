// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread that marks the pages of all targets at every interval.
 *
 *   idle:      no target, or no started session records pageref_touch; no entry is marked
 *   recording: finds new targets and marks the entries of all targets: at every interval, and when
 *              the pages touched since the last pass reach the size of `from`, a setting of the
 *              control file
 *
 * Before the thread becomes idle, it removes all marks.
 */

#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/wait.h>
#include <probes/pageref/pageref.h>

/* The thread checks at this interval, or a shorter one, whether a session still records. */
#define POLL_MS 500U
/*
 * A mapping that moves during a walk can keep its marks. The child of a fork is added after its
 * page tables were copied, so a walk can miss its marks, too. Walks are therefore repeated until
 * one finds no mark, and then once more after a pause.
 */
#define UNMARK_WALKS 16
#define UNMARK_PAUSE_MS 30

/* Protects passes from each other and from the removal of marks. */
static DEFINE_MUTEX(walk_mutex);
static DECLARE_WAIT_QUEUE_HEAD(wake);
static struct task_struct *thread;
static unsigned int interval_ms = LTTNG_MM_PAGEREF_INTERVAL_MS;
/* These are protected by walk_mutex. */
static bool marked;		/* entries may be marked */
static unsigned long last_pass; /* start of the last pass in jiffies; valid if @marked is true */

void pageref_set_interval(unsigned int ms)
{
	WRITE_ONCE(interval_ms, ms);
	wake_up(&wake);
}

unsigned int pageref_interval(void)
{
	return READ_ONCE(interval_ms);
}

void pageref_marker_wake(void)
{
	wake_up(&wake);
}

/* Registers the MMU notifier of a space for which this failed before. */
static void watch(struct pageref_space *space)
{
	if (!mmget_not_zero(space->mm)) {
		pageref_end_space(space);
		return;
	}
	pageref_watch_space(space);
	mmput_async(space->mm);
}

/*
 * Walks all address spaces, and adds the number of changed entries to *CHANGED. Returns false if
 * some were skipped, because their mmap locks were held for long.
 */
static bool walk_all(enum pageref_walk_mode mode, u64 *changed)
{
	struct pageref_space *space = NULL;
	bool complete = true;

	while ((space = pageref_next_space(space))) {
		if (!READ_ONCE(space->watched))
			watch(space);
		complete &= pageref_walk(space, mode, changed);
	}
	return complete;
}

/*
 * Removes all marks. First removes the marks of all processes that can be walked, and then waits
 * for processes whose mmap lock is held for long. Context: walk_mutex is held.
 */
static void unmark_all(void)
{
	bool paused = false;
	u64 changed;

	for (unsigned int i = 0; marked && i < UNMARK_WALKS; i++) {
		changed = 0;
		while (!walk_all(PAGEREF_UNMARK, &changed))
			msleep(UNMARK_PAUSE_MS);
		if (changed)
			continue;
		if (paused)
			break;
		paused = true;
		msleep(UNMARK_PAUSE_MS);
	}
	marked = false;
	pageref_forget_missed();
	pageref_forget_spaces(true);
}

void pageref_unmark_all(void)
{
	mutex_lock(&walk_mutex);
	unmark_all();
	mutex_unlock(&walk_mutex);
}

void pageref_stop(void)
{
	/* A pass that is in progress ends early if there are no targets. */
	mutex_lock(&pageref_mutex);
	pageref_targets_clear();
	mutex_unlock(&pageref_mutex);
	mutex_lock(&walk_mutex);
	unmark_all();
	mutex_unlock(&walk_mutex);
}

static bool is_recording(void)
{
	return pageref_has_targets() && pageref_is_recording();
}

/*
 * Marks the pages of all targets. Ends early if the targets are removed. Context: walk_mutex is
 * held.
 */
static void pass(void)
{
	u64 changed = 0;

	mutex_lock(&pageref_mutex);
	pageref_forget_spaces(false);
	pageref_find_targets();
	mutex_unlock(&pageref_mutex);
	pageref_overhead_pass(!marked);
	marked = true;
	last_pass = jiffies;
	walk_all(PAGEREF_MARK, &changed);
	pageref_count(PASSES);
}

int pageref_arm(void)
{
	bool recording;

	mutex_lock(&walk_mutex);
	recording = is_recording();
	if (recording)
		pass();
	mutex_unlock(&walk_mutex);
	return recording ? 0 : -ENODATA;
}

/*
 * Is a pass due? A pass by pageref_arm() starts a new interval, too. Context: walk_mutex is held.
 */
static bool is_due(void)
{
	return !marked || pageref_is_size_due() ||
	       time_after_eq(jiffies, last_pass + msecs_to_jiffies(pageref_interval()));
}

/*
 * Sleeps until NEXT, in jiffies. Passes are at least the shortest interval apart, even if the
 * setting `from` is small.
 */
static void pause_before(unsigned long next)
{
	long left = (long)(next - jiffies);

	if (left > 0)
		msleep(jiffies_to_msecs((unsigned long)left));
}

static int run(void *unused)
{
	while (!kthread_should_stop()) {
		unsigned long poll = msecs_to_jiffies(min(pageref_interval(), POLL_MS));

		wait_event_interruptible_timeout(
			wake, kthread_should_stop() || pageref_is_size_due(), poll);
		if (pageref_is_size_due())
			pause_before(READ_ONCE(last_pass) +
				     msecs_to_jiffies(LTTNG_MM_PAGEREF_INTERVAL_MIN_MS));
		mutex_lock(&walk_mutex);
		if (!is_recording()) {
			if (marked)
				unmark_all();
		} else if (is_due()) {
			pass();
		}
		mutex_unlock(&walk_mutex);
	}
	return 0;
}

int pageref_marker_init(void)
{
	thread = kthread_run(run, NULL, "lttng-mm-pageref");
	return PTR_ERR_OR_ZERO(thread);
}

void pageref_marker_exit(void)
{
	kthread_stop(thread);
	pageref_stop();
}
