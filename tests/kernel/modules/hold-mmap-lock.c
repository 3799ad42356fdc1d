// SPDX-License-Identifier: GPL-2.0-only
/*
 * When it is loaded, this module takes the mmap lock of process PID for writing. It releases the
 * lock after MS milliseconds.
 */

#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

static int pid;
module_param(pid, int, 0444);

static unsigned int ms = 1000;
module_param(ms, uint, 0444);

static int __init hold_mmap_lock_init(void)
{
	struct pid *number = find_get_pid(pid);
	struct task_struct *task = get_pid_task(number, PIDTYPE_PID);
	struct mm_struct *mm = task ? get_task_mm(task) : NULL;

	if (mm) {
		mmap_write_lock(mm);
		pr_info("hold-mmap-lock: holds the lock of %d\n", pid);
		msleep(ms);
		pr_info("hold-mmap-lock: releases the lock\n");
		mmap_write_unlock(mm);
		mmput(mm);
	}
	if (task)
		put_task_struct(task);
	put_pid(number);
	return mm ? 0 : -ESRCH;
}

static void __exit hold_mmap_lock_exit(void)
{
}

module_init(hold_mmap_lock_init);
module_exit(hold_mmap_lock_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A process whose mmap lock is held for long");
