// SPDX-License-Identifier: LGPL-2.1-only
/* The history of threads, made from the events that report them. Names in events are hostile. */
#include "reader/sysinfo/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A thread id, the numbers of its last and first thread, and the index of its last state dump. */
struct mm_thread_id {
	int32_t tid;
	uint32_t number, first, dump; /* MM_HASH_NONE: none */
};

/* Maximum number of state dumps to keep for one thread id. Most of them are equal. */
#define DUMPS_OF_ONE 4u
/* Maximum number of events that report one exec. Each profile of a recorder records an event. */
#define EXECS_OF_ONE 8

struct mm_thread_dump {
	int64_t time_ns;
	int32_t pid;
	uint32_t previous, depth; /* the id's previous dump; the number of its dumps up to this */
	char comm[MM_COMM_BYTES];
};

void mm_threads_init(struct mm_threads *threads)
{
	*threads = (struct mm_threads){ 0 };
	mm_hash_init(&threads->by_tid);
}

void mm_threads_release(struct mm_threads *threads)
{
	free(threads->all);
	free(threads->ids);
	free(threads->dumps);
	mm_hash_release(&threads->by_tid);
	mm_threads_init(threads);
}

static bool is_id(const void *ids, uint32_t number, const void *tid)
{
	return ((const struct mm_thread_id *)ids)[number].tid == *(const int32_t *)tid;
}

static struct mm_thread_id *find_id(const struct mm_threads *threads, int32_t tid)
{
	uint32_t number =
		mm_hash_find(&threads->by_tid, mm_hash_of(&threads->by_tid, (uint32_t)tid, 0),
			     threads->ids, &tid, is_id);

	return number == MM_HASH_NONE ? NULL : &threads->ids[number];
}

static struct mm_thread_id *make_id(struct mm_threads *threads, int32_t tid)
{
	struct mm_thread_id *id = find_id(threads, tid);

	if (id)
		return id;
	id = mm_array_grow(threads->ids, threads->id_count, &threads->id_room, sizeof(*id));
	if (!id)
		return NULL;
	threads->ids = id;
	if (mm_hash_add(&threads->by_tid, mm_hash_of(&threads->by_tid, (uint32_t)tid, 0),
			threads->id_count))
		return NULL;
	id += threads->id_count++;
	*id = (struct mm_thread_id){ tid, MM_HASH_NONE, MM_HASH_NONE, MM_HASH_NONE };
	return id;
}

/* Adds a thread with a new number for the thread id. Returns NULL when out of memory. */
static struct mm_thread *add(struct mm_threads *threads, struct mm_thread_id *id)
{
	struct mm_thread *all =
		mm_array_grow(threads->all, threads->count, &threads->room, sizeof(*all));

	if (!all)
		return NULL;
	threads->all = all;
	if (id->number != MM_HASH_NONE) {
		threads->reused = true;
		threads->all[id->number].next = threads->count;
	} else {
		id->first = threads->count;
	}
	id->number = threads->count;
	all += threads->count++;
	*all = (struct mm_thread){
		.tid = id->tid,
		.pid = -1,
		.since_ns = INT64_MIN,
		.until_ns = INT64_MAX,
		.named_ns = INT64_MIN,
		.next = MM_HASH_NONE,
		.before_exec = MM_HASH_NONE,
		.changed_ns = INT64_MAX,
	};
	return all;
}

static struct mm_thread *last_of(const struct mm_threads *threads, const struct mm_thread_id *id)
{
	return id->number == MM_HASH_NONE ? NULL : &threads->all[id->number];
}

/*
 * Is the limit on the number of threads or thread ids reached? If it is, new threads get numbers
 * only when an analysis uses them. (An analysis uses a thread by storing its number.)
 */
static bool is_full(const struct mm_threads *threads)
{
	return threads->count >= MM_THREADS_MAX || threads->id_count >= MM_THREADS_MAX;
}

/* Finds or makes the current thread with the id @tid. Returns NULL when out of memory. */
static struct mm_thread *current(struct mm_threads *threads, int32_t tid)
{
	struct mm_thread_id *id = make_id(threads, tid);

	if (!id)
		return NULL;
	return id->number == MM_HASH_NONE ? add(threads, id) : last_of(threads, id);
}

/*
 * Starts a thread with the id @tid at @time_ns. Reuses the id's last number if no analysis uses it,
 * and its thread started in this part of the trace. At the limit (is_full()), reuses the last
 * number in any case. Sets *@thread to NULL if there are too many threads. Returns 0, or -1 when
 * out of memory.
 */
static int begin(struct mm_threads *threads, int32_t tid, int64_t time_ns,
		 struct mm_thread **thread)
{
	struct mm_thread_id *id = find_id(threads, tid);
	struct mm_thread *last;

	*thread = NULL;
	if (!id && is_full(threads))
		return 0;
	id = make_id(threads, tid);
	if (!id)
		return -1;
	last = last_of(threads, id);
	if (!last && threads->continues) {
		last = add(threads, id);
		if (!last)
			return -1;
	}
	if (last && (last->since_ns == INT64_MIN || last->used) && !is_full(threads)) {
		last->until_ns = time_ns;
		last = NULL;
	}
	if (!last)
		last = add(threads, id);
	if (!last)
		return -1;
	last->since_ns = time_ns;
	last->named_ns = INT64_MIN;
	last->pid = -1;
	last->exited = last->replaced = false;
	last->before_exec = MM_HASH_NONE;
	last->comm[0] = '\0';
	*thread = last;
	return 0;
}

static void set_comm(char *to, const char *comm)
{
	snprintf(to, MM_COMM_BYTES, "%s", comm);
}

int mm_threads_forked(struct mm_threads *threads, int32_t tid, int32_t pid, const char *comm,
		      int64_t time_ns)
{
	struct mm_thread *thread;

	if (begin(threads, tid, time_ns, &thread))
		return -1;
	if (thread) {
		thread->pid = pid;
		thread->forked = true;
		/*
		 * A thread starts with its parent's name. But kthreadd renames its children at
		 * once, so their names are unknown.
		 */
		set_comm(thread->comm, strcmp(comm, "kthreadd") != 0 ? comm : "");
	}
	return 0;
}

const char *mm_threads_exec_name(const char *filename)
{
	const char *base = strrchr(filename, '/');

	return base ? base + 1 : filename;
}

/*
 * Finds or starts the thread that an exec renames. Sets *@thread to NULL if there are too many
 * threads. Returns 0, or -1 when out of memory.
 */
static int find_executed(struct mm_threads *threads, int32_t tid, int64_t time_ns,
			 struct mm_thread **thread)
{
	*thread = NULL;
	if (!threads->exec_renames)
		return begin(threads, tid, time_ns, thread);
	if (!find_id(threads, tid) && is_full(threads))
		return 0;
	*thread = current(threads, tid);
	if (!*thread)
		return -1;
	/*
	 * Another thread of the process may have called exec(). In this case, the process's first
	 * thread has exited, and its id now belongs to the caller of exec().
	 */
	(*thread)->exited = (*thread)->replaced = false;
	(*thread)->named_ns = time_ns;
	return 0;
}

int mm_threads_executed(struct mm_threads *threads, int32_t tid, int32_t old_tid,
			const char *filename, int64_t time_ns)
{
	const struct mm_thread_id *old = find_id(threads, old_tid);
	struct mm_thread *thread = old ? last_of(threads, old) : NULL;
	uint32_t before;

	/*
	 * If this is not the first part of the trace, an earlier part may know the thread that
	 * called exec(). Add the thread, so that the tables of both parts can be joined.
	 */
	if (!thread && threads->continues && !is_full(threads)) {
		thread = current(threads, old_tid);
		if (!thread)
			return -1;
	}

	/*
	 * exec() makes its caller the first thread of the process. The caller gets the id of the
	 * process.
	 */
	if (thread && !thread->exited) {
		if (thread->pid < 0)
			thread->pid = tid;
		thread->replaced = old_tid != tid;
	}
	before = thread ? (uint32_t)(thread - threads->all) : MM_HASH_NONE;
	if (find_executed(threads, tid, time_ns, &thread))
		return -1;
	if (thread) {
		thread->pid = tid;
		/* If the thread keeps its number, its name before the exec is lost. */
		if (before != (uint32_t)(thread - threads->all))
			thread->before_exec = before;
		set_comm(thread->comm, filename ? mm_threads_exec_name(filename) : "");
	}
	return 0;
}

int mm_threads_exited(struct mm_threads *threads, int32_t tid, const char *comm)
{
	struct mm_thread *thread;

	if (!find_id(threads, tid) && is_full(threads))
		return 0;
	thread = current(threads, tid);
	if (!thread)
		return -1;
	/* The name at exit is final, although events of the exiting thread may follow. */
	thread->exited = true;
	set_comm(thread->comm, comm);
	return 0;
}

int mm_threads_named(struct mm_threads *threads, int32_t tid, int32_t pid, const char *comm,
		     int64_t time_ns)
{
	struct mm_thread *thread;

	if (!comm[0] || (!find_id(threads, tid) && is_full(threads)))
		return 0;
	thread = current(threads, tid);
	if (!thread)
		return -1;
	if (thread->pid < 0)
		thread->pid = pid;
	/* Do not change the name of a thread that has exited. */
	if (thread->exited)
		return 0;
	thread->named_ns = time_ns;
	set_comm(thread->comm, comm);
	return 0;
}

int mm_threads_dumped(struct mm_threads *threads, int32_t tid, int32_t pid, const char *comm,
		      int64_t time_ns)
{
	const struct mm_thread_dump like = { .time_ns = time_ns,
					     .pid = pid,
					     .previous = MM_HASH_NONE };
	struct mm_thread_id *id = find_id(threads, tid);
	struct mm_thread_dump *dump;

	if (!id && is_full(threads))
		return 0;
	id = make_id(threads, tid);
	if (!id)
		return -1;
	for (uint32_t at = id->dump; at != MM_HASH_NONE; at = threads->dumps[at].previous) {
		dump = &threads->dumps[at];
		if (dump->pid == pid && dump->time_ns == time_ns &&
		    !strncmp(dump->comm, comm, MM_COMM_BYTES - 1))
			return 0;
	}
	dump = id->dump == MM_HASH_NONE ? NULL : &threads->dumps[id->dump];
	if (!dump || dump->depth < DUMPS_OF_ONE) {
		dump = mm_array_grow(threads->dumps, threads->dump_count, &threads->dump_room,
				     sizeof(*dump));
		if (!dump)
			return -1;
		threads->dumps = dump;
		dump += threads->dump_count;
		*dump = like;
		dump->previous = id->dump;
		dump->depth = id->dump == MM_HASH_NONE ? 1 : threads->dumps[id->dump].depth + 1;
		id->dump = threads->dump_count++;
	}
	dump->time_ns = time_ns;
	dump->pid = pid;
	set_comm(dump->comm, comm);
	return 0;
}

void mm_threads_mark(struct mm_requests *requests)
{
	static const char *const events[] = { MM_THREADS_FORK, MM_THREADS_EXEC, MM_THREADS_EXIT,
					      MM_THREADS_DUMP, MM_THREADS_DUMP_LTTNG };

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		mm_requests_add(requests, events[i]);
		mm_requests_set_role(requests, MM_ROLE_NAMES);
	}
}

void mm_threads_request(struct mm_requests *requests)
{
	static const char *const fork_fields[] = { MM_THREADS_FORK_FIELDS, NULL };
	static const char *const exec_fields[] = { MM_THREADS_EXEC_FIELDS, NULL };
	static const char *const exit_fields[] = { MM_THREADS_EXIT_FIELDS, NULL };
	static const char *const dump_fields[] = { MM_THREADS_DUMP_FIELDS, NULL };
	static const struct mm_event_fields events[] = {
		[MM_THREAD_FORK] = { MM_THREADS_FORK, fork_fields },
		[MM_THREAD_EXEC] = { MM_THREADS_EXEC, exec_fields },
		[MM_THREAD_EXIT] = { MM_THREADS_EXIT, exit_fields },
		[MM_THREAD_DUMP] = { MM_THREADS_DUMP, dump_fields },
		[MM_THREAD_DUMP_LTTNG] = { MM_THREADS_DUMP_LTTNG, dump_fields },
		{ NULL, NULL },
	};

	/* mm_threads_see() checks the kinds of the fields. */
	mm_requests_add_table(requests, events, MM_FIELD_ANY | MM_FIELD_OPTIONAL);
	mm_threads_mark(requests);
}

void mm_threads_request_history(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	mm_threads_request(requests);
}

/*
 * Do the fields have the expected kinds (s: string, i: id of 0 or more)? Other tracers may declare
 * other fields.
 */
static bool has_kinds(const struct mm_event *event, unsigned int first, const char *kinds)
{
	for (unsigned int i = 0; kinds[i]; i++) {
		enum mm_kind kind = event->type->kinds[first + i];

		if (kinds[i] == 's' ? kind != MM_KIND_STRING
				    : kind != MM_KIND_UNSIGNED && kind != MM_KIND_SIGNED)
			return false;
		if (kinds[i] == 'i' &&
		    (event->fields[first + i].i < 0 || event->fields[first + i].i > INT32_MAX))
			return false;
	}
	return true;
}

/*
 * Reads a fork event. It starts a thread, and also states the caller's name, which may have
 * changed.
 */
static int see_fork(struct mm_threads *threads, const struct mm_event *event, unsigned int first)
{
	enum { CHILD_TID, CHILD_PID, CHILD_COMM, PARENT_TID, PARENT_PID, PARENT_COMM };
	const union mm_scalar *f = event->fields + first;

	if (has_kinds(event, first + PARENT_TID, "iis") &&
	    mm_threads_named(threads, (int32_t)f[PARENT_TID].i, (int32_t)f[PARENT_PID].i,
			     f[PARENT_COMM].s, event->time_ns))
		return -1;
	return mm_threads_forked(threads, (int32_t)f[CHILD_TID].i, (int32_t)f[CHILD_PID].i,
				 f[CHILD_COMM].s, event->time_ns);
}

int mm_threads_see(struct mm_threads *threads, enum mm_thread_event kind,
		   const struct mm_event *event, unsigned int first, int32_t *tid)
{
	/* An exec event may lack the file name. */
	static const char *const kinds[] = { "iis", "ii", "is", "iis", "iis" };
	const union mm_scalar *f = event->fields + first;
	int32_t first_tid = (int32_t)f[0].i;

	if (tid)
		*tid = -1;
	if (!has_kinds(event, first, kinds[kind]))
		return 0;
	if (tid && kind <= MM_THREAD_EXIT)
		*tid = first_tid;
	switch (kind) {
	case MM_THREAD_FORK:
		return see_fork(threads, event, first);
	case MM_THREAD_EXEC:
		return mm_threads_executed(threads, first_tid, (int32_t)f[1].i,
					   has_kinds(event, first + 2, "s") ? f[2].s : NULL,
					   event->time_ns);
	case MM_THREAD_EXIT:
		return mm_threads_exited(threads, first_tid, f[1].s);
	case MM_THREAD_DUMP:
	case MM_THREAD_DUMP_LTTNG:
		return mm_threads_dumped(threads, first_tid, (int32_t)f[1].i, f[2].s,
					 event->time_ns);
	}
	return 0;
}

int mm_threads_see_later(struct mm_threads *threads, enum mm_thread_event kind,
			 const struct mm_event *event, unsigned int first)
{
	int32_t tid = (int32_t)event->fields[first].i;
	struct mm_thread *thread;

	if ((kind != MM_THREAD_FORK && kind != MM_THREAD_EXEC) || !has_kinds(event, first, "ii") ||
	    (!find_id(threads, tid) && is_full(threads)))
		return 0;
	thread = current(threads, tid);
	if (!thread)
		return -1;
	if (event->time_ns < thread->changed_ns)
		thread->changed_ns = event->time_ns;
	thread->forked_later |= kind == MM_THREAD_FORK;
	return 0;
}

uint32_t mm_threads_number(struct mm_threads *threads, int32_t tid)
{
	struct mm_thread *thread = current(threads, tid);

	if (!thread)
		return MM_HASH_NONE;
	thread->used = true;
	return (uint32_t)(thread - threads->all);
}

uint32_t mm_threads_first(const struct mm_threads *threads, int32_t tid)
{
	const struct mm_thread_id *id = find_id(threads, tid);

	return id ? id->first : MM_HASH_NONE;
}

uint32_t mm_threads_before(const struct mm_threads *threads, uint32_t number, int64_t time_ns)
{
	/* Several events may report one exec, because each profile of a recorder records one. */
	for (int i = 0; i < EXECS_OF_ONE; i++) {
		const struct mm_thread *thread = &threads->all[number];

		if (thread->since_ns <= time_ns || thread->before_exec == MM_HASH_NONE)
			break;
		number = thread->before_exec;
	}
	return number;
}

uint32_t mm_threads_last(const struct mm_threads *threads, int32_t tid)
{
	const struct mm_thread_id *id = find_id(threads, tid);

	return id ? id->number : MM_HASH_NONE;
}

int32_t mm_threads_pid_now(const struct mm_threads *threads, uint32_t number)
{
	const struct mm_thread *thread = &threads->all[number];
	const struct mm_thread_id *id;

	if (thread->pid >= 0)
		return thread->pid;
	id = find_id(threads, thread->tid);
	return id && id->dump != MM_HASH_NONE ? threads->dumps[id->dump].pid : -1;
}

static int copy_dumps(struct mm_threads *threads, const struct mm_threads *from)
{
	for (uint32_t i = 0; i < from->id_count; i++) {
		uint32_t chain[DUMPS_OF_ONE], count = 0;

		for (uint32_t at = from->ids[i].dump; at != MM_HASH_NONE && count < DUMPS_OF_ONE;
		     at = from->dumps[at].previous)
			chain[count++] = at;
		while (count) {
			const struct mm_thread_dump *dump = &from->dumps[chain[--count]];

			if (mm_threads_dumped(threads, from->ids[i].tid, dump->pid, dump->comm,
					      dump->time_ns))
				return -1;
		}
	}
	return 0;
}

/* Joins @thread with @later, the same thread in the next part of the trace. */
static void join(struct mm_thread *thread, const struct mm_thread *later)
{
	if (thread->pid < 0)
		thread->pid = later->pid;
	if (later->exited || (!thread->exited && later->named_ns > thread->named_ns) ||
	    (!thread->comm[0] && later->comm[0]))
		memcpy(thread->comm, later->comm, sizeof(thread->comm));
	thread->exited |= later->exited;
	if (later->named_ns > thread->named_ns)
		thread->named_ns = later->named_ns;
	thread->replaced |= later->replaced;
	thread->used |= later->used;
	if (later->until_ns < thread->until_ns)
		thread->until_ns = later->until_ns;
}

int mm_threads_merge(struct mm_threads *threads, const struct mm_threads *later, uint32_t *numbers)
{
	if (copy_dumps(threads, later))
		return -1;
	for (uint32_t i = 0; i < later->count; i++) {
		const struct mm_thread *from = &later->all[i];
		struct mm_thread_id *id = make_id(threads, from->tid);
		struct mm_thread *last;

		if (!id)
			return -1;
		last = last_of(threads, id);
		if (from->since_ns == INT64_MIN && last) {
			join(last, from);
		} else {
			last = add(threads, id);
			if (!last)
				return -1;
			*last = *from;
			last->next = last->before_exec = MM_HASH_NONE;
		}
		numbers[i] = (uint32_t)(last - threads->all);
	}
	return 0;
}

/* Makes numbers for thread ids that so far occur only in @earlier or in state dumps. */
static int add_missing(struct mm_threads *threads, const struct mm_threads *earlier)
{
	for (uint32_t i = 0; i < earlier->id_count; i++)
		if (!make_id(threads, earlier->ids[i].tid))
			return -1;
	for (uint32_t i = 0; i < threads->id_count; i++)
		if (!current(threads, threads->ids[i].tid))
			return -1;
	return 0;
}

int mm_threads_precede(struct mm_threads *threads, const struct mm_threads *earlier)
{
	if (copy_dumps(threads, earlier) || add_missing(threads, earlier))
		return -1;
	for (uint32_t i = 0; i < threads->count; i++) {
		struct mm_thread *thread = &threads->all[i];
		const struct mm_thread_id *id =
			thread->since_ns == INT64_MIN ? find_id(earlier, thread->tid) : NULL;
		const struct mm_thread *before = id ? last_of(earlier, id) : NULL;

		if (!before || before->exited || before->replaced)
			continue;
		thread->since_ns = before->since_ns;
		if (before->pid >= 0)
			thread->pid = before->pid;
		/* If an event of @threads named the thread, this name is newer. Keep it. */
		if (thread->named_ns > INT64_MIN)
			continue;
		thread->named_ns = before->named_ns;
		if (!thread->comm[0])
			memcpy(thread->comm, before->comm, sizeof(thread->comm));
	}
	return 0;
}

/*
 * Returns the last state dump of the thread from @since_ns on. With @whenever, returns the last
 * state dump of the thread's id, at any time.
 */
static const struct mm_thread_dump *find_dump(const struct mm_threads *threads,
					      const struct mm_thread *thread, int64_t since_ns,
					      bool whenever)
{
	const struct mm_thread_id *id = find_id(threads, thread->tid);
	const struct mm_thread_dump *found = NULL;

	for (uint32_t at = id ? id->dump : MM_HASH_NONE; at != MM_HASH_NONE;
	     at = threads->dumps[at].previous) {
		const struct mm_thread_dump *dump = &threads->dumps[at];

		if ((whenever || (dump->time_ns >= since_ns && dump->time_ns < thread->until_ns &&
				  dump->time_ns < thread->changed_ns)) &&
		    (!found || dump->time_ns > found->time_ns))
			found = dump;
	}
	return found;
}

/* Did the thread id still mean this thread when the last event was read? */
static bool is_last(const struct mm_threads *threads, uint32_t number)
{
	const struct mm_thread_id *id = find_id(threads, threads->all[number].tid);

	return id && id->number == number && !threads->all[number].replaced;
}

const char *mm_threads_comm(const struct mm_threads *threads, uint32_t number,
			    const struct mm_sysinfo *sysinfo)
{
	const struct mm_thread *thread = &threads->all[number];
	int64_t since_ns =
		thread->named_ns > thread->since_ns ? thread->named_ns : thread->since_ns;
	const struct mm_thread_dump *dump;
	const char *comm;

	if (!thread->tid)
		return "swapper";
	if (thread->exited)
		return thread->comm[0] ? thread->comm : NULL;
	comm = sysinfo && is_last(threads, number) && thread->changed_ns == INT64_MAX
		       ? mm_sysinfo_comm(sysinfo, thread->tid)
		       : NULL;
	if (comm)
		return comm;
	dump = find_dump(threads, thread, since_ns, false);
	if (dump && dump->comm[0])
		return dump->comm;
	return thread->comm[0] ? thread->comm : NULL;
}

int32_t mm_threads_pid(const struct mm_threads *threads, uint32_t number,
		       const struct mm_sysinfo *sysinfo)
{
	const struct mm_thread *thread = &threads->all[number];
	const struct mm_thread_dump *dump = find_dump(threads, thread, thread->since_ns, false);
	int32_t pid = -1;

	if (!thread->tid)
		return 0;
	if (thread->pid >= 0)
		return thread->pid;
	if (dump)
		return dump->pid;
	if (!is_last(threads, number) || thread->forked_later)
		return -1;
	/*
	 * Assume that the id was not reused between the trace and the system information. Then the
	 * entry is about this thread, which is the last known owner of the id.
	 */
	if (sysinfo)
		pid = mm_sysinfo_pid(sysinfo, thread->tid);
	if (pid >= 0)
		return pid;
	dump = find_dump(threads, thread, thread->since_ns, true);
	return dump ? dump->pid : -1;
}
