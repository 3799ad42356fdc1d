// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Analyzes traces in parts: the report must equal the report of the whole trace. An intact trace
 * must be split into parts, and a damaged one must not. make-ctf, in this program's folder, writes
 * the traces.
 */
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/dax/dax.h"
#include "analysis/registry/registry.h"
#include "analysis/run/analysis.h"
#include "analysis/run/parts.h"
#include "reader/open/open.h"
#include "reader/report/render.h"
#include "tests/tap.h"

/* Size of make-ctf's packets, and offsets in their contexts that the tests change. */
#define PACKET_BYTES (1 << 20)
#define BEGIN_AT 24
#define EVENTS_AT 76
#define END_AT 32
#define SEQ_AT 56
#define DISCARDED_AT 64

static char work[] = "/tmp/lttng-mm-test-XXXXXX";
static char trace[64];

/* Returns the report as text and JSON, or the error; release with free(). */
static char *run(const struct mm_source_options *options, unsigned int jobs, unsigned int *joined)
{
	struct mm_report_options *report_options = mm_options_create(mm_dax_analysis.options);
	struct mm_sysinfo *sysinfo = mm_sysinfo_load(NULL, mm_sysinfo_part_at);
	struct mm_source_options each = *options;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report = NULL;
	struct mm_source *source;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	void *state;

	each.jobs = jobs;
	*joined = 0;
	if (!report_options)
		tap_bail("out of memory");
	report_options->top = 100;
	if (!mm_parts_run(&mm_dax_analysis, trace, &each, NULL, 0, &source, &state, NULL, joined,
			  &err)) {
		report = mm_analysis_report(&mm_dax_analysis, state, source, sysinfo,
					    report_options, &err);
		mm_dax_analysis.destroy(state);
	}
	free(report_options);
	if (report) {
		mm_render_text(stream, report, MM_WIDTH_ALL);
		mm_render_json(stream, report);
		mm_source_destroy(source);
	}
	fprintf(stream, "%d %s\n", err.code, err.message);
	fclose(stream);
	mm_report_destroy(report);
	mm_sysinfo_destroy(sysinfo);
	return text;
}

/*
 * Compares reports that several jobs made with the report of one job. If @parts is true, the trace
 * must be split into about one part for each job. Otherwise, it must not be split.
 */
static void compare(const char *name, const struct mm_source_options *options, bool parts)
{
	static const unsigned int jobs[] = { 2, 3, 8 };
	unsigned int joined;
	char *expected = run(options, 1, &joined);

	tap(joined <= 1 && strlen(expected) > 30, "%s: one piece with one job", name);
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		char *text = run(options, jobs[i], &joined);

		tap(!strcmp(text, expected), "%s, %u jobs: the same report", name, jobs[i]);
		if (joined)
			tap(parts ? joined <= jobs[i] && joined + 1 >= jobs[i] : joined == 1,
			    "%s, %u jobs: joined of %u", name, jobs[i], joined);
		free(text);
	}
	free(expected);
}

static uint64_t get(const char *file, off_t at)
{
	int fd = open(file, O_RDONLY);
	uint64_t value = 0;

	if (fd < 0 || pread(fd, &value, sizeof(value), at) != sizeof(value))
		tap_bail("%s cannot be read", file);
	close(fd);
	return value;
}

static void put(const char *file, off_t at, uint64_t value)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || pwrite(fd, &value, sizeof(value), at) != sizeof(value))
		tap_bail("%s cannot be written", file);
	close(fd);
}

/*
 * Adds @by to the context field at byte @at of a packet or, with @all_after, of that packet and all
 * later ones. Restores the fields afterwards.
 */
static void change(const char *name, const struct mm_source_options *options, int at, int packet,
		   bool all_after, int64_t by)
{
	char file[80];
	uint64_t old[8];
	int last = all_after ? 5 : packet;

	snprintf(file, sizeof(file), "%s/channel0_1", trace);
	for (int i = packet; i <= last; i++) {
		off_t where = (off_t)i * PACKET_BYTES + at;

		old[i] = get(file, where);
		put(file, where, old[i] + (uint64_t)by);
	}
	compare(name, options, false);
	for (int i = packet; i <= last; i++)
		put(file, (off_t)i * PACKET_BYTES + at, old[i]);
}

/*
 * Gives both streams the same end, as stopping a session does. Otherwise, the reader could not rule
 * out that the shorter stream was truncated.
 */
static void end_together(void)
{
	char files[2][80];
	uint64_t ends[2];
	off_t last[2];
	int later;

	for (int cpu = 0; cpu < 2; cpu++) {
		struct stat st;

		snprintf(files[cpu], sizeof(files[cpu]), "%s/channel0_%d", trace, cpu);
		if (stat(files[cpu], &st))
			tap_bail("no %s", files[cpu]);
		last[cpu] = st.st_size - PACKET_BYTES + END_AT;
		ends[cpu] = get(files[cpu], last[cpu]);
	}
	later = ends[1] > ends[0];
	put(files[!later], last[!later], ends[later]);
}

/*
 * Returns the time of the first event of the packet at @at. The event header contains the low 27
 * bits of this time.
 */
static uint64_t first_event(const char *file, off_t at)
{
	uint64_t begin = get(file, at + BEGIN_AT), low = get(file, at + EVENTS_AT) >> 5;

	return begin + ((low - begin) & ((1u << 27) - 1));
}

int main(int argc, char **argv)
{
	struct mm_source_options options, window;
	int64_t first_ns;
	char file[80];

	(void)argc;
	if (!mkdtemp(work))
		return 1;
	snprintf(trace, sizeof(trace), "%s/trace", work);
	snprintf(file, sizeof(file), "%s/channel0_0", trace);
	tap_shell("'%s/make-ctf' --shape dax --streams 2 --events 150000 --seed 5 %s",
		  dirname(argv[0]), trace);
	mm_source_options_init(&options);
	compare("a trace that may be cut", &options, false);
	end_together();
	compare("a sound trace", &options, true);

	/* make-ctf's clock counts nanoseconds; the source knows the offset of this clock. */
	{
		struct mm_source *source = mm_source_open(trace, &options, NULL);
		const struct mm_handler handler = { .event = NULL };
		struct mm_requests none;

		mm_requests_init(&none);
		mm_source_run(source, &none, &handler, NULL);
		mm_requests_release(&none);
		first_ns = mm_source_loss_at(source, 0)->begin_ns;
		mm_source_destroy(source);
	}
	window = options;
	window.begin_ns = first_ns + 5000000;
	window.end_ns = first_ns + 150000000;
	compare("a part of its time", &window, true);
	window.end_ns = window.begin_ns - 1;
	compare("no time at all", &window, false);
	window = options;
	window.reader = MM_READER_BABELTRACE2;
	compare("by babeltrace2", &window, false);

	/* Parts start one nanosecond after the end of a packet, so put an event there. */
	for (int cpu = 0; cpu < 2; cpu++) {
		snprintf(file, sizeof(file), "%s/channel0_%d", trace, cpu);
		for (off_t at = 0; at < 5 * (off_t)PACKET_BYTES; at += PACKET_BYTES) {
			uint64_t before_ns = first_event(file, at + PACKET_BYTES) - 1;

			put(file, at + END_AT, before_ns);
			put(file, at + PACKET_BYTES + BEGIN_AT, before_ns);
		}
	}
	compare("events where it is split", &options, true);

	change("events lost in the second packet", &options, DISCARDED_AT, 1, true, 3);
	change("packets lost before the fourth", &options, SEQ_AT, 3, true, 2);
	change("an end before the packet's last events", &options, END_AT, 2, false, -1000000);
	change("an end after the next packet's start", &options, END_AT, 2, false, 1000000);
	/* One packet lacks the count of discarded events, which LTTng sometimes omits. */
	for (off_t at = 0; at < 6 * (off_t)PACKET_BYTES; at += PACKET_BYTES)
		put(file, at + DISCARDED_AT, at == 3 * (off_t)PACKET_BYTES ? 0 : 7);
	compare("a packet without a count", &options, false);
	for (off_t at = 0; at < 6 * (off_t)PACKET_BYTES; at += PACKET_BYTES)
		put(file, at + DISCARDED_AT, 0);
	tap_shell("truncate -s -100000 %s", file);
	compare("a cut file", &options, false);
	tap_shell(
		"head -c 3000000 %s > %s/all && head -c 1000 /dev/zero >> %s/all && tail -c +3001001 %s >> %s/all && cp %s/all %s",
		file, work, work, file, work, work, file);
	compare("a damaged packet", &options, false);
	tap_shell("rm -r %s", work);
	return tap_status();
}
