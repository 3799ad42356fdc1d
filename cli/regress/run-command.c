// SPDX-License-Identifier: LGPL-2.1-only
/* Runs a command repeatedly under a recorder, and writes its reports. */
#include "cli/regress/run-command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/buffers.h"
#include "lttng-session/pageref/record.h"
#include "lttng-session/recorder/boot.h"
#include "lttng-session/run/record-run.h"
#include "lttng-session/system/cmdline.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/system/modules.h"
#include "regress/run-write.h"
#include "util/duration.h"
#include "util/escape.h"
#include "util/text.h"

enum {
	OPTION_PROFILE = 256,
	OPTION_TIMEOUT,
	OPTION_SUBBUF_SIZE,
	OPTION_NUM_SUBBUF,
};

static const struct argp_option argp_options[] = {
	{ "profile", OPTION_PROFILE, "PROFILE[,PROFILE]", 0, "what to record; required", 0 },
	{ "all", 'a', NULL, 0, "count what all processes do, not only COMMAND and its descendants",
	  0 },
	{ "timeout", OPTION_TIMEOUT, "TIME", 0,
	  "kill COMMAND after this time: a number with a unit (ms, s, m, h)", 0 },
	{ "subbuf-size", OPTION_SUBBUF_SIZE, "SIZE", 0,
	  "size of a sub-buffer, a power of two (suffix k, M or G)", 0 },
	{ "num-subbuf", OPTION_NUM_SUBBUF, "N", 0,
	  "number of sub-buffers of each CPU, a power of two", 0 },
	{ 0 },
};

static void parse_profiles(struct run_options *options, const char *arg,
			   const struct argp_state *state)
{
	char *rest, *word;

	if (options->profile_list)
		argp_error(state, "--profile is given twice; separate profiles by commas");
	options->profile_text = arg;
	options->profile_list = rest = strdup(arg);
	if (!rest)
		argp_failure(state, MM_EXIT_ENVIRONMENT, 0, "out of memory");
	while ((word = strsep(&rest, ","))) {
		if (options->profile_count == RECORDER_PROFILES_MAX)
			argp_error(state, "--profile: more than %d profiles",
				   RECORDER_PROFILES_MAX);
		options->profiles[options->profile_count++] = word;
	}
}

static bool has_pageref(const struct run_options *options)
{
	for (size_t i = 0; i < options->profile_count; i++)
		if (!strcmp(options->profiles[i], PAGEREF_PROFILE))
			return true;
	return false;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_options *options = state->input;
	struct mm_error err = MM_ERROR_INIT;

	switch (key) {
	case OPTION_PROFILE:
		parse_profiles(options, arg, state);
		return 0;
	case 'a':
		options->all = true;
		return 0;
	case OPTION_TIMEOUT:
		if (mm_duration_parse(arg, "--timeout", &options->timeout_ns, &err))
			argp_error(state, "%s", err.message);
		if (!options->timeout_ns)
			argp_error(state, "--timeout: 0 would allow no time");
		return 0;
	case OPTION_SUBBUF_SIZE:
		options->subbuf_bytes = buffers_parse_size(arg, state);
		return 0;
	case OPTION_NUM_SUBBUF:
		options->subbuf_count = buffers_parse_count(arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!options->profile_count)
			argp_error(state,
				   "no profile given; use --profile, such as --profile slab");
		if (options->all && has_pageref(options))
			argp_error(
				state,
				"--all: " PAGEREF_PROFILE
				" marks the pages of COMMAND's processes only; omit the option or the profile");
		if (!options->command || !*options->command)
			argp_error(state, "no command given; put it at the end, after --");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp run_options_argp = { .options = argp_options, .parser = parse };

void run_options_release(struct run_options *options)
{
	free(options->profile_list);
	*options = (struct run_options){ .profile_count = 0 };
}

/* Facts about the machine. */
struct machine {
	char kernel[256], machine[64];
	char probes[512];
	const char *clock;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * Lists the modules that record the profiles, with the start of their build ids. Sorts them by name
 * and omits other modules: the text identifies the probes of a base file, so it must be equal for
 * equal probes.
 */
static void list_probes(const struct recorder_options *recorder, char *text, size_t size)
{
	const char *names[RECORDER_PROFILES_MAX + 1] = { "lttng-mm-lib" };
	struct loaded_module module;
	size_t count = 1;
	char word[128];

	for (size_t i = 0; i < recorder->count; i++)
		if (recorder->profiles[i]->module)
			names[count++] = recorder->profiles[i]->module;
	qsort(names, count, sizeof(*names), compare_names);
	for (size_t i = 0; i < count; i++) {
		if ((i && !strcmp(names[i], names[i - 1])) || !modules_find(names[i], &module))
			continue;
		snprintf(word, sizeof(word), "%s %.12s", module.name, module.build_id);
		mm_words_add(text, size, word);
	}
}

static void read_machine(const struct recorder_options *recorder, struct machine *machine)
{
	char id[BUILD_ID_MAX], line[CMDLINE_BYTES];
	struct utsname names;
	struct sysinfo info;

	*machine = (struct machine){ .clock = REGRESS_TIME };
	if (!cmdline_read(line) && boot_counts_instructions(line))
		machine->clock = REGRESS_INSTRUCTIONS;
	modules_kernel_build_id(id);
	if (!uname(&names))
		snprintf(machine->kernel, sizeof(machine->kernel), "%s %.12s", names.release, id);
	if (!sysinfo(&info))
		snprintf(machine->machine, sizeof(machine->machine), "%ld CPUs, %" PRIu64 " MiB",
			 sysconf(_SC_NPROCESSORS_ONLN),
			 (uint64_t)info.totalram * info.mem_unit >> 20);
	list_probes(recorder, machine->probes, sizeof(machine->probes));
}

static int use_profiles(struct recorder_options *recorder, const struct run_options *options,
			struct mm_error *err)
{
	if (recorder_options_init(recorder, RECORD_RUN_NAME, err))
		return -1;
	for (size_t i = 0; i < options->profile_count; i++)
		if (recorder_options_add(recorder, options->profiles[i], NULL, err))
			return -1;
	recorder->subbuf_bytes = options->subbuf_bytes;
	recorder->subbuf_count = options->subbuf_count;
	return 0;
}

static void print_notes(const struct snapshot_notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		if (notes->all[i].warning)
			fprintf(stderr, "lttng-mm: warning: %s\n", notes->all[i].text.message);
}

/* Makes the reports of a recorded run, and writes its files. */
static int write_run(const struct run_options *options, const struct record_run_result *recorded,
		     const struct machine *machine, time_t started, const char *folder,
		     struct mm_error *err)
{
	const char *trace = strrchr(recorded->path, '/');
	const struct regress_run_facts facts = {
		.command = options->command,
		.profiles = options->profiles,
		.all = options->all,
		.kernel = machine->kernel,
		.probes = machine->probes,
		.machine = machine->machine,
		.clock = machine->clock,
		.started_s = started,
		.elapsed_ns = recorded->elapsed_ns,
		.trace = trace ? trace + 1 : recorded->path,
		.inconclusive = *recorded->inconclusive ? recorded->inconclusive : NULL,
	};
	struct mm_source_options source;
	struct regress_run run = { .path = NULL };
	int ret;

	mm_source_options_init(&source);
	ret = regress_run_make(&run, recorded->path, options->all ? 0 : recorded->pid, &source,
			       err);
	run.facts = regress_run_facts_json(&facts);
	if (!ret && !run.facts)
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "run: out of memory");
	if (!ret)
		ret = regress_run_write(&run, folder, err);
	regress_run_release(&run);
	return ret;
}

/* Records the command once. The folder exists. */
static int run_once(const struct run_options *options, const char *folder,
		    struct record_run_result *recorded, struct mm_error *err)
{
	struct snapshot_notes notes = { .count = 0 };
	struct recorder_options recorder;
	const time_t started = time(NULL);
	const struct record_run run = {
		.recorder = &recorder,
		.command = options->command,
		.output = folder,
		.timeout_ns = options->timeout_ns,
		.has_pageref = has_pageref(options),
	};
	struct machine machine;
	int ret = use_profiles(&recorder, options, err);

	if (!ret)
		ret = record_run(&run, recorded, &notes, err);
	/* The probes are still loaded: only `lttng-mm stop --all` unloads them. */
	if (!ret)
		read_machine(&recorder, &machine);
	recorder_options_release(&recorder);
	if (ret)
		return -1;
	print_notes(&notes);
	return write_run(options, recorded, &machine, started, folder, err);
}

int run_repeat(const struct run_options *options, const char *dir, unsigned int first,
	       unsigned int count, struct mm_error *err)
{
	for (unsigned int i = first; i < first + count; i++) {
		struct record_run_result recorded = { .inconclusive = "" };
		char folder[PATH_MAX], elapsed[MM_DURATION_TEXT];

		if (snprintf(folder, sizeof(folder), "%s/" REGRESS_RUN_PREFIX "%u", dir, i) >=
		    (int)sizeof(folder))
			return mm_error_set(err, MM_EXIT_BAD_INPUT, "run: %s: the path is too long",
					    dir);
		if (mkdir(folder, 0755))
			return mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				errno == EEXIST
					? "run: %s: %s; remove it, or choose another folder with -o"
					: "run: %s: %s",
				folder, strerror(errno));
		fprintf(stderr, "run %u of %u: recording ", i - first + 1, count);
		mm_escape_message_print(stderr, options->command[0]);
		fputc('\n', stderr);
		if (run_once(options, folder, &recorded, err)) {
			folder_remove(AT_FDCWD, folder);
			return -1;
		}
		mm_duration_format(elapsed, sizeof(elapsed), recorded.elapsed_ns);
		fprintf(stderr, "run %u of %u: %s%s", i - first + 1, count, elapsed,
			*recorded.inconclusive ? ", inconclusive: " : "");
		mm_escape_message_print(stderr, recorded.inconclusive);
		fputc('\n', stderr);
	}
	return 0;
}
