// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes the files about the system, mounts and processes, and calls the functions that write the
 * other files.
 */
#include "lttng-session/sysinfo/sysinfo.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "lttng-session/sysinfo/write-json.h"
#include "lttng-session/system/cgroup.h"
#include "lttng-session/system/cmdline.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/system/modules.h"
#include "lttng-session/system/mount-options.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "util/clock.h"
#include "util/escape.h"
#include "util/json-file.h"
#include "util/mounts.h"

static void set_line(json_t *object, const char *key, const char *path)
{
	char text[4096];

	mounts_read_line(path, text, sizeof(text));
	json_object_set_new(object, key, mm_json_text(text));
}

/* Sets @key to the word in brackets in a line such as `always [madvise] never`. */
static void set_choice(json_t *object, const char *key, const char *path)
{
	char text[256], *start, *end;

	mounts_read_line(path, text, sizeof(text));
	start = strchr(text, '[');
	end = start ? strchr(start, ']') : NULL;
	if (end)
		*end = '\0';
	json_object_set_new(object, key, mm_json_text(end ? start + 1 : text));
}

/* Returns a JSON boolean, or null if it is unknown. */
static json_t *kaslr_safe(enum sysinfo_kaslr kaslr)
{
	return kaslr == SYSINFO_KASLR_UNKNOWN ? json_null()
					      : json_boolean(kaslr == SYSINFO_KASLR_SAFE);
}

static int write_system(int folder, const char *session, bool partial, bool symbols_hidden,
			enum sysinfo_kaslr kaslr, struct mm_error *err)
{
	char text[256], build_id[BUILD_ID_MAX], *cmdline;
	json_t *system = json_object();
	struct utsname name;

	uname(&name);
	json_object_set_new(system, "format", json_integer(1));
	json_object_set_new(system, "hostname", mm_json_text(name.nodename));
	json_object_set_new(system, "kernel_release", mm_json_text(name.release));
	json_object_set_new(system, "kernel_version", mm_json_text(name.version));
	json_object_set_new(system, "machine", mm_json_text(name.machine));
	cmdline = cmdline_without_secrets();
	json_object_set_new(system, "cmdline", cmdline ? mm_json_text(cmdline) : json_null());
	free(cmdline);
	set_line(system, "boot_id", "/proc/sys/kernel/random/boot_id");
	modules_kernel_build_id(build_id);
	json_object_set_new(system, "build_id", json_string(build_id));
	json_object_set_new(system, "symbols", json_string(symbols_hidden ? "hidden" : "shown"));
	json_object_set_new(system, "kaslr_safe", kaslr_safe(kaslr));
	json_object_set_new(system, "page_size", json_integer(sysconf(_SC_PAGESIZE)));
	mounts_read_line("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", text, sizeof(text));
	json_object_set_new(system, "pmd_size", json_integer(atoll(text)));
	set_choice(system, "transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled");
	mounts_read_line("/sys/kernel/mm/transparent_hugepage/use_zero_page", text, sizeof(text));
	json_object_set_new(system, "use_zero_page", json_integer(atoll(text)));
	json_object_set_new(system, "nr_cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(system, "session", mm_json_text(session));
	json_object_set_new(system, "selection", json_string(partial ? "part" : "all"));
	json_object_set_new(system, "tool_version", json_string(LTTNG_MM_VERSION));
	set_line(system, "lttng_modules_version", "/sys/module/lttng_tracer/version");
	json_object_set_new(system, "snapshot_realtime_ns",
			    json_integer(mm_clock_ns(CLOCK_REALTIME)));
	json_object_set_new(system, "snapshot_monotonic_ns",
			    json_integer(mm_clock_ns(CLOCK_MONOTONIC)));
	json_object_set_new(system, "snapshot_boottime_ns",
			    json_integer(mm_clock_ns(CLOCK_BOOTTIME)));
	return sysinfo_write_json(folder, "system.json", system, err);
}

struct mounts_ctx {
	json_t *mounts;
	struct allow_list allowed; /* mount options whose values are not secret */
};

static int add_mount(const struct mount *mount, void *user)
{
	struct mounts_ctx *ctx = user;
	char *options = mount_options_without_secrets(&ctx->allowed, mount->options);
	json_t *entry = json_object();

	json_object_set_new(entry, "major", json_integer(mount->major));
	json_object_set_new(entry, "minor", json_integer(mount->minor));
	json_object_set_new(entry, "mountpoint", mm_json_text(mount->mountpoint));
	json_object_set_new(entry, "root", mm_json_text(mount->root));
	json_object_set_new(entry, "fstype", mm_json_text(mount->fstype));
	json_object_set_new(entry, "source", mm_json_text(mount->source));
	json_object_set_new(entry, "options", options ? mm_json_text(options) : json_null());
	json_object_set_new(entry, "dax", mm_json_text(mount->dax));
	json_array_append_new(ctx->mounts, entry);
	free(options);
	return 0;
}

static int write_mounts(int folder, struct mm_error *err)
{
	struct mounts_ctx ctx = { .mounts = json_array() };

	mount_options_list(&ctx.allowed);
	mounts_each(add_mount, &ctx);
	allow_release(&ctx.allowed);
	return sysinfo_write_json(folder, "mounts.json", ctx.mounts, err);
}

static void add_threads(json_t *processes, const char *pid)
{
	char path[512], comm[64];
	struct dirent *thread;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	tasks = opendir(path);
	while (tasks && (thread = readdir(tasks))) {
		json_t *entry;

		if (!isdigit((unsigned char)thread->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task/%s/comm", pid, thread->d_name);
		mounts_read_line(path, comm, sizeof(comm));
		entry = json_object();
		json_object_set_new(entry, "tid", json_integer(atoll(thread->d_name)));
		json_object_set_new(entry, "pid", json_integer(atoll(pid)));
		json_object_set_new(entry, "comm", mm_json_text(comm));
		json_array_append_new(processes, entry);
	}
	if (tasks)
		closedir(tasks);
}

static int write_processes(int folder, struct mm_error *err)
{
	json_t *processes = json_array();
	DIR *proc = opendir("/proc");
	struct dirent *process;

	while (proc && (process = readdir(proc)))
		if (isdigit((unsigned char)process->d_name[0]))
			add_threads(processes, process->d_name);
	if (proc)
		closedir(proc);
	return sysinfo_write_json(folder, "processes.json", processes, err);
}

static void add_module(const struct loaded_module *module, void *user)
{
	json_t *entry = json_object(), *modules = user;

	json_object_set_new(entry, "index", json_integer((json_int_t)json_array_size(modules)));
	json_object_set_new(entry, "name", mm_json_text(module->name));
	json_object_set_new(entry, "size", json_integer((json_int_t)module->size));
	json_object_set_new(entry, "build_id", json_string(module->build_id));
	json_array_append_new(modules, entry);
}

static int write_modules(int folder, struct mm_error *err)
{
	json_t *modules = json_array();

	modules_each(add_module, modules);
	return sysinfo_write_json(folder, "modules.json", modules, err);
}

struct sysinfo_ctx {
	int folder;
	struct sysinfo_gaps *gaps;
	unsigned long watch;
	struct mm_error err;
};

/*
 * Finishes @file. Removes an incomplete file, because readers could not see that it is incomplete.
 */
static void end_file(struct sysinfo_ctx *ctx, const char *file, int failed)
{
	struct sysinfo_gaps *gaps = ctx->gaps;

	if (mm_json_unwatch(ctx->watch) && !failed)
		failed = mm_error_set(&ctx->err, MM_EXIT_ENVIRONMENT,
				      "snapshot: sysinfo/%s: out of memory", file);
	if (failed) {
		if (ctx->folder >= 0)
			unlinkat(ctx->folder, file, 0);
		gaps->all[gaps->count].file = file;
		gaps->all[gaps->count++].err = ctx->err;
	}
	mm_error_clear(&ctx->err);
	ctx->watch = mm_json_watch();
}

static const struct {
	const char *file;
	int (*write)(int folder, struct mm_error *err);
} files[] = {
	{ "mounts.json", write_mounts },
	{ "processes.json", write_processes },
	{ "recorder.json", sysinfo_write_recorder },
	{ "modules.json", write_modules },
	{ "files.json", sysinfo_write_files },
};

_Static_assert(sizeof(files) / sizeof(files[0]) + 5 + MM_SYSINFO_PARTS_MAX == SYSINFO_FILES,
	       "each file may be missing");

int sysinfo_write_part(int folder, const struct mm_sysinfo_part *part, struct mm_error *err)
{
	json_t *list = part->collect();

	if (!list)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: sysinfo/%s: out of memory",
				    part->name);
	return sysinfo_write_json(folder, part->name, list, err);
}

int sysinfo_write_cgroup(int folder, const char *cgroup, struct mm_error *err)
{
	json_t *memory = cgroup_memory(cgroup);

	return memory ? sysinfo_write_json(folder, MM_SYSINFO_CGROUP, json_pack("[o]", memory), err)
		      : 0;
}

/* Writes how much memory is charged to the recorder's target cgroup, if the plan has one. */
static int write_planned_cgroup(int folder, const char *session, struct mm_error *err)
{
	const struct plan_session *found;
	struct mm_error ignored = MM_ERROR_INIT;
	const char *cgroup = NULL;
	struct plan plan;
	int ret = 0;

	if (plan_read(&plan, &ignored)) {
		mm_error_clear(&ignored);
		return 0;
	}
	found = plan_find_targets(&plan);
	if (found && (!strcmp(found->recorder, session) || !strcmp(found->name, session)))
		cgroup = json_string_value(json_object_get(plan_session_targets(found), "cgroup"));
	if (cgroup)
		ret = sysinfo_write_cgroup(folder, cgroup, err);
	plan_release(&plan);
	return ret;
}

void sysinfo_write(int snapshot, const struct sysinfo_modules *before, const char *session,
		   const char *cgroup, bool partial, struct sysinfo_gaps *gaps)
{
	struct sysinfo_ctx ctx = { .folder = folder_make(snapshot, "sysinfo", 0750), .gaps = gaps };
	struct mm_error *err = &ctx.err;
	int folder = ctx.folder;
	const struct mm_sysinfo_part *part;
	bool hidden;

	gaps->count = 0;
	gaps->kaslr = sysinfo_find_kaslr(snapshot);
	if (recorder_reveals_kaslr(session))
		gaps->kaslr = SYSINFO_KASLR_REVEALED;
	ctx.watch = mm_json_watch();
	if (folder < 0) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: sysinfo/: %s", strerror(errno));
		end_file(&ctx, "", -1);
		mm_json_unwatch(ctx.watch);
		return;
	}
	end_file(&ctx, "symbols.txt", sysinfo_write_symbols(folder, before, &hidden, err));
	end_file(&ctx, "system.json",
		 write_system(folder, session, partial, hidden, gaps->kaslr, err));
	if (gaps->kaslr == SYSINFO_KASLR_REVEALED)
		end_file(&ctx, "addresses.json", sysinfo_write_addresses(folder, before, err));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		end_file(&ctx, files[i].file, files[i].write(folder, err));
	for (size_t i = 0; i < MM_SYSINFO_PARTS_MAX && (part = mm_sysinfo_part_at(i)); i++)
		if (part->collect)
			end_file(&ctx, part->name, sysinfo_write_part(folder, part, err));
	end_file(&ctx, MM_SYSINFO_CGROUP,
		 cgroup ? sysinfo_write_cgroup(folder, cgroup, err)
			: write_planned_cgroup(folder, session, err));
	end_file(&ctx, "traces.json", sysinfo_write_traces(folder, snapshot, err));
	mm_json_unwatch(ctx.watch);
	close(folder);
}
