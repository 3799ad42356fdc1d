// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the newest snapshots in a folder, and reads some members of their snapshot.json. */
#include "lttng-session/snapshot/recent.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/snapshot/retention.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/system/folder.h"
#include "reader/coverage/certificate.h"
#include "util/json-file.h"

/* Maximum number of entries of the folder to read. */
#define ENTRIES_MAX 20000
/* Maximum size of snapshot.json, which has some hundred bytes per stream. */
#define FILE_BYTES_MAX (4 << 20)
#define TEXT_MAX 256
#define NS_PER_S 1000000000

struct recent_snapshot {
	char name[NAME_MAX + 1];
	int64_t changed_s;
};

/* The newest entries of a folder, oldest first. */
struct recent_snapshots {
	struct recent_snapshot all[RECENT_MAX];
	size_t count, seen;
};

static int add_entry(int parent, const char *name, void *user)
{
	struct recent_snapshots *recent = user;
	struct stat st;
	size_t at;

	if (recent->seen++ == ENTRIES_MAX)
		return 1;
	/* Skip hidden folders, which contain unfinished snapshots. */
	if (*name == '.' || fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return 0;
	for (at = recent->count; at > 0 && recent->all[at - 1].changed_s > st.st_mtime; at--)
		;
	if (recent->count == RECENT_MAX) {
		if (!at)
			return 0;
		memmove(&recent->all[0], &recent->all[1], --at * sizeof(recent->all[0]));
	} else {
		memmove(&recent->all[at + 1], &recent->all[at],
			(recent->count++ - at) * sizeof(recent->all[0]));
	}
	recent->all[at].changed_s = st.st_mtime;
	snprintf(recent->all[at].name, sizeof(recent->all[at].name), "%s", name);
	return 0;
}

static void take_text(json_t *to, const json_t *from, const char *key)
{
	const char *text = json_string_value(json_object_get(from, key));
	char part[TEXT_MAX];

	if (!text)
		return;
	snprintf(part, sizeof(part), "%s", text);
	json_object_set_new(to, key, mm_json_text(part));
}

static json_t *describe(const char *folder, const struct recent_snapshot *entry, const json_t *json)
{
	const json_t *cause = json_object_get(json, "cause");
	const json_t *frozen = json_object_get(json_object_get(json, "frozen"), "realtime_ns");
	json_t *described = json_pack("{s:s,s:I,s:I,s:i}", "state", "written", "requested",
				      json_integer_value(json_object_get(
					      json_object_get(json, "requested"), "realtime_ns")) /
					      NS_PER_S,
				      "ended", (json_int_t)entry->changed_s, "uid", (int)geteuid());
	json_t *why = json_object();
	char path[PATH_MAX + NAME_MAX + 2];

	snprintf(path, sizeof(path), "%s/%s", folder, entry->name);
	json_object_set_new(described, "path", mm_json_text(path));
	take_text(described, json, "reason");
	take_text(why, cause, "kind");
	take_text(why, cause, "trigger");
	take_text(why, cause, "unit");
	take_text(why, cause, "what");
	json_object_set_new(described, "cause", why);
	if (json_is_integer(frozen))
		json_object_set_new(described, "frozen_ns",
				    json_integer(json_integer_value(frozen)));
	return described;
}

static json_t *read_json(int snapshot)
{
	struct stat st;

	return fstatat(snapshot, MM_SNAPSHOT_FILE, &st, AT_SYMLINK_NOFOLLOW) ||
			       st.st_size > FILE_BYTES_MAX
		       ? NULL
		       : retention_read_json(snapshot);
}

json_t *recent_snapshots(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOCTTY | O_CLOEXEC);
	struct recent_snapshots recent = { .count = 0 };
	json_t *list = json_array();

	if (folder >= 0)
		folder_each(folder, 0, add_entry, &recent);
	for (size_t i = 0; i < recent.count; i++) {
		int fd = folder_open(folder, recent.all[i].name);
		json_t *json = fd >= 0 ? read_json(fd) : NULL;

		if (json)
			json_array_append_new(list, describe(path, &recent.all[i], json));
		json_decref(json);
		if (fd >= 0)
			close(fd);
	}
	if (folder >= 0)
		close(folder);
	return list;
}
