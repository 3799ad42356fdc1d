// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the list of recorder processes: from a synthetic /proc to the system information and back.
 */
#include "lttng-session/sysinfo/sysinfo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "reader/sysinfo/sysinfo.h"
#include "tests/unit/machine.h"

#define TICK_NS (1000000000 / sysconf(_SC_CLK_TCK))

#define PROGRAM "/usr/lib/lttng-mm/lttng-mm"
#define CLIENT "/usr/bin/lttng-mm"

static const struct process_case {
	const char *name;
	int pid, parent, start;
	bool records, without_pid_file;
	const char *program; /* NULL: unreadable */
} processes[] = {
	{ "init", 1, 0, 1, false, false, "/usr/lib/systemd/systemd" },
	{ "lttng-sessiond", 40, 1, 3, false, true,
	  NULL }, /* another user's; the PID file names the next process */
	{ "lttng-sessiond", 90, 1, 700, true, false, NULL },
	{ "lttng-runas", 91, 90, 701, true, false, NULL },
	{ "lttng-consumerd", 100, 90, 702, true, false, NULL },
	{ "lttng-consumerd", 101, 40, 702, false, true, NULL },
	/* child of a child; a hostile name */
	{ "a) R 1 (b", 110, 100, 703, true, false, NULL },
	{ "bash", 120, 1, 704, false, false, "/bin/bash" },
	{ "lttng-mm", 130, 120, 705, false, false, "/home/u/lttng-mm" }, /* another program */
	/*
	 * The client that requests the snapshot, and the daemon, whose program an upgrade has
	 * replaced
	 */
	{ "lttng-mm", 140, 120, 8000, true, true, CLIENT },
	{ "lttng-mm-serve", 150, 1, 600, true, true, PROGRAM " (deleted)" },
	/* The command of a trigger, which is the daemon's child, but another program */
	{ "sh", 151, 150, 8500, false, false, "/bin/sh" },
};
static const size_t process_count = sizeof(processes) / sizeof(processes[0]);

static void write_program(const char *folder, const char *program)
{
	char file[64];

	snprintf(file, sizeof(file), "%s/exe", folder);
	if (symlink(program, machine_path(file)))
		tap_bail("%s cannot be made", file);
}

static void write_process(int pid, int parent, int start, const char *name, const char *program)
{
	char file[64], text[512];

	snprintf(file, sizeof(file), "proc/%d", pid);
	machine_make_folder(file);
	if (program)
		write_program(file, program);
	snprintf(file, sizeof(file), "proc/%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (%s) S %d 5 5 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %d 99 98 97\n", pid, name,
		 parent, start);
	machine_write(file, text);
}

/* Does the list contain the recorder's processes of the table, and this program? */
static bool lists(int folder, bool without_pid_file)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_sysinfo *sysinfo;
	int64_t start_ns = -1;
	bool as_expected;

	if (sysinfo_write_recorder(folder, &err))
		return false;
	sysinfo = mm_sysinfo_load_folder(machine_root, NULL, mm_sysinfo_part_at);
	as_expected = mm_sysinfo_lists_recorder(sysinfo);
	for (size_t i = 0; i < process_count; i++) {
		const struct process_case *process = &processes[i];
		bool expected = without_pid_file ? process->without_pid_file : process->records;

		if (mm_sysinfo_is_recorder(sysinfo, process->pid, &start_ns) != expected ||
		    (expected && start_ns != process->start * TICK_NS))
			as_expected = false;
	}
	as_expected &= mm_sysinfo_is_recorder(sysinfo, (int)getpid(), &start_ns) &&
		       start_ns == 9000 * TICK_NS;
	mm_sysinfo_destroy(sysinfo);
	unlinkat(folder, "recorder.json", 0);
	return as_expected;
}

static void remove_process(int pid)
{
	char file[64];

	snprintf(file, sizeof(file), "proc/%d/stat", pid);
	unlink(machine_path(file));
	snprintf(file, sizeof(file), "proc/%d/exe", pid);
	unlink(machine_path(file));
	snprintf(file, sizeof(file), "proc/%d", pid);
	rmdir(machine_path(file));
}

int main(void)
{
	static const char *const folders[] = { "proc",	  "run",       "run/lttng",
					       "sysinfo", "proc/self", NULL };
	struct mm_sysinfo *sysinfo;
	int64_t start_ns;
	int folder;

	machine_create(folders);
	for (size_t i = 0; i < process_count; i++)
		write_process(processes[i].pid, processes[i].parent, processes[i].start,
			      processes[i].name, processes[i].program);
	write_process((int)getpid(), 120, 9000, "lttng-mm", PROGRAM);
	write_program("proc/self", PROGRAM);
	folder = open(machine_path("sysinfo"), O_RDONLY | O_DIRECTORY);

	sysinfo = mm_sysinfo_load_folder(machine_root, NULL, mm_sysinfo_part_at);
	tap(!mm_sysinfo_lists_recorder(sysinfo) && !mm_sysinfo_is_recorder(sysinfo, 90, &start_ns),
	    "without a list there is no recorder");
	mm_sysinfo_destroy(sysinfo);
	machine_write("run/lttng/lttng-sessiond.pid", "90\n");
	tap(lists(folder, false),
	    "the daemon that the file names, its children and what runs this program");
	machine_write("run/lttng/lttng-sessiond.pid", "120\n");
	tap(lists(folder, true), "a file that names another program: the first daemon");
	unlink(machine_path("run/lttng/lttng-sessiond.pid"));
	tap(lists(folder, true), "no file: the first daemon");

	close(folder);
	remove_process((int)getpid());
	unlink(machine_path("proc/self/exe"));
	for (size_t i = 0; i < process_count; i++)
		remove_process(processes[i].pid);
	for (size_t i = sizeof(folders) / sizeof(folders[0]) - 1; i-- > 0;)
		rmdir(machine_path(folders[i]));
	tap(!rmdir(machine_root), "nothing else was written");
	return tap_status();
}
