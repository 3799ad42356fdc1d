// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the recordings of a source's traces, and refuses traces of conflicting recordings. */
#include "reader/coverage/find/recordings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/coverage/missing.h"
#include "reader/ctf/metadata/metadata.h"
#include "reader/ctf/packet/count.h"
#include "reader/ctf/packet/repeats.h"
#include "util/path.h"
#include "util/uuid.h"

/* Maximum depth of a trace below its recording. It is 4 in RECORDING/ust/uid/1000/64-bit. */
#define LEVELS_MAX 4
/* Maximum number of recordings that an error message names. */
#define NAMED_MAX 8

enum kind {
	KIND_OTHER, /* the output of a session with all its chunks, or any other folder */
	KIND_SNAPSHOT,
	KIND_MM_SNAPSHOT,
};

struct recording_folder {
	char *root;
	enum kind kind;
	/* does the snapshot have traces of ring buffers? of state dumps? */
	bool has_ring, has_state;
	int64_t end_ns;
};

/* A property, such as a UUID, that traces of two recordings must not share. */
struct recording_claim {
	char *key;
	size_t trace; /* index of the source folder of the first trace with this key */
};

struct recording_check {
	const struct mm_source *source;
	struct recording_folder *all;
	size_t count, room;
	size_t *of; /* for each source folder: index of its recording in @all */
	struct recording_claim *claims;
	size_t claim_count, claim_room;
	struct mm_hash by_key, by_root;
	bool conflict;
	bool failed; /* out of memory */
};

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
}

/* Does @name end with -YYYYMMDD-HHMMSS-N, as LTTng names the folders of snapshots? */
static bool is_snapshot_name(const char *name)
{
	static const char pattern[] = "-dddddddd-dddddd-";
	const size_t length = sizeof(pattern) - 1;
	const char *end = name + strlen(name), *digits = end, *date;

	while (digits > name && isdigit((unsigned char)digits[-1]))
		digits--;
	if (digits == end || (size_t)(digits - name) < length)
		return false;
	date = digits - length;
	for (size_t i = 0; i < length; i++)
		if (pattern[i] == 'd' ? !isdigit((unsigned char)date[i]) : date[i] != pattern[i])
			return false;
	return true;
}

static bool is_domain(const char *name, size_t length)
{
	static const char *const domains[] = { MM_RING_FOLDER, MM_STATE_FOLDER, "ust" };

	for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++)
		if (strlen(domains[i]) == length && !memcmp(domains[i], name, length))
			return true;
	return false;
}

/*
 * Shortens @path, the real path of a trace, to the folder of its recording. This folder holds
 * kernel/, state/ or ust/. SNAPSHOT/kernel/slab and SESSION/ust/uid/1000/64-bit become SNAPSHOT and
 * SESSION.
 */
static void find_root(char *path)
{
	char *end = path + strlen(path);

	for (int level = 0; level <= LEVELS_MAX; level++) {
		char *slash = memrchr(path, '/', (size_t)(end - path));

		if (!slash || slash == path)
			return;
		if (is_domain(slash + 1, (size_t)(end - slash) - 1)) {
			*slash = '\0';
			return;
		}
		end = slash;
	}
}

/*
 * Returns the real path of the trace's recording; NULL when out of memory. A chunk,
 * SESSION/archives/CHUNK, belongs to its session.
 */
static char *root_of(const struct mm_source *source, const struct mm_snapshots *snapshots,
		     size_t number)
{
	size_t dir = snapshots->members[number].dir;
	char *path, *session;

	if (dir != SIZE_MAX)
		return strdup(snapshots->all[dir].folder);
	path = realpath(mm_source_folder_at(source, number), NULL);
	if (!path)
		path = mm_path_absolute(mm_source_folder_at(source, number));
	if (!path)
		return NULL;
	find_root(path);
	session = strdup(path);
	if (!session) {
		free(path);
		return NULL;
	}
	if (go_up(session) && !strcmp(name_of(session), "archives") && go_up(session)) {
		free(path);
		return session;
	}
	free(session);
	return path;
}

static bool is_root(const void *all, uint32_t number, const void *root)
{
	return !strcmp(((const struct recording_folder *)all)[number].root, root);
}

/*
 * Finds or adds the recording at @root, and takes ownership of @root. Returns its index in
 * check->all, or SIZE_MAX when out of memory.
 */
static size_t recording_at(struct recording_check *check, char *root)
{
	uint32_t key = mm_hash_of_string(&check->by_root, root);
	uint32_t number = mm_hash_find(&check->by_root, key, check->all, root, is_root);
	struct recording_folder *grown;

	if (number != MM_HASH_NONE) {
		free(root);
		return number;
	}
	grown = mm_array_grow(check->all, check->count, &check->room, sizeof(*grown));
	if (grown)
		check->all = grown;
	if (!grown || mm_hash_add(&check->by_root, key, (uint32_t)check->count)) {
		free(root);
		return SIZE_MAX;
	}
	grown[check->count] = (struct recording_folder){
		.root = root,
		.kind = is_snapshot_name(name_of(root)) ? KIND_SNAPSHOT : KIND_OTHER,
		.end_ns = INT64_MIN,
	};
	return check->count++;
}

/* Does the folder have system information? Older snapshots have it, but no snapshot.json. */
static bool has_sysinfo(const char *root)
{
	char path[4096 + sizeof("/sysinfo")];

	return snprintf(path, sizeof(path), "%s/sysinfo", root) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

static int find_recording(struct recording_check *check, const struct mm_snapshots *snapshots,
			  size_t number)
{
	const char *folder = mm_source_folder_at(check->source, number);
	char *root = root_of(check->source, snapshots, number);
	struct recording_folder *recording;
	size_t of = root ? recording_at(check, root) : SIZE_MAX;

	if (of == SIZE_MAX)
		return -1;
	check->of[number] = of;
	recording = &check->all[of];
	recording->has_state |= mm_trace_is_state(folder);
	recording->has_ring |= !mm_trace_is_state(folder);
	if (snapshots->members[number].dir != SIZE_MAX || has_sysinfo(recording->root) ||
	    (recording->has_ring && recording->has_state))
		recording->kind = KIND_MM_SNAPSHOT;
	return 0;
}

static bool is_key(const void *claims, uint32_t number, const void *key)
{
	return !strcmp(((const struct recording_claim *)claims)[number].key, key);
}

static bool are_same_trace(const struct recording_check *check, size_t a, size_t b)
{
	const struct mm_trace_id *x = mm_source_id_at(check->source, a),
				 *y = mm_source_id_at(check->source, b);

	return x->has_uuid && y->has_uuid && !memcmp(x->uuid, y->uuid, sizeof(x->uuid));
}

/*
 * Are both folders chunks of one session that were moved or copied elsewhere? Chunks share the
 * session's UUID.
 */
static bool are_chunks(const struct recording_check *check, size_t a, size_t b)
{
	return are_same_trace(check, a, b) && check->all[check->of[a]].kind == KIND_OTHER &&
	       check->all[check->of[b]].kind == KIND_OTHER;
}

/*
 * Can both traces be from one boot of a machine? Returns true if the boot id of a trace is unknown.
 */
static bool are_of_one_boot(const struct mm_trace_id *a, const struct mm_trace_id *b)
{
	return !a->has_boot_id || !b->has_boot_id ||
	       !memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id));
}

/*
 * Claims @key for the recording of trace @number or, with @by_boot, for all traces of the same
 * boot. Notes a conflict if @key was claimed for another recording (or another boot). Takes
 * ownership of @key; NULL: out of memory.
 */
static void claim(struct recording_check *check, char *key, size_t number, bool by_boot)
{
	uint32_t hash, found;
	struct recording_claim *grown;

	if (!key) {
		check->failed = true;
		return;
	}
	hash = mm_hash_of_string(&check->by_key, key);
	found = mm_hash_find(&check->by_key, hash, check->claims, key, is_key);
	if (found != MM_HASH_NONE) {
		size_t first = check->claims[found].trace;

		if (by_boot)
			check->conflict |= !are_of_one_boot(mm_source_id_at(check->source, first),
							    mm_source_id_at(check->source, number));
		else
			check->conflict |= check->of[first] != check->of[number] &&
					   !are_chunks(check, first, number);
		free(key);
		return;
	}
	grown = mm_array_grow(check->claims, check->claim_count, &check->claim_room,
			      sizeof(*grown));
	if (grown)
		check->claims = grown;
	if (!grown || mm_hash_add(&check->by_key, hash, (uint32_t)check->claim_count)) {
		check->failed = true;
		free(key);
		return;
	}
	grown[check->claim_count++] = (struct recording_claim){ key, number };
}

static const char *env_of(const struct ctf_trace_class *class, const char *name)
{
	const struct ctf_env *env = ctf_env_find(class, name);

	return env && env->kind == CTF_ENV_STRING ? env->s : "";
}

static char *key_of(const char *kind, const char *first, const char *second)
{
	char *key;

	return asprintf(&key, "%s %s %s", kind, first, second) < 0 ? NULL : key;
}

/*
 * Claims the events of a trace, because two recordings of one boot must not declare the same event.
 * Does not claim state dumps, because all sessions record them.
 */
static void claim_events(struct recording_check *check, const struct ctf_trace_class *class,
			 size_t number)
{
	char boot[MM_UUID_TEXT];

	mm_uuid_format(mm_source_id_at(check->source, number)->boot_id, boot);
	for (size_t i = 0; i < class->stream_count; i++)
		for (size_t j = 0; j < class->streams[i]->event_count && !check->failed; j++) {
			const char *name = class->streams[i]->events[j]->name;

			if (name && !strstr(name, "statedump"))
				claim(check, key_of("event", boot, name), number, false);
		}
}

static void claim_all(struct recording_check *check, size_t number)
{
	const struct mm_trace_id *id = mm_source_id_at(check->source, number);
	struct ctf_trace_class *class =
		ctf_metadata_read(mm_source_folder_at(check->source, number), NULL);
	char uuid[MM_UUID_TEXT];

	if (id->has_uuid) {
		mm_uuid_format(id->uuid, uuid);
		claim(check, key_of("trace", uuid, ""), number, false);
	}
	/* The reader reports errors in the metadata later. */
	if (!class)
		return;
	if (check->all[check->of[number]].kind == KIND_MM_SNAPSHOT)
		claim(check, key_of("host", env_of(class, "hostname"), ""), number, false);
	if (id->has_boot_id && *env_of(class, "hostname"))
		claim(check, key_of("boot", env_of(class, "hostname"), ""), number, true);
	if (id->has_boot_id && !strcmp(env_of(class, "domain"), "kernel"))
		claim_events(check, class, number);
	ctf_trace_class_destroy(class);
}

static void see_end(void *user, const struct ctf_file_count *count)
{
	int64_t *end_ns = user;

	if (count->packets && count->end_ns != INT64_MAX && count->end_ns > *end_ns)
		*end_ns = count->end_ns;
}

static void find_ends(struct recording_check *check)
{
	for (size_t i = 0; i < mm_source_folder_count(check->source); i++) {
		struct ctf_trace *trace =
			ctf_trace_open(mm_source_folder_at(check->source, i), 0, NULL);

		if (trace)
			ctf_trace_count(trace, see_end, &check->all[check->of[i]].end_ns, NULL);
		ctf_trace_close(trace);
	}
}

static int by_end(const void *a, const void *b)
{
	const struct recording_folder *x = a, *y = b;

	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return strcmp(x->root, y->root);
}

/* Sets @err to a message with the list of recordings. Returns 0, or -1 when out of memory. */
static int refuse(struct recording_check *check, struct mm_error *err)
{
	const char *path = mm_source_path(check->source);
	char *given = realpath(path, NULL), *list = NULL;
	size_t length = given ? strlen(given) : 0, size, more = 0;
	FILE *out = open_memstream(&list, &size);

	find_ends(check);
	qsort(check->all, check->count, sizeof(*check->all), by_end);
	for (size_t i = 0; i < check->count && out; i++) {
		const char *root = check->all[i].root;
		bool below = given && !strncmp(root, given, length) &&
			     (!root[length] || root[length] == '/');

		if (i == NAMED_MAX) {
			more = check->count - i;
			break;
		}
		fprintf(out, "%s%s%s", i ? ", " : "", below ? path : "",
			below ? root + length : root);
	}
	free(given);
	if (!out || fclose(out)) {
		free(list);
		return -1;
	}
	if (more)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: contains %zu recordings, which cannot be read together, because some events would be missing and others appear twice; give the path of one of them (listed from new to old): %s, and %zu more",
			path, check->count, list, more);
	else
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: contains %zu recordings, which cannot be read together, because some events would be missing and others appear twice; give the path of one of them (listed from new to old): %s",
			path, check->count, list);
	free(list);
	return 0;
}

static int start(struct recording_check *check, const struct mm_source *source,
		 const struct mm_snapshots *snapshots)
{
	*check = (struct recording_check){ .source = source };
	mm_hash_init(&check->by_key);
	mm_hash_init(&check->by_root);
	check->of = calloc(mm_source_folder_count(source) + 1, sizeof(*check->of));
	check->failed = !check->of;
	for (size_t i = 0; i < mm_source_folder_count(source) && !check->failed; i++)
		check->failed = find_recording(check, snapshots, i) != 0;
	return check->failed ? -1 : 0;
}

/*
 * Frees @check. Returns 0, or -1 if there was a conflict or an error. Sets @err when out of memory.
 */
static int finish(struct recording_check *check, struct mm_error *err)
{
	if (check->failed)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory",
			     mm_source_path(check->source));
	for (size_t i = 0; i < check->count; i++)
		free(check->all[i].root);
	for (size_t i = 0; i < check->claim_count; i++)
		free(check->claims[i].key);
	mm_hash_release(&check->by_key);
	mm_hash_release(&check->by_root);
	free(check->claims);
	free(check->all);
	free(check->of);
	return check->failed || check->conflict ? -1 : 0;
}

/*
 * Refuses traces of one recording if they are from different boots, because times, and the numbers
 * of caches and call sites, are valid only within one boot. Returns true with @err set if it
 * refuses them.
 */
static bool refuse_boots(const struct recording_check *check, struct mm_error *err)
{
	const struct mm_source *source = check->source;

	for (size_t i = 0; i < mm_source_folder_count(source); i++)
		for (size_t j = 0; j < i; j++) {
			const struct mm_trace_id *a = mm_source_id_at(source, j),
						 *b = mm_source_id_at(source, i);

			if (check->of[i] != check->of[j] || !a->has_boot_id || !b->has_boot_id)
				continue;
			if (are_of_one_boot(a, b))
				break;
			mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"trace: %s and %s were recorded in different boots of a machine; copy the whole snapshot again, or give one of the two folders",
				mm_source_folder_at(source, j), mm_source_folder_at(source, i));
			return true;
		}
	return false;
}

int mm_recordings_check(const struct mm_source *source, const struct mm_snapshots *snapshots,
			struct mm_error *err)
{
	struct recording_check check;

	start(&check, source, snapshots);
	for (size_t i = 0; i < mm_source_folder_count(source) && check.count > 1 && !check.failed;
	     i++)
		claim_all(&check, i);
	if (check.conflict && !check.failed)
		check.failed = refuse(&check, err) != 0;
	else if (!check.failed)
		check.conflict = refuse_boots(&check, err);
	return finish(&check, err);
}

int mm_recordings_check_packets(const struct mm_source *source,
				const struct mm_snapshots *snapshots,
				struct ctf_trace *const *traces, size_t count, struct mm_error *err)
{
	struct ctf_repeat repeat;
	struct recording_check check;
	int found = ctf_repeats_find(traces, count, &repeat, err);

	if (found <= 0)
		return found;
	start(&check, source, snapshots);
	check.conflict = true;
	if (!check.failed && check.count > 1)
		check.failed = refuse(&check, err) != 0;
	else if (!check.failed)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			repeat.is_copy
				? "trace: %s: has packets of the same stream and time as %s: one of the two files is a copy; remove the copy"
				: "trace: %s: some of its packets repeat packets of %s, others do not: one of the files is damaged; copy the trace again",
			repeat.second->path, repeat.first->path);
	return finish(&check, err);
}
