// SPDX-License-Identifier: LGPL-2.1-only
/* Tests how frozen buffers are processed: starts and stops, trackers, memory, written packets. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/freeze/buffers.h"
#include "lttng-session/freeze/freeze.h"
#include "lttng-session/freeze/tracked.h"
#include "tests/tap.h"

#define SESSION LTTNG_MM_FREEZE_SESSION
#define EVENTS LTTNG_MM_FREEZE_EVENTS
#define NONE               \
	{                  \
		.clock = 0 \
	}
#define FROZEN 100

/* Changes are written as "CLOCK CHANNEL ACTIVE" with S for the session. */
static const struct {
	const char *name;
	bool active, enabled; /* at the freeze */
	unsigned int count, pending;
	struct lttng_mm_freeze_change changes[4], pending_change;
	const char *settled; /* NULL: unknown */
} settling[] = {
	{ "nothing", true, true, 0, 0, { NONE }, NONE, "" },
	{ "nothing, stopped", false, true, 0, 0, { NONE }, NONE, "" },
	{ "a stop and a start",
	  true,
	  true,
	  2,
	  0,
	  { { 10, SESSION, 0, 0, 0, 0 }, { 20, SESSION, 1, 0, 0, 0 } },
	  NONE,
	  "10 S 0, 20 S 1, " },
	{ "later ones",
	  true,
	  true,
	  3,
	  0,
	  { { 10, SESSION, 0, 0, 0, 0 },
	    { 20, SESSION, 1, 0, 0, 0 },
	    { 130, SESSION, 0, 0, 0, 0 } },
	  NONE,
	  "10 S 0, 20 S 1, " },
	{ "a disabled channel", true, false, 1, 0, { { 10, 5, 0, 0, 0, 0 } }, NONE, "10 5 0, " },
	{ "a stop in progress",
	  false,
	  true,
	  1,
	  1,
	  { { 10, SESSION, 1, 0, 0, 0 } },
	  { 90, SESSION, 0, 0, 0, 0 },
	  "10 S 1, 90 S 0, " },
	{ "the first stop in progress",
	  false,
	  true,
	  0,
	  1,
	  { NONE },
	  { 90, SESSION, 0, 0, 0, 0 },
	  "90 S 0, " },
	{ "a stop without effect yet",
	  true,
	  true,
	  1,
	  1,
	  { { 10, SESSION, 1, 0, 0, 0 } },
	  { 90, SESSION, 0, 0, 0, 0 },
	  "10 S 1, " },
	{ "a stop that took effect later",
	  true,
	  true,
	  2,
	  0,
	  { { 10, SESSION, 1, 0, 0, 0 }, { 90, SESSION, 0, 0, 0, 0 } },
	  NONE,
	  "10 S 1, " },
	{ "a start in progress",
	  true,
	  true,
	  1,
	  1,
	  { { 10, SESSION, 0, 0, 0, 0 } },
	  { 0, SESSION, 1, 0, 0, 0 },
	  "10 S 0, 100 S 1, " },
	{ "a start that was noted later",
	  true,
	  true,
	  2,
	  0,
	  { { 10, SESSION, 0, 0, 0, 0 }, { 101, SESSION, 1, 0, 0, 0 } },
	  NONE,
	  "10 S 0, 100 S 1, " },
	{ "a stop that was not noted",
	  false,
	  true,
	  1,
	  0,
	  { { 10, SESSION, 1, 0, 0, 0 } },
	  NONE,
	  NULL },
	{ "disabled events of a channel, which is enabled",
	  true,
	  true,
	  3,
	  0,
	  { { 10, 5, 0, EVENTS, 0, 0 }, { 20, 5, 1, EVENTS, 0, 0 }, { 130, 5, 0, EVENTS, 0, 0 } },
	  NONE,
	  "10 5 0, 20 5 1, " },
	{ "two calls in progress",
	  true,
	  true,
	  1,
	  2,
	  { { 10, SESSION, 1, 0, 0, 0 } },
	  { 0, SESSION, 0, 0, 0, 0 },
	  NULL },
};

static void print_changes(const struct lttng_mm_freeze_watch *watch, char *text, size_t size)
{
	*text = '\0';
	for (unsigned int i = 0; i < watch->count; i++) {
		const struct lttng_mm_freeze_change *change = &watch->changes[i];
		size_t length = strlen(text);

		if (change->channel == SESSION)
			snprintf(text + length, size - length, "%llu S %u, ", change->clock,
				 change->active);
		else
			snprintf(text + length, size - length, "%llu %u %u, ", change->clock,
				 change->channel, change->active);
	}
}

static void test_settling(void)
{
	for (size_t i = 0; i < sizeof(settling) / sizeof(*settling); i++) {
		struct freeze_session session = { .channels = 1 };
		struct freeze freeze = { .sessions = &session, .session_count = 1 };
		struct freeze_stream stream = { .channel = freeze.channels };
		struct lttng_mm_freeze_watch watch = { .since = 5 };
		char text[256];

		freeze.channels[0].is.id = 5;
		freeze.channel_count = 1;
		freeze.frozen.clock = FROZEN;
		freeze.streams = &stream;
		freeze.stream_count = 1;
		stream.buffer.active = settling[i].active;
		stream.buffer.enabled = settling[i].enabled;
		watch.count = settling[i].count;
		watch.pending = settling[i].pending;
		watch.pending_change = settling[i].pending_change;
		memcpy(watch.changes, settling[i].changes, sizeof(settling[i].changes));
		freeze_settle_changes(&freeze, 0, &watch);
		print_changes(&watch, text, sizeof(text));
		tap(settling[i].settled ? watch.since == 5 && !strcmp(text, settling[i].settled)
					: !watch.since,
		    "changes: %s", settling[i].name);
	}
}

#define PACKET 128

#define PACKETS 4

/* Writes packets that end at 10, 20, 30 and 40. */
static void fill(unsigned char *data)
{
	for (unsigned int i = 0; i < PACKETS; i++) {
		struct freeze_header header = {
			.timestamp_begin = 10ull * i,
			.timestamp_end = 10ull * i + 10,
			.content_size = PACKET * 8ull,
			.packet_size = PACKET * 8ull,
			.packet_seq_num = 3 + i,
		};

		memset(data + (size_t)i * PACKET, 0, PACKET);
		memcpy(data + (size_t)i * PACKET, &header, FREEZE_HEADER_BYTES);
	}
}

static const struct {
	int64_t since_ns;
	int left;
} since[] = { { INT64_MIN, 4 }, { 0, 4 },    { 1010, 4 },     { 1011, 3 },
	      { 1040, 1 },	{ 1041, 0 }, { INT64_MAX, 0 } };

static off_t size_of(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, 0) ? -1 : st.st_size;
}

static mode_t mode_of(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, 0) ? 0 : st.st_mode & 0777;
}

/* Tests a write that fails before the stream of the file is flushed. */
static void test_failing(struct freeze *freeze, int parent)
{
	static unsigned char large[1 << 20];
	struct freeze_stream *stream = freeze->streams, whole = *stream;
	struct freeze_header header = { .packet_size = sizeof(large) * 8 };
	struct mm_error err = MM_ERROR_INIT;
	struct rlimit limit, before;
	int ret;

	memcpy(large, &header, FREEZE_HEADER_BYTES);
	stream->data = large;
	stream->bytes = sizeof(large);
	if (getrlimit(RLIMIT_FSIZE, &before))
		tap_bail("no limit");
	limit = before;
	limit.rlim_cur = sizeof(large) / 2;
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		tap_bail("no limit");
	ret = freeze_write(freeze, 0, INT64_MIN, parent, "failing", &err);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	tap(ret && strstr(err.message, strerror(EFBIG)), "a write that fails says why: %s",
	    err.message);
	mm_checksums_release(&stream->sums);
	*stream = whole;
}

#define LARGE 8192

/* Each packet that was @written must have a checksum, although its memory has been released. */
static void test_checksums(struct freeze *freeze, int folder, const unsigned char *written)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_checksums sums;
	int error;
	bool right = true;
	char path[64];

	tap(folder >= 0 && !freeze_write_checksums(freeze, 0, folder, &err),
	    "checksums are written: %s", err.message);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", folder);
	tap(mm_checksums_load(&sums, path, "slab_2", &error) == 1 && sums.count == PACKETS - 1 &&
		    sums.of_memory,
	    "... and can be read");
	for (size_t i = 0; i < sums.count; i++)
		right &= sums.all[i].offset == i * LARGE && sums.all[i].bytes == LARGE &&
			 sums.all[i].crc == mm_crc32c(0, written + i * LARGE, LARGE);
	tap(right, "... they match the packets in the file");
	tap(mode_of(folder, "index/slab_2.crc32c") == 0640, "... others cannot read them");
	mm_checksums_release(&sums);
	close(folder);
}

/* Tests that written packets are released, so that even on a tmpfs they are in memory only once. */
static void test_write_once(struct freeze *freeze, int parent)
{
	static unsigned char written[LARGE * PACKETS + 1], all[LARGE * PACKETS], zeros[sizeof(all)];
	struct freeze_stream *stream = freeze->streams, whole = *stream;
	unsigned char *mapped = mmap(NULL, 2 * sizeof(all), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mm_error err = MM_ERROR_INIT;
	json_t *before, *after;
	int fd;

	if (mapped == MAP_FAILED)
		tap_bail("no memory");
	memset(all, 7, sizeof(all));
	for (unsigned int i = 0; i < PACKETS; i++) {
		struct freeze_header header;

		memcpy(&header, whole.data + (size_t)i * PACKET, FREEZE_HEADER_BYTES);
		header.packet_size = LARGE * 8;
		memcpy(all + (size_t)i * LARGE, &header, FREEZE_HEADER_BYTES);
	}
	/* Bytes before and after belong to the memory of other streams. */
	stream->data = memcpy(mapped + 8, all, sizeof(all));
	stream->bytes = sizeof(all);
	mapped[0] = mapped[8 + sizeof(all)] = 1;
	before = freeze_facts(freeze, 0, 1011, NULL);
	freeze_write_once(freeze);
	if (freeze_write(freeze, 0, 1011, parent, "once", &err))
		tap_bail("%s", err.message);
	tap(!memcmp(mapped + 4096, zeros, sizeof(zeros) - 4096), "written packets are released");
	tap(mapped[0] == 1 && mapped[8 + sizeof(all)] == 1, "... and nothing else");
	fd = openat(parent, "once/slab_2", O_RDONLY);
	tap(read(fd, written, sizeof(written)) == LARGE * (PACKETS - 1) &&
		    !memcmp(written, all + LARGE, LARGE * (PACKETS - 1)),
	    "... the file contains them");
	close(fd);
	test_checksums(freeze, openat(parent, "once", O_RDONLY | O_DIRECTORY), written);
	after = freeze_facts(freeze, 0, 1011, NULL);
	tap(before && json_equal(before, after), "... the facts remain");
	json_decref(before);
	json_decref(after);
	munmap(mapped, 2 * sizeof(all));
	mm_checksums_release(&stream->sums);
	*stream = whole;
	freeze->once = false;
}

#define PID LTTNG_MM_FREEZE_PID
#define UID LTTNG_MM_FREEZE_UID
#define ALL LTTNG_MM_FREEZE_ALL
#define STEP(clock, active, tracker, id)                                     \
	{                                                                    \
		clock, SESSION, active, LTTNG_MM_FREEZE_TRACKER, tracker, id \
	}

static void test_writing(void)
{
	static unsigned char data[PACKET * PACKETS];
	static char text[] = "metadata";
	char top[] = "/tmp/test-freeze-XXXXXX", name[8];
	struct freeze_session session = { .metadata = text, .metadata_bytes = strlen(text) };
	struct freeze freeze = { .sessions = &session, .session_count = 1 };
	struct freeze_stream stream = { .channel = freeze.channels, .data = data };
	struct mm_error err = MM_ERROR_INIT;
	json_t *facts, *described;
	int parent;

	fill(data);
	session.clock = (struct freeze_clock){ true, 1000000000, 0, 1000 };
	stream.bytes = sizeof(data);
	stream.buffer.cpu = 2;
	stream.missed = 3;
	strcpy(freeze.channels[0].name, "slab");
	freeze.streams = &stream;
	freeze.stream_count = 1;
	if (!mkdtemp(top) || (parent = open(top, O_RDONLY | O_DIRECTORY)) < 0)
		tap_bail("%s", top);
	for (size_t i = 0; i < sizeof(since) / sizeof(*since); i++) {
		snprintf(name, sizeof(name), "%zu", i);
		tap_shell("rm -rf %s/%s", top, name);
		if (freeze_write(&freeze, 0, since[i].since_ns, parent, name, &err))
			tap_bail("%s", err.message);
		int folder = openat(parent, name, O_RDONLY | O_DIRECTORY);

		tap(size_of(folder, "slab_2") == (off_t)since[i].left * PACKET &&
			    size_of(folder, "index/slab_2.idx") == 16 + since[i].left * 72,
		    "packets since %" PRId64 ": %d", since[i].since_ns, since[i].left);
		if (!i)
			tap(mode_of(folder, ".") == 0750 && mode_of(folder, "slab_2") == 0640 &&
				    mode_of(folder, "index") == 0750 &&
				    mode_of(folder, "metadata") == 0640,
			    "others cannot read the trace");
		close(folder);
		mm_checksums_release(&stream.sums);
	}
	test_failing(&freeze, parent);
	test_write_once(&freeze, parent);
	facts = freeze_facts(&freeze, 0, INT64_MIN, NULL);
	described = json_array_get(json_object_get(facts, "streams"), 0);
	tap(json_is_true(json_object_get(described, "overwritten")) &&
		    json_integer_value(json_object_get(described, "packets_missed")) == 3 &&
		    json_integer_value(json_object_get(described, "cpu")) == 2 &&
		    !strcmp(json_string_value(json_object_get(described, "channel")), "slab"),
	    "facts of a stream");
	tap(json_is_false(json_object_get(described, "last_left_out")),
	    "... which has its last packet");
	json_decref(facts);
	stream.buffer.used = PACKET;
	stream.buffer.unsettled = 1;
	facts = freeze_facts(&freeze, 0, INT64_MIN, NULL);
	described = json_array_get(json_object_get(facts, "streams"), 0);
	tap(json_is_true(json_object_get(described, "last_left_out")),
	    "... or not, if an event in it was not complete");
	json_decref(facts);
	session.watch = (struct lttng_mm_freeze_watch){
		.since = 1,
		.count = 3,
		.changes = { STEP(5, 0, PID, ALL),
			     { 6, SESSION, 0, LTTNG_MM_FREEZE_STATE, 0, 0 },
			     STEP(7, 1, PID, ALL) },
	};
	freeze.frozen.clock = FROZEN;
	facts = freeze_facts(&freeze, 0, INT64_MIN, NULL);
	tap(json_array_size(json_object_get(facts, "changes")) == 1,
	    "changes of a tracker are not listed as pauses: %zu",
	    json_array_size(json_object_get(facts, "changes")));
	json_decref(facts);
	close(parent);
	tap_shell("rm -rf %s", top);
}

/* Changes of trackers since time 5; the freeze is at 100. PIDS promises the pids 7 and 8. */
static const struct {
	const char *name;
	unsigned int restricted; /* state when the changes are read */
	struct lttng_mm_freeze_tracked now[3];
	unsigned int tracked_count, count;
	struct lttng_mm_freeze_change changes[6];
	enum { OWN, EVERYTHING, PIDS } promise;
	const char *excluded, *limits; /* as START-END; see tracked_limits() */
} tracking[] = {
	{ "no tracker", 0, { { 0, 0 } }, 0, 0, { NONE }, EVERYTHING, "", "" },
	{ "one of its own", 1, { { PID, 7 } }, 1, 0, { NONE }, OWN, "", "pid 7" },
	{ "one of another program, since before",
	  1,
	  { { PID, 7 } },
	  1,
	  0,
	  { NONE },
	  EVERYTHING,
	  "5-100 ",
	  "pid 7" },
	{ "one of the past",
	  0,
	  { { 0, 0 } },
	  0,
	  4,
	  { STEP(20, 0, PID, ALL), STEP(22, 1, PID, 7), STEP(60, 0, PID, 7),
	    STEP(60, 1, PID, ALL) },
	  EVERYTHING,
	  "20-60 ",
	  "" },
	{ "one of the past, of a session without a plan",
	  0,
	  { { 0, 0 } },
	  0,
	  4,
	  { STEP(20, 0, UID, ALL), STEP(22, 1, UID, 7), STEP(60, 0, UID, 7),
	    STEP(60, 1, UID, ALL) },
	  OWN,
	  "20-60 ",
	  "" },
	{ "its own one, set at the start",
	  1,
	  { { PID, 7 } },
	  1,
	  2,
	  { STEP(20, 0, PID, ALL), STEP(22, 1, PID, 7) },
	  OWN,
	  "20-22 ",
	  "pid 7" },
	{ "more than promised",
	  1,
	  { { PID, 8 }, { PID, 9 }, { PID, 7 } },
	  3,
	  1,
	  { STEP(50, 1, PID, 9) },
	  PIDS,
	  "",
	  "pid 7, 8" },
	{ "all is more than promised",
	  0,
	  { { 0, 0 } },
	  0,
	  3,
	  { STEP(50, 0, PID, 7), STEP(50, 0, PID, 8), STEP(50, 1, PID, ALL) },
	  PIDS,
	  "",
	  "pid 7, 8" },
	{ "less than promised, twice",
	  1,
	  { { PID, 8 } },
	  1,
	  3,
	  { STEP(30, 0, PID, 7), STEP(40, 1, PID, 7), STEP(90, 0, PID, 7) },
	  PIDS,
	  "30-40 90-100 ",
	  "pid 8" },
	{ "another kind",
	  1u << PID | 1u << UID,
	  { { PID, 8 }, { PID, 7 }, { UID, 0 } },
	  3,
	  2,
	  { STEP(30, 0, UID, ALL), STEP(31, 1, UID, 0) },
	  PIDS,
	  "30-100 ",
	  "pid 8, 7, uid 0" },
	{ "none at all",
	  1,
	  { { 0, 0 } },
	  0,
	  1,
	  { STEP(30, 0, PID, ALL) },
	  EVERYTHING,
	  "30-100 ",
	  "no pid" },
	{ "after the freeze",
	  1,
	  { { PID, 7 } },
	  1,
	  2,
	  { STEP(101, 0, PID, ALL), STEP(103, 1, PID, 7) },
	  EVERYTHING,
	  "",
	  "" },
	{ "undone after the freeze",
	  0,
	  { { 0, 0 } },
	  0,
	  4,
	  { STEP(20, 0, PID, ALL), STEP(22, 1, PID, 7), STEP(101, 0, PID, 7),
	    STEP(101, 1, PID, ALL) },
	  EVERYTHING,
	  "20-100 ",
	  "pid 7" },
};

static void test_tracking(void)
{
	static const struct lttng_mm_freeze_tracked pids[] = { { PID, 7 }, { PID, 8 } };
	static const struct freeze_promise promises[] = {
		[EVERYTHING] = { 0, NULL, 0 }, [PIDS] = { 1u << PID, pids, 2 }
	};

	for (size_t i = 0; i < sizeof(tracking) / sizeof(*tracking); i++) {
		const struct freeze_promise *promise =
			tracking[i].promise == OWN ? NULL : &promises[tracking[i].promise];
		struct lttng_mm_freeze_watch watch = {
			.since = 5,
			.restricted = tracking[i].restricted,
			.tracked_count = tracking[i].tracked_count,
			.count = tracking[i].count,
		};
		struct tracked_range ranges[LTTNG_MM_FREEZE_CHANGES + 1];
		char excluded[128] = "", limits[128] = "";
		struct tracked end;
		json_t *texts, *text, *less;
		size_t count, k;

		memcpy(watch.tracked, tracking[i].now, sizeof(tracking[i].now));
		memcpy(watch.changes, tracking[i].changes, sizeof(tracking[i].changes));
		count = tracked_exclusions(&watch, FROZEN, promise, ranges, &end);
		for (k = 0; k < count; k++)
			sprintf(excluded + strlen(excluded), "%" PRIu64 "-%" PRIu64 " ",
				ranges[k].start, ranges[k].end);
		texts = tracked_limits(&end, promise);
		json_array_foreach(texts, k, text) sprintf(limits + strlen(limits), "%s%s",
							   k ? ", " : "", json_string_value(text));
		json_decref(texts);
		tap(!strcmp(excluded, tracking[i].excluded) && !strcmp(limits, tracking[i].limits),
		    "trackers: %s: '%s', '%s'", tracking[i].name, excluded, limits);
		less = tracked_less("slab", &end, promise);
		tap(json_array_size(less) == (count && ranges[count - 1].end == FROZEN),
		    "... less than promised at the freeze: %s",
		    json_string_value(json_array_get(less, 0)));
		json_decref(less);
	}
}

/* Tests that copied files do not make the next copy of the buffers seem too large. */
static void test_memory(void)
{
	static const struct {
		const char *name, *group;
		size_t room;
	} cases[] = {
		{ "a limit", "/a", 1000 - 700 },
		{ "page cache of files is free", "/a/cache", 1000 - 700 + 600 },
		{ "a group above has the lower limit", "/low/b", 50 },
		{ "no limit", "/none", SIZE_MAX },
		{ "no group", "/missing", SIZE_MAX },
	};
	char root[] = "/tmp/lttng-mm-groups-XXXXXX";

	if (!mkdtemp(root))
		tap_bail("mkdtemp");
	tap_shell("cd %s && mkdir -p a/cache low/b none && echo 1000 >a/memory.max && "
		  "echo 700 >a/memory.current && echo 1000 >a/cache/memory.max && "
		  "echo 700 >a/cache/memory.current && echo 100 >low/memory.max && "
		  "echo 50 >low/memory.current && echo 1000 >low/b/memory.max && "
		  "echo 700 >low/b/memory.current && echo max >none/memory.max && "
		  "echo 700 >none/memory.current",
		  root);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char group[64];
		size_t room;

		/* The memory of the parent group includes the memory of its child group. */
		if (strstr(cases[i].group, "cache"))
			tap_shell(
				"cd %s && printf 'anon 100\\ninactive_file 400\\nactive_file 200\\n"
				"inactive_anon 50\\n' | tee a/memory.stat >a/cache/memory.stat",
				root);
		snprintf(group, sizeof(group), "%s", cases[i].group);
		room = freeze_group_room(root, group);
		tap(room == cases[i].room, "memory of a control group: %s (%zu)", cases[i].name,
		    room);
	}
	tap_shell("rm -r %s", root);
}

int main(void)
{
	test_memory();
	test_settling();
	test_tracking();
	test_writing();
	return tap_status();
}
