// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests event requests: how they are built and which events match them. Both readers must find the
 * same fields by path, also in arrays, and offer each event class once. The events are in the
 * script below.
 */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "reader/open/open.h"
#include "tests/tap.h"

static const char *trace = "trace";
static char work[] = "/tmp/lttng-mm-requests-XXXXXX";

/* ---- building ---- */

/* ---- reading ---- */

static const struct path {
	const char *path;
	unsigned int steps; /* 0: refused */
	bool context;
} paths[] = {
	{ "a", 1, false },
	{ "$ctx.a", 1, true },
	{ "a.b", 2, false },
	{ "a[0]", 2, false },
	{ "a[12].b[3][4]", 5, false },
	{ "$ctx.a.b[0].c", 4, true },
	{ "$ctx", 1, false },
	{ "", 0, false },
	{ "$ctx.", 0, true },
	{ ".a", 0, false },
	{ "a.", 0, false },
	{ "a..b", 0, false },
	{ "[0]", 0, false },
	{ "a[]", 0, false },
	{ "a[01]", 0, false },
	{ "a[-1]", 0, false },
	{ "a[1", 0, false },
	{ "a[1]b", 0, false },
	{ "a[x]", 0, false },
	{ "a.[0]", 0, false },
	{ "a[18446744073709551615]", 2, false },
	{ "a[18446744073709551616]", 0, false },
};

static void test_paths(void)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct path *path = &paths[i];
		const struct mm_requested_field *field;
		struct mm_error err = MM_ERROR_INIT;
		struct mm_requests requests;
		bool right;
		int added;

		mm_requests_init(&requests);
		mm_requests_add(&requests, "e");
		added = mm_requests_add_field(&requests, path->path, MM_FIELD_ANY);
		field = requests.all[0].fields;
		if (path->steps)
			right = !added && field->step_count == path->steps &&
				field->context == path->context &&
				!mm_requests_check(&requests, &err);
		else
			right = added < 0 && mm_requests_check(&requests, &err) &&
				err.code == MM_EXIT_BAD_INPUT && strstr(err.message, path->path);
		tap(right, "path '%s': %u steps%s%s", path->path, path->steps, err.code ? ": " : "",
		    err.message);
		mm_requests_release(&requests);
	}
}

static void test_limits(void)
{
	char path[2 * MM_PATH_STEPS_MAX + 8] = "a";
	struct mm_requests requests;

	mm_requests_init(&requests);
	tap(mm_requests_add_field(&requests, "a", 0) < 0 && requests.error.code,
	    "a field that is requested before an event is refused");
	mm_requests_release(&requests);

	mm_requests_init(&requests);
	mm_requests_add(&requests, "e");
	for (unsigned int i = 0; i < MM_REQUEST_FIELDS_MAX; i++) {
		snprintf(path, sizeof(path), "f%u", i);
		mm_requests_add_field(&requests, path, MM_FIELD_ANY);
	}
	tap(!requests.error.code && requests.all[0].field_count == MM_REQUEST_FIELDS_MAX &&
		    mm_requests_add_field(&requests, "f0", MM_FIELD_ANY) == 0,
	    "%u fields, and one of them again", MM_REQUEST_FIELDS_MAX);
	tap(mm_requests_add_field(&requests, "more", MM_FIELD_ANY) < 0 && requests.error.code &&
		    mm_requests_add(&requests, "f") < 0,
	    "one more is refused, and what follows it: %s", requests.error.message);
	mm_requests_release(&requests);

	mm_requests_init(&requests);
	mm_requests_add(&requests, "e");
	strcpy(path, "a");
	for (unsigned int i = 1; i < MM_PATH_STEPS_MAX; i++)
		strcat(path, ".b");
	mm_requests_add_field(&requests, path, MM_FIELD_ANY);
	tap(!requests.error.code, "a path of %u steps", MM_PATH_STEPS_MAX);
	strcat(path, ".b");
	tap(mm_requests_add_field(&requests, path, MM_FIELD_ANY) < 0, "one step more is refused");
	mm_requests_release(&requests);
}

static void test_names(void)
{
	static const char *const names[] = { "fn_*",   "fn_vfs_read", "fn_o[st]*",
					     "page_?", "a\\*b",	      "*o*" };
	static const struct {
		const char *event;
		int request;
	} cases[] = {
		{ "fn_vfs_read", 1 }, { "fn_vfs_write", 0 }, { "fn_other", 0 }, { "fn_", 0 },
		{ "fn", -1 },	      { "page_x", 3 },	     { "page_", -1 },	{ "a*b", 4 },
		{ "axb", -1 },	      { "page_xo", 5 },	     { "o", 5 },
	};
	struct mm_requests requests;

	mm_requests_init(&requests);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		mm_requests_add(&requests, names[i]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap(mm_requests_find(&requests, cases[i].event) == cases[i].request,
		    "'%s' falls under %s", cases[i].event,
		    cases[i].request < 0 ? "no request" : names[cases[i].request]);
	tap(mm_requests_add(&requests, "fn_vfs_read") == 1 &&
		    mm_requests_add_field(&requests, "f", MM_FIELD_ANY) == 0 &&
		    requests.all[1].field_count == 1 && requests.count == 6,
	    "a name that was requested before is continued");
	tap(mm_requests_add(&requests, "page_?") == 3 && requests.count == 6,
	    "... and so is a pattern");
	mm_requests_release(&requests);
}

static void test_roles(void)
{
	struct mm_requests requests;

	mm_requests_init(&requests);
	mm_requests_add(&requests, "*");
	tap(!mm_requests_have_state(&requests) &&
		    mm_request_is_state(&requests, 0, "slab_statedump_cache") &&
		    !mm_request_is_state(&requests, 0, "slab_kfree"),
	    "state dumps are known by their names");
	mm_requests_set_role(&requests, MM_ROLE_EVENT);
	tap(!mm_request_is_state(&requests, 0, "slab_statedump_cache"), "... or are events");
	mm_requests_add(&requests, "fn_map");
	mm_requests_set_role(&requests, MM_ROLE_STATE);
	tap(mm_requests_have_state(&requests) && mm_request_is_state(&requests, 1, "fn_map"),
	    "... or others are state dumps");
	mm_requests_release(&requests);
}

static const char script[] =
	"cpu 0\n"
	"1000 fn_vfs_read tid=-7 _callstack_kernel_length=3 callstack_kernel=18446744071579904000,2,3"
	" file=5 flags=-9 mode=3 pair=11,12 regs=1,2,3,4294967295 name_length=2 name=-5,6 comm=cat\n"
	"2000 fn_vfs_write tid=8 file=6 ret=-1\n"
	"3000 fn_other file=text\n"
	"4000 sched_switch next_tid=9\n"
	"5000 fn_vfs_read tid=9 _callstack_kernel_length=1 callstack_kernel=77 file=7 mode=6"
	" pair=21,22 comm=dd\n";

/* The text of the delivered events. */
struct seen_events {
	char text[4096];
	unsigned int binds, refused_events;
	bool refuse_write, fail;
};

struct bound_class {
	unsigned int events;
};

static void append(struct seen_events *seen, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void append(struct seen_events *seen, const char *fmt, ...)
{
	size_t length = strlen(seen->text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(seen->text + length, sizeof(seen->text) - length, fmt, args);
	va_end(args);
}

static void append_value(struct seen_events *seen, enum mm_kind kind, const union mm_scalar *value)
{
	switch (kind) {
	case MM_KIND_NONE:
		append(seen, " -");
		return;
	case MM_KIND_UNSIGNED:
		append(seen, " %" PRIu64, value->u);
		return;
	case MM_KIND_SIGNED:
		append(seen, " %+" PRId64, value->i);
		return;
	case MM_KIND_STRING:
		append(seen, " '%s'", value->s);
		return;
	case MM_KIND_ARRAY:
		if (value->span->count > 100) {
			append(seen, " %" PRIu64 " values, the last", value->span->count);
			append_value(seen, value->span->kind,
				     &value->span->values[value->span->count - 1]);
			append(seen, ", of %" PRIu64, value->span->recorded);
			return;
		}
		append(seen, " [");
		for (uint64_t i = 0; i < value->span->count; i++)
			append_value(seen, value->span->kind, &value->span->values[i]);
		append(seen, " ]");
		return;
	default:
		append(seen, " ?");
	}
}

static int take(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct bound_class *bound = event->type->bound;
	struct seen_events *seen = user;

	(void)err;
	append(seen, "%s", event->type->name);
	for (unsigned int i = 0; i < event->type->field_count; i++)
		append_value(seen, event->type->kinds[i], &event->fields[i]);
	if (bound)
		append(seen, " #%u", ++bound->events);
	append(seen, "\n");
	return 0;
}

static int bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	static struct bound_class of_reads;
	struct mm_enum_label label;
	struct seen_events *seen = user;

	seen->binds++;
	if (seen->fail)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "no room");
	if (!strcmp(type->name, "fn_vfs_read")) {
		of_reads.events = 0;
		type->bound = &of_reads;
		for (unsigned int i = 0; i < type->field_count; i++)
			for (size_t j = 0; !mm_event_type_label_at(type, i, j, &label); j++)
				append(seen, "label %s of %u: %" PRIu64 " to %" PRIu64 "%s\n",
				       label.name, i, label.lower.u, label.upper.u,
				       label.is_signed ? ", signed" : "");
		append(seen, "members");
		for (size_t i = 0; mm_event_type_member_at(type, i); i++)
			append(seen, " %s", mm_event_type_member_at(type, i));
		append(seen, "\n");
	}
	return seen->refuse_write && !strcmp(type->name, "fn_vfs_write");
}

static struct seen_events *run(struct mm_requests *requests, struct mm_handler handler,
			       enum mm_reader reader, unsigned int jobs)
{
	static struct seen_events seen;
	struct mm_source_options options;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_source *source;
	char path[128];

	seen = handler.user ? *(struct seen_events *)handler.user
			    : (struct seen_events){ .binds = 0 };
	handler.user = &seen;
	mm_source_options_init(&options);
	options.reader = reader;
	options.jobs = jobs;
	snprintf(path, sizeof(path), "%s/%s", work, trace);
	source = mm_source_open(path, &options, &err);
	if (!source || mm_source_run(source, requests, &handler, &err))
		append(&seen, "error %s\n", err.message);
	mm_source_destroy(source);
	return &seen;
}

/* Runs both readers. The fast reader runs twice: on one thread, and on several threads. */
static void both(const char *what, struct mm_requests *requests, struct mm_handler handler,
		 const char *expected, unsigned int binds)
{
	static const struct {
		const char *name;
		enum mm_reader reader;
		unsigned int jobs;
	} ways[] = { { "the fast reader", MM_READER_FAST, 1 },
		     { "the fast reader, 3 threads", MM_READER_FAST, 3 },
		     { "libbabeltrace2", MM_READER_BABELTRACE2, 1 } };

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct seen_events *seen =
			run(requests, handler, ways[i].reader, ways[i].jobs);
		bool right = !strcmp(seen->text, expected) && seen->binds == binds;

		tap(right, "%s: %s", what, ways[i].name);
		if (!right)
			printf("# %u classes offered\n# expected:\n%s# found:\n%s", seen->binds,
			       expected, seen->text);
	}
}

static void test_fields(void)
{
	static const char *const requested[] = {
		"file",		"args.flags", "args.mode",
		"args.pair[1]", "args.pair",  "regs",
		"regs[3]",	"name",	      "name[0]",
		"comm",		"$ctx.tid",   "$ctx.callstack_kernel",
		"args.none",	"regs[4]",    "comm.x",
		"file[0]",	"args",	      "$ctx.callstack_kernel[2]",
		"$ctx.none",
	};
	const struct mm_handler handler = { .event = take };
	struct mm_requests requests;

	mm_requests_init(&requests);
	mm_requests_add(&requests, "fn_vfs_*");
	for (size_t i = 0; i < sizeof(requested) / sizeof(requested[0]); i++)
		mm_requests_add_field(&requests, requested[i],
				      strcmp(requested[i], "args")
					      ? MM_FIELD_KINDS | MM_FIELD_OPTIONAL
					      : MM_FIELD_ANY | MM_FIELD_OPTIONAL);
	both("fields by path", &requests, handler,
	     "fn_vfs_read 5 -9 3 12 [ 11 12 ] [ 1 2 3 4294967295 ] 4294967295 [ -5 +6 ] -5 'cat' -7"
	     " [ 18446744071579904000 2 3 ] - 0 - - ? 3 -\n"
	     "fn_vfs_write 6 - - - - - - - - - +8 [ ] - - - - - 0 -\n"
	     "fn_vfs_read 7 +0 6 22 [ 21 22 ] [ 0 0 0 0 ] 0 [ ] +0 'dd' +9 [ 77 ] - 0 - - ? 0 -\n",
	     0);
	mm_requests_release(&requests);

	mm_requests_init(&requests);
	mm_requests_add(&requests, "*");
	mm_requests_add_field(&requests, "$ctx.callstack_kernel", MM_FIELD_ANY);
	mm_requests_add_field(&requests, "$ctx.tid", MM_FIELD_INTEGER);
	both("an array that is not requested as one", &requests, handler,
	     "fn_vfs_read ? -7\nfn_vfs_write ? +8\nfn_other ? +0\nsched_switch ? +0\n"
	     "fn_vfs_read ? +9\n",
	     0);
	mm_requests_release(&requests);
}

static void test_rest(void)
{
	const struct mm_handler handler = { .event = take };
	struct mm_requests requests;

	mm_requests_init(&requests);
	mm_requests_add(&requests, "fn_vfs_*");
	mm_requests_add_field(&requests, "regs[1]", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	mm_requests_add_field(&requests, "name_length", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	mm_requests_add_rest(&requests, MM_FIELD_ANY);
	mm_requests_add(&requests, "*");
	mm_requests_add_rest(&requests, MM_FIELD_ANY);
	/*
	 * Only one element of regs is requested, so regs still counts as a field that is not
	 * requested.
	 */
	both("all other members", &requests, handler,
	     "fn_vfs_read 2 2 5 ? ? ? 'cat'\nfn_vfs_write - - 6 -1\nfn_other 'text'\n"
	     "sched_switch 9\nfn_vfs_read 0 0 7 ? ? ? 'dd'\n",
	     0);
	mm_requests_release(&requests);

	mm_requests_init(&requests);
	mm_requests_add(&requests, "fn_vfs_read");
	mm_requests_add_field(&requests, "name_length", MM_FIELD_INTEGER);
	mm_requests_add_rest(&requests, MM_FIELD_ARRAY);
	both("... with the elements of arrays", &requests, handler,
	     "fn_vfs_read 2 5 ? [ 1 2 3 4294967295 ] [ -5 +6 ] 'cat'\n"
	     "fn_vfs_read 0 7 ? [ 0 0 0 0 ] [ ] 'dd'\n",
	     0);
	mm_requests_release(&requests);
}

static void test_kinds(void)
{
	const struct mm_handler handler = { .event = take };
	static const struct {
		const char *path;
		unsigned int flags;
		const char *expected;
	} cases[] = {
		{ "file", MM_FIELD_INTEGER, "fn_vfs_read 5\nfn_vfs_write 6\nfn_vfs_read 7\n" },
		{ "file", MM_FIELD_STRING, "fn_other 'text'\n" },
		{ "file", MM_FIELD_STRING | MM_FIELD_INTEGER,
		  "fn_vfs_read 5\nfn_vfs_write 6\nfn_other 'text'\nfn_vfs_read 7\n" },
		{ "ret", MM_FIELD_INTEGER, "fn_vfs_write -1\n" },
		{ "ret", MM_FIELD_INTEGER | MM_FIELD_FIRST, "" },
		{ "file", MM_FIELD_INTEGER | MM_FIELD_FIRST,
		  "fn_vfs_read 5\nfn_vfs_write 6\nfn_vfs_read 7\n" },
		{ "ret", MM_FIELD_REAL, "" },
		{ "comm", MM_FIELD_STRING | MM_FIELD_OPTIONAL,
		  "fn_vfs_read 'cat'\nfn_vfs_write -\nfn_other -\nfn_vfs_read 'dd'\n" },
		{ "regs", MM_FIELD_ARRAY,
		  "fn_vfs_read [ 1 2 3 4294967295 ]\nfn_vfs_read [ 0 0 0 0 ]\n" },
		{ "file", MM_FIELD_ARRAY, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_requests requests;
		char what[64];

		mm_requests_init(&requests);
		mm_requests_add(&requests, "fn_*");
		mm_requests_add_field(&requests, cases[i].path, cases[i].flags);
		snprintf(what, sizeof(what), "'%s' with flags %u", cases[i].path, cases[i].flags);
		both(what, &requests, handler, cases[i].expected, 0);
		mm_requests_release(&requests);
	}
}

static void test_bind(void)
{
	struct seen_events first = { .refuse_write = true };
	struct mm_handler handler = { .user = &first, .event = take, .bind = bind };
	struct mm_requests requests;

	mm_requests_init(&requests);
	mm_requests_add(&requests, "fn_*");
	mm_requests_add_field(&requests, "file", MM_FIELD_INTEGER);
	mm_requests_add_field(&requests, "args.mode", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	both("classes are offered once, and may be refused", &requests, handler,
	     "label read of 1: 1 to 1\nlabel read of 1: 6 to 6\nlabel write of 1: 2 to 4\n"
	     "members file args regs name_length name comm\n"
	     "fn_vfs_read 5 3 #1\nfn_vfs_read 7 6 #2\n",
	     2);
	first.fail = true;
	both("an error ends reading", &requests, handler, "error no room\n", 1);
	handler.user = NULL;
	handler.bind = NULL;
	mm_requests_add_field(&requests, "a.", MM_FIELD_ANY);
	both("so does an error in the requests", &requests, handler,
	     "error event request: fn_*: 'a.' does not name a field; write NAME, $ctx.NAME, A.B or"
	     " A[N], 64 steps at most\n",
	     0);
	mm_requests_release(&requests);
}

static void make_trace(const char *tests)
{
	tap_shell("'%s/make-trace' '%s/../../../tests/metadata/fn.tsdl' %s/script %s/%s", tests,
		  tests, work, work, trace);
}

/* Tests an array with more elements than are delivered; the following fields must still be read. */
static void test_long(const char *tests)
{
	const struct mm_handler handler = { .event = take };
	struct mm_requests requests;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/script", work);
	file = fopen(path, "w");
	if (!file)
		exit(1);
	fprintf(file,
		"cpu 0\n1000 fn_vfs_write _callstack_kernel_length=%u callstack_kernel=1,2 file=5\n",
		MM_SPAN_MAX + 2);
	fclose(file);
	trace = "long";
	make_trace(tests);
	mm_requests_init(&requests);
	mm_requests_add(&requests, "fn_vfs_write");
	mm_requests_add_field(&requests, "$ctx.callstack_kernel", MM_FIELD_ARRAY);
	mm_requests_add_field(&requests, "$ctx.callstack_kernel[1]", MM_FIELD_INTEGER);
	mm_requests_add_field(&requests, "file", MM_FIELD_INTEGER);
	both("a long call stack", &requests, handler,
	     "fn_vfs_write 4096 values, the last 0, of 4098 2 5\n", 0);
	mm_requests_release(&requests);
}

int main(int argc, char **argv)
{
	const char *tests = dirname(argv[0]);
	char path[128];
	FILE *file;

	(void)argc;
	test_paths();
	test_limits();
	test_names();
	test_roles();
	if (!mkdtemp(work))
		return 1;
	snprintf(path, sizeof(path), "%s/script", work);
	file = fopen(path, "w");
	if (!file || fputs(script, file) < 0 || fclose(file))
		return 1;
	make_trace(tests);
	test_fields();
	test_rest();
	test_kinds();
	test_bind();
	test_long(tests);
	tap_shell("rm -r %s", work);
	return tap_status();
}
