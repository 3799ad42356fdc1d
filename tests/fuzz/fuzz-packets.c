// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fuzz target: a stream file, optionally with its index. The target reads and prints it with one of
 * the metadata seeds.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "analysis/run/rules.h"
#include "analysis/slab/verify/verify.h"
#include "reader/events/source.h"
#include "reader/inspect/info.h"
#include "reader/inspect/verify.h"
#include "reader/open/open.h"
#include "reader/print/babeltrace.h"
#include "reader/print/event-line.h"
#include "reader/report/render.h"
#include "tests/fuzz/fuzz.h"

/* All calls use this folder, because the fuzzer calls the target repeatedly in one process. */
static char folder[PATH_MAX / 2];

static void fail(const char *what)
{
	perror(what);
	abort();
}

static void path_in(char *path, size_t number, const char *name)
{
	snprintf(path, PATH_MAX, "%s/%zu/%s", folder, number, name);
}

static void write_file(size_t number, const char *name, const void *data, size_t size)
{
	char path[PATH_MAX];
	FILE *out;

	path_in(path, number, name);
	out = fopen(path, "we");
	if (!out || (size && fwrite(data, size, 1, out) != 1) || fclose(out))
		fail(path);
}

static void remove_folders(void)
{
	static const char *const names[] = { "index/stream.idx", "index", "stream", "metadata",
					     "" };
	char path[PATH_MAX];

	for (size_t i = 0; i < FUZZ_SEEDS; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
			path_in(path, i, names[j]);
			remove(path);
		}
	rmdir(folder);
}

static void make_folders(void)
{
	const char *parent = getenv("TMPDIR");
	char path[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s/lttng-mm-fuzz.XXXXXX",
		 parent			    ? parent
		 : access("/dev/shm", W_OK) ? "/tmp"
					    : "/dev/shm");
	if (!mkdtemp(folder))
		fail(folder);
	atexit(remove_folders);
	for (size_t i = 0; i < FUZZ_SEEDS; i++) {
		size_t size;
		char *text = fuzz_seed_read(i, &size);

		path_in(path, i, "");
		if (mkdir(path, 0700))
			fail(path);
		path_in(path, i, "index");
		if (mkdir(path, 0700))
			fail(path);
		write_file(i, "metadata", text, size);
		free(text);
	}
}

struct fuzz_reader {
	struct mm_babeltrace *babeltrace; /* NULL if @line is used */
	struct mm_event_line *line;
	struct mm_names *names;
	struct mm_text out;
	int64_t last_ns;
};

static int render(void *user, const struct mm_event *event, struct mm_text *text)
{
	struct fuzz_reader *reader = user;

	if (reader->line)
		return mm_event_line_render(reader->line, event, text);
	return mm_babeltrace_render(reader->babeltrace, event, text);
}

static int read_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct fuzz_reader *reader = user;

	reader->out.length = 0;
	if (event->text_length && reader->babeltrace &&
	    mm_babeltrace_line(reader->babeltrace, event, &reader->out))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "out of memory; free some");
	if (event->text_length && reader->line &&
	    mm_event_line_put(reader->line, event, &reader->out))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "out of memory; free some");
	if (reader->names && event->type->request != MM_NAMES_OTHERS &&
	    mm_names_see(reader->names, event, false))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "out of memory; free some");
	/*
	 * The timestamps may go backwards, because events are delivered in the order of the stream
	 * file.
	 */
	reader->last_ns = event->time_ns;
	return 0;
}

static void ignore_loss(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	if (!loss->stream[0])
		abort();
}

/* Checks that a finding is one line. */
static void check_damage(void *user, const char *message, bool truncated)
{
	if (!message[0] || strchr(message, '\n'))
		abort();
}

static void read_trace(struct fuzz_reader *reader, struct mm_source *source)
{
	struct mm_handler handler = { .user = reader,
				      .event = read_event,
				      .lost = ignore_loss,
				      .render = render,
				      .damaged = check_damage };
	struct mm_requests requests;
	struct mm_error err = MM_ERROR_INIT;

	mm_requests_init(&requests);
	if (reader->line)
		mm_names_request(&requests);
	else
		mm_requests_add(&requests, "*");
	if (mm_source_run(source, &requests, &handler, &err) && !err.code)
		abort();
	mm_requests_release(&requests);
}

static void read_folder(size_t number, uint8_t flags)
{
	static const struct mm_babeltrace_options print_options;
	struct mm_source_options options;
	struct fuzz_reader reader = { 0 };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_sysinfo *sysinfo;
	struct mm_source *source;
	char path[PATH_MAX];

	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	options.jobs = 1;
	options.in_order = true;
	if (flags & FUZZ_WINDOW) {
		options.begin_ns = 1571238431155326264 + 1010;
		options.end_ns = options.begin_ns + 1000000;
	}
	path_in(path, number, "");
	source = mm_source_open(path, &options, &err);
	sysinfo = mm_sysinfo_load(source, mm_sysinfo_part_at);
	if (!source != (err.code != MM_EXIT_OK))
		abort();
	reader.names = sysinfo && flags & FUZZ_LINES ? mm_names_create(sysinfo) : NULL;
	if (reader.names && source)
		(void)mm_names_read(reader.names, source, &err);
	if (flags & FUZZ_LINES)
		reader.line = mm_event_line_create(reader.names, MM_LINE_CLOCK_BOOT, NULL,
						   mm_event_text_find);
	else
		reader.babeltrace = mm_babeltrace_create(&print_options);
	if (source && sysinfo && (reader.line || reader.babeltrace))
		read_trace(&reader, source);
	mm_source_destroy(source);
	mm_event_line_destroy(reader.line);
	mm_names_destroy(reader.names);
	mm_babeltrace_destroy(reader.babeltrace);
	mm_sysinfo_destroy(sysinfo);
	free(reader.out.data);
}

/* Checks that findings name the file and that their counts are consistent. */
static void check_finding(void *user, const struct ctf_verify_finding *finding)
{
	uint64_t *counts = user;

	if (!finding->file || !finding->what || finding->kind >= CTF_VERIFY_KINDS)
		abort();
	counts[finding->kind]++;
}

static void check_slab_finding(void *user, const struct mm_rules_finding *finding)
{
	uint64_t *counts = user;

	for (const char *c = finding->what; *c; c++)
		if (*c < ' ' || *c > '~')
			abort();
	counts[finding->damaged]++;
}

/* Verifies slab events, which any metadata may declare. The findings must match the counts. */
static void verify_slab(const char *path)
{
	uint64_t found[2] = { 0 };
	struct mm_rules_counts counts;
	struct mm_error err = MM_ERROR_INIT;

	if (mm_rules_run(&mm_slab_rules, path, 1, UINT64_MAX, check_slab_finding, found, &counts,
			 &err)) {
		if (!err.code)
			abort();
		return;
	}
	if (found[1] != counts.damaged || found[0] != counts.notes)
		abort();
}

static void verify_folder(size_t number)
{
	uint64_t found[CTF_VERIFY_KINDS] = { 0 };
	const struct ctf_verify_handler handler = { .user = found, .finding = check_finding };
	struct ctf_verify_counts counts;
	struct mm_error err = MM_ERROR_INIT;
	char path[PATH_MAX];

	path_in(path, number, "");
	verify_slab(path);
	if (ctf_verify(path, 1, &handler, &counts, &err)) {
		if (!err.code)
			abort();
		return;
	}
	if (memcmp(found, counts.findings, sizeof(found)) != 0)
		abort();
}

static int render_text(FILE *out, const struct mm_report *report)
{
	return mm_render_text(out, report, MM_WIDTH_PIPED);
}

/*
 * Checks that the output has no control characters except line ends, whatever the trace contains.
 */
static void check_text(const struct mm_report *report,
		       int (*show)(FILE *, const struct mm_report *))
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out || show(out, report) || fclose(out))
		fail("rendering");
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n')
			abort();
	free(text);
}

static void info_folder(size_t number)
{
	const struct ctf_info_options options = { .events = true, .gmt = true, .jobs = 1 };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report;
	char path[PATH_MAX];

	path_in(path, number, "");
	report = ctf_info(path, &options, &err);
	if (!report != (err.code != MM_EXIT_OK))
		abort();
	if (!report)
		return;
	check_text(report, render_text);
	check_text(report, mm_render_json);
	mm_report_destroy(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t number, index = 0;
	char path[PATH_MAX];

	if (!folder[0])
		make_folders();
	if (size < FUZZ_HEAD)
		return 0;
	number = data[0] % FUZZ_SEEDS;
	if (data[1] & FUZZ_INDEX)
		index = (size_t)data[2] * 8;
	if (index > size - FUZZ_HEAD)
		index = size - FUZZ_HEAD;
	write_file(number, "stream", data + FUZZ_HEAD, size - FUZZ_HEAD - index);
	path_in(path, number, "index/stream.idx");
	if (data[1] & FUZZ_INDEX)
		write_file(number, "index/stream.idx", data + size - index, index);
	else if (unlink(path) && errno != ENOENT)
		fail(path);
	if (data[1] & FUZZ_VERIFY)
		verify_folder(number);
	else if (data[1] & FUZZ_INFO)
		info_folder(number);
	else
		read_folder(number, data[1]);
	return 0;
}
