// SPDX-License-Identifier: LGPL-2.1-only
/* Tests mapped files that another process changes: the reader must not read outside of them. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/ctf/packet/packet-read.h"
#include "reader/events/source.h"
#include "reader/open/open.h"
#include "tests/tap.h"
#include "util/escape.h"

static char folder[64] = "/tmp/test-ctf-change.XXXXXX";
static char path[128];

static void write_file(const char *name, const void *data, size_t size)
{
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "we");
	if (!out || fwrite(data, 1, size, out) != size || fclose(out))
		abort();
}

/* Maps the file as its writer does, up to the end of the last page. */
static uint8_t *map_file(const char *name, size_t size)
{
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	map = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		abort();
	close(fd);
	return map;
}

static void remove_file(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (remove(path))
		abort();
}

/* A place in a file, and the values that a thread writes there in turn until it is stopped. */
struct value_flipper {
	volatile uint32_t *at;
	uint32_t values[4];
	atomic_bool stop;
	pthread_t thread;
};

static void *flip(void *user)
{
	struct value_flipper *flipper = user;

	for (unsigned int i = 0; !atomic_load(&flipper->stop); i++)
		*flipper->at = flipper->values[i % 4];
	return NULL;
}

static void start(struct value_flipper *flipper)
{
	if (pthread_create(&flipper->thread, NULL, flip, flipper))
		abort();
}

static void stop(struct value_flipper *flipper)
{
	atomic_store(&flipper->stop, true);
	pthread_join(flipper->thread, NULL);
}

#define ENTRIES 56

/*
 * An index that fills a page. The length of its entries changes to 0, to a length that does not
 * divide the index, or to a length that is too large.
 */
static void test_index(void)
{
	uint32_t words[4096 / 4] = { __builtin_bswap32(0xc1f1dcc1), __builtin_bswap32(1),
				     __builtin_bswap32(1), __builtin_bswap32(72) };
	struct value_flipper flipper = { .values = { __builtin_bswap32(72), 0,
						     __builtin_bswap32(72), 0xffffff7f } };
	size_t opened = 0, wrong = 0, size = 16 + ENTRIES * 72;
	struct ctf_index_entry entry;
	uint8_t *map;

	snprintf(path, sizeof(path), "%s/index", folder);
	mkdir(path, 0700);
	write_file("index/s.idx", words, size);
	map = map_file("index/s.idx", size);
	flipper.at = (volatile uint32_t *)map + 3;
	start(&flipper);
	for (size_t i = 0; i < 20000; i++) {
		struct ctf_index *index = ctf_index_open(folder, "s");

		if (!index)
			continue;
		opened++;
		for (size_t j = 0; j < 50; j++) {
			uint64_t count = ctf_index_count(index);

			wrong += count != ENTRIES;
			if (count)
				ctf_index_read(index, count - 1, &entry);
			wrong += ctf_index_end(index) != 0;
		}
		ctf_index_close(index);
	}
	stop(&flipper);
	tap(opened && !wrong, "an index whose header changes is read as it was opened: %zu wrong",
	    wrong);
	munmap(map, size);
	remove_file("index/s.idx");
	remove_file("index");
}

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"trace { major = 1; minor = 8; byte_order = le; };\n"
	"typealias integer { size = 8; align = 8; } := byte;\n"
	"typealias integer { size = 8; align = 8; encoding = UTF8; } := char;\n"
	"stream { event.header := struct { byte id; }; };\n"
	"event { name = \"fixed\"; id = 0; fields := struct { char s[16]; }; };\n"
	"event { name = \"ended\"; id = 1; fields := struct { string s; }; };\n"
	"event { name = \"counted\"; id = 2; fields := struct { byte n; char s[n]; }; };\n";

struct map_reader {
	uint8_t *map;
	size_t size, events, wrong;
};

/*
 * Fills the file with bytes other than the string's terminator, then looks at the string that the
 * reader delivered.
 */
static int check_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct map_reader *reader = user;
	const char *string = event->fields[0].s;

	reader->events++;
	memset(reader->map, 2, reader->size);
	reader->wrong += strlen(string) != 5 || strcmp(string, "hello") != 0;
	return 0;
}

static void test_strings(unsigned int id, const char *name)
{
	static const char text[5] = { 'h', 'e', 'l', 'l', 'o' };
	struct mm_requests requests;
	struct map_reader reader = { .size = 4096 };
	struct mm_handler handler = { .user = &reader, .event = check_event };
	struct mm_source_options options;
	struct mm_source *source;
	uint8_t data[4096] = { 0 };
	size_t begin = sizeof(data) - 17, at = begin;

	/* Write one event at the end of the page, after other events that are damaged. */
	data[at++] = (uint8_t)id;
	if (id == 2)
		data[at++] = 15;
	memcpy(data + at, text, sizeof(text));
	if (id == 1)
		begin = sizeof(data) - 7, memmove(data + begin, data + at - 1, 7);
	write_file("metadata", metadata, sizeof(metadata) - 1);
	write_file("s", data + begin, sizeof(data) - begin);
	reader.size = sizeof(data) - begin;
	reader.map = map_file("s", reader.size);
	/* From now on, the writer changes its whole page, although the file is shorter. */
	reader.size = 4096;
	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	options.jobs = 1;
	source = mm_source_open(folder, &options, NULL);
	mm_requests_init(&requests);
	mm_requests_add(&requests, "*");
	mm_requests_add_field(&requests, "s", MM_FIELD_STRING);
	if (!source || mm_source_run(source, &requests, &handler, NULL))
		abort();
	mm_requests_release(&requests);
	mm_source_destroy(source);
	munmap(reader.map, reader.size);
	tap(reader.events == 1 && !reader.wrong,
	    "a string %s stays as it was read, however the file changes: %zu events, %zu wrong",
	    name, reader.events, reader.wrong);
	remove_file("s");
	remove_file("metadata");
}

/* The text must not exceed the room that was reserved. */
static void test_escape(void)
{
	static uint32_t bytes[64];
	struct value_flipper flipper = {
		.at = &bytes[20], .values = { 0x61616161, 0x9f9fc29f, 0x8f80a0f3, 0x85c20a85 }
	};
	char out[sizeof(bytes) * 4 + 1];
	size_t wrong = 0;

	memset(bytes, 'a', sizeof(bytes));
	start(&flipper);
	for (size_t i = 0; i < 100000; i++) {
		size_t length =
			mm_escape_terminal(out, sizeof(out), (const char *)bytes, sizeof(bytes));

		wrong += length >= sizeof(out) || strlen(out) != length || strchr(out, '\n');
	}
	stop(&flipper);
	tap(!wrong, "an escaped string that changes stays safe and within its room: %zu wrong",
	    wrong);
}

int main(void)
{
	if (!mkdtemp(folder))
		abort();
	test_index();
	test_strings(0, "of fixed size");
	test_strings(1, "with an end");
	test_strings(2, "with a length");
	test_escape();
	rmdir(folder);
	return tap_status();
}
