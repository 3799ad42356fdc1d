// SPDX-License-Identifier: LGPL-2.1-only
/* Caches the metadata of events. */
#include "lttng-session/daemon/triggers/definition/field-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/fn/device.h"
#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/system/modules.h"
#include "reader/ctf/metadata/metadata.h"
#include "util/hash.h"

#define LOCK "fields.lock"
#define FOLDER "fields"
#define NEW ".new"
/* Another process may keep the lock for seconds while it reads fields. */
#define LOCK_TRIES 300
#define LOCK_PAUSE_NS 100000000
/* Maximum size of a cached file. The metadata of all system calls takes about a megabyte. */
#define BYTES_MAX (4u << 20)

static void add_module(const struct loaded_module *module, void *user)
{
	char size[32];

	snprintf(size, sizeof(size), "%" PRIu64, module->size);
	mm_fnv_add(user, module->name);
	mm_fnv_add(user, module->build_id);
	mm_fnv_add(user, size);
}

/*
 * Adds a function and its SPEC to the hash, because a different SPEC gives the event different
 * fields.
 */
static int add_function(const struct lttng_mm_fn_state *state, void *user)
{
	mm_fnv_add(user, state->name);
	mm_fnv_add(user, state->module);
	mm_fnv_add(user, state->spec);
	return 0;
}

static void make_key(char key[32])
{
	int device = fn_device_open(false, NULL);
	uint64_t hash = MM_FNV_START;

	modules_each(add_module, &hash);
	if (device >= 0) {
		fn_device_each(device, add_function, &hash, NULL);
		close(device);
	}
	snprintf(key, 32, "%016" PRIx64, hash);
}

/* Opens the folder @name in @parent. With @make, creates the folder if it is missing. */
static int open_in(int parent, const char *name, bool make)
{
	int fd = folder_open(parent, name);

	return fd < 0 && errno == ENOENT && make ? folder_make(parent, name, 0700) : fd;
}

static int remove_other(int parent, const char *name, void *user)
{
	if (strcmp(name, user) != 0)
		folder_remove(parent, name);
	return 0;
}

void field_cache_open(struct field_cache *cache)
{
	int parent = geteuid() ? -1 : plan_folder_open(true), all;
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	char key[32];

	*cache = (struct field_cache){ .lock = -1, .folder = -1 };
	if (parent < 0)
		return;
	cache->lock = openat(parent, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	for (int tries = 0; cache->lock >= 0 && flock(cache->lock, LOCK_EX | LOCK_NB); tries++) {
		if (errno == EINTR || (errno == EWOULDBLOCK && tries < LOCK_TRIES)) {
			nanosleep(&pause, NULL);
			continue;
		}
		close(cache->lock);
		cache->lock = -1;
	}
	all = cache->lock < 0 ? -1 : open_in(parent, FOLDER, true);
	if (all >= 0) {
		/*
		 * Modules may have changed while this process waited for the lock, so compute the
		 * key now.
		 */
		make_key(key);
		cache->folder = open_in(all, key, true);
		/*
		 * Remove the entries for other sets of modules and functions, which are outdated.
		 */
		folder_each(all, 0, remove_other, key);
		close(all);
	}
	close(parent);
}

void field_cache_close(struct field_cache *cache)
{
	if (cache->folder >= 0)
		close(cache->folder);
	if (cache->lock >= 0)
		close(cache->lock);
	*cache = (struct field_cache){ .lock = -1, .folder = -1 };
}

struct ctf_trace_class *field_cache_find(const struct field_cache *cache, const char *event)
{
	struct ctf_trace_class *trace = NULL;
	struct mm_error ignored = MM_ERROR_INIT;
	struct stat st;
	char *data;
	int fd;

	if (cache->folder < 0)
		return NULL;
	fd = openat(cache->folder, event, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= BYTES_MAX) {
		size_t size = (size_t)st.st_size;

		data = malloc(size);
		if (data && read(fd, data, size) == (ssize_t)size)
			trace = ctf_metadata_parse(data, size, event, &ignored);
		free(data);
	}
	close(fd);
	return trace;
}

static bool write_new(const struct field_cache *cache, const void *metadata, size_t size)
{
	FILE *file;
	bool written;

	unlinkat(cache->folder, NEW, 0);
	file = folder_make_file(cache->folder, NEW);
	if (!file)
		return false;
	written = fwrite(metadata, 1, size, file) == size;
	return !fclose(file) && written;
}

void field_cache_add(struct field_cache *cache, const char *const *events, size_t count,
		     const void *metadata, size_t size)
{
	if (cache->folder < 0 || size > BYTES_MAX || !write_new(cache, metadata, size))
		return;
	/*
	 * An event's name can be a file name, because it contains no slash and does not start with
	 * a dot.
	 */
	for (size_t i = 0; i < count; i++) {
		unlinkat(cache->folder, events[i], 0);
		linkat(cache->folder, NEW, cache->folder, events[i], 0);
	}
	unlinkat(cache->folder, NEW, 0);
}
