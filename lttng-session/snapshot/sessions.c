// SPDX-License-Identifier: LGPL-2.1-only
/* Adds sessions to a snapshot, finds the folders of their traces, and dumps the sessions' state. */
#include "lttng-session/snapshot/sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <string.h>

#include "lttng-session/snapshot/work.h"
#include "lttng-session/system/folder.h"

static int regenerate(const char *session, struct mm_error *err)
{
	int ret = lttng_regenerate_statedump(session);

	if (ret < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: the state dump failed: %s", session,
				    lttng_strerror(ret));
	return 0;
}

static int regenerate_all(const struct snapshot_sessions *sessions, struct mm_error *err)
{
	for (size_t i = 0; i < sessions->count; i++)
		if (sessions->all[i].dumps && regenerate(sessions->all[i].name, err))
			return -1;
	return 0;
}

int snapshot_dump_sessions(const struct snapshot_sessions *states,
			   const struct snapshot_sessions *rings, struct mm_error *err)
{
	return regenerate_all(states, err) || regenerate_all(rings, err) ? -1 : 0;
}

int snapshot_dump_state(const struct snapshot *snapshot, struct mm_error *err)
{
	return snapshot_dump_sessions(&snapshot->states, &snapshot->rings, err);
}

int snapshot_open_parent(const struct snapshot_sessions *sessions, size_t i, const char *folder,
			 int made, char *name)
{
	int fd;

	if (sessions->count == 1) {
		snprintf(name, NAME_MAX + 1, "%s", folder);
		return openat(made, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	snprintf(name, NAME_MAX + 1, "%s", sessions->all[i].folder);
	fd = folder_make(made, folder, 0750);
	return fd < 0 && errno == EEXIST ? folder_open(made, folder) : fd;
}

static bool has_folder(const struct snapshot_sessions *sessions, const char *folder)
{
	for (size_t i = 0; i < sessions->count; i++)
		if (!strcmp(sessions->all[i].folder, folder))
			return true;
	return false;
}

int snapshot_add_session(struct snapshot *snapshot, const struct recorder_session *session,
			 struct mm_error *err)
{
	struct snapshot_sessions *sessions = session->state ? &snapshot->states : &snapshot->rings;
	struct snapshot_session *added = &sessions->all[sessions->count];
	/*
	 * The folder gets the name of the profile, unless the profile is unknown or another folder
	 * has its name.
	 */
	bool named = strcmp(session->profile, "?") && !has_folder(sessions, session->profile);

	if (sessions->count == SNAPSHOT_SESSIONS_MAX)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: the recorder has more than %d sessions for %s; select one with --session",
			SNAPSHOT_SESSIONS_MAX, session->state ? "state dumps" : "events");
	sessions->count++;
	snprintf(added->name, sizeof(added->name), "%s", session->name);
	snprintf(added->folder, sizeof(added->folder), "%s",
		 named ? session->profile : session->name);
	snprintf(added->channels, sizeof(added->channels), "%s", session->channels);
	added->dumps = session->dumps;
	return 0;
}
