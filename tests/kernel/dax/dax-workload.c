// SPDX-License-Identifier: LGPL-2.1-only
/* Causes each kind of DAX fault and each cause of a fallback, and prints the number of each. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dax-scenarios.h"

#ifndef STATX_ATTR_DAX
#define STATX_ATTR_DAX 0x00200000
#endif
#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

struct options {
	const char *dir, *expect, *only;
	bool list, loop, quiet;
	unsigned int pause_ms;
};

static volatile sig_atomic_t stop;

static void on_stop(int number)
{
	(void)number;
	stop = 1;
}

static void usage(FILE *to)
{
	fputs("Usage: dax-workload [OPTION...] DIR\n"
	      "Provokes DAX faults of every kind on files in DIR, which must lie on an ext4 or XFS\n"
	      "filesystem mounted with -o dax.\n\n"
	      "  --expect FILE   write what the kernel's events must add up to, as JSON\n"
	      "  --only A,B      these scenarios only\n"
	      "  --loop          then keep provoking, without counting, until SIGTERM or SIGINT\n"
	      "  --pause MS      between two scenarios of the loop (default 0)\n"
	      "  --quiet         no line per scenario\n"
	      "  --list          name the scenarios and leave\n",
	      to);
}

static bool selected(const struct options *options, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = options->only; at && *at;) {
		size_t item = strcspn(at, ",");

		if (item == length && memcmp(at, name, item) == 0)
			return true;
		at += item + (at[item] == ',');
	}
	return !options->only;
}

/* Determines the properties that the expectations depend on. Returns 0, or -1 with a message. */
static int look_around(struct dax_world *world, const char *dir)
{
	unsigned int major_number = 0, minor_number = 0;
	struct utsname kernel;
	struct statfs fs;
	struct stat st;

	if (strlen(dir) >= sizeof(world->dir) || strpbrk(dir, "\"\\\n")) {
		fprintf(stderr, "dax-workload: %s: unusable folder name\n", dir);
		return -1;
	}
	strcpy(world->dir, dir);
	if (stat(dir, &st) < 0 || statfs(dir, &fs) < 0) {
		fprintf(stderr, "dax-workload: %s: %s\n", dir, strerror(errno));
		return -1;
	}
	world->is_ext4 = fs.f_type == EXT4_SUPER_MAGIC;
	if (!world->is_ext4 && fs.f_type != XFS_SUPER_MAGIC) {
		fprintf(stderr, "dax-workload: %s: neither ext4 nor XFS\n", dir);
		return -1;
	}
	strcpy(world->fstype, world->is_ext4 ? "ext4" : "xfs");
	world->major = major(st.st_dev);
	world->minor = minor(st.st_dev);
	uname(&kernel);
	snprintf(world->kernel, sizeof(world->kernel), "%s", kernel.release);
	sscanf(kernel.release, "%u.%u", &major_number, &minor_number);
	world->kernel_code = DAX_KERNEL(major_number, minor_number);
	world->per_vma_lock = world->kernel_code >= DAX_KERNEL(6, 6);
	world->fallbacks_per_access = world->per_vma_lock && world->is_ext4 ? 2 : 1;
	return 0;
}

static int open_file(struct dax_run *run)
{
	struct statx stx;

	snprintf(run->path, sizeof(run->path), "%s/%s", run->world->dir, run->scenario->name);
	unlink(run->path);
	run->fd = open(run->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (run->fd < 0 || statx(run->fd, "", AT_EMPTY_PATH, STATX_INO, &stx) < 0) {
		dax_fail(run, "open");
		return -1;
	}
	run->ino = stx.stx_ino;
	if (!(stx.stx_attributes & STATX_ATTR_DAX)) {
		errno = 0;
		dax_fail(run, "the file is not DAX; mount the filesystem with -o dax");
		return -1;
	}
	return 0;
}

static void provoke_in_child(struct dax_run *run)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, run->scenario->name);
		run->pid = getpid();
		run->scenario->provoke(run);
		_exit(0);
	}
	if (pid < 0) {
		dax_fail(run, "fork");
		return;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	errno = 0;
	if (!WIFEXITED(status))
		dax_fail(run, "the scenario was killed");
}

static void run_scenario(struct dax_run *run)
{
	if (open_file(run) < 0)
		return;
	if ((!run->scenario->setup || run->scenario->setup(run) == 0) && !run->skipped)
		provoke_in_child(run);
	if (run->scenario->teardown)
		run->scenario->teardown(run);
}

static void add_words(char *line, size_t size, uint64_t count, const char *words)
{
	size_t used = strlen(line);

	if (count)
		snprintf(line + used, size - used, "%s%" PRIu64 " %s", used ? ", " : "", count,
			 words);
}

static void print_line(const struct dax_run *run)
{
	const uint64_t *n = run->counter;
	char line[400] = "";

	if (run->failed) {
		snprintf(line, sizeof(line), "FAILED: %s", run->why);
	} else if (run->scenario->racy) {
		snprintf(line, sizeof(line), "depends on the race");
	} else {
		add_words(line, sizeof(line), n[COUNT_PMD_MAPPED], "PMD mapped");
		add_words(line, sizeof(line), n[COUNT_PMD_NEEDDSYNC], "PMD synchronous");
		add_words(line, sizeof(line), n[COUNT_PMD_SIGBUS], "PMD SIGBUS");
		for (int cause = 0; cause < CAUSES; cause++) {
			char words[60];

			snprintf(words, sizeof(words), "fell back (%s)", dax_cause_names[cause]);
			add_words(line, sizeof(line), run->cause[cause], words);
		}
		add_words(line, sizeof(line), n[COUNT_PTE_MAPPED], "PTE mapped");
		add_words(line, sizeof(line), n[COUNT_PTE_NEEDDSYNC], "PTE synchronous");
		add_words(line, sizeof(line), n[COUNT_PTE_COW], "PTE copied");
		add_words(line, sizeof(line), n[COUNT_PTE_SIGBUS], "PTE SIGBUS");
		add_words(line, sizeof(line), n[COUNT_WRITEBACK_ONE], "written back");
	}
	printf("%-4s %-20s %-35s %s%s%s\n", run->world->fstype, run->scenario->name,
	       run->scenario->what, line, run->skipped ? "; " : "", run->skipped ? run->why : "");
	fflush(stdout);
}

static void write_counts(FILE *file, const char *name, const uint64_t *counts,
			 const char *const *names, size_t count, bool all)
{
	const char *comma = "";

	fprintf(file, ", \"%s\": {", name);
	for (size_t i = 0; i < count; i++) {
		if (!all && !counts[i])
			continue;
		fprintf(file, "%s\"%s\": %" PRIu64, comma, names[i], counts[i]);
		comma = ", ";
	}
	fputs("}", file);
}

/*
 * {"format": 1, "kernel": "6.12.1-amd64", "fstype": "ext4", "major": 259, "minor": 0, "scenarios":
 * [ {"name": "mapping-misaligned", "path": "/mnt/mapping-misaligned", "ino": 18,
 *  "pid": 301, "address": 140000000004096,
 *  "length": 6291456, "exact": true, "skipped": false, "counts": {"pmd": 2, ...},
 *  "causes": {"mapping-misaligned": 2}, "also": []}, ...]}
 */
static int write_expectations(const char *path, const struct dax_world *world,
			      const struct dax_run *runs)
{
	FILE *file = fopen(path, "w");
	const char *comma = "";

	if (!file) {
		fprintf(stderr, "dax-workload: %s: %s\n", path, strerror(errno));
		return -1;
	}
	fprintf(file,
		"{\"format\": 1, \"kernel\": \"%s\", \"fstype\": \"%s\", \"dir\": \"%s\", "
		"\"major\": %u, \"minor\": %u, \"scenarios\": [",
		world->kernel, world->fstype, world->dir, world->major, world->minor);
	for (size_t i = 0; i < dax_scenario_count; i++) {
		const struct dax_run *run = &runs[i];
		const char *also = "";

		if (!run->pid)
			continue;
		fprintf(file,
			"%s\n{\"name\": \"%s\", \"path\": \"%s\", \"ino\": %" PRIu64
			", \"pid\": %d, "
			"\"address\": %" PRIu64 ", \"length\": %" PRIu64
			", \"exact\": %s, \"skipped\": %s",
			comma, run->scenario->name, run->path, run->ino, (int)run->pid,
			run->address, run->length, run->scenario->racy ? "false" : "true",
			run->skipped ? "true" : "false");
		write_counts(file, "counts", run->counter, dax_counter_names, COUNTERS, true);
		write_counts(file, "causes", run->cause, dax_cause_names, CAUSES, false);
		fputs(", \"also\": [", file);
		for (int cause = 0; cause < CAUSES; cause++) {
			if (!run->holds[cause])
				continue;
			fprintf(file, "%s\"%s\"", also, dax_cause_names[cause]);
			also = ", ";
		}
		fputs("]}", file);
		comma = ",";
	}
	fputs("\n]}\n", file);
	if (fclose(file)) {
		fprintf(stderr, "dax-workload: %s: %s\n", path, strerror(errno));
		return -1;
	}
	return 0;
}

/* Each round has new mappings and processes, but the same files. No counts are expected. */
static void keep_provoking(const struct options *options, struct dax_run *runs)
{
	puts("looping until stopped");
	fflush(stdout);
	while (!stop) {
		for (size_t i = 0; i < dax_scenario_count && !stop; i++) {
			if (!runs[i].pid || runs[i].failed || dax_scenarios[i].once)
				continue;
			provoke_in_child(&runs[i]);
			runs[i].failed = false;
			usleep(options->pause_ms * 1000);
		}
	}
}

static int parse(int argc, char **argv, struct options *options)
{
	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];
		bool value = i + 1 < argc;

		if (!strcmp(arg, "--list"))
			options->list = true;
		else if (!strcmp(arg, "--loop"))
			options->loop = true;
		else if (!strcmp(arg, "--quiet"))
			options->quiet = true;
		else if (!strcmp(arg, "--expect") && value)
			options->expect = argv[++i];
		else if (!strcmp(arg, "--only") && value)
			options->only = argv[++i];
		else if (!strcmp(arg, "--pause") && value)
			options->pause_ms = (unsigned int)strtoul(argv[++i], NULL, 10);
		else if (arg[0] != '-' && !options->dir)
			options->dir = arg;
		else
			return -1;
	}
	return options->dir || options->list ? 0 : -1;
}

int main(int argc, char **argv)
{
	size_t size = dax_scenario_count * sizeof(struct dax_run), done = 0;
	struct sigaction action = { .sa_handler = on_stop };
	struct options options = { 0 };
	struct dax_world world = { 0 };
	struct dax_run *runs;
	int failed = 0;

	if (parse(argc, argv, &options) < 0) {
		usage(stderr);
		return 2;
	}
	for (size_t i = 0; options.list && i < dax_scenario_count; i++)
		printf("%-20s %s\n", dax_scenarios[i].name, dax_scenarios[i].what);
	if (options.list)
		return 0;
	if (look_around(&world, options.dir) < 0)
		return 2;
	runs = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (runs == MAP_FAILED)
		return 1;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	for (size_t i = 0; i < dax_scenario_count && !stop; i++) {
		struct dax_run *run = &runs[i];

		run->scenario = &dax_scenarios[i];
		run->world = &world;
		if (!selected(&options, run->scenario->name))
			continue;
		run_scenario(run);
		failed += run->failed;
		done++;
		if (!options.quiet || run->failed)
			print_line(run);
	}
	if (!done)
		fprintf(stderr, "dax-workload: no such scenario: %s\n", options.only);
	if (options.expect && write_expectations(options.expect, &world, runs) < 0)
		return 1;
	if (options.loop)
		keep_provoking(&options, runs);
	return failed || !done;
}
