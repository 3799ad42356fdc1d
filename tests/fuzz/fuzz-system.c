// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fuzz target: a system information file or an index file in an otherwise intact snapshot. The
 * first byte of an input selects the file.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/ctf/metadata/metadata.h"
#include "reader/inspect/info.h"
#include "reader/inspect/verify.h"
#include "analysis/registry/registry.h"
#include "analysis/dax/devices.h"
#include "analysis/slab/decode/sysinfo.h"
#include "reader/report/render.h"
#include "reader/open/open.h"
#include "reader/sysinfo/sysinfo.h"
#include "reader/sysinfo/symbols.h"
#include "reader/events/source.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seed-write.h"

/* All calls use this folder, because the fuzzer calls the target repeatedly in one process. */
static char folder[PATH_MAX / 2];

static void fail(const char *what)
{
	perror(what);
	abort();
}

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const void *data, size_t size)
{
	FILE *out = fopen(path_of(name), "we");

	if (!out || (size && fwrite(data, size, 1, out) != 1) || fclose(out))
		fail(name);
}

static const char *const folders[] = { "", "sysinfo", "kernel", "kernel/index" };

static void remove_folders(void)
{
	for (size_t i = 0; i < FUZZ_FILES; i++)
		remove(path_of(fuzz_files[i]));
	remove(path_of("kernel/stream"));
	remove(path_of("kernel/metadata"));
	for (size_t i = sizeof(folders) / sizeof(folders[0]); i--;)
		remove(path_of(folders[i]));
}

/* Writes a few packets of a kernel trace. */
static void write_stream(const char *text, size_t size)
{
	struct ctf_trace_class *trace = ctf_metadata_parse(text, size, "seed", NULL);
	struct seed_stream stream = { .random = 7, .time = 1000 };
	struct seed_packet packet;

	if (!trace)
		abort();
	stream.trace = trace;
	stream.class = trace->streams[0];
	for (size_t i = 0; i < 3; i++)
		seed_write_packet(&stream, 6, 40, &packet);
	write_file("kernel/stream", stream.data, (size_t)stream.at / 8);
	free(stream.data);
	free(stream.slots);
	ctf_trace_class_destroy(trace);
}

static void make_folders(void)
{
	const char *parent = getenv("TMPDIR");
	size_t size;
	char *text = fuzz_seed_read(0, &size);

	snprintf(folder, sizeof(folder), "%s/lttng-mm-fuzz.XXXXXX",
		 parent			    ? parent
		 : access("/dev/shm", W_OK) ? "/tmp"
					    : "/dev/shm");
	if (!mkdtemp(folder))
		fail(folder);
	atexit(remove_folders);
	for (size_t i = 1; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (mkdir(path_of(folders[i]), 0700))
			fail(folders[i]);
	write_file("kernel/metadata", text, size);
	write_stream(text, size);
	free(text);
}

/* Checks that a message is one line without control characters. */
static void check_line(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < ' ')
			abort();
}

static void ask_context(const struct mm_sysinfo *sysinfo)
{
	struct mm_sysinfo_file file;
	const char *note;
	int64_t start_ns;

	for (size_t i = 0; (note = mm_sysinfo_note(sysinfo, i)); i++)
		check_line(note);
	for (int id = 0; id < 3; id++) {
		mm_sysinfo_comm(sysinfo, id);
		mm_sysinfo_pid(sysinfo, id);
		mm_sysinfo_is_recorder(sysinfo, id, &start_ns);
		mm_sysinfo_find_file(sysinfo, 259, (unsigned int)id, 12, &file);
		dax_device_is_aligned(sysinfo, 259, (unsigned int)id);
		mm_sysinfo_mountpoint(sysinfo, 259, (unsigned int)id);
	}
	mm_sysinfo_system(sysinfo, "boot_id");
	mm_sysinfo_system_number(sysinfo, "snapshot_boottime_ns", -1);
	slab_sysinfo_is_reclaimable(sysinfo, "dentry");
	for (size_t i = 0; slab_sysinfo_alias(sysinfo, "kmalloc-64", i); i++)
		;
}

static void ask_symbols(const char *where)
{
	static const char *const owners[] = { "kernel", "ext4", "" };
	struct mm_symbols *symbols = mm_symbols_load(where);
	uint64_t from;

	if (!symbols)
		abort();
	for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++)
		for (uint64_t offset = 1; offset; offset <<= 1) {
			const char *name = mm_symbols_find(symbols, owners[i], offset, &from);

			if (name && (!*name || from > offset))
				abort();
		}
	mm_symbols_destroy(symbols);
}

static int count_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	size_t *count = user;

	++*count;
	return 0;
}

static void ignore_loss(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
}

/* Reads a time range that starts in the last packet, so that the reader uses the index. */
static void read_window(void)
{
	struct mm_requests requests;
	size_t events = 0;
	const struct mm_handler handler = { .user = &events,
					    .event = count_event,
					    .lost = ignore_loss };
	struct mm_source_options options;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_sysinfo *sysinfo;
	struct mm_source *source;

	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	options.jobs = 1;
	options.begin_ns = 1571238431155326264 + 1024;
	source = mm_source_open(folder, &options, &err);
	/* If a damaged clock moves the trace out of the range, the reader must report it. */
	if (!source && !err.code)
		abort();
	if (!source)
		return;
	sysinfo = mm_sysinfo_load(source, mm_sysinfo_part_at);
	if (!sysinfo)
		abort();
	ask_context(sysinfo);
	mm_requests_init(&requests);
	mm_requests_add(&requests, "*");
	if (mm_source_run(source, &requests, &handler, &err) && !err.code)
		abort();
	mm_requests_release(&requests);
	mm_sysinfo_destroy(sysinfo);
	mm_source_destroy(source);
}

static void check_finding(void *user, const struct ctf_verify_finding *finding)
{
	uint64_t *counts = user;

	if (!finding->file || !finding->what || finding->kind >= CTF_VERIFY_KINDS)
		abort();
	counts[finding->kind]++;
}

static void verify(void)
{
	uint64_t found[CTF_VERIFY_KINDS] = { 0 };
	const struct ctf_verify_handler handler = { .user = found, .finding = check_finding };
	struct ctf_verify_counts counts;
	struct mm_error err = MM_ERROR_INIT;

	if (ctf_verify(folder, 1, &handler, &counts, &err)
		    ? !err.code
		    : memcmp(found, counts.findings, sizeof(found)) != 0)
		abort();
}

static void show_info(void)
{
	const struct ctf_info_options options = { .gmt = true, .jobs = 1 };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report = ctf_info(folder, &options, &err);
	char *text;
	size_t size;
	FILE *out;

	if (!report)
		abort();
	out = open_memstream(&text, &size);
	if (!out || mm_render_text(out, report, MM_WIDTH_PIPED) || mm_render_json(out, report) ||
	    fclose(out))
		fail("rendering");
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n')
			abort();
	free(text);
	mm_report_destroy(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *name;

	if (!folder[0])
		make_folders();
	if (!size)
		return 0;
	name = fuzz_files[data[0] % FUZZ_FILES];
	write_file(name, data + 1, size - 1);
	if (strstr(name, "symbols")) {
		ask_symbols(path_of("sysinfo"));
	} else {
		read_window();
		verify();
		show_info();
	}
	if (unlink(path_of(name)))
		fail(name);
	return 0;
}
