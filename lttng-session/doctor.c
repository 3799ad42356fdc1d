// SPDX-License-Identifier: LGPL-2.1-only
/* Checks what recording requires. A table lists one function per check. */
#include "lttng-session/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "instrumentation/wire/pageref.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "util/mounts.h"
#include "util/text.h"

static void say(struct doctor_result *result, enum doctor_state state, const char *remedy,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static void say(struct doctor_result *result, enum doctor_state state, const char *remedy,
		const char *fmt, ...)
{
	va_list args;

	result->state = state;
	snprintf(result->remedy, sizeof(result->remedy), "%s", remedy);
	va_start(args, fmt);
	vsnprintf(result->text, sizeof(result->text), fmt, args);
	va_end(args);
}

static const char *release(void)
{
	static struct utsname name;
	static char faked[128];

	mounts_read_line("/proc/sys/kernel/osrelease", faked, sizeof(faked));
	if (*mounts_root() && *faked)
		return faked;
	uname(&name);
	return name.release;
}

static bool exists(const char *folder, const char *name, const char *in_it)
{
	char path[PATH_MAX];
	struct stat st;

	return !mounts_path(path, sizeof(path), "%s/%s%s", folder, name, in_it) && !stat(path, &st);
}

/* The kernels that `make check SUITES=all` tests. The README lists them, too. */
#define TESTED "6.1, 6.12 and 7.2"
#define VERSION(major, minor) ((major)*1000 + (minor))
static const int tested_versions[] = { VERSION(6, 1), VERSION(6, 12),
				       VERSION(7, 2) }; /* ascending */

static bool is_tested(int version)
{
	for (size_t i = 0; i < sizeof(tested_versions) / sizeof(tested_versions[0]); i++)
		if (tested_versions[i] == version)
			return true;
	return false;
}

static void check_kernel(struct doctor_result *result)
{
	int major = 0, minor = 0, version;

	sscanf(release(), "%d.%d", &major, &minor);
	version = VERSION(major, minor);
	if (version < tested_versions[0])
		say(result, DOCTOR_MISSING, "apt-get install linux-image-amd64 && reboot",
		    "Linux %s is too old; 6.1 or later is required", release());
	else if (!is_tested(version))
		say(result, DOCTOR_NOTE, "",
		    "Linux %s is untested; the tested versions are " TESTED, release());
	else
		say(result, DOCTOR_OK, "", "Linux %s (tested versions: " TESTED ")", release());
}

static void check_headers(struct doctor_result *result)
{
	char remedy[256];

	if (exists("/lib/modules", release(), "/build/Makefile")) {
		say(result, DOCTOR_OK, "", "headers of %s", release());
		return;
	}
	snprintf(remedy, sizeof(remedy), "apt-get install linux-headers-%s", release());
	say(result, DOCTOR_NOTE, remedy,
	    "no headers of the running kernel; modules can be used, but not built");
}

/* Does the kernel's module folder contain a module of this name, compressed or not? */
static bool have_module(const char *name)
{
	char path[PATH_MAX], want[128], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *file;

	mounts_path(path, sizeof(path), "/lib/modules/%s/modules.dep", release());
	snprintf(want, sizeof(want), "/%s.ko", name);
	file = fopen(path, "re");
	while (file && !found && getline(&line, &size, file) > 0) {
		line[strcspn(line, ":")] = '\0';
		found = strstr(line, want);
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

static void check_tracer(struct doctor_result *result)
{
	char version[64];

	mounts_read_line("/sys/module/lttng_tracer/version", version, sizeof(version));
	if (*version)
		say(result, DOCTOR_OK, "", "lttng-modules %s, loaded", version);
	else if (have_module("lttng-tracer"))
		say(result, DOCTOR_OK, "", "lttng-modules for %s", release());
	else
		say(result, DOCTOR_MISSING, "make install (in lttng-mm's source)",
		    "no lttng-modules for %s", release());
}

static void check_versions(struct doctor_result *result)
{
	char loaded[64];
	int major = 0, minor = 0;

	mounts_read_line("/sys/module/lttng_tracer/version", loaded, sizeof(loaded));
	if (sscanf(loaded, "%d.%d", &major, &minor) != 2)
		say(result, DOCTOR_OK, "", "lttng-tools %d.%d; the tracer is not loaded yet",
		    LTTNG_MM_TOOLS_MAJOR, LTTNG_MM_TOOLS_MINOR);
	else if (major == LTTNG_MM_TOOLS_MAJOR && minor == LTTNG_MM_TOOLS_MINOR)
		say(result, DOCTOR_OK, "", "lttng-tools and lttng-modules are both %d.%d", major,
		    minor);
	else
		say(result, DOCTOR_MISSING, "make install (in lttng-mm's source)",
		    "lttng-tools is %d.%d, the loaded lttng-modules %d.%d", LTTNG_MM_TOOLS_MAJOR,
		    LTTNG_MM_TOOLS_MINOR, major, minor);
}

static bool probe_loaded(const char *module)
{
	char name[128];

	/* /sys/module uses underscores where the module's file name has dashes. */
	snprintf(name, sizeof(name), "%s", module);
	for (char *c = name; (c = strchr(c, '-'));)
		*c = '_';
	return exists("/sys/module", name, "");
}

/* Adds @module to the text @present or to the text @missing. Both have 256 bytes. */
static void look_for_module(const char *module, char *present, char *missing)
{
	bool loaded = probe_loaded(module);
	char word[128];

	snprintf(word, sizeof(word), "%s%s", module, loaded ? " (loaded)" : "");
	mm_words_add(loaded || have_module(module) ? present : missing, 256, word);
}

/*
 * Returns the subsystem's profile, or NULL if it has none. If the profile is unreadable, returns
 * NULL, and stores the reason in @why (256 bytes; may be NULL), unless @why already has one.
 */
static struct profile *load_profile(const struct mm_subsystem *subsystem, char *why)
{
	struct mm_error err = MM_ERROR_INIT;
	struct profile *profile;

	if (!subsystem->profile)
		return NULL;
	profile = profile_load(subsystem->profile, &err);
	if (!profile && why && !*why)
		snprintf(why, 256, "%s", err.message);
	return profile;
}

static void check_probe(struct doctor_result *result)
{
	char missing[256] = "", present[256] = "", uninstalled[256] = "";

	/*
	 * Each probe needs this library. modprobe loads the library with the probe, and fails if
	 * the library is missing.
	 */
	look_for_module("lttng-mm-lib", present, missing);
	for (size_t i = 0; mm_subsystems[i]; i++) {
		struct profile *profile = load_profile(mm_subsystems[i], uninstalled);

		if (profile && profile->module)
			look_for_module(profile->module, present, missing);
		profile_destroy(profile);
	}
	if (*uninstalled)
		say(result, DOCTOR_MISSING, "make install (in lttng-mm's source)", "%s",
		    uninstalled);
	else if (*missing)
		say(result, DOCTOR_MISSING, "make install (in lttng-mm's source)", "no %s for %s",
		    missing, release());
	else
		say(result, DOCTOR_OK, "", "%s for %s", present, release());
}

static bool secure_boot(void)
{
	char path[PATH_MAX];
	unsigned char variable[5] = { 0 };
	FILE *file;

	mounts_path(path, sizeof(path),
		    "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
	file = fopen(path, "re");
	if (file && fread(variable, 1, sizeof(variable), file) != sizeof(variable))
		variable[4] = 0;
	if (file)
		fclose(file);
	/* The variable starts with four bytes of attributes. */
	return variable[4] == 1;
}

static void check_lockdown(struct doctor_result *result)
{
	char line[128], enforced[16];

	mounts_read_line("/sys/kernel/security/lockdown", line, sizeof(line));
	mounts_read_line("/sys/module/module/parameters/sig_enforce", enforced, sizeof(enforced));
	if ((strstr(line, "[integrity]") || strstr(line, "[confidentiality]")) ||
	    enforced[0] == 'Y')
		say(result, DOCTOR_MISSING,
		    "mokutil --import /var/lib/dkms/mok.pub && reboot (and sign the modules)",
		    "the kernel accepts only signed modules (%s)",
		    secure_boot() ? "Secure Boot, lockdown" : "lockdown or module.sig_enforce");
	else if (secure_boot())
		say(result, DOCTOR_NOTE, "", "Secure Boot is on, but unsigned modules are allowed");
	else
		say(result, DOCTOR_OK, "", "unsigned modules are allowed");
}

/*
 * Returns the user ID of a running lttng-sessiond, or -1 if none is running. If several are
 * running, prefers root's.
 */
static long daemon_owner(void)
{
	struct dirent *process;
	DIR *proc = opendir("/proc");
	long owner = -1;

	while (proc && owner && (process = readdir(proc))) {
		char path[300], comm[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%s/comm", process->d_name);
		mounts_read_line(path, comm, sizeof(comm));
		/* The kernel truncates names to 15 characters. This name has 14. */
		if (!strcmp(comm, "lttng-sessiond") && !stat(path, &st))
			owner = st.st_uid;
	}
	if (proc)
		closedir(proc);
	return owner;
}

/* Would `lttng-mm record` find the session daemon's program? */
static bool have_daemon(void)
{
	const char *path = getenv("PATH");
	char program[1024];

	while (path && *path) {
		size_t length = strcspn(path, ":");

		snprintf(program, sizeof(program), "%.*s/lttng-sessiond", (int)length, path);
		if (!access(program, X_OK))
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

static void check_daemon(struct doctor_result *result)
{
	if (*mounts_root())
		say(result, DOCTOR_OK, "", "not checked, because LTTNG_MM_ROOT is set");
	else if (lttng_session_daemon_alive() == 1)
		say(result, DOCTOR_OK, "", "a session daemon is running as user id %ld",
		    daemon_owner());
	else if (daemon_owner() >= 0)
		say(result, DOCTOR_NOTE, "sudo usermod -aG tracing $USER (then log in again)",
		    "the running session daemon (user id %ld) is not accessible", daemon_owner());
	else if (!have_daemon())
		say(result, DOCTOR_MISSING, "apt-get install lttng-tools",
		    "no session daemon is running, and lttng-sessiond is not installed");
	else
		say(result, DOCTOR_OK, "",
		    "no session daemon is running; `lttng-mm record` starts one");
}

/* Does a state session, or @session itself, record the state dump for @session? */
static bool has_dump(const char *session)
{
	struct recorder_session *list = NULL;
	struct mm_error err = MM_ERROR_INIT;
	int count = recorder_sessions(session, &list, &err);
	bool dumps = false;

	for (int i = 0; i < count; i++)
		dumps |= list[i].dumps;
	free(list);
	return dumps;
}

/*
 * Checks that a recorder has a state session if and only if its profile has a state dump. Another
 * user may have chosen the name of a session, so remedies contain NAME instead of that name.
 */
static void check_recorder(struct doctor_result *result, const struct recorder_status *status)
{
	struct mm_error err = MM_ERROR_INIT;
	struct profile *profile = profile_load(status->profile, &err);
	char remedy[256];

	if (status->gone) {
		say(result, DOCTOR_NOTE, "lttng-mm status",
		    "session %s is gone: another program destroyed it, or the session daemon exited",
		    status->session);
	} else if (status->state) {
		say(result, DOCTOR_NOTE, "lttng-mm stop --session NAME",
		    "session %s dumps state for a recorder that no longer exists", status->session);
	} else if (profile && profile->state_events.count && !has_dump(status->session)) {
		snprintf(remedy, sizeof(remedy),
			 "lttng-mm stop --session NAME && lttng-mm record %s --session NAME",
			 profile->name);
		say(result, DOCTOR_NOTE, remedy,
		    "session %s has lost its state session, so its snapshots lack the names of threads and caches",
		    status->session);
	}
	profile_destroy(profile);
}

static void check_recorders(struct doctor_result *result)
{
	struct recorder_status *list = NULL;
	struct mm_error err = MM_ERROR_INIT;
	int count = 0, running = 0;

	if (!*mounts_root() && lttng_session_daemon_alive() == 1)
		count = recorder_list(&list, NULL, &err);
	for (int i = 0; list && i < count; i++)
		running += !list[i].owned && !list[i].gone;
	say(result, DOCTOR_OK, "",
	    running == 1 ? "%d recorder is running" : "%d recorders are running", running);
	for (int i = 0; list && i < count; i++)
		if (!list[i].owned)
			check_recorder(result, &list[i]);
	if (count < 0 && strstr(err.message, "plan: "))
		say(result, DOCTOR_NOTE, "rm /run/lttng-mm/recorder.json", "%s", err.message);
	free(list);
}

static bool in_group(const char *name)
{
	struct group *group = getgrnam(name);
	gid_t groups[256];
	int count = getgroups(256, groups);

	for (int i = 0; group && i < count; i++)
		if (groups[i] == group->gr_gid)
			return true;
	return false;
}

static void check_permission(struct doctor_result *result)
{
	char record[64];

	snprintf(record, sizeof(record), "sudo lttng-mm record %s", mm_profile_example());
	if (!geteuid())
		say(result, DOCTOR_OK, "", "you are root");
	else if (in_group("tracing"))
		say(result, DOCTOR_NOTE, record,
		    "you are in the group tracing: you can take snapshots with root's daemon, but only root can start and stop a recorder");
	else
		say(result, DOCTOR_MISSING, "sudo usermod -aG tracing $USER (then log in again)",
		    "you are neither root nor in the group tracing");
}

static void check_tracefs(struct doctor_result *result)
{
	if (exists("/sys/kernel/tracing", "events", "") || geteuid())
		say(result, DOCTOR_OK, "", "tracefs");
	else
		say(result, DOCTOR_NOTE, "mount -t tracefs tracefs /sys/kernel/tracing",
		    "tracefs is not mounted; only comparisons with ftrace require it");
}

/* Is the kernel option on? Returns 1, 0, or -1 if the kernel's options are unknown. */
static int has_option(const char *option)
{
	char path[PATH_MAX], line[512];
	size_t length = strlen(option);
	int found = -1;
	FILE *file;

	mounts_path(path, sizeof(path), "/boot/config-%s", release());
	file = fopen(path, "re");
	while (file && found < 1 && fgets(line, sizeof(line), file))
		found = !strncmp(line, option, length) && line[length] == '=' &&
			strchr("ym", line[length + 1]);
	if (file)
		fclose(file);
	return found;
}

/* If an optional requirement is missing, reports it and its purpose, and returns true. */
static bool lacks(struct doctor_result *result, const struct mm_need *need)
{
	if (need->kind == MM_NEED_BTF && !exists("/sys/kernel/btf", "vmlinux", ""))
		say(result, DOCTOR_NOTE, "apt-get install linux-image-amd64 && reboot",
		    "the kernel has no BTF: %s", need->reason);
	/* Only root can see whether this file exists. */
	else if (need->kind == MM_NEED_TRACEFS && !geteuid() &&
		 !exists("/sys/kernel/tracing", "available_filter_functions", ""))
		say(result, DOCTOR_NOTE, "mount -t tracefs tracefs /sys/kernel/tracing",
		    "there is no list of functions below /sys/kernel/tracing: %s", need->reason);
	else
		return false;
	return true;
}

static void check_requirement(struct doctor_result *result,
			      const struct mm_requirement *requirement)
{
	struct mm_check check;
	bool has = requirement->check(&check);

	say(result, has ? DOCTOR_OK : DOCTOR_NOTE, check.remedy, "%s", check.text);
}

static void check_needs(struct doctor_result *result, const struct mm_subsystem *subsystem)
{
	static const struct mm_need none[] = { { 0 } };
	const struct mm_need *needs = subsystem->needs ? subsystem->needs : none, *need;
	int known = 1;

	for (need = needs; need->kind; need++) {
		int has = need->kind == MM_NEED_CONFIG ? has_option(need->name) : 1;

		if (has < 0)
			known = 0;
		if (!has) {
			say(result, DOCTOR_MISSING, "apt-get install linux-image-amd64 && reboot",
			    "the kernel has no %s: %s", need->name, need->reason);
			return;
		}
	}
	for (need = needs; need->kind; need++)
		if (lacks(result, need))
			return;
	if (subsystem->requirement)
		check_requirement(result, subsystem->requirement);
	else if (known)
		say(result, DOCTOR_OK, "", "the kernel has the options that %s needs",
		    subsystem->name);
	else
		say(result, DOCTOR_NOTE, "",
		    "it is unknown whether the kernel has the options that %s needs: there is no /boot/config-%s",
		    subsystem->name, release());
}

/* Returns the reason why the page-reference probe refuses this kernel, or NULL. */
static const char *refusal_of_marks(void)
{
	char realtime[8], hypervisor[16], guest[16];
	struct utsname name;

	uname(&name);
	mounts_read_line("/sys/kernel/realtime", realtime, sizeof(realtime));
	mounts_read_line("/sys/hypervisor/type", hypervisor, sizeof(hypervisor));
	mounts_read_line("/sys/hypervisor/guest_type", guest, sizeof(guest));
	if (strcmp(name.machine, "x86_64") != 0)
		return "the kernel is not for x86-64";
	if (*realtime == '1')
		return "the kernel is PREEMPT_RT, where locks of page tables sleep";
	if (!strcmp(hypervisor, "xen") && !strcmp(guest, "PV"))
		return "the machine is a Xen PV guest, which does not own its page tables";
	return NULL;
}

/* Is the page-reference probe's control file open in a process? Always false if not run by root. */
static bool has_control_open(void)
{
	char path[PATH_MAX];
	int control = -1;
	bool busy;

	errno = 0;
	if (!mounts_path(path, sizeof(path), "/dev/" LTTNG_MM_PAGEREF_DEVICE))
		control = open(path, O_RDONLY | O_CLOEXEC);
	busy = control < 0 && errno == EBUSY;
	if (control >= 0)
		close(control);
	return busy;
}

/* Checks whether page references can be recorded now. Also reports what recording them costs. */
static void check_marks(struct doctor_result *result)
{
	static const char cost[] =
		"recording costs a page fault (about 2,000 instructions) for each page that is touched in an interval: do not record latency-critical processes";
	const char *refusal = refusal_of_marks();
	struct mm_error ignored = MM_ERROR_INIT;
	const struct plan_session *session;
	struct plan plan;

	plan_read(&plan, &ignored);
	session = plan_find_targets(&plan);
	if (refusal)
		say(result, DOCTOR_NOTE, "", "page references cannot be recorded: %s", refusal);
	else if (session)
		say(result, DOCTOR_NOTE, "lttng-mm status",
		    "the recorder %s records page references, and only one recorder can do so at a time; %s",
		    session->recorder, cost);
	else if (has_control_open())
		say(result, DOCTOR_NOTE, "fuser -v /dev/" LTTNG_MM_PAGEREF_DEVICE,
		    "a process records page references, and only one process can do so at a time; %s",
		    cost);
	else
		say(result, DOCTOR_OK, "",
		    "page references can be recorded (x86-64, neither PREEMPT_RT nor Xen PV), and nobody records them now; %s",
		    cost);
	plan_release(&plan);
}

static unsigned long long available_mib(void)
{
	char path[PATH_MAX], line[256];
	unsigned long long kib = 0;
	FILE *file;

	mounts_path(path, sizeof(path), "/proc/meminfo");
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib / 1024;
}

static void check_memory(struct doctor_result *result)
{
	unsigned int cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long available = available_mib();
	char needs[256] = "", short_of[128] = "", remedy[256];

	for (size_t i = 0; mm_subsystems[i]; i++) {
		struct profile *profile = load_profile(mm_subsystems[i], NULL);
		uint64_t mib;
		char word[128];

		if (!profile)
			continue;
		mib = (recorder_buffer_bytes(profile, cpus) + (1 << 20) - 1) >> 20;
		snprintf(word, sizeof(word), "%s %" PRIu64 " MiB", profile->name, mib);
		mm_words_add(needs, sizeof(needs), word);
		/* The buffers should use at most half of the available memory. */
		if (available <= 2 * mib)
			mm_words_add(short_of, sizeof(short_of), profile->name);
		profile_destroy(profile);
	}
	if (!*short_of) {
		say(result, DOCTOR_OK, "", "%llu MiB of memory available; buffers require: %s",
		    available, needs);
		return;
	}
	snprintf(remedy, sizeof(remedy), "lttng-mm record %.*s --subbuf-size=256k",
		 (int)strcspn(short_of, ","), short_of);
	say(result, DOCTOR_NOTE, remedy,
	    "only %llu MiB of memory available; buffers require: %s (%u CPUs)", available, needs,
	    cpus);
}

static const struct {
	const char *name;
	void (*check)(struct doctor_result *result);
} checks[] = {
	{ "kernel", check_kernel },	   { "headers", check_headers },
	{ "lttng-modules", check_tracer }, { "versions", check_versions },
	{ "probe", check_probe },	   { "signatures", check_lockdown },
	{ "daemon", check_daemon },	   { "permission", check_permission },
	{ "tracefs", check_tracefs },	   { NULL, NULL }, /* one check per subsystem */
	{ "page-marks", check_marks },	   { "memory", check_memory },
	{ "recorders", check_recorders },
};

size_t doctor_run(struct doctor_result results[DOCTOR_RESULTS_MAX])
{
	size_t count = 0;

	memset(results, 0, DOCTOR_RESULTS_MAX * sizeof(*results));
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		for (size_t s = 0; !checks[i].name && mm_subsystems[s]; s++) {
			if (!mm_subsystems[s]->needs && !mm_subsystems[s]->requirement)
				continue;
			results[count].name = mm_subsystems[s]->name;
			check_needs(&results[count++], mm_subsystems[s]);
		}
		if (!checks[i].name)
			continue;
		results[count].name = checks[i].name;
		checks[i].check(&results[count++]);
	}
	return count;
}
