// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A snapshot in two steps: with root's rights it is assembled in memory, and with the requester's
 * it is copied to the output folder.
 */
#include "lttng-session/daemon/jobs/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/folder-copy.h"
#include "lttng-session/snapshot/notes.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/recorder/plan-limits.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/daemon/jobs/tidy.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/snapshot/space.h"
#include "lttng-session/snapshot/staging.h"
#include "lttng-session/snapshot/turn.h"
#include "lttng-session/system/message.h"
#include "lttng-session/system/urgent.h"
#include "util/json-file.h"

/* How long the daemon may take to read what was reported before the answer. */
#define ANSWER_MS 60000

struct work {
	const struct worker_job *job;
	int output;	       /* the output folder; -1: not opened yet */
	char folder[PATH_MAX]; /* its path */
	struct request_snapshot request;
	char session[RECORDER_NAME_MAX]; /* that the request selects */
	struct snapshot_result result;
	struct snapshot_notes notes;
	char name[NAME_MAX + 1];   /* of the snapshot */
	char path[PATH_MAX + 512]; /* in the output folder */
	uint64_t bytes;		   /* the most that its traces take */
	bool promised;
	bool full; /* the stage has no room */
	int turn;  /* see turn.h; until the process ends */
	enum snapshot_access access;
};

/* Makes all of the staged snapshot readable: nobody else reaches the folder that it is in. */
static int open_up(int parent, const char *name, void *user)
{
	struct stat st;

	(void)user;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)))
		return 0;
	return fchmodat(parent, name, S_ISDIR(st.st_mode) ? 0755 : 0644, 0);
}

static void set_path(struct work *work, const char *staged)
{
	snprintf(work->name, sizeof(work->name), "%s", strrchr(staged, '/') + 1);
	snprintf(work->path, sizeof(work->path), "%s/%s",
		 strcmp(work->folder, "/") ? work->folder : "", work->name);
}

/* The path in the stage means nothing to the requester. */
static void show_path(const struct work *work, struct mm_error *message)
{
	const char *staged = work->result.path, *at = strstr(message->message, staged);
	struct mm_error shown = MM_ERROR_INIT;

	if (!*staged || !at)
		return;
	mm_error_set(&shown, message->code, "%.*s%s%s", (int)(at - message->message),
		     message->message, work->path, at + strlen(staged));
	*message = shown;
}

static json_t *make_notes(struct work *work)
{
	json_t *notes = json_array();

	for (size_t i = 0; i < work->notes.count; i++)
		show_path(work, &work->notes.all[i].text);
	request_add_notes(notes, &work->notes);
	return notes;
}

/*
 * Sends what the requester gets. If it were lost, a snapshot that exists would count as one that
 * failed. Notes that are too long are left out.
 */
static void send_answer(const struct work *work, json_t *message)
{
	if (!message_fits(message))
		json_object_set_new(message, "notes", json_array());
	message_send_patiently(work->job->report, message, ANSWER_MS);
}

static void report(struct work *work, const char *key)
{
	json_t *message =
		json_pack("{s:o,s:b,s:o,s:o,s:I}", key, mm_json_text(work->path), "complete",
			  work->result.complete, "why", mm_json_text(work->result.why.message),
			  "notes", make_notes(work), "bytes", (json_int_t)work->bytes);

	send_answer(work, message);
	json_decref(message);
}

/*
 * The path of the folder that was received. What the client says about it is only its claim, and
 * other users see it in the status and the journal.
 */
static void name_output(struct work *work)
{
	if (!output_path(work->output, work->folder, sizeof(work->folder)))
		strcpy(work->folder, "(a folder of another mount namespace)");
}

/*
 * The first client's descriptor is used. Others remain as they are until the contents of the
 * buffers are in memory: while this snapshot is being taken, no other is.
 */
static int receive_output(struct work *work, struct mm_error *err)
{
	const struct worker_job *job = work->job;

	if (!job->socket_count)
		return 0;
	work->output = message_receive_folder(job->sockets[0]);
	if (work->output < 0)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "snapshot: the request has no descriptor of a folder");
	name_output(work);
	return 0;
}

static void discard_others(const struct work *work)
{
	json_t *received = json_pack("{s:b}", "received", true);

	for (size_t i = 1; i < work->job->socket_count; i++)
		message_discard(work->job->sockets[i]);
	message_send(work->job->report, received, -1);
	json_decref(received);
}

/*
 * Has the stage no room? Waits until others have made some. Returns false if they will not. The
 * socket does not block for its other user, the daemon.
 */
static bool await_room(const struct work *work)
{
	struct pollfd wait = { .fd = work->job->report, .events = POLLIN };
	json_t *question = json_pack("{s:b}", "no_room", true), *answer = NULL;
	bool room;

	if (!message_send(work->job->report, question, -1))
		while (!(answer = message_receive(work->job->report, NULL)) && errno == EAGAIN)
			poll(&wait, 1, -1);
	room = json_is_true(json_object_get(answer, "room"));
	json_decref(question);
	json_decref(answer);
	return room;
}

/* Writers report their reasons as texts. */
static bool is_full(const struct mm_error *err)
{
	return strstr(err->message, strerror(ENOSPC)) || strstr(err->message, SPACE_NO_INODES) ||
	       strstr(err->message, SNAPSHOT_DAEMON_FULL);
}

static int fail_full(struct work *work, struct mm_error *err)
{
	struct statvfs all = { .f_blocks = 0 };

	work->full = true;
	statvfs(work->job->stage, &all);
	mm_error_clear(err);
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"snapshot: the recorder daemon has no room for it: its memory for snapshots is limited to %llu MiB; raise this limit with `lttng-mm serve --memory`",
		(unsigned long long)all.f_blocks * all.f_frsize >> 20);
}

/* The copy of an earlier snapshot leaves the stage when its process has ended. */
static int await_turn(struct work *work, struct mm_error *err)
{
	if (turn_take(work->session, 0, &work->turn))
		return 0;
	do {
		bool ended = await_room(work);

		if (turn_take(work->session, TURN_MS, &work->turn))
			return 0;
		if (!ended)
			break;
	} while (true);
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "snapshot: %s: " TURN_TAKEN "; try again later", work->session);
}

/* What the session daemon writes, it writes when this is called. */
static struct snapshot *begin(struct work *work, struct mm_error *err)
{
	struct snapshot *snapshot;

	while (!(snapshot = snapshot_begin(&work->request.snapshot, &work->notes, err)) &&
	       is_full(err) && await_room(work)) {
		mm_error_clear(err);
		work->notes.count = 0;
	}
	/* What is frozen is in this process's memory until it is written. */
	if (snapshot && !snapshot_has_room(snapshot))
		await_room(work);
	return snapshot;
}

/* The cause, which was checked, and what a trigger's request has in addition. */
static int read_cause(struct work *work, struct mm_error *err)
{
	struct snapshot_request *request = &work->request.snapshot;
	const json_t *json = work->job->request;
	struct retention_limits limits;

	request->cause = json_object_get(json, "cause");
	if (!work->job->triggered)
		return 0;
	if (plan_read_limits(work->session, &limits, err))
		return -1;
	snprintf(work->folder, sizeof(work->folder), "%s", limits.output);
	request->cause_reveals = json_is_true(json_object_get(json, "cause_reveals"));
	return 0;
}

/* The requester need not wait for the state dump, which the session daemon may take long for. */
static void on_promised(void *user, const char *path, struct snapshot_notes *notes)
{
	struct work *work = user;
	json_t *message;

	set_path(work, path);
	work->promised = true;
	message = json_pack("{s:o,s:o}", "will_be", mm_json_text(work->path), "notes",
			    make_notes(work));
	send_answer(work, message);
	json_decref(message);
}

/* With root's rights. Returns the descriptor of the complete snapshot in memory, or -1. */
static int stage(struct work *work, struct mm_error *err)
{
	struct snapshot_request *request = &work->request.snapshot;
	struct snapshot *snapshot;
	int ret, fd = -1;

	request_read(work->job->request, &work->request);
	ret = snapshot_select(request, work->request.session, work->request.profile, work->session,
			      sizeof(work->session), err);
	if (ret || read_cause(work, err) || await_turn(work, err))
		return -1;
	request->output = work->job->stage;
	request->promise = work->request.no_wait;
	request->promised = on_promised;
	request->user = work;
	/* It is for the stage, until it is copied. */
	work->access = request->access;
	request->access = SNAPSHOT_ACCESS_PRIVATE;
	snapshot = begin(work, err);
	if (!snapshot)
		return is_full(err) ? fail_full(work, err) : -1;
	work->bytes = snapshot_bytes(snapshot);
	if (snapshot_promised(snapshot)) {
		set_path(work, snapshot_promised(snapshot));
		work->promised = true;
	} else {
		snprintf(work->path, sizeof(work->path), "%s", work->folder);
	}
	report(work, "frozen");
	discard_others(work);
	if (!snapshot_finish(snapshot, &work->result, &work->notes, err)) {
		set_path(work, work->result.path);
		fd = open(work->result.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			snapshot_fail(err, work->path);
	} else if (is_full(err)) {
		fail_full(work, err);
	}
	snapshot_end(snapshot);
	return fd;
}

/* As the command reports it that takes a snapshot without the daemon. */
static int fail_output(const struct work *work, struct mm_error *err)
{
	return space_fail(work->output, work->folder, work->bytes, errno, err);
}

static int publish(struct work *work, const struct staging *staging, struct mm_error *err)
{
	enum staging_published how = staging_publish(staging, STAGING_MADE, work->name,
						     sizeof(work->name), work->promised);

	strcpy(strrchr(work->path, '/') + 1, work->name);
	if (how == STAGING_FAILED)
		return fail_output(work, err);
	if (how != STAGING_PUBLISHED)
		snapshot_note(&work->notes, true,
			      "snapshot: %s: somebody else had taken the promised name",
			      work->path);
	if (folder_sync_names(work->output))
		snapshot_note(&work->notes, true,
			      "snapshot: %s: it may be lost if the machine crashes: %s", work->path,
			      strerror(errno));
	return 0;
}

/*
 * Opens the output folder, unless the client has. A recorder's folder is refused if others than
 * root can change it.
 */
static int open_output(struct work *work, struct mm_error *err)
{
	char full[PATH_MAX];

	if (work->output < 0)
		work->output = (work->job->triggered ? output_open_recorder : output_open)(
			work->folder, full, sizeof(full), err);
	return work->output < 0 ? -1 : 0;
}

/* Filesystems that have modes of their own are no reason to lose a snapshot. */
static void set_access(struct work *work, int made)
{
	if (access_set(made, work->access))
		snapshot_note(
			&work->notes, true,
			"snapshot: %s: its modes cannot be set: %s; others than intended may be able to read it",
			work->path, strerror(errno));
}

/* With the requester's rights: it appears in the output folder whole, or not at all. */
static int write_out(struct work *work, int staged, struct mm_error *err)
{
	struct staging staging;
	struct tidy tidy;
	int made, ret = -1;

	if (open_output(work, err))
		return -1;
	staging_sweep(work->output);
	tidy_init(&tidy, work->session, work->output, work->folder,
		  json_object_get(work->job->request, "cause"));
	tidy.progress = work->job->progress;
	if (tidy_before(&tidy, retention_bytes(staged), err))
		return -1;
	if (staging_make(&staging, work->output))
		return fail_output(work, err);
	made = folder_make(staging.folder, STAGING_MADE, 0700);
	if (made >= 0 && !folder_copy(staged, made, work->job->progress)) {
		set_access(work, made);
		ret = folder_copy_end(made, work->job->progress);
	}
	ret = ret ? fail_output(work, err) : publish(work, &staging, err);
	if (made >= 0)
		close(made);
	staging_remove(&staging);
	if (!ret)
		tidy_after(&tidy, work->name);
	return ret;
}

/* The requester must not see what this process has read with root's rights. */
static int drop_rights(const struct work *work)
{
	if (requester_become(work->job->requester))
		return -1;
	if (work->job->lock >= 0)
		close(work->job->lock);
	return 0;
}

static int run(struct work *work, struct mm_error *err)
{
	int staged, ret = -1;

	if (receive_output(work, err))
		return -1;
	staged = stage(work, err);
	if (staged < 0)
		return -1;
	if (fchmod(staged, 0755) || folder_each(staged, FOLDER_DEPTH_MAX, open_up, NULL))
		snapshot_fail(err, work->path);
	else if (drop_rights(work))
		snapshot_fail(err, "the requester's rights");
	else
		ret = write_out(work, staged, err);
	close(staged);
	return ret;
}

int worker_run(const struct worker_job *job)
{
	struct work work = { .job = job, .output = -1, .turn = -1 };
	struct mm_error err = MM_ERROR_INIT;
	struct urgent urgent;

	/* Until the freeze, the past is being overwritten; snapshot_begin() ends this after it. */
	urgent_begin(&urgent);
	snprintf(work.folder, sizeof(work.folder), "%s", message_text(job->request, "output", "/"));
	if (!run(&work, &err)) {
		report(&work, "path");
	} else {
		json_t *message;

		show_path(&work, &err);
		message = message_of_error(&err);
		/* Root's client needs no memory of the daemon's. */
		if (work.full)
			json_object_set_new(message, "unable", json_true());
		send_answer(&work, message);
		json_decref(message);
	}
	return err.code;
}
