// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes the seeds for fuzzing: make-seeds FOLDER creates FOLDER/TARGET for each target, with the
 * same files each time.
 */
#include <endian.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/ctf/metadata/metadata.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seed-write.h"

static const char *folder;

static void fail(const char *what)
{
	fprintf(stderr, "make-seeds: %s\n", what);
	exit(2);
}

static void write_seed(const char *kind, const char *name, const void *data, size_t size)
{
	char path[PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, kind, name);
	out = fopen(path, "we");
	if (!out || fwrite(data, size, 1, out) != 1 || fclose(out)) {
		perror(path);
		exit(2);
	}
}

static uint32_t order32(uint32_t value, bool big_endian)
{
	return big_endian ? htobe32(value) : htole32(value);
}

/* Writes @text as LTTng does: in packets with @length bytes of content. */
static void write_packetized(const char *name, const char *text, size_t size, bool big_endian)
{
	enum { CONTENT = 700, HEADER = 37, PADDING = 27 };
	uint8_t *data = calloc(size / CONTENT + 1, CONTENT + HEADER + PADDING);
	size_t at = 0;

	if (!data)
		abort();
	while (size) {
		size_t content = size < CONTENT ? size : CONTENT;
		uint32_t words[] = { 0x75d11d57, (uint32_t)(content + HEADER) * 8,
				     (uint32_t)(content + HEADER + PADDING) * 8 };

		for (size_t i = 0; i < 3; i++)
			words[i] = order32(words[i], big_endian);
		memcpy(data + at, &words[0], 4);
		memset(data + at + 4, 0x42, 16);
		memcpy(data + at + 24, &words[1], 8);
		data[at + 35] = *text == '\x1e' ? 2 : 1;
		data[at + 36] = *text == '\x1e' ? 0 : 8;
		memcpy(data + at + HEADER, text, content);
		at += HEADER + content + PADDING;
		text += content;
		size -= content;
	}
	write_seed("metadata", name, data, at);
	free(data);
}

static void write_metadata(size_t number)
{
	const char *name = fuzz_seed_names[number];
	char packets[64];
	size_t size;
	char *text = fuzz_seed_read(number, &size);

	write_seed("metadata", name, text, size);
	/* A record separator at the start marks CTF 2. Only TSDL is also written in packets. */
	if (*text != '\x1e') {
		snprintf(packets, sizeof(packets), "%s.packets-%s", name, number % 2 ? "be" : "le");
		write_packetized(packets, text, size, number % 2);
	}
	free(text);
}

/* Writes LTTng's index of two packets. */
static size_t put_index(uint8_t *at, const struct seed_packet *packets, size_t count)
{
	uint32_t head[] = { 0xc1f1dcc1, 1, 1, 72 };
	uint8_t *begin = at;

	for (size_t i = 0; i < 4; i++, at += 4)
		memcpy(at, &(uint32_t){ htobe32(head[i]) }, 4);
	for (size_t i = 0; i < count; i++) {
		uint64_t entry[] = { packets[i].offset,
				     packets[i].size,
				     packets[i].content,
				     packets[i].begin,
				     packets[i].end,
				     1,
				     0,
				     1,
				     packets[i].seq };

		for (size_t j = 0; j < sizeof(entry) / sizeof(entry[0]); j++, at += 8)
			memcpy(at, &(uint64_t){ htobe64(entry[j]) }, 8);
	}
	return (size_t)(at - begin);
}

/* Writes an input for the target of packets: see FUZZ_HEAD. */
static void write_input(const char *name, size_t number, uint8_t flags,
			const struct seed_stream *stream, const struct seed_packet *packets,
			size_t count)
{
	size_t size = (size_t)stream->at / 8, index = 0;
	uint8_t *data = calloc(1, FUZZ_HEAD + size + 16 + 72 * count);

	if (!data)
		abort();
	data[0] = (uint8_t)number;
	data[1] = flags;
	memcpy(data + FUZZ_HEAD, stream->data, size);
	if (flags & FUZZ_INDEX) {
		index = put_index(data + FUZZ_HEAD + size, packets, count);
		data[2] = (uint8_t)(index / 8);
	}
	write_seed("packets", name, data, FUZZ_HEAD + size + index);
	free(data);
}

static void write_streams(size_t number, const struct ctf_trace_class *trace)
{
	static const uint8_t flags[] = { 0, FUZZ_LINES, FUZZ_INDEX | FUZZ_WINDOW, FUZZ_VERIFY,
					 FUZZ_INFO };
	/* If the packet context has no size, a file is one packet. */
	size_t count = trace->streams[0]->roles & CTF_ROLE_PACKET_SIZE ? 2 : 1;
	struct seed_packet packets[2];
	char name[64];

	for (size_t i = 0; i < sizeof(flags); i++) {
		struct seed_stream stream = {
			.trace = trace,
			.class = trace->streams[i % trace->stream_count],
			.random = 0x9e3779b97f4a7c15 + i,
			.time = 1000,
		};

		for (size_t j = 0; j < count; j++)
			seed_write_packet(&stream, 6 + i, j ? 40 : 0, &packets[j]);
		snprintf(name, sizeof(name), "%s-%zu", fuzz_seed_names[number], i);
		write_input(name, number, flags[i], &stream, packets, count);
		free(stream.data);
		free(stream.slots);
	}
}

/* Writes inputs for the system-information target: a file's number, then the file's contents. */
static void write_system(const struct ctf_trace_class *trace)
{
	struct seed_stream stream = {
		.trace = trace, .class = trace->streams[0], .random = 7, .time = 1000
	};
	struct seed_packet packets[3];
	uint8_t data[1 + 16 + 3 * 72];

	for (uint8_t i = 0; i < FUZZ_FILES; i++) {
		const char *slash = strrchr(fuzz_files[i], '/');
		char name[64];
		size_t size = 0;
		char *input;

		snprintf(name, sizeof(name), "%s", slash ? slash + 1 : fuzz_files[i]);
		if (!fuzz_file_texts[i])
			continue;
		size = strlen(fuzz_file_texts[i]);
		input = malloc(size + 1);
		if (!input)
			abort();
		input[0] = (char)i;
		memcpy(input + 1, fuzz_file_texts[i], size);
		write_seed("system", name, input, size + 1);
		free(input);
	}
	for (size_t i = 0; i < 3; i++)
		seed_write_packet(&stream, 6, 40, &packets[i]);
	data[0] = 0;
	write_seed("system", "stream.idx", data, 1 + put_index(data + 1, packets, 3));
	free(stream.data);
	free(stream.slots);
}

static void write_texts(const char *kind, const char *const *texts, size_t count)
{
	char name[16];

	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		write_seed(kind, name, texts[i], strlen(texts[i]));
	}
}

static void write_plans(void)
{
	static const char *const texts[] = {
		"{\"version\": 1, \"boot_id\": \"" FUZZ_BOOT_ID
		"\", \"recorders\": [{\"name\": \"a\", "
		"\"budget_bytes\": 67108864, \"window_ns\": null, \"output\": \"/o\", \"keep\": {\"count\": "
		"20, \"max_bytes\": 2147483648, \"min_free_percent\": 10}, \"sessions\": [{\"name\": \"a-dax\", "
		"\"role\": \"events\", \"profiles\": [\"dax\"], \"since\": 17, \"callstack\": false, "
		"\"kaslr_safe\": true, \"channels\": [{\"name\": \"c\", \"subbuf_bytes\": 1048576, "
		"\"subbuf_count\": 8, \"events\": [\"dax_*\"], \"contexts\": []}, {\"name\": \"c-rare\", "
		"\"subbuf_bytes\": 4096, \"subbuf_count\": 2, \"events\": [\"x\"], \"contexts\": []}], "
		"\"trackers\": {\"pid\": [1, 22], \"uid\": [0]}, \"targets\": {\"interval_ms\": 500, "
		"\"noted\": 7, \"cgroup\": \"/a\", \"uid\": 1, \"pid\": [{\"id\": 1, \"started\": 3}]}}, {\"name\": \"a-state\", "
		"\"role\": \"state\", \"profiles\": [\"dax\", \"slab\"], \"since\": 0, \"callstack\": true, "
		"\"kaslr_safe\": false, \"channels\": [{\"name\": \"c\", \"subbuf_bytes\": 4096, "
		"\"subbuf_count\": 2, \"events\": [], \"contexts\": [\"tid\"]}]}]}]}\n",
		"{\"version\": 1, \"boot_id\": \"" FUZZ_BOOT_ID
		"\", \"recorders\": [{\"name\": \"a\", "
		"\"budget_bytes\": null, \"sessions\": []}]}\n",
		"{\"version\": 1, \"boot_id\": \"\", \"recorders\": []}\n",
	};

	write_texts("plans", texts, sizeof(texts) / sizeof(texts[0]));
}

static void write_profiles(void)
{
	static const char *const texts[] = {
		"# a comment\n[profile]\ndescription = slab and page allocations\n"
		"module = lttng-probe-slab\nattach-first = yes\nrequires = dax-mount\n\n"
		"[buffers]\nsubbuf-size = 2M\nnum-subbuf = 8\n\n"
		"[events]\nrecord = slab_kmalloc*, sched_switch,\n  syscall:openat\nrecord = a_b\n"
		"state = slab_statedump_cache\n\n"
		"[contexts]\nalways = tid\ncallstack = callstack-kernel, procname\n",
		"[events]\nrecord = dax_*\n",
		"[events]\nrecord = page_alloc\n[channel rare]\nrecord = page_*_failed\n"
		"subbuf-size = 4k\nnum-subbuf = 2\n",
	};

	write_texts("profiles", texts, sizeof(texts) / sizeof(texts[0]));
}

static void write_triggers(void)
{
	static const char *const texts[] = {
		"dax_pmd_fault_done if result & FALLBACK",
		"rate syscall:openat if ret < 0 > 10/s",
		"pressure memory some > 150ms per 1s",
		"kernel-message (oom|x{2,3})+[[:alpha:]]",
		"file \"/a b\" c",
		"journal unit=a.service b",
		"{\"name\":\"a\",\"on\":\"x if y\",\"filter\":\"4\",\"captures\":[\"z\"],\"max\":3}",
	};

	write_texts("triggers", texts, sizeof(texts) / sizeof(texts[0]));
}

static void write_rules(void)
{
	static const char *const texts[] = {
		"# no fallback by misalignment\ndax.fallback.cause{cause=\"extent-misaligned\"} == 0\n"
		"dax.pmd_fallbacks / dax.pmd_faults <= 1%\n"
		"slab.call_site.live_bytes{call_site=\"foo+*\"} <= 1.5MiB if present\n"
		"fn.latency_ns{function=\"handle_mm_fault\",q=\"0.99\"} < 50us \"write faults stay short\"\n",
		"trace.complete == true\r\ndax.fault.count{kind=\"pmd\", cause=\"a\\\"b?\\*\"} != -1e3\n"
		"  \"why\"\n",
	};

	write_texts("rules", texts, sizeof(texts) / sizeof(texts[0]));
}

static void write_bases(void)
{
	static const char *const texts[] = {
		"# Values of 2 runs.\n@format 1\n@accepted 2026-11-30\n@kernel 6.12 1a\n"
		"@probes lttng_probe_slab 99\n@machine 2 CPUs, 1987 MiB\n@clock instructions\n"
		"@profiles slab\n@command make 'a b'\nslab.allocations{of=\"kmalloc\"} 1000 1003\n"
		"fn.latency_ns{function=\"a\\\"b\",q=\"0.99\"} 5000 ?\npageref.pages >=7 8\n"
		"slab.growth_bytes{of=\"pages\"} <=-4096 1e3\n",
		"@format 1\nslab.peak_bytes 1\n",
	};

	write_texts("bases", texts, sizeof(texts) / sizeof(texts[0]));
}

#define COVERAGE(more)                                                                 \
	"\"coverage\": {\"complete\": true, \"duration_ns\": 1000, \"cpus\": 2, " more \
	"\"losses\": [], \"missing\": [], \"damage\": [{\"message\": \"x\"}]}, "

static void write_reports(void)
{
	static const char *const texts[] = {
		"{\"format\": 1, \"analysis\": \"dax\", \"selection\": \"--pid=7\", " COVERAGE(
			"\"kernel_release\": \"6.12\", \"events_discarded\": 3, ") "\"answer\": [\"An answer.\"], \"findings\": [], \"notes\": [\"A note.\"], "
										   "\"metrics\": [{\"name\": \"dax.pmd_faults\", \"labels\": {}, \"unit\": \"faults\", "
										   "\"samples\": null, \"value\": \"18446744073709551615\"}, {\"name\": "
										   "\"dax.fault.latency_ns\", \"labels\": {\"kind\": \"pmd\", \"outcome\": \"mapped\", "
										   "\"cause\": \"\", \"q\": \"0.99\"}, \"unit\": \"ns\", \"samples\": 200, \"value\": "
										   "7}], \"tables\": {\"processes\": [{\"process\": \"a\", \"pid\": 7, \"fault_ns\": 5, "
										   "\"fault_percent\": 1.5}, {\"process\": \"a\", \"pid\": 8, \"fault_ns\": 6}, "
										   "{\"pid\": 9}]}, \"series\": []}",
		"{\"format\": 1, \"analysis\": \"slab\", " COVERAGE(
			"") "\"answer\": [], \"findings\": [], \"notes\": [], \"metrics\": [{\"name\": "
			    "\"slab.peak_is_exact\", \"labels\": {}, \"unit\": \"\", \"value\": true}], "
			    "\"tables\": {\"caches\": [{\"cache\": \"c\", \"number\": 1, \"reclaimable\": "
			    "null, \"aliases\": [\"d\", \"\"]}]}, \"series\": [{\"name\": "
			    "\"slab.live_bytes_requested\", \"labels\": {\"of\": \"caches\"}, \"unit\": "
			    "\"bytes\", \"times_ns\": [0, 1000], \"values\": [1, null]}]}",
	};

	write_texts("reports", texts, sizeof(texts) / sizeof(texts[0]));
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "bases", "metadata", "packets",
					     "plans", "profiles", "reports",
					     "rules", "system",	  "triggers" };
	char path[PATH_MAX];

	if (argc != 2)
		fail("usage: make-seeds FOLDER");
	folder = argv[1];
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, kinds[i]);
		mkdir(path, 0777);
	}
	write_bases();
	write_plans();
	write_profiles();
	write_reports();
	write_rules();
	write_triggers();
	for (size_t i = 0; i < FUZZ_SEEDS; i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct ctf_trace_class *trace;
		size_t size;
		char *text = fuzz_seed_read(i, &size);

		write_metadata(i);
		trace = ctf_metadata_parse(text, size, fuzz_seed_names[i], &err);
		if (!trace)
			fail(err.message);
		write_streams(i, trace);
		if (!i)
			write_system(trace);
		ctf_trace_class_destroy(trace);
		free(text);
	}
	return 0;
}
