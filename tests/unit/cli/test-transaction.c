// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Kills `record` and `stop` at each step. The next command, whichever it is, must remove the
 * remains, but no sessions of other programs. The session daemon is simulated: functions in this
 * file replace those of liblttng-ctl, and its state is in shared memory.
 */
#include <fcntl.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/fn/record-fn.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/recorder/transaction.h"
#include "tests/tap.h"
#include "tests/unit/fn-btf.h"
#include "tests/unit/fn-device.h"

#define SESSIONS_MAX 16
/* More than the number of steps of any command. */
#define STEPS_MAX 1000

struct simulated {
	char name[64];
	uint64_t created;
	bool snapshot_mode, started;
	unsigned int channels;
};

static struct {
	struct simulated sessions[SESSIONS_MAX];
	unsigned int count, steps, last_step;
	uint64_t clock;
	char unstartable[64];	/* the session that cannot be started ... */
	char undestroyable[64]; /* ... or destroyed */
} * lttng;

static char root[] = "/tmp/test-transaction-XXXXXX";

/* Counts a step: the time before or after a change. Kills the process at the chosen step. */
static void step(void)
{
	if (++lttng->steps == lttng->last_step)
		raise(SIGKILL);
}

static struct simulated *find(const char *name)
{
	for (unsigned int i = 0; i < lttng->count; i++)
		if (!strcmp(lttng->sessions[i].name, name))
			return &lttng->sessions[i];
	return NULL;
}

static void create(const char *name, bool snapshot_mode, unsigned int channels)
{
	struct simulated *session = &lttng->sessions[lttng->count++];

	*session = (struct simulated){ .created = ++lttng->clock,
				       .snapshot_mode = snapshot_mode,
				       .channels = channels };
	snprintf(session->name, sizeof(session->name), "%s", name);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	int ret;

	step();
	ret = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
	step();
	return ret;
}

int unlinkat(int folder, const char *name, int flags)
{
	int ret;

	step();
	ret = (int)syscall(SYS_unlinkat, folder, name, flags);
	step();
	return ret;
}

int lttng_session_daemon_alive(void)
{
	return 1;
}

/* The name of a session is also its handle and descriptor. */
struct lttng_session_descriptor *lttng_session_descriptor_snapshot_create(const char *name)
{
	return (struct lttng_session_descriptor *)strdup(name);
}

void lttng_session_descriptor_destroy(struct lttng_session_descriptor *descriptor)
{
	free(descriptor);
}

enum lttng_error_code lttng_create_session_ext(struct lttng_session_descriptor *descriptor)
{
	const char *name = (const char *)descriptor;

	if (find(name))
		return LTTNG_ERR_EXIST_SESS;
	step();
	create(name, true, 0);
	step();
	return LTTNG_OK;
}

int lttng_list_sessions(struct lttng_session **sessions)
{
	*sessions = calloc(SESSIONS_MAX, sizeof(**sessions));
	for (unsigned int i = 0; i < lttng->count; i++) {
		struct lttng_session *session = &(*sessions)[i];

		snprintf(session->name, sizeof(session->name), "%s", lttng->sessions[i].name);
		session->snapshot_mode = lttng->sessions[i].snapshot_mode;
		session->enabled = lttng->sessions[i].started;
	}
	return (int)lttng->count;
}

enum lttng_error_code lttng_session_get_creation_time(const struct lttng_session *session,
						      uint64_t *created)
{
	*created = find(session->name)->created;
	return LTTNG_OK;
}

int lttng_list_domains(const char *name, struct lttng_domain **domains)
{
	*domains = NULL;
	return find(name)->channels > 0;
}

struct lttng_handle *lttng_create_handle(const char *name, struct lttng_domain *domain)
{
	struct lttng_handle *handle = calloc(1, sizeof(*handle));

	(void)domain;
	snprintf(handle->session_name, sizeof(handle->session_name), "%s", name ? name : "");
	return handle;
}

void lttng_destroy_handle(struct lttng_handle *handle)
{
	free(handle);
}

int lttng_enable_channel(struct lttng_handle *handle, struct lttng_channel *channel)
{
	(void)channel;
	step();
	find(handle->session_name)->channels++;
	step();
	return 0;
}

int lttng_enable_event_with_filter(struct lttng_handle *handle, struct lttng_event *event,
				   const char *channel, const char *filter)
{
	(void)handle;
	(void)event;
	(void)channel;
	(void)filter;
	step();
	return 0;
}

int lttng_start_tracing(const char *name)
{
	if (!strcmp(name, lttng->unstartable))
		return -LTTNG_ERR_KERN_START_FAIL;
	step();
	find(name)->started = true;
	step();
	return 0;
}

int lttng_stop_tracing(const char *name)
{
	step();
	if (find(name))
		find(name)->started = false;
	return 0;
}

int lttng_destroy_session(const char *name)
{
	struct simulated *session = find(name);

	if (!session)
		return -LTTNG_ERR_SESS_NOT_FOUND;
	if (!strcmp(name, lttng->undestroyable))
		return -LTTNG_ERR_UNK;
	step();
	*session = lttng->sessions[--lttng->count];
	step();
	return 0;
}

int lttng_regenerate_statedump(const char *name)
{
	return find(name) ? 0 : -LTTNG_ERR_SESS_NOT_FOUND;
}

int lttng_list_channels(struct lttng_handle *handle, struct lttng_channel **channels)
{
	(void)handle;
	*channels = NULL;
	return 0;
}

int lttng_list_events(struct lttng_handle *handle, const char *channel, struct lttng_event **events)
{
	(void)handle;
	(void)channel;
	*events = NULL;
	return 0;
}

int lttng_list_tracepoints(struct lttng_handle *handle, struct lttng_event **events)
{
	static const char *const names[] = { "sched_process_fork", "process_statedump_thread" };

	(void)handle;
	*events = calloc(2, sizeof(**events));
	for (size_t i = 0; i < 2; i++)
		snprintf((*events)[i].name, sizeof((*events)[i].name), "%s", names[i]);
	return 2;
}

int lttng_list_syscalls(struct lttng_event **events)
{
	*events = NULL;
	return 0;
}

static int record_profile(const char *profile, const char *recorder)
{
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_options options;
	struct recorder_started started;
	int ret = recorder_options_init(&options, recorder, &err) ||
		  recorder_options_add(&options, profile, NULL, &err) ||
		  recorder_start(&options, &started, &err);

	recorder_options_release(&options);
	return ret ? err.code : 0;
}

static int record(void)
{
	return record_profile("steps", NULL);
}

/* Records a profile that has no state events. */
static int record_other(void)
{
	return record_profile("other", NULL);
}

static int record_second(void)
{
	return record_profile("other", "second");
}

static int stop_profile(const char *profile)
{
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_stopped stopped;
	char name[RECORDER_NAME_MAX];

	if (!recorder_find("snapshot", NULL, profile, name, sizeof(name), &err))
		recorder_stop(name, &stopped, &err);
	return err.code;
}

static int stop(void)
{
	return stop_profile(NULL);
}

static int stop_steps(void)
{
	return stop_profile("steps");
}

static int stop_all(void)
{
	char *argv[] = { "lttng-mm stop", "--all", NULL };

	int ret;

	unlink("said");
	if (!freopen("said", "a", stdout) || !freopen("said", "a", stderr))
		return -1;
	ret = cmd_stop(2, argv);
	fflush(NULL);
	return ret;
}

static int stop_other(void)
{
	return stop_profile("other");
}

/* Looks up the sessions as a snapshot does. */
static int look(void)
{
	struct mm_error err = MM_ERROR_INIT;
	char name[RECORDER_NAME_MAX];

	recorder_find("snapshot", NULL, NULL, name, sizeof(name), &err);
	return err.code;
}

/* Returns the exit status, or -1 if the command was killed. */
static int run(int (*command)(void), unsigned int last_step)
{
	int status;
	pid_t pid;

	lttng->steps = 0;
	lttng->last_step = last_step;
	pid = fork();
	if (!pid)
		_exit(command());
	waitpid(pid, &status, 0);
	lttng->last_step = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_planned(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;
	bool planned;

	if (plan_read(&plan, &err))
		tap_bail("%s", err.message);
	planned = plan.count;
	plan_release(&plan);
	return planned;
}

static bool has_notes(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;
	bool noted;

	if (plan_read(&plan, &err))
		tap_bail("%s", err.message);
	noted = json_object_get(plan.json, PLAN_UNFINISHED);
	plan_release(&plan);
	return noted;
}

static const struct {
	const char *name;
	int (*command)(void);
	/*
	 * Exit status of the next command, and whether the recorder exists afterwards. `planned`:
	 * the recorder was in the plan; `other`: it was not.
	 */
	int planned_status, other_status;
	bool planned_records, other_records;
} nexts[] = {
	{ "record", record, MM_EXIT_ENVIRONMENT, 0, true, true },
	{ "snapshot", look, 0, MM_EXIT_ENVIRONMENT, true, false },
	{ "stop", stop, 0, MM_EXIT_ENVIRONMENT, false, false },
};

/* Do only the foreign sessions exist or, if @records is true, these and the recorder's sessions? */
static bool has_sessions(bool records)
{
	const struct simulated *ring = find("lttng-mm-steps"),
			       *state = find("lttng-mm-steps-state");

	return find("foreign") && find("foreign-snapshot") && !!ring == records &&
	       !!state == records && lttng->count == (records ? 4u : 2u) &&
	       (!records || (ring->started && state->started));
}

/* Kills the command at a step and runs @next. Returns a description of an error, or "". */
static const char *check_step(int (*command)(void), unsigned int last_step, size_t next)
{
	int status = run(command, last_step);
	bool planned = is_planned();

	if (!status)
		return NULL;
	if (status > 0)
		return "it failed";
	status = run(nexts[next].command, 0);
	if (status != (planned ? nexts[next].planned_status : nexts[next].other_status))
		return "the status";
	if (!has_sessions(planned ? nexts[next].planned_records : nexts[next].other_records))
		return "the sessions";
	if (has_notes())
		return "the plan";
	run(stop, 0);
	return has_sessions(false) && !is_planned() ? "" : "what a stop leaves";
}

static void check_command(const char *name, int (*command)(void), bool needs_recorder)
{
	for (size_t next = 0; next < sizeof(nexts) / sizeof(nexts[0]); next++) {
		unsigned int at = 0;
		const char *wrong;

		do {
			if (needs_recorder)
				run(record, 0);
			wrong = check_step(command, ++at, next);
		} while (wrong && !*wrong && at < STEPS_MAX);
		tap(!wrong && at > 10, "%s, killed at each of %u steps, and then %s: %s", name,
		    at - 1, nexts[next].name, wrong ? wrong : "nothing is left");
		run(stop, 0);
	}
}

/* Kills `record` just before it creates session @name. Returns true if the session is missing. */
static bool kill_before(const char *name)
{
	for (unsigned int at = 1; at < STEPS_MAX && run(record, at) < 0; at++) {
		struct mm_error err = MM_ERROR_INIT;
		struct plan plan;
		const json_t *list, *entry;
		bool found = false;
		size_t i;

		plan_read(&plan, &err);
		list = json_object_get(plan.json, PLAN_UNFINISHED);
		json_array_foreach(list, i, entry)
		{
			found |= !strcmp(json_string_value(json_object_get(entry, "name")), name);
		}
		plan_release(&plan);
		if (found)
			return !find(name);
		run(look, 0);
	}
	return false;
}

/* Tests foreign sessions that have the recorder's names. */
static void check_others(void)
{
	static const char *const names[] = { "lttng-mm-steps-attach", "lttng-mm-steps",
					     "lttng-mm-steps-state" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int status;

		create(names[i], true, 1);
		status = run(record, 0);
		tap(status == MM_EXIT_ENVIRONMENT && find(names[i]) && lttng->count == 3 &&
			    !has_notes(),
		    "%s of others: record fails, and changes nothing", names[i]);
		lttng_destroy_session(names[i]);

		tap(kill_before(names[i]), "killed before %s is created", names[i]);
		create(names[i], true, 1);
		run(look, 0);
		tap(find(names[i]) && lttng->count == 3 && !has_notes(),
		    "... which others create then: it is not removed");
		lttng_destroy_session(names[i]);
	}
	tap(kill_before("lttng-mm-steps") && (create("lttng-mm-steps", false, 0), !run(look, 0)) &&
		    find("lttng-mm-steps"),
	    "a session without channels is the recorder's in snapshot mode only");
	lttng_destroy_session("lttng-mm-steps");
}

/* Tests that `record` restores a missing state session if it can. */
static void check_restored(void)
{
	run(record, 0);
	lttng_destroy_session("lttng-mm-steps-state");
	strcpy(lttng->unstartable, "lttng-mm-steps-state");
	tap(!run(record_other, 0) && find("lttng-mm-other"),
	    "a profile is added although a state session cannot be restored");
	tap(!find("lttng-mm-steps-state") && lttng->count == 4 && !has_notes(),
	    "... and nothing of that session is left");
	*lttng->unstartable = '\0';
	run(stop_steps, 0);
	run(stop_other, 0);
	tap(has_sessions(false) && !is_planned(), "... nor after a stop");
}

/* While another command holds the lock, leftover sessions must be hidden but not removed. */
static void check_running(void)
{
	struct recorder_status *list;
	struct mm_error err = MM_ERROR_INIT;
	int lock, count;

	tap(kill_before("lttng-mm-steps-state") && lttng->count == 3,
	    "record is killed: a ring buffer is left");
	lock = plan_lock(0, &err);
	count = recorder_list(&list, NULL, &err);
	tap(!count && run(look, 0) == MM_EXIT_ENVIRONMENT && find("lttng-mm-steps"),
	    "while the lock is taken, the session is neither listed nor removed");
	free(list);
	plan_unlock(lock);
	run(look, 0);
	tap(has_sessions(false), "after the lock is released, the session is removed");
}

/* Reads the output of a command. */
static bool read_said(char *text, size_t size)
{
	FILE *file = fopen("said", "r");
	size_t length = file ? fread(text, 1, size - 1, file) : 0;

	text[length] = '\0';
	if (file)
		fclose(file);
	return length;
}

/* Tests a session that the session daemon does not destroy. */
static void check_undestroyed(void)
{
	const char *error;
	char said[1024];

	strcpy(lttng->undestroyable, "lttng-mm-steps-attach");
	tap(run(record, 0) == MM_EXIT_ENVIRONMENT && find("lttng-mm-steps-attach") &&
		    lttng->count == 3 && has_notes() && !is_planned(),
	    "record fails if the session for attaching remains, which stays noted");
	*lttng->undestroyable = '\0';
	run(look, 0);
	tap(has_sessions(false) && !has_notes(), "... and is removed later");
	run(record, 0);
	run(record_second, 0);
	strcpy(lttng->undestroyable, "lttng-mm-steps");
	tap(run(stop_all, 0) == MM_EXIT_ENVIRONMENT && find("lttng-mm-steps") &&
		    lttng->count == 3 && !is_planned() && read_said(said, sizeof(said)) &&
		    strstr(said, "stopped lttng-mm-second\n") &&
		    (error = strstr(said, "lttng-mm: session: lttng-mm-steps: ")) &&
		    !strstr(error + 1, "lttng-mm: session:"),
	    "stop --all stops the other recorders, and fails: %s", said);
	*lttng->undestroyable = '\0';
	run(look, 0);
	tap(has_sessions(false) && !has_notes(), "... and the session is removed later");
}

static void keep_functions(void *user)
{
	struct mm_error ignored = MM_ERROR_INIT;

	record_fn_keep(user, &ignored);
}

static void use_profile_fn(struct recorder_options *options, struct record_fn *fn,
			   struct mm_error *err)
{
	if (recorder_options_init(options, NULL, err) ||
	    recorder_options_add(options, RECORD_FN, NULL, err))
		tap_bail("%s", err->message);
	fn->given = true;
	fn->specs = calloc(1, sizeof(*fn->specs));
	fn->specs[fn->count++] = "vfs_read";
	options->recording = keep_functions;
	options->recording_user = fn;
}

/* Runs `record fn vfs_read` like cli/cmd-record.c. */
static int record_function(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_options options;
	struct recorder_started started;
	struct record_fn fn;

	record_fn_init(&fn);
	use_profile_fn(&options, &fn, &err);
	if (!record_fn_add(&fn, &options, &err) && recorder_start(&options, &started, &err))
		record_fn_undo(&fn);
	record_fn_release(&fn);
	recorder_options_release(&options);
	return err.code;
}

/* Kills `record fn` at each step: the function stays if and only if its session is in the plan. */
static void check_function(void)
{
	unsigned int at = 0, kept = 0;
	bool consistent = true;
	int status;

	/*
	 * Become the parent of the killed command's guard process, so that wait() covers it, too.
	 */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	do {
		bool planned, added;

		status = run(record_function, ++at);
		while (wait(NULL) > 0)
			;
		planned = is_planned();
		added = !access(ADDED, F_OK) && access(REMOVED, F_OK);
		unlink(ADDED);
		unlink(REMOVED);
		kept += planned;
		if (planned != added) {
			consistent = false;
			printf("# step %u: planned %d, added %d\n", at, planned, added);
		}
		run(stop, 0);
	} while (status < 0 && at < STEPS_MAX);
	tap(!status && at > 10 && kept > 1 && consistent,
	    "record fn, killed at each of %u steps: the function is recorded, or removed: %d",
	    at - 1, status);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void make_functions(void)
{
	const void *data;
	uint32_t size;
	FILE *file;

	tap_shell(
		"mkdir -p %s/sys/kernel/btf && echo ffffffff81000010 T vfs_read >%s/proc/kallsyms",
		root, root);
	tap_shell("cd %s/etc/lttng-mm/profiles && cp other.conf fn.conf", root);
	fn_make_types();
	fn_add_function("vfs_read", fn_ids.s64, fn_ids.void_ptr, "file", -1);
	data = btf__raw_data(fn_btf_made, &size);
	file = fopen("sys/kernel/btf/vmlinux", "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		tap_bail("vmlinux");
	btf__free(fn_btf_made);
}

int main(void)
{
	lttng = mmap(NULL, sizeof(*lttng), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (lttng == MAP_FAILED || !mkdtemp(root) || chdir(root))
		tap_bail("no folder to work in");
	tap_shell(
		"cd %s && mkdir -p run etc/lttng-mm/profiles proc/sys/kernel/random && echo here >proc/sys/kernel/random/boot_id",
		root);
	tap_shell(
		"printf '%%s\\n' '[profile]' 'attach-first = yes' '[buffers]' 'subbuf-size = 4k' 'num-subbuf = 2' '[events]' 'record = sched_process_fork' 'state = process_statedump_thread' >%s/etc/lttng-mm/profiles/steps.conf",
		root);
	tap_shell(
		"grep -v '^attach-first\\|^state' %s/etc/lttng-mm/profiles/steps.conf >%s/etc/lttng-mm/profiles/other.conf",
		root, root);
	make_functions();
	setenv("LTTNG_MM_ROOT", root, 1);
	create("foreign", false, 1);
	create("foreign-snapshot", true, 0);
	/* No module is loaded. */
	setenv("PATH", root, 1);
	check_command("record", record, false);
	check_command("stop", stop, true);
	check_others();
	check_restored();
	check_running();
	check_undestroyed();
	check_function();
	setenv("PATH", "/usr/bin:/bin", 1);
	tap_shell("rm -r %s", root);
	return tap_status();
}
