// SPDX-License-Identifier: LGPL-2.1-only
/* Names of threads and call sites, from a trace and its system information. */
#include "reader/print/names.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/open/open.h"
#include "reader/sysinfo/call-sites.h"
#include "reader/sysinfo/threads.h"
#include "util/error.h"
#include "util/escape.h"

#define COMM_BYTES 16
#define THREADS_MAX (1u << 22) /* more than the kernel's maximum of thread ids */
#define SITE_BUCKETS 4096
#define SITES_MAX 65536 /* maximum number of cached texts */
#define SITE_BYTES 700

#define LINE_FIELDS "$ctx.procname", "$ctx.tid", "$ctx.vtid", "tid"

static const char *const other_fields[] = { LINE_FIELDS, "unread", NULL };
static const char *const fork_fields[] = { LINE_FIELDS,	 "child_tid",	"child_comm",
					   "parent_tid", "parent_comm", NULL };
static const char *const exec_fields[] = { LINE_FIELDS, "filename", NULL };
static const char *const exit_fields[] = { LINE_FIELDS, "comm", NULL };
static const char *const thread_fields[] = { LINE_FIELDS, "name", NULL };
static const char *const code_fields[] = { LINE_FIELDS, "start", "size", "alive", "name", NULL };

#define STATE_EVENTS                                                   \
	[MM_NAMES_CODE] = { "callsite_statedump_range", code_fields }, \
	[MM_NAMES_THREAD] = { MM_THREADS_DUMP, thread_fields },        \
	[MM_NAMES_THREAD_LTTNG] = { MM_THREADS_DUMP_LTTNG, thread_fields }

static const struct mm_event_fields all_events[] = {
	STATE_EVENTS,
	[MM_NAMES_FORK] = { "sched_process_fork", fork_fields },
	[MM_NAMES_EXEC] = { MM_THREADS_EXEC, exec_fields },
	[MM_NAMES_EXIT] = { "sched_process_exit", exit_fields },
	[MM_NAMES_OTHERS] = { "*", other_fields },
	{ NULL, NULL },
};
/*
 * Requests for reading only state streams. The last request matches all other events. A stream with
 * such events is not a state stream (see mm_loss_is_state()), so it is not read.
 */
static const struct mm_event_fields state_events[] = {
	STATE_EVENTS,
	[MM_NAMES_FORK] = { "*", NULL },
	{ NULL, NULL },
};
static const struct mm_event_fields dump_events[] = { STATE_EVENTS, { NULL, NULL } };
static const struct mm_event_fields thread_events[] = {
	STATE_EVENTS,
	[MM_NAMES_FORK] = { "sched_process_fork", fork_fields },
	[MM_NAMES_EXEC] = { MM_THREADS_EXEC, exec_fields },
	[MM_NAMES_EXIT] = { "sched_process_exit", exit_fields },
	{ NULL, NULL },
};

#define ANY (MM_FIELD_ANY | MM_FIELD_OPTIONAL)

void mm_names_request(struct mm_requests *requests)
{
	mm_requests_add_table(requests, all_events, ANY);
}

struct named_thread {
	uint32_t tid;
	char comm[COMM_BYTES];
};

struct thread_names {
	struct named_thread *all;
	size_t count, room;
	struct mm_hash by_tid;
};

/* The cached name of a call site. It is empty if the call site has no name, and never changes. */
struct site_text {
	struct site_text *next;
	uint32_t code, length;
	char text[];
};

struct mm_names {
	const struct mm_sysinfo *sysinfo;
	struct thread_names dumped; /* read before the first event, and constant from then on */
	struct thread_names seen;
	bool renames; /* the trace has exec events, which rename threads after the state dump */
	_Atomic(struct site_text *) sites[SITE_BUCKETS];
	pthread_mutex_t lock; /* protects the following members and additions to @sites */
	unsigned int site_count;
	struct mm_call_sites call_sites;
	bool has_symbols; /* the symbols have been loaded */
	bool settled;	  /* no more code ranges are added */
};

struct mm_names *mm_names_create(const struct mm_sysinfo *sysinfo)
{
	struct mm_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->sysinfo = sysinfo;
	mm_hash_init(&names->dumped.by_tid);
	mm_hash_init(&names->seen.by_tid);
	pthread_mutex_init(&names->lock, NULL);
	return names;
}

static void release_threads(struct thread_names *threads)
{
	free(threads->all);
	mm_hash_release(&threads->by_tid);
}

void mm_names_destroy(struct mm_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < SITE_BUCKETS; i++) {
		struct site_text *site = atomic_load(&names->sites[i]);

		while (site) {
			struct site_text *next = site->next;

			free(site);
			site = next;
		}
	}
	release_threads(&names->dumped);
	release_threads(&names->seen);
	mm_call_sites_release(&names->call_sites);
	pthread_mutex_destroy(&names->lock);
	free(names);
}

static bool is_thread(const void *all, uint32_t number, const void *tid)
{
	return ((const struct named_thread *)all)[number].tid == *(const uint32_t *)tid;
}

static struct named_thread *find_thread(const struct thread_names *threads, uint32_t tid)
{
	uint32_t number = threads->count ? mm_hash_find(&threads->by_tid,
							mm_hash_of(&threads->by_tid, tid, 0),
							threads->all, &tid, is_thread)
					 : MM_HASH_NONE;

	return number == MM_HASH_NONE ? NULL : &threads->all[number];
}

static int name_thread(struct thread_names *threads, int64_t tid, const char *comm)
{
	struct named_thread *thread, *grown;

	if (tid < 0 || tid > INT32_MAX || !comm[0])
		return 0;
	thread = find_thread(threads, (uint32_t)tid);
	if (!thread) {
		if (threads->count == THREADS_MAX)
			return 0;
		grown = mm_array_grow(threads->all, threads->count, &threads->room, sizeof(*grown));
		if (!grown)
			return -1;
		threads->all = grown;
		thread = &grown[threads->count];
		thread->tid = (uint32_t)tid;
		if (mm_hash_add(&threads->by_tid, mm_hash_of(&threads->by_tid, thread->tid, 0),
				(uint32_t)threads->count))
			return -1;
		threads->count++;
	}
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
	return 0;
}

/* Do the fields have the expected kinds? (Other tracers may use the same event names.) */
static bool has_kinds(const struct mm_event *event, const char *kinds)
{
	for (size_t i = 0; kinds[i]; i++) {
		enum mm_kind kind = event->type->kinds[MM_NAMES_TID + i];
		bool fits = kinds[i] == 's'   ? kind == MM_KIND_STRING
			    : kinds[i] == 'i' ? kind == MM_KIND_UNSIGNED || kind == MM_KIND_SIGNED
					      : true;

		if (!fits)
			return false;
	}
	return true;
}

static int see_code(struct mm_names *names, const struct mm_event *event)
{
	enum { CODE = MM_NAMES_FIELDS, SIZE, ALIVE, NAME };
	const union mm_scalar *f = event->fields;
	int ret;

	if (!has_kinds(event, ".ii.s"))
		return 0;
	pthread_mutex_lock(&names->lock);
	ret = mm_call_sites_add(&names->call_sites, (uint32_t)f[CODE].u, (uint32_t)f[SIZE].u,
				event->type->kinds[ALIVE] == MM_KIND_NONE || f[ALIVE].u, f[NAME].s);
	pthread_mutex_unlock(&names->lock);
	return ret;
}

/*
 * Reads an exec event, which renames the thread. If the event has no file name, the new name is
 * unknown.
 */
static int see_exec(struct thread_names *threads, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct named_thread *thread;

	if (has_kinds(event, "is"))
		return name_thread(threads, f[MM_NAMES_TID].i,
				   mm_threads_exec_name(f[MM_NAMES_FIELDS].s));
	thread = has_kinds(event, "i") && f[MM_NAMES_TID].i >= 0 && f[MM_NAMES_TID].i <= INT32_MAX
			 ? find_thread(threads, (uint32_t)f[MM_NAMES_TID].i)
			 : NULL;
	if (thread)
		thread->comm[0] = '\0';
	return 0;
}

static int see_fork(struct thread_names *threads, const struct mm_event *event)
{
	enum { CHILD_TID = MM_NAMES_FIELDS, CHILD_COMM, PARENT_TID, PARENT_COMM };
	const union mm_scalar *f = event->fields;

	if (has_kinds(event, "...is") && name_thread(threads, f[PARENT_TID].i, f[PARENT_COMM].s))
		return -1;
	return has_kinds(event, ".is") ? name_thread(threads, f[CHILD_TID].i, f[CHILD_COMM].s) : 0;
}

static int see(struct mm_names *names, struct thread_names *threads, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;

	switch (event->type->request) {
	case MM_NAMES_CODE:
		return see_code(names, event);
	case MM_NAMES_EXEC:
		return see_exec(threads, event);
	case MM_NAMES_THREAD:
	case MM_NAMES_THREAD_LTTNG:
	case MM_NAMES_EXIT:
		return has_kinds(event, "is")
			       ? name_thread(threads, f[MM_NAMES_TID].i, f[MM_NAMES_FIELDS].s)
			       : 0;
	default:
		return see_fork(threads, event);
	}
}

int mm_names_see(struct mm_names *names, const struct mm_event *event, bool code)
{
	if (event->type->request == MM_NAMES_CODE && !code)
		return 0;
	return see(names, &names->seen, event);
}

static int take_state(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct mm_names *names = user;

	if (event->type->request > MM_NAMES_THREAD_LTTNG || !see(names, &names->dumped, event))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "print: out of memory");
}

/* Reads the state streams that @table requests. Returns true if the trace declares code ranges. */
static bool read_state(struct mm_names *names, struct mm_source *trace,
		       const struct mm_event_fields *table, struct mm_error *err)
{
	const struct mm_handler handler = { .user = names, .event = take_state };
	struct mm_source_options options = *mm_source_options(trace);
	struct mm_requests requests;
	struct mm_source *source;
	bool declared;

	options.only_state = true;
	options.in_order = false;
	source = mm_source_open_shared(trace, &options, err);
	if (!source)
		return false;
	mm_requests_init(&requests);
	mm_requests_add_table(&requests, table, ANY);
	mm_source_run(source, &requests, &handler, err);
	mm_requests_release(&requests);
	declared = mm_source_declares(source, dump_events[MM_NAMES_CODE].event);
	mm_source_destroy(source);
	return declared;
}

static int take_earlier(void *user, const struct mm_event *event, struct mm_error *err)
{
	if (!mm_names_see(user, event, false))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "print: out of memory");
}

/*
 * Reads the thread events before the requested time range, because these events name threads of the
 * time range.
 */
static void read_earlier(struct mm_names *names, struct mm_source *trace, struct mm_error *err)
{
	const struct mm_handler handler = { .user = names, .event = take_earlier };
	struct mm_source_options options = *mm_source_options(trace);
	struct mm_requests requests;
	struct mm_source *source;

	if (options.begin_ns == INT64_MIN || options.begin_base.kind != MM_TIME_ABSOLUTE)
		return;
	options.end_ns = options.begin_ns - 1;
	options.begin_ns = INT64_MIN;
	options.in_order = true;
	source = mm_source_open_shared(trace, &options, err);
	if (!source)
		return;
	mm_requests_init(&requests);
	mm_requests_add_table(&requests, thread_events, ANY);
	mm_source_run(source, &requests, &handler, err);
	mm_requests_release(&requests);
	mm_source_destroy(source);
}

int mm_names_read(struct mm_names *names, struct mm_source *trace, struct mm_error *err)
{
	struct mm_error unread = MM_ERROR_INIT;

	names->settled = mm_source_folder_count(trace);
	names->renames = mm_source_declares(trace, MM_THREADS_EXEC);
	if (mm_source_folder_count(trace) && read_state(names, trace, state_events, &unread) &&
	    !names->call_sites.count)
		read_state(names, trace, dump_events, &unread);
	if (mm_source_folder_count(trace) && unread.code != MM_EXIT_ENVIRONMENT)
		read_earlier(names, trace, &unread);
	if (unread.code != MM_EXIT_ENVIRONMENT)
		return 0;
	*err = unread;
	return -1;
}

const char *mm_names_thread(const struct mm_names *names, int64_t tid)
{
	const struct named_thread *thread;
	const char *comm;

	if (tid <= 0 || tid > INT32_MAX)
		return tid ? NULL : "swapper";
	comm = mm_sysinfo_comm(names->sysinfo, (int)tid);
	if (comm || names->renames)
		return comm;
	thread = find_thread(&names->dumped, (uint32_t)tid);
	return thread ? thread->comm : NULL;
}

bool mm_names_has_seen(const struct mm_names *names)
{
	return names->seen.count || (names->renames && names->dumped.count);
}

const char *mm_names_seen_thread(const struct mm_names *names, int64_t tid)
{
	const struct named_thread *thread;

	if (tid <= 0 || tid > INT32_MAX)
		return NULL;
	thread = find_thread(&names->seen, (uint32_t)tid);
	if (!thread)
		thread = find_thread(&names->dumped, (uint32_t)tid);
	return thread && thread->comm[0] ? thread->comm : NULL;
}

static int append(struct mm_text *text, const char *string, size_t length)
{
	char *out = mm_text_reserve(text, length);

	if (!out)
		return -1;
	memcpy(out, string, length);
	text->length += length;
	return 1;
}

/* Writes the name of a call site to @text. Called with the lock held. */
static int name_site(struct mm_names *names, uint32_t code, char *text, size_t size)
{
	char raw[SITE_BYTES];

	if (!names->has_symbols && names->call_sites.count) {
		names->has_symbols = true;
		if (mm_call_sites_load(&names->call_sites, mm_sysinfo_symbols(names->sysinfo)))
			return -1;
	}
	if (!mm_call_sites_name(&names->call_sites, code, raw, sizeof(raw)))
		return 0;
	mm_escape_terminal(text, size, raw, strlen(raw));
	return 1;
}

static const struct site_text *find_site(_Atomic(struct site_text *) *bucket, uint32_t code)
{
	const struct site_text *site = atomic_load_explicit(bucket, memory_order_acquire);

	while (site && site->code != code)
		site = site->next;
	return site;
}

static int add_site(struct mm_names *names, _Atomic(struct site_text *) *bucket, uint32_t code,
		    struct mm_text *text)
{
	char name[4 * SITE_BYTES];
	struct site_text *site = NULL;
	size_t length;
	int ret;

	pthread_mutex_lock(&names->lock);
	/* Two threads may add the same call site. Both entries then have the same name. */
	ret = name_site(names, code, name, sizeof(name));
	length = ret > 0 ? strlen(name) : 0;
	if ((ret > 0 || (!ret && names->settled)) && names->site_count < SITES_MAX)
		site = malloc(sizeof(*site) + length);
	if (site) {
		names->site_count++;
		site->next = atomic_load(bucket);
		site->code = code;
		site->length = (uint32_t)length;
		memcpy(site->text, name, length);
		atomic_store_explicit(bucket, site, memory_order_release);
	}
	pthread_mutex_unlock(&names->lock);
	return ret > 0 ? append(text, name, length) : ret;
}

int mm_names_call_site(struct mm_names *names, uint64_t code, struct mm_text *text)
{
	_Atomic(struct site_text *) *bucket =
		&names->sites[(uint32_t)code * UINT32_C(0x9e3779b9) >> 20];
	const struct site_text *site;

	/*
	 * The count needs no lock, because all code ranges are added before the first call site is
	 * looked up.
	 */
	if (code > UINT32_MAX || !names->call_sites.count)
		return 0;
	site = find_site(bucket, (uint32_t)code);
	if (site)
		return site->length ? append(text, site->text, site->length) : 0;
	return add_site(names, bucket, (uint32_t)code, text);
}

bool mm_names_has_call_sites(const struct mm_names *names)
{
	return names->call_sites.count || !names->settled;
}

int mm_names_error(uint64_t result, struct mm_text *text)
{
	enum { ROOM = 32 };
	int64_t error = (int64_t)result;
	const char *name = mm_errno_name(error);
	char *to;

	if (error >= 0 || error < -MM_ERRNO_MAX)
		return 0;
	to = mm_text_reserve(text, ROOM);
	if (!to)
		return -1;
	text->length += (size_t)(name ? snprintf(to, ROOM, "-%s", name)
				      : snprintf(to, ROOM, "%" PRId64, error));
	return 1;
}
