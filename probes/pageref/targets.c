// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes to record. A process is a target if
 *
 *   - it was named by its process ID, or is a descendant of such a process, or
 *   - its user is a target, or
 *   - it is in a cgroup that is a target, or in a cgroup below it.
 *
 * Forks and execs add the new address space before the process returns to user space. A process
 * that becomes a target in another way, for example because it moves to the cgroup, is found by the
 * next pass. LTTng's daemons, lttng-mm and the process that has the control file open are never
 * targets.
 */

#include <linux/binfmts.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/uidgid.h>
#include <probes/pageref/pageref.h>

/* A process that is a target by its ID or by its ancestor. */
struct target_process {
	struct hlist_node node; /* readers use RCU */
	struct pid *pid;	/* of the thread group; with a reference */
	struct rcu_head rcu;
};

static DEFINE_SPINLOCK(processes_lock);
static DEFINE_HASHTABLE(processes, 8);
static unsigned int pid_targets;
static kuid_t target_uid = KUIDT_INIT(-1);
static struct cgroup *target_cgroup;
static struct pid *owner;

static bool is_process_target(const struct pid *pid)
{
	const struct target_process *process;

	hash_for_each_possible_rcu(processes, process, node, (unsigned long)pid)
		if (process->pid == pid)
			return true;
	return false;
}

/* Adds a process by its ID. Context: may sleep if GFP allows it. */
static int add_process(struct pid *pid, gfp_t gfp)
{
	struct target_process *process;
	bool known;

	process = kmalloc(sizeof(*process), gfp);
	if (!process)
		return -ENOMEM;
	process->pid = get_pid(pid);
	spin_lock(&processes_lock);
	known = is_process_target(pid);
	if (!known)
		hash_add_rcu(processes, &process->node, (unsigned long)pid);
	spin_unlock(&processes_lock);
	if (known) {
		put_pid(pid);
		kfree(process);
	}
	return 0;
}

/* If ALL is set, forgets all processes. Otherwise, forgets the processes that have ended. */
static void forget_processes(bool all)
{
	struct target_process *process;
	struct hlist_node *next;
	unsigned int i;

	spin_lock(&processes_lock);
	hash_for_each_safe(processes, i, next, process, node) {
		bool alive;

		rcu_read_lock();
		alive = pid_task(process->pid, PIDTYPE_TGID);
		rcu_read_unlock();
		if (!all && alive)
			continue;
		hash_del_rcu(&process->node);
		put_pid(process->pid);
		kfree_rcu(process, rcu);
	}
	spin_unlock(&processes_lock);
}

/* Processes of the recorder daemon have names such as lttng-mm-superv. */
static bool is_own_name(const char *name)
{
	static const char *const own[] = { "lttng-sessiond", "lttng-consumerd", "lttng-relayd",
					   "lttng-runas", "lttng" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(name, own[i]))
			return true;
	return !strcmp(name, "lttng-mm") || strstarts(name, "lttng-mm-");
}

/* Context: RCU read lock, or TASK is the current one. */
static bool is_target(struct task_struct *task)
{
	const struct cgroup *cgroup = READ_ONCE(target_cgroup);

	if ((task->flags & PF_KTHREAD) || task_tgid(task) == READ_ONCE(owner) ||
	    is_own_name(task->group_leader->comm))
		return false;
	return is_process_target(task_tgid(task)) ||
	       (uid_valid(target_uid) && uid_eq(task_uid(task), target_uid)) ||
	       (cgroup &&
		cgroup_is_descendant(task_css_set(task)->dfl_cgrp, (struct cgroup *)cgroup));
}

bool pageref_has_targets(void)
{
	return pid_targets || uid_valid(target_uid) || target_cgroup;
}

void pageref_set_owner(struct pid *pid)
{
	WRITE_ONCE(owner, pid);
}

/* Returns the process with a reference, or NULL if there is none with this ID. */
static struct pid *find_process(pid_t number)
{
	struct pid *pid = find_get_pid(number);
	bool alive;

	rcu_read_lock();
	alive = pid && pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	if (alive)
		return pid;
	put_pid(pid);
	return NULL;
}

int pageref_target_pids(const pid_t *numbers, unsigned int count)
{
	struct pid **pids;
	unsigned int found = 0;
	int ret = 0;

	if (pid_targets + count > LTTNG_MM_PAGEREF_PIDS)
		return -E2BIG;
	pids = kmalloc_array(count, sizeof(*pids), GFP_KERNEL);
	if (!pids)
		return -ENOMEM;
	while (found < count && (pids[found] = find_process(numbers[found])))
		found++;
	if (found < count)
		ret = -ESRCH;
	for (unsigned int i = 0; i < found; i++) {
		if (!ret)
			ret = add_process(pids[i], GFP_KERNEL);
		put_pid(pids[i]);
	}
	if (!ret)
		pid_targets += count;
	kfree(pids);
	return ret;
}

void pageref_target_uid(kuid_t uid)
{
	target_uid = uid;
}

/* cgroup_get_from_path() fails if PATH is not a cgroup of version 2. */
int pageref_target_cgroup(const char *path)
{
	struct cgroup *cgroup = cgroup_get_from_path(path), *previous = target_cgroup;

	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	WRITE_ONCE(target_cgroup, cgroup);
	synchronize_rcu();
	if (previous)
		cgroup_put(previous);
	return 0;
}

void pageref_targets_clear(void)
{
	struct cgroup *cgroup = target_cgroup;

	pid_targets = 0;
	target_uid = INVALID_UID;
	WRITE_ONCE(target_cgroup, NULL);
	/* Wait for forks that have read the targets, and are adding their children. */
	synchronize_rcu();
	forget_processes(true);
	if (cgroup)
		cgroup_put(cgroup);
}

/*
 * Returns a living thread of the process, or NULL. The first thread can end before the others.
 * Context: RCU read lock.
 */
static struct task_struct *living_thread(struct task_struct *process)
{
	struct task_struct *thread;

	for_each_thread(process, thread)
	{
		if (READ_ONCE(thread->mm))
			return thread;
	}
	return NULL;
}

/*
 * Collects one thread of each target whose address space is not recorded yet, up to MAX. The caller
 * owns a reference to each. Returns their number.
 */
static unsigned int collect(struct task_struct **tasks, unsigned int max)
{
	struct task_struct *process, *task;
	unsigned int count = 0;

	rcu_read_lock();
	for_each_process(process) {
		const struct mm_struct *mm;

		task = living_thread(process);
		mm = task ? READ_ONCE(task->mm) : NULL;
		if (!mm || pageref_space_of(mm) || !is_target(task))
			continue;
		get_task_struct(task);
		tasks[count++] = task;
		if (count == max)
			break;
	}
	rcu_read_unlock();
	return count;
}

/*
 * Adds and watches an address space, of which the caller is a user. If it cannot be watched, for
 * example because a signal is pending, a pass watches it later. Returns false if it is not added.
 */
static bool add_watched(struct mm_struct *mm, const struct task_struct *task)
{
	struct pageref_space *space = pageref_add_space(mm, task, NULL, GFP_KERNEL);

	if (!space)
		return false;
	pageref_watch_space(space);
	pageref_put_space(space);
	return true;
}

static bool add_space_of(struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);
	bool added = mm && add_watched(mm, task);

	if (mm)
		mmput_async(mm);
	put_task_struct(task);
	return added;
}

void pageref_find_targets(void)
{
	struct task_struct *tasks[32];
	unsigned int count, added;

	forget_processes(false);
	do {
		count = collect(tasks, ARRAY_SIZE(tasks));
		added = 0;
		for (unsigned int i = 0; i < count; i++)
			added += add_space_of(tasks[i]);
	} while (count == ARRAY_SIZE(tasks) && added);
}

/*
 * Work for a task with a new address space, when it returns to user space:
 *
 *   fork  register the MMU notifier. The space itself is added before the child runs, because the
 *         kernel writes to the child's memory before the child gets to user space
 *         (CLONE_CHILD_SETTID).
 *   exec  add the space, and register the MMU notifier
 */
struct new_space {
	struct callback_head head;
	struct pageref_space *space; /* the space of a fork, with a reference; NULL: exec */
};

static void add_current(struct pageref_space *space)
{
	if (space) {
		/* If the task was killed before it ran, its address space is already gone. */
		if (current->mm != space->mm)
			pageref_end_space(space);
		else
			pageref_watch_space(space);
		return;
	}
	mutex_lock(&pageref_mutex);
	if (current->mm && pageref_has_targets() && pageref_is_recording())
		add_watched(current->mm, current);
	mutex_unlock(&pageref_mutex);
}

/*
 * After module_put(), the module may be unloaded while this function still runs. pageref_exit()
 * therefore waits until no task runs it.
 */
static void add_on_return(struct callback_head *head)
{
	struct new_space *new = container_of(head, struct new_space, head);

	add_current(new->space);
	if (new->space)
		pageref_put_space(new->space);
	kfree(new);
	module_put(THIS_MODULE);
}

/* Queues work for the task's return to user space. Takes ownership of the reference to SPACE. */
static void add_later(struct task_struct *task, struct pageref_space *space)
{
	struct new_space *new = kmalloc(sizeof(*new), GFP_ATOMIC | __GFP_NOWARN);

	if (new) {
		new->space = space;
		init_task_work(&new->head, add_on_return);
		__module_get(THIS_MODULE);
		if (!task_work_add(task, &new->head, TWA_RESUME))
			return;
		module_put(THIS_MODULE);
		kfree(new);
	}
	/* On failure, the next pass registers the notifier, or adds the space. */
	if (space)
		pageref_put_space(space);
}

/*
 * The child does not run yet. If the parent's address space is recorded, the child's is recorded,
 * too, even if the parent is no longer a target: the fork has copied the parent's marks.
 */
void pageref_on_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	struct pageref_space *space;

	if (!child->mm || task_tgid(child) == task_tgid(parent))
		return;
	rcu_read_lock();
	if (pageref_has_targets() && is_process_target(task_tgid(parent)))
		add_process(task_tgid(child), GFP_ATOMIC);
	space = pageref_space_of(parent->mm);
	if (space && child->mm != parent->mm) {
		space = pageref_add_space(child->mm, child, space, GFP_ATOMIC);
		if (space)
			add_later(child, space);
	}
	rcu_read_unlock();
}

void pageref_on_exec(void *unused, struct task_struct *task, pid_t old_pid,
		     struct linux_binprm *program)
{
	rcu_read_lock();
	if (pageref_has_targets() && is_target(task))
		add_later(task, NULL);
	rcu_read_unlock();
}
