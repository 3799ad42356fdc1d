// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Takes a snapshot in two steps. First assembles it in the stage, a filesystem in memory, with
 * root's rights. Then copies it to the output folder, with the requester's rights.
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
#include "lttng-session/daemon/jobs/folder-quota.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/snapshot/space.h"
#include "lttng-session/snapshot/staging.h"
#include "lttng-session/snapshot/turn.h"
#include "lttng-session/system/message.h"
#include "lttng-session/system/urgent.h"
#include "util/json-file.h"

/* Maximum wait until the daemon has read earlier reports and the socket has room for the answer. */
#define ANSWER_MS 60000

struct worker_ctx {
	const struct worker_job *job;
	int output; /* descriptor of the output folder; -1: not open yet */
	char folder[PATH_MAX];
	struct request_snapshot request;
	char session[RECORDER_NAME_MAX]; /* the recorder or session of the request */
	struct snapshot_result result;
	struct snapshot_notes notes;
	char name[NAME_MAX + 1];
	char path[PATH_MAX + 512]; /* path of the snapshot in the output folder */
	uint64_t bytes;		   /* maximum size of the traces */
	bool promised;
	bool full;
	int turn; /* lock for the turn (turn.h), held until the process exits */
	enum snapshot_access access;
};

/*
 * Makes the staged snapshot readable for the requester. Other users cannot reach the snapshot,
 * because root owns its parent folder.
 */
static int open_up(int parent, const char *name, void *user)
{
	struct stat st;

	(void)user;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)))
		return 0;
	return fchmodat(parent, name, S_ISDIR(st.st_mode) ? 0755 : 0644, 0);
}

static void set_path(struct worker_ctx *ctx, const char *staged)
{
	snprintf(ctx->name, sizeof(ctx->name), "%s", strrchr(staged, '/') + 1);
	snprintf(ctx->path, sizeof(ctx->path), "%s/%s", strcmp(ctx->folder, "/") ? ctx->folder : "",
		 ctx->name);
}

/*
 * Replaces the path of the staged snapshot in a message by the output path, because the requester
 * cannot use the path in the stage.
 */
static void show_path(const struct worker_ctx *ctx, struct mm_error *message)
{
	const char *staged = ctx->result.path, *at = strstr(message->message, staged);
	struct mm_error shown = MM_ERROR_INIT;

	if (!*staged || !at)
		return;
	mm_error_set(&shown, message->code, "%.*s%s%s", (int)(at - message->message),
		     message->message, ctx->path, at + strlen(staged));
	*message = shown;
}

static json_t *make_notes(struct worker_ctx *ctx)
{
	json_t *notes = json_array();

	for (size_t i = 0; i < ctx->notes.count; i++)
		show_path(ctx, &ctx->notes.all[i].text);
	request_add_notes(notes, &ctx->notes);
	return notes;
}

/*
 * Sends the answer. Drops its notes if the message is too long. If the answer were lost, the daemon
 * would report a finished snapshot as failed.
 */
static void send_answer(const struct worker_ctx *ctx, json_t *message)
{
	if (!message_fits(message))
		json_object_set_new(message, "notes", json_array());
	message_send_patiently(ctx->job->report, message, ANSWER_MS);
}

static void report(struct worker_ctx *ctx, const char *key)
{
	json_t *message =
		json_pack("{s:o,s:b,s:o,s:o,s:I}", key, mm_json_text(ctx->path), "complete",
			  ctx->result.complete, "why", mm_json_text(ctx->result.why.message),
			  "notes", make_notes(ctx), "bytes", (json_int_t)ctx->bytes);

	send_answer(ctx, message);
	json_decref(message);
}

/*
 * Looks up the path of the received folder. The status and the journal show this path to other
 * users, and the path that the client states may be false.
 */
static void name_output(struct worker_ctx *ctx)
{
	if (!output_path(ctx->output, ctx->folder, sizeof(ctx->folder)))
		strcpy(ctx->folder, "(a folder of another mount namespace)");
}

/*
 * Receives the first client's descriptor. The other clients' messages are received later, so that
 * they do not delay the freeze: until the contents of the buffers are in memory, no other snapshot
 * can be taken.
 */
static int receive_output(struct worker_ctx *ctx, struct mm_error *err)
{
	const struct worker_job *job = ctx->job;

	if (!job->socket_count)
		return 0;
	ctx->output = message_receive_folder(job->sockets[0]);
	if (ctx->output < 0)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"snapshot: the request carries no descriptor of the output folder");
	name_output(ctx);
	return 0;
}

static void discard_others(const struct worker_ctx *ctx)
{
	json_t *received = json_pack("{s:b}", "received", true);

	for (size_t i = 1; i < ctx->job->socket_count; i++)
		message_discard(ctx->job->sockets[i]);
	message_send(ctx->job->report, received, -1);
	json_decref(received);
}

/*
 * Reports that the stage is full, and waits until another snapshot leaves it. Returns false if no
 * snapshot will leave it. Waits with poll(), because the socket is nonblocking.
 */
static bool await_room(const struct worker_ctx *ctx)
{
	struct pollfd wait = { .fd = ctx->job->report, .events = POLLIN };
	json_t *question = json_pack("{s:b}", "no_room", true), *answer = NULL;
	bool room;

	if (!message_send(ctx->job->report, question, -1))
		while (!(answer = message_receive(ctx->job->report, NULL)) && errno == EAGAIN)
			poll(&wait, 1, -1);
	room = json_is_true(json_object_get(answer, "room"));
	json_decref(question);
	json_decref(answer);
	return room;
}

/*
 * Does the error mean that the stage is full? Compares texts, because the writers of a snapshot
 * return errors only as text.
 */
static bool is_full(const struct mm_error *err)
{
	return strstr(err->message, strerror(ENOSPC)) || strstr(err->message, SPACE_NO_INODES) ||
	       strstr(err->message, SNAPSHOT_DAEMON_FULL);
}

static int fail_full(struct worker_ctx *ctx, struct mm_error *err)
{
	struct statvfs all = { .f_blocks = 0 };

	ctx->full = true;
	statvfs(ctx->job->stage, &all);
	mm_error_clear(err);
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"snapshot: the snapshot does not fit into the %llu MiB that the recorder daemon may use for snapshots; raise this limit with `lttng-mm serve --memory`",
		(unsigned long long)all.f_blocks * all.f_frsize >> 20);
}

/*
 * Waits until the recorder's previous snapshot has left memory, because the budget allows only one
 * snapshot in memory.
 */
static int await_turn(struct worker_ctx *ctx, struct mm_error *err)
{
	if (turn_take(ctx->session, 0, &ctx->turn))
		return 0;
	do {
		bool ended = await_room(ctx);

		if (turn_take(ctx->session, TURN_MS, &ctx->turn))
			return 0;
		if (!ended)
			break;
	} while (true);
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "snapshot: %s: " TURN_TAKEN "; try again later", ctx->session);
}

/*
 * Saves the contents of the buffers, and tries again while the stage is full. If the buffers cannot
 * be frozen, the session daemon copies them during this call.
 */
static struct snapshot *begin(struct worker_ctx *ctx, struct mm_error *err)
{
	struct snapshot *snapshot;

	while (!(snapshot = snapshot_begin(&ctx->request.snapshot, &ctx->notes, err)) &&
	       is_full(err) && await_room(ctx)) {
		mm_error_clear(err);
		ctx->notes.count = 0;
	}
	/* The frozen buffers are in memory, so this process can wait for room in the stage. */
	if (snapshot && !snapshot_has_room(snapshot))
		await_room(ctx);
	return snapshot;
}

/*
 * Reads the cause, which the daemon has checked. Sets the output of a triggered snapshot to the
 * recorder's folder.
 */
static int read_cause(struct worker_ctx *ctx, struct mm_error *err)
{
	struct snapshot_request *request = &ctx->request.snapshot;
	const json_t *json = ctx->job->request;
	struct retention_limits limits;

	request->cause = json_object_get(json, "cause");
	if (!ctx->job->triggered)
		return 0;
	if (plan_read_limits(ctx->session, &limits, err))
		return -1;
	snprintf(ctx->folder, sizeof(ctx->folder), "%s", limits.output);
	request->cause_reveals = json_is_true(json_object_get(json, "cause_reveals"));
	return 0;
}

/*
 * Reports the promised path, so that the daemon can answer before the state dump, which may take
 * long.
 */
static void on_promised(void *user, const char *path, struct snapshot_notes *notes)
{
	struct worker_ctx *ctx = user;
	json_t *message;

	set_path(ctx, path);
	ctx->promised = true;
	message = json_pack("{s:o,s:o}", "will_be", mm_json_text(ctx->path), "notes",
			    make_notes(ctx));
	send_answer(ctx, message);
	json_decref(message);
}

/*
 * Assembles the snapshot in the stage with root's rights. Returns the descriptor of its folder, or
 * -1 with @err set.
 */
static int stage(struct worker_ctx *ctx, struct mm_error *err)
{
	struct snapshot_request *request = &ctx->request.snapshot;
	struct snapshot *snapshot;
	int ret, fd = -1;

	request_read(ctx->job->request, &ctx->request);
	ret = snapshot_select(request, ctx->request.session, ctx->request.profile, ctx->session,
			      sizeof(ctx->session), err);
	if (ret || read_cause(ctx, err) || await_turn(ctx, err))
		return -1;
	request->output = ctx->job->stage;
	request->promise = ctx->request.no_wait;
	request->promised = on_promised;
	request->user = ctx;
	/* The access mode of the request applies to the copy. The staged snapshot is private. */
	ctx->access = request->access;
	request->access = SNAPSHOT_ACCESS_PRIVATE;
	snapshot = begin(ctx, err);
	if (!snapshot)
		return is_full(err) ? fail_full(ctx, err) : -1;
	ctx->bytes = snapshot_bytes(snapshot);
	if (snapshot_promised(snapshot)) {
		set_path(ctx, snapshot_promised(snapshot));
		ctx->promised = true;
	} else {
		snprintf(ctx->path, sizeof(ctx->path), "%s", ctx->folder);
	}
	report(ctx, "frozen");
	discard_others(ctx);
	if (!snapshot_finish(snapshot, &ctx->result, &ctx->notes, err)) {
		set_path(ctx, ctx->result.path);
		fd = open(ctx->result.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			snapshot_fail(err, ctx->path);
	} else if (is_full(err)) {
		fail_full(ctx, err);
	}
	snapshot_end(snapshot);
	return fd;
}

/* Sets @err to the error that a client would report if it wrote the snapshot itself. */
static int fail_output(const struct worker_ctx *ctx, struct mm_error *err)
{
	return space_fail(ctx->output, ctx->folder, ctx->bytes, errno, err);
}

static int publish(struct worker_ctx *ctx, const struct staging *staging, struct mm_error *err)
{
	enum staging_published how =
		staging_publish(staging, STAGING_MADE, ctx->name, sizeof(ctx->name), ctx->promised);

	strcpy(strrchr(ctx->path, '/') + 1, ctx->name);
	if (how == STAGING_FAILED)
		return fail_output(ctx, err);
	snapshot_note_name(&ctx->notes, how, ctx->path);
	if (folder_sync_names(ctx->output))
		snapshot_note(
			&ctx->notes, true,
			"snapshot: %s: not certain to be on the disk, so it may be lost if the machine crashes: %s",
			ctx->path, strerror(errno));
	return 0;
}

/*
 * Opens the output folder, unless the client sent a descriptor. Refuses the recorder's folder if
 * users other than root can change it.
 */
static int open_output(struct worker_ctx *ctx, struct mm_error *err)
{
	char full[PATH_MAX];

	if (ctx->output < 0)
		ctx->output = (ctx->job->triggered ? output_open_recorder : output_open)(
			ctx->folder, full, sizeof(full), err);
	return ctx->output < 0 ? -1 : 0;
}

/* Sets the access mode. A failure is only a warning, because some filesystems have no modes. */
static void set_access(struct worker_ctx *ctx, int made)
{
	if (access_set(made, ctx->access))
		snapshot_note(
			&ctx->notes, true,
			"snapshot: %s: the access modes cannot be set: %s; other users may be able to read the snapshot",
			ctx->path, strerror(errno));
}

/*
 * Copies the snapshot to the output folder with the requester's rights. The final rename makes the
 * snapshot appear there completely or not at all.
 */
static int write_out(struct worker_ctx *ctx, int staged, struct mm_error *err)
{
	struct staging staging;
	struct folder_quota quota;
	int made, ret = -1;

	if (open_output(ctx, err))
		return -1;
	staging_sweep(ctx->output);
	folder_quota_init(&quota, ctx->session, ctx->output, ctx->folder,
			  json_object_get(ctx->job->request, "cause"));
	quota.progress = ctx->job->progress;
	if (folder_quota_make_room(&quota, retention_bytes(staged), err))
		return -1;
	if (staging_make(&staging, ctx->output))
		return fail_output(ctx, err);
	made = folder_make(staging.folder, STAGING_MADE, 0700);
	if (made >= 0 && !folder_copy(staged, made, ctx->job->progress)) {
		set_access(ctx, made);
		ret = folder_copy_end(made, ctx->job->progress);
	}
	ret = ret ? fail_output(ctx, err) : publish(ctx, &staging, err);
	if (made >= 0)
		close(made);
	staging_remove(&staging);
	if (!ret)
		folder_quota_enforce(&quota, ctx->name);
	return ret;
}

static int drop_rights(const struct worker_ctx *ctx)
{
	if (requester_become(ctx->job->requester))
		return -1;
	if (ctx->job->lock >= 0)
		close(ctx->job->lock);
	return 0;
}

static int run(struct worker_ctx *ctx, struct mm_error *err)
{
	int staged, ret = -1;

	if (receive_output(ctx, err))
		return -1;
	staged = stage(ctx, err);
	if (staged < 0)
		return -1;
	if (fchmod(staged, 0755) || folder_each(staged, FOLDER_DEPTH_MAX, open_up, NULL))
		snapshot_fail(err, ctx->path);
	else if (drop_rights(ctx))
		snapshot_fail(err, "changing to the requester's rights");
	else
		ret = write_out(ctx, staged, err);
	close(staged);
	return ret;
}

int worker_run(const struct worker_job *job)
{
	struct worker_ctx ctx = { .job = job, .output = -1, .turn = -1 };
	struct mm_error err = MM_ERROR_INIT;
	struct urgent urgent;

	/*
	 * Until the freeze, new events overwrite history, so this process uses a realtime priority.
	 * snapshot_begin() restores the normal priority.
	 */
	urgent_begin(&urgent);
	snprintf(ctx.folder, sizeof(ctx.folder), "%s", message_text(job->request, "output", "/"));
	if (!run(&ctx, &err)) {
		report(&ctx, "path");
	} else {
		json_t *message;

		show_path(&ctx, &err);
		message = message_of_error(&err);
		/*
		 * Root's client does not need the stage: it can take the snapshot without the
		 * daemon.
		 */
		if (ctx.full)
			json_object_set_new(message, "unable", json_true());
		send_answer(&ctx, message);
		json_decref(message);
	}
	return err.code;
}
