// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state dump: recorded address spaces and their mappings.
 *
 * Context: process; preemption is off, so nothing here sleeps.
 */

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <probes/lib/statedump.h>
#include <probes/pageref/pageref.h>

void lttng_mm_dump_pageref_statedump_mm(void *event, struct lttng_kernel_session *session)
{
	struct pageref_space *space;
	u32 number = 0;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	preempt_disable_notrace();
	while ((space = pageref_next_space(number))) {
		struct lttng_mm_pageref_mm rec = {
			.mm = space->number,
			.pid = space->pid,
			.parent = space->parent,
		};

		number = space->number;
		lttng_mm_record_text(event, &lttng_mm_class_pageref_statedump_mm, &rec, sizeof(rec),
				     space->name);
		pageref_put_space(space);
	}
	preempt_enable_notrace();
}

/* A process that changes its mappings at the moment is left out. */
static void dump_mappings(void *event, const struct pageref_space *space)
{
	struct lttng_mm_pageref_mapping rec;
	struct vm_area_struct *vma;
	const char *name;

	if (!mmget_not_zero(space->mm))
		return;
	if (mmap_read_trylock(space->mm)) {
		for (vma = find_vma(space->mm, 0); vma; vma = find_vma(space->mm, vma->vm_end)) {
			if (!pageref_is_markable(vma))
				continue;
			name = pageref_describe_mapping(space, vma, &rec);
			lttng_mm_record_text(event, &lttng_mm_class_pageref_statedump_mapping, &rec,
					     sizeof(rec), name);
		}
		mmap_read_unlock(space->mm);
	}
	mmput_async(space->mm);
}

void lttng_mm_dump_pageref_statedump_mapping(void *event, struct lttng_kernel_session *session)
{
	struct pageref_space *space;
	u32 number = 0;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	preempt_disable_notrace();
	while ((space = pageref_next_space(number))) {
		number = space->number;
		dump_mappings(event, space);
		pageref_put_space(space);
	}
	preempt_enable_notrace();
}
