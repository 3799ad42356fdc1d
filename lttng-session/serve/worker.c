// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A snapshot in two steps: with root's rights it is assembled in memory, and with the requester's
 * it is copied to the output folder.
 */
#include "lttng-session/serve/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/serve/folder-copy.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/serve/message.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/serve/request.h"
#include "lttng-session/snapshot/staging.h"

struct work {
	const struct worker_job *job;
	struct request_snapshot request;
	char session[RECORDER_NAME_MAX]; /* that the request selects */
	struct snapshot_result result;
	struct snapshot_notes notes;
	char name[NAME_MAX + 1];   /* of the snapshot */
	char path[PATH_MAX + 512]; /* in the output folder */
	bool promised;
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
	const char *output = message_text(work->job->request, "output", "/");

	snprintf(work->name, sizeof(work->name), "%s", strrchr(staged, '/') + 1);
	snprintf(work->path, sizeof(work->path), "%s/%s", strcmp(output, "/") ? output : "",
		 work->name);
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
	for (size_t i = 0; i < work->result.gaps.count; i++)
		show_path(work, &work->result.gaps.all[i].err);
	request_add_notes(notes, &work->notes);
	request_add_gaps(notes, &work->result.gaps);
	return notes;
}

static void report(struct work *work, const char *key)
{
	json_t *message =
		json_pack("{s:o,s:b,s:b,s:o,s:o}", key, sysinfo_string(work->path), "promised",
			  work->promised, "complete", work->result.complete, "why",
			  sysinfo_string(work->result.why.message), "notes", make_notes(work));

	message_send(work->job->report, message, -1);
	json_decref(message);
}

/* With root's rights. Returns the descriptor of the complete snapshot in memory, or -1. */
static int stage(struct work *work, struct mm_error *err)
{
	struct snapshot_request *request = &work->request.snapshot;
	struct snapshot *snapshot;
	int fd = -1;

	request_read(work->job->request, &work->request);
	if (recorder_find(work->request.session, work->request.profile, work->session,
			  sizeof(work->session), err))
		return -1;
	request->session = work->session;
	request->output = work->job->stage;
	request->promise = work->request.no_wait;
	snapshot = snapshot_begin(request, &work->notes, err);
	if (!snapshot)
		return -1;
	if (snapshot_promised(snapshot)) {
		set_path(work, snapshot_promised(snapshot));
		work->promised = true;
	} else {
		snprintf(work->path, sizeof(work->path), "%s",
			 message_text(work->job->request, "output", "/"));
	}
	report(work, "frozen");
	if (!snapshot_finish(snapshot, &work->result, &work->notes, err)) {
		set_path(work, work->result.path);
		fd = open(work->result.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			snapshot_fail(err, work->path);
	}
	snapshot_end(snapshot);
	return fd;
}

static int publish(struct work *work, const struct staging *staging, struct mm_error *err)
{
	enum staging_published how = staging_publish(staging, STAGING_MADE, work->name,
						     sizeof(work->name), work->promised);

	strcpy(strrchr(work->path, '/') + 1, work->name);
	if (how == STAGING_FAILED)
		return snapshot_fail(err, work->path);
	if (how != STAGING_PUBLISHED)
		snapshot_note(&work->notes, true,
			      "snapshot: %s: somebody else had taken the promised name",
			      work->path);
	return folder_sync_names(work->job->output) ? snapshot_fail(err, work->path) : 0;
}

/* With the requester's rights: it appears in the output folder whole, or not at all. */
static int write_out(struct work *work, int staged, struct mm_error *err)
{
	struct staging staging;
	int made, ret = -1;

	staging_sweep(work->job->output);
	if (staging_make(&staging, work->job->output))
		return snapshot_fail(err, work->path);
	made = folder_make(staging.folder, STAGING_MADE, 0750);
	if (made < 0 || folder_copy(staged, made))
		snapshot_fail(err, work->path);
	else
		ret = publish(work, &staging, err);
	if (made >= 0)
		close(made);
	staging_remove(&staging);
	return ret;
}

static int run(struct work *work, struct mm_error *err)
{
	int staged = stage(work, err), ret = -1;

	if (staged < 0)
		return -1;
	if (fchmod(staged, 0755) || folder_each(staged, FOLDER_DEPTH_MAX, open_up, NULL))
		snapshot_fail(err, work->path);
	else if (requester_become(work->job->requester))
		snapshot_fail(err, "the requester's rights");
	else
		ret = write_out(work, staged, err);
	close(staged);
	return ret;
}

int worker_run(const struct worker_job *job)
{
	struct work work = { .job = job, .result.gaps.kaslr = SYSINFO_KASLR_UNKNOWN };
	struct mm_error err = MM_ERROR_INIT;

	if (!run(&work, &err)) {
		report(&work, "path");
	} else {
		json_t *message;

		show_path(&work, &err);
		message = message_of_error(&err);
		message_send(job->report, message, -1);
		json_decref(message);
	}
	return err.code;
}
