// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the command snapshot: its options, the files of the snapshot, and their contents. */
#include <jansson.h>
#include <libgen.h>

#include "tests/unit/commands.h"

/*
 * Removes the snapshot whose path was printed. A failed command may print anything, so this removes
 * only a folder with a snapshot's name in the test's own folder.
 */
static void remove_printed(void)
{
	static const char prefix[] = "snapshots/snapshot-";
	char name[sizeof(prefix) + NAME_MAX];
	const size_t length = strlen(top);

	if (strncmp(out, top, length) != 0 || out[length] != '/' ||
	    strncmp(out + length + 1, prefix, strlen(prefix)) != 0)
		tap_bail("no snapshot of this test was printed: '%s'", out);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(out + length + 1, "\n"),
		 out + length + 1);
	if (strchr(name + strlen(prefix), '/') || folder_remove(AT_FDCWD, name))
		exit(2);
}

static void test_snapshot(void)
{
	char path[2 * PATH_MAX];
	struct stat json, pin;
	int status;

	sessions[0] = "lttng-mm-slab";
	stream_text = "events";
	status = run(cmd_snapshot, "--output", "snapshots");
	snprintf(path, sizeof(path), "%s/snapshots/snapshot-20260102-030405-0\n", top);
	tap(!status && !strcmp(out, path) && !*err_out, "snapshot: the path is printed");
	path[strlen(path) - 1] = '\0';
	tap(entries("snapshots") == 1 && entries(path) == 3 && chdir(path) == 0 &&
		    entries("kernel") == 3 && entries("sysinfo") >= 8,
	    "snapshot: the trace and the system information are there, and nothing else");
	if (chdir(top))
		exit(2);
	status = run(cmd_snapshot, "--output", "snapshots");
	tap(!status && !strncmp(out, path, strlen(path)) && strlen(out) == strlen(path) + 8 &&
		    entries("snapshots") == 2,
	    "snapshot: an existing one is not replaced");
	add_arguments((const char *const[]){ "--method=lttng", "--pin", NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	snprintf(path, sizeof(path), "%.*s/snapshot.json", (int)strcspn(out, "\n"), out);
	tap(!status && !stat(path, &json) && !stat(strcat(dirname(path), "/pin"), &pin) &&
		    !pin.st_size && pin.st_mode == json.st_mode && pin.st_gid == json.st_gid,
	    "snapshot --pin: it has the file pin, with the mode of the others");
	remove_printed();
	add_arguments(by_lttng);
	stream_text = "";
	status = run(cmd_snapshot, "--output", "snapshots");
	tap(status == 4 && strstr(err_out, "no events have been recorded yet") &&
		    entries("snapshots") == 2,
	    "snapshot: without events, no file remains");
	stream_text = "events";
}

/* Returns the member @key, such as `a.b`, of the last snapshot's snapshot.json. */
static json_t *snapshot_member(json_t **json, const char *key)
{
	char path[sizeof(out) + 32], part[64];
	json_t *member;

	if (!*json) {
		snprintf(path, sizeof(path), "%.*s/snapshot.json", (int)strcspn(out, "\n"), out);
		*json = json_load_file(path, 0, NULL);
	}
	member = *json;
	while (*key) {
		snprintf(part, sizeof(part), "%.*s", (int)strcspn(key, "."), key);
		key += strlen(part) + (key[strlen(part)] == '.');
		member = json_object_get(member, part);
	}
	return member;
}

static bool is_text(const json_t *json, const char *text)
{
	return json_string_value(json) && !strcmp(json_string_value(json), text);
}

static void test_json(void)
{
	static const char *const options[] = { "--method=lttng", "--reason",
					       "slow \"request\"\n\033[2J\xff", "--last=10s",
					       "--after=1ns" };
	json_t *json = NULL, *filter;
	int status;

	filter_text = "ino > 0 && comm == \"\xfe\"";
	add_arguments((const char *const[]){ options[0], options[1], options[2], options[3],
					     options[4], NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	filter_text = NULL;
	tap(!status && json_integer_value(snapshot_member(&json, "version")) == 1,
	    "snapshot.json: it is there, of version 1");
	tap(is_text(snapshot_member(&json, "reason"), "slow \"request\"\n\033[2J\xef\xbf\xbd"),
	    "snapshot.json: a reason of any bytes");
	tap(is_text(snapshot_member(&json, "cause.kind"), "request") &&
		    is_text(snapshot_member(&json, "method"), "lttng") &&
		    json_is_null(snapshot_member(&json, "frozen")),
	    "snapshot.json: cause and method");
	tap(json_integer_value(snapshot_member(&json, "requested.realtime_ns")) > 0 &&
		    json_integer_value(snapshot_member(&json, "requested.monotonic_ns")) > 0 &&
		    json_integer_value(snapshot_member(&json, "requested.boottime_ns")) > 0,
	    "snapshot.json: the time of the request by three clocks");
	tap(json_integer_value(snapshot_member(&json, "last_ns")) == 10000000000 &&
		    json_integer_value(snapshot_member(&json, "after_ns")) == 1,
	    "snapshot.json: --last and --after");
	filter = json_array_get(snapshot_member(&json, "filters"), 0);
	tap(json_array_size(snapshot_member(&json, "filters")) == 2 &&
		    is_text(json_object_get(filter, "session"), "lttng-mm-slab") &&
		    is_text(json_object_get(filter, "channel"), "ring") &&
		    is_text(json_object_get(filter, "event"), "enabled") &&
		    is_text(json_object_get(filter, "filter"),
			    "ino > 0 && comm == \"\xef\xbf\xbd\""),
	    "snapshot.json: the filters of events that are enabled");
	filter = json_array_get(snapshot_member(&json, "filters"), 1);
	tap(json_object_size(filter) == 3 && is_text(json_object_get(filter, "tracker"), "vuid") &&
		    json_integer_value(json_array_get(json_object_get(filter, "ids"), 0)) == 1000 &&
		    is_text(json_object_get(filter, "session"), "lttng-mm-slab"),
	    "snapshot.json: ... and trackers");
	json_decref(json);
	json = NULL;
	add_arguments(by_lttng);
	run(cmd_snapshot, "--output", "snapshots");
	tap(json_is_null(snapshot_member(&json, "reason")) &&
		    json_is_null(snapshot_member(&json, "last_ns")) &&
		    json_is_null(snapshot_member(&json, "after_ns")) &&
		    json_is_null(snapshot_member(&json, "requested_trace_ns")) &&
		    json_array_size(snapshot_member(&json, "filters")) == 0,
	    "snapshot.json: members that are not given or unknown are null");
	json_decref(json);
}

/* Tests that snapshot.json has no checksums of files that cannot be read. */
static void test_checksums(void)
{
	const char *const intact = metadata_text;
	char sums[sizeof(out) + 64];
	json_t *json = NULL;
	int status;

	add_arguments(by_lttng);
	status = run(cmd_snapshot, "--output", "snapshots");
	snprintf(sums, sizeof(sums), "%.*s/kernel/index/lttng-mm_0.crc32c", (int)strcspn(out, "\n"),
		 out);
	tap(!status && json_is_true(snapshot_member(&json, "checksums.complete")) &&
		    !access(sums, F_OK) && !json_array_size(snapshot_member(&json, "notes")),
	    "checksums: all are made");
	remove_printed();
	json_decref(json);
	json = NULL;
	metadata_text = METADATA("packet.context := struct { uint64_t packet_size; };");
	status = run(cmd_snapshot, "--output", "snapshots");
	metadata_text = intact;
	snprintf(sums, sizeof(sums), "%.*s/kernel/index/lttng-mm_0.crc32c", (int)strcspn(out, "\n"),
		 out);
	tap(!status && json_is_false(snapshot_member(&json, "checksums.complete")) &&
		    access(sums, F_OK) && json_array_size(snapshot_member(&json, "notes")) == 1 &&
		    strstr(err_out, "Some checksums could not be computed"),
	    "checksums: some cannot be made: %d %s", status, err_out);
	remove_printed();
	json_decref(json);
}

#define PLANNED(name)                                                                         \
	"{\"name\":\"" name "\",\"role\":\"events\",\"profiles\":[\"" name "\"],\"since\":0," \
	"\"callstack\":false,\"kaslr_safe\":true,\"channels\":[{\"name\":\"ring\","           \
	"\"subbuf_bytes\":4096,\"subbuf_count\":4,\"events\":[],\"contexts\":[]}]}"

static const struct {
	const char *name, *sessions[2], *filter, *mark;
	const char *plan; /* NULL: none */
} selection_cases[] = {
	{ "a session", { "lttng-mm-slab" }, NULL, "\"selection\": \"all\"", NULL },
	{ "a session with a filter",
	  { "lttng-mm-slab" },
	  "ino > 0",
	  "\"selection\": \"part\"",
	  NULL },
	{ "a recorder of two sessions",
	  { "one", "two" },
	  NULL,
	  "\"selection\": \"all\"",
	  PLANNED("one") "," PLANNED("two") },
	{ "a recorder of two sessions with filters",
	  { "one", "two" },
	  "ino > 0",
	  "\"selection\": \"part\"",
	  PLANNED("one") "," PLANNED("two") },
};

static void write_plan(const char *planned)
{
	FILE *file = fopen("machine/run/lttng-mm/recorder.json", "w");

	if (!file ||
	    fprintf(file,
		    "{\"version\":1,\"boot_id\":\"\",\"recorders\":"
		    "[{\"name\":\"lttng-mm\",\"budget_bytes\":null,\"sessions\":[%s]}]}",
		    planned) < 0 ||
	    fclose(file) || setenv("LTTNG_MM_ROOT", "machine", 1))
		exit(2);
}

/* Tests whether system.json says that the sessions record all events. */
static void test_selection(void)
{
	if (mkdir("machine", 0755) || mkdir("machine/run", 0755) ||
	    mkdir("machine/run/lttng-mm", 0755))
		exit(2);
	for (size_t i = 0; i < sizeof(selection_cases) / sizeof(selection_cases[0]); i++) {
		char path[sizeof(out) + 32], system[8192];
		int status;

		sessions[0] = selection_cases[i].sessions[0];
		sessions[1] = selection_cases[i].sessions[1];
		filter_text = selection_cases[i].filter;
		if (selection_cases[i].plan)
			write_plan(selection_cases[i].plan);
		status = run(cmd_snapshot, "--output", "snapshots");
		unsetenv("LTTNG_MM_ROOT");
		snprintf(path, sizeof(path), "%.*s/sysinfo/system.json", (int)strcspn(out, "\n"),
			 out);
		read_back(path, system, sizeof(system));
		tap(!status && strstr(system, selection_cases[i].mark), "%s: system.json has %s",
		    selection_cases[i].name, selection_cases[i].mark);
	}
	filter_text = NULL;
	sessions[0] = "lttng-mm-slab";
	sessions[1] = NULL;
	if (folder_remove(AT_FDCWD, "machine"))
		exit(2);
}

/* Tests snapshots without the freeze module, and options that require it. */
static void test_methods(void)
{
	int count = entries("snapshots"), status;

	add_arguments(by_itself);
	status = run(cmd_snapshot, "--output", "snapshots");
	tap(!status && !strncmp(out, top, strlen(top)) && strchr(err_out, '\n')[1] == '\0' &&
		    !strncmp(
			    err_out,
			    "lttng-mm: note: snapshot: lttng-mm-slab: the buffers cannot be frozen: ",
			    71) &&
		    strstr(err_out, "each buffer loses one sub-buffer"),
	    "without the module: one note, which says why: %.*s", (int)strcspn(err_out, "\n"),
	    err_out);
	add_arguments((const char *const[]){ "--method=freeze", NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	tap(status == 4 && !*out && strstr(err_out, "--method=freeze: lttng-mm-slab: ") &&
		    strstr(err_out, "omit the option") && entries("snapshots") == count + 1,
	    "... --method=freeze fails, and nothing is left");
	add_arguments((const char *const[]){ "--method=lttng", "--no-wait", NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	out[strcspn(out, "\n")] = '\0';
	tap(!status && !access(out, F_OK) &&
		    strstr(err_out, "--no-wait: the buffers are not frozen"),
	    "... --no-wait waits, and says so");
	add_arguments((const char *const[]){ "--method=lttng", "--require-complete", NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	out[strcspn(out, "\n")] = '\0';
	tap(status == 3 && !access(out, F_OK) && strstr(err_out, "--require-complete: "),
	    "--require-complete: the snapshot is there, and the status 3");
	add_arguments(by_lttng);
}

/* Tests which snapshots are marked as not KASLR-safe, such as traces with call stacks. */
#define EVENT(name, field)                                         \
	METADATA("")                                               \
	"event { name = \"" name "\"; id = 1; fields := struct { " \
	"uint64_t " field "; }; };"

static const struct {
	const char *name, *metadata, *mark;
	bool addresses;
} kaslr_cases[] = {
	{ "a field of that name is not a context", METADATA(""), "\"kaslr_safe\": true", false },
	{ "call stacks, whoever requested them",
	  METADATA(
		  "event.context := struct { uint64_t __callstack_kernel_length; uint64_t _callstack_kernel[__callstack_kernel_length]; };"),
	  "\"kaslr_safe\": false", true },
	{ "an event of another probe", EVENT("slab_kprobe", "ip"), "\"kaslr_safe\": false", true },
	{ "one that has the name of a function's", EVENT("fn_unknown_entry", "ip"),
	  "\"kaslr_safe\": false", true },
	{ "threads", EVENT("sched_process_exit", "tid"), "\"kaslr_safe\": true", false },
	{ "a function without a history", EVENT("fn_unknown_entry", "tid"), "\"kaslr_safe\": null",
	  false },
	{ "metadata that cannot be read", "meta", "\"kaslr_safe\": null", false },
};

static void test_kaslr(void)
{
	char path[2 * PATH_MAX], system[8192];

	for (size_t i = 0; i < sizeof(kaslr_cases) / sizeof(kaslr_cases[0]); i++) {
		bool addresses = kaslr_cases[i].addresses;
		int status;

		snapshot_time = "20260102-030405-2";
		metadata_text = kaslr_cases[i].metadata;
		status = run(cmd_snapshot, "--output", "snapshots");
		snprintf(path, sizeof(path), "snapshots/snapshot-%s", snapshot_time);
		tap(!status &&
			    !strstr(err_out, "note: the snapshot is not KASLR-safe") == !addresses,
		    "KASLR: %s: the command reports it", kaslr_cases[i].name);
		if (chdir(path))
			exit(2);
		read_back("sysinfo/system.json", system, sizeof(system));
		tap(strstr(system, kaslr_cases[i].mark), "... the system information is marked");
		tap(!access("sysinfo/addresses.json", F_OK) == addresses,
		    "... and has addresses only then");
		if (chdir(top) || folder_remove(AT_FDCWD, path))
			exit(2);
	}
	metadata_text = METADATA("");
	snapshot_time = "20260102-030405-0";
}

/* Tests a lack of memory while the metadata is read. The snapshot then has no traces.json. */
static void test_no_memory(void)
{
	char path[PATH_MAX], warning[3 * PATH_MAX], *end;
	int status;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	tap_skip("a snapshot without memory", "a sanitizer reserves all addresses");
	return;
#endif
	snapshot_time = "20260102-030405-1";
	metadata_bytes = 200 << 20;
	memory_limit = 160 << 20;
	status = run(cmd_snapshot, "--output", "snapshots");
	metadata_bytes = 0;
	memory_limit = 0;
	snprintf(path, sizeof(path), "%s/snapshots/snapshot-%s", top, snapshot_time);
	snapshot_time = "20260102-030405-0";
	snprintf(
		warning, sizeof(warning),
		"lttng-mm: warning: snapshot: %s: sysinfo/traces.json is missing: trace: %s/kernel/metadata: out of memory",
		path, path);
	tap(!status && !strncmp(out, path, strlen(path)) && out[strlen(path)] == '\n',
	    "without memory for a part, the snapshot is kept");
	end = strstr(err_out, "Some checksums could not be computed");
	end = end ? strchr(end, '\n') : NULL;
	tap(strstr(err_out,
		   "has no certificate: trace: kernel/metadata: out of memory for the metadata") &&
		    end && !strncmp(end + 1, warning, strlen(warning)) &&
		    strchr(end + 1, '\n')[1] == '\0',
	    "... one warning for each missing file tells why: %s", err_out);
	tap(chdir(path) == 0 && entries("kernel") == 3 && !access("sysinfo/system.json", F_OK) &&
		    access("sysinfo/traces.json", F_OK),
	    "... the rest is there");
	if (chdir(top) || folder_remove(AT_FDCWD, path))
		exit(2);
}

int main(void)
{
	commands_begin();
	sessions[0] = "lttng-mm-slab";
	stream_text = "events";
	add_arguments(by_lttng);
	test_snapshot();
	test_json();
	test_checksums();
	test_selection();
	test_methods();
	test_kaslr();
	test_no_memory();
	return commands_end();
}
