// SPDX-License-Identifier: LGPL-2.1-only
/* Tests event requests: both readers must deliver equal events, one by one and in runs. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reader/open/open.h"
#include "tests/tap.h"

static char work[] = "/tmp/lttng-mm-requests-XXXXXX";

#define SEEDS 15

struct read_summary {
	struct mm_requests *requests;
	bool elements_only;
	bool by_runs;
	unsigned int jobs;
	uint64_t hash, values, arrays, elements, events, runs;
};

static int collect(void *user, struct mm_event_type *type, struct mm_error *err)
{
	struct read_summary *summary = user;
	char path[300];

	(void)err;
	for (size_t i = 0; mm_event_type_member_at(type, i); i++) {
		const char *name = mm_event_type_member_at(type, i);

		if (strpbrk(name, ".[") || summary->requests->all[0].field_count > 900)
			continue;
		/* Requests either whole arrays or only one element of each. */
		snprintf(path, sizeof(path), summary->elements_only ? "%s[1]" : "%s", name);
		mm_requests_add_field(summary->requests, path, MM_FIELD_KINDS | MM_FIELD_OPTIONAL);
		snprintf(path, sizeof(path), "$ctx.%s", name);
		mm_requests_add_field(summary->requests, path, MM_FIELD_KINDS | MM_FIELD_OPTIONAL);
	}
	return 0;
}

static void mix(struct read_summary *summary, uint64_t value)
{
	summary->hash = (summary->hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	summary->hash ^= summary->hash >> 29;
}

static void mix_value(struct read_summary *summary, enum mm_kind kind, const union mm_scalar *value)
{
	mix(summary, kind);
	if (kind == MM_KIND_STRING) {
		for (const char *at = value->s; *at; at++)
			mix(summary, (unsigned char)*at);
	} else if (kind == MM_KIND_ARRAY) {
		summary->arrays++;
		mix(summary, value->span->recorded);
		for (uint64_t i = 0; i < value->span->count; i++, summary->elements++)
			mix_value(summary, value->span->kind, &value->span->values[i]);
	} else {
		mix(summary, value->u);
	}
}

static int summarize(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct read_summary *summary = user;

	(void)err;
	summary->events++;
	mix(summary, (uint64_t)event->time_ns);
	for (const char *at = event->type->name; *at; at++)
		mix(summary, (unsigned char)*at);
	for (unsigned int i = 0; i < event->type->field_count; i++, summary->values++)
		mix_value(summary, event->type->kinds[i], &event->fields[i]);
	return 0;
}

static void damaged(void *user, const char *message, bool truncated)
{
	(void)user;
	(void)truncated;
	printf("# %s\n", message);
}

/* Handles runs of events: each run has one class and at least one event. */
static int summarize_run(void *user, const struct mm_event_type *type,
			 const struct mm_event *events, size_t count, struct mm_error *err)
{
	struct read_summary *summary = user;

	summary->runs++;
	if (!count)
		mix(summary, 1);
	for (size_t i = 0; i < count; i++) {
		if (events[i].type != type)
			mix(summary, 2);
		summarize(user, &events[i], err);
	}
	return 0;
}

static bool read_all(struct mm_requests *requests, struct read_summary *summary,
		     enum mm_reader reader,
		     int (*bind)(void *, struct mm_event_type *, struct mm_error *))
{
	struct mm_handler handler = {
		.user = summary, .event = summarize, .bind = bind, .damaged = damaged
	};
	struct mm_source_options options;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_source *source;
	char path[128];
	bool read;

	*summary = (struct read_summary){ .requests = summary->requests,
					  .elements_only = summary->elements_only,
					  .by_runs = summary->by_runs,
					  .jobs = summary->jobs };
	if (summary->by_runs)
		handler.events = summarize_run;
	mm_source_options_init(&options);
	options.reader = reader;
	if (summary->jobs)
		options.jobs = summary->jobs;
	snprintf(path, sizeof(path), "%s/random", work);
	source = mm_source_open(path, &options, &err);
	read = source && !mm_source_run(source, requests, &handler, &err);
	if (!read)
		printf("# %s\n", err.message);
	mm_source_destroy(source);
	return read;
}

/* Reads in a child process, because libbabeltrace2 crashes on some synthetic traces. */
static bool read_apart(struct mm_requests *requests, struct read_summary *summary)
{
	bool complete;
	int ends[2], status;
	pid_t child;

	fflush(stdout);
	if (pipe(ends))
		exit(1);
	child = fork();
	if (!child) {
		if (!freopen("/dev/null", "w", stderr) ||
		    !read_all(requests, summary, MM_READER_BABELTRACE2, NULL) ||
		    write(ends[1], summary, sizeof(*summary)) != sizeof(*summary))
			_exit(1);
		_exit(0);
	}
	close(ends[1]);
	complete =
		child > 0 && (size_t)read(ends[0], summary, sizeof(*summary)) == sizeof(*summary);
	close(ends[0]);
	return waitpid(child, &status, 0) == child && complete;
}

static void test_random(const char *tests)
{
	uint64_t arrays = 0, elements = 0;
	unsigned int same = 0, compared = 0;

	for (unsigned int seed = 1; seed <= SEEDS; seed++) {
		struct read_summary fast = { NULL }, bt2 = { NULL };
		struct mm_requests requests, all;

		tap_shell("'%s/make-ctf' --seed %u --format ctf1 --events 2000 %s/random", tests,
			  seed, work);
		mm_requests_init(&requests);
		mm_requests_add(&requests, "*");
		mm_requests_init(&all);
		mm_requests_add(&all, "*");
		fast.requests = &requests;
		fast.elements_only = seed % 2;
		if (!read_all(&all, &fast, MM_READER_FAST, collect) ||
		    !read_all(&requests, &fast, MM_READER_FAST, NULL)) {
			printf("# seed %u: not read\n", seed);
		} else if (read_apart(&requests, &bt2)) {
			compared++;
			if (fast.hash == bt2.hash && fast.values == bt2.values)
				same++;
			else
				printf("# seed %u: %" PRIu64 " and %" PRIu64 " values\n", seed,
				       fast.values, bt2.values);
		}
		arrays += fast.arrays;
		elements += fast.elements;
		mm_requests_release(&requests);
		mm_requests_release(&all);
		tap_shell("rm -r %s/random", work);
	}
	tap(same == compared && compared >= SEEDS / 2,
	    "both readers deliver the same of %u synthetic traces", compared);
	tap(arrays > 50 && elements > arrays,
	    "... among it %" PRIu64 " arrays with %" PRIu64 " elements", arrays, elements);
}

/* Runs must contain the events in the order in which they are delivered one by one. */
static void test_runs(const char *tests)
{
	static const struct {
		const char *shape;
		const char *event; /* requested events */
		bool long_runs;	   /* all events are of one class, and of one stream */
	} cases[] = {
		{ "--format ctf1 --seed 8 --events 500", "*", false },
		{ "--shape slab --streams 1 --events 20000", "*", false },
		{ "--shape dax --streams 2 --events 20000", "*", false },
		{ "--shape dax --streams 12 --events 20000", "*", false },
		{ "--shape slab --streams 1 --events 20000", "slab_kmalloc", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct read_summary each = { NULL }, runs = { .by_runs = true, .jobs = 1 };
		struct read_summary parallel = { .by_runs = true, .jobs = 4 };
		struct read_summary slow = { .by_runs = true };
		struct mm_requests requests;
		bool read;

		tap_shell("'%s/make-ctf' %s %s/random", tests, cases[i].shape, work);
		mm_requests_init(&requests);
		mm_requests_add(&requests, cases[i].event);
		read = read_all(&requests, &each, MM_READER_FAST, NULL) &&
		       read_all(&requests, &runs, MM_READER_FAST, NULL) &&
		       read_all(&requests, &parallel, MM_READER_FAST, NULL) &&
		       read_all(&requests, &slow, MM_READER_BABELTRACE2, NULL);
		tap(read && each.events && each.hash == runs.hash && each.hash == parallel.hash &&
			    each.hash == slow.hash,
		    "%s: %" PRIu64 " events in runs as one by one", cases[i].shape, each.events);
		tap(runs.runs &&
			    (cases[i].long_runs ? runs.runs * 100 < runs.events
						: runs.runs < runs.events) &&
			    slow.runs == slow.events,
		    "... %" PRIu64 " runs", runs.runs);
		mm_requests_release(&requests);
		tap_shell("rm -r %s/random", work);
	}
}

int main(int argc, char **argv)
{
	const char *tests = dirname(argv[0]);

	(void)argc;
	if (!mkdtemp(work))
		return 1;
	test_random(tests);
	test_runs(tests);
	tap_shell("rm -r %s", work);
	return tap_status();
}
