// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the list of a snapshot's traces. make-ctf, in this program's folder, writes a trace.
 * Scripts use the program to make snapshots: with a folder as argument, it prints the list of that
 * folder; with a folder of system information as second argument, it also prints the checksums of
 * its files.
 */
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/sysinfo/sysinfo.h"
#include "tests/tap.h"

static char work[] = "/tmp/lttng-mm-test-XXXXXX";

static int print_list(const char *folder, const char *sysinfo)
{
	int fd = sysinfo ? open(sysinfo, O_RDONLY | O_DIRECTORY) : -1;
	struct mm_error err = MM_ERROR_INIT;
	json_t *list = sysinfo_list_traces(folder, &err);

	if (!list) {
		fprintf(stderr, "%s\n", err.message);
		return 2;
	}
	if (fd >= 0)
		sysinfo_add_sums(fd, list);
	json_dumpf(list, stdout, JSON_INDENT(1));
	json_decref(list);
	return 0;
}

static const json_t *stream_of(const json_t *list, const char *file)
{
	const json_t *trace = json_array_get(json_object_get(list, "traces"), 0);
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(trace, "streams"), i,
			   entry) if (!strcmp(json_string_value(json_object_get(entry, "file")),
					      file)) return entry;
	return NULL;
}

static json_int_t get(const json_t *entry, const char *key)
{
	const json_t *value = json_object_get(entry, key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

int main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	const json_t *trace, *stream;
	json_t *list;

	if (argc > 1)
		return print_list(argv[1], argc > 2 ? argv[2] : NULL);
	if (!mkdtemp(work))
		return 1;
	/*
	 * Make three streams with packets of 1 MiB: one had three packets, the second of which is
	 * removed; one has one packet; and one has none.
	 */
	tap_shell("'%s/make-ctf' --shape slab --streams 2 --events 130000 --seed 5 %s/kernel",
		  dirname(argv[0]), work);
	tap_shell(
		"cd %s/kernel && touch channel0_2 && truncate -s 1M channel0_1 && { head -c 1M channel0_0; tail -c +2097153 channel0_0 | head -c 1M; } >cut && mv cut channel0_0",
		work);
	list = sysinfo_list_traces(work, &err);
	trace = json_array_get(json_object_get(list, "traces"), 0);
	tap(json_array_size(json_object_get(list, "traces")) == 1, "one trace: %s", err.message);
	tap(json_is_string(json_object_get(list, "boot_id")), "a boot id");
	tap(!strcmp(json_string_value(json_object_get(trace, "folder")), "kernel"), "its folder");
	tap(!strcmp(json_string_value(json_object_get(trace, "uuid")),
		    "2a6422d0-6cee-11e0-8c08-cb07d7b3a564"),
	    "its UUID");
	tap(json_array_size(json_object_get(trace, "streams")) == 3, "three streams");
	stream = stream_of(list, "channel0_0");
	tap(get(stream, "packets") == 2 && get(stream, "packets_lost") == 1 &&
		    get(stream, "bytes") == 2 << 20,
	    "present packets, and those that are missing between them");
	stream = stream_of(list, "channel0_1");
	tap(get(stream, "packets") == 1 && get(stream, "packets_lost") == 0 &&
		    get(stream, "cpu") == 1 && get(stream, "class") == 0,
	    "one packet of CPU 1");
	stream = stream_of(list, "channel0_2");
	tap(get(stream, "packets") == 0 && get(stream, "bytes") == 0 &&
		    !json_object_get(stream, "cpu") && !json_object_get(stream, "class"),
	    "no packet: no CPU and no class");
	json_decref(list);
	tap_shell("rm %s/kernel/metadata", work);
	tap(!sysinfo_list_traces(work, &err) && err.code, "without metadata there is no list");
	tap_shell("rm -r %s", work);
	return tap_status();
}
