// SPDX-License-Identifier: LGPL-2.1-only
/* Opens the traces in given folders. Reads their metadata and their snapshot.json files. */
#include "reader/open/open-folders.h"

#include <string.h>

#include "reader/ctf/decode/source.h"
#include "reader/ctf/metadata/metadata.h"
#include "reader/coverage/find/missing-files.h"
#include "reader/coverage/find/packets-check.h"
#include "reader/events/source-base.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/missing.h"
#include "util/uuid.h"

static int no_memory(const char *path, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", path);
}

/* Gets the boot ID, which is the clock's UUID in CTF 1.8 and its UID in CTF 2. */
static bool boot_of(const struct ctf_clock *clock, uint8_t boot_id[16])
{
	if (clock->has_uuid)
		memcpy(boot_id, clock->uuid, sizeof(clock->uuid));
	return clock->has_uuid || mm_uuid_parse(clock->uid, boot_id);
}

/*
 * Tells the source the event classes, the user call stacks and the kernel release that the metadata
 * declare. Some readers do not report them for a trace without streams.
 */
static int declare(struct mm_source *source, const struct ctf_trace_class *class)
{
	const struct ctf_env *env = ctf_env_find(class, "kernel_release");

	for (size_t i = 0; i < class->stream_count; i++)
		for (size_t j = 0; j < class->streams[i]->event_count; j++)
			if (class->streams[i]->events[j]->has_name &&
			    mm_source_declare(source, class->streams[i]->events[j]->name))
				return -1;
	source->declares_user_stacks |= ctf_trace_class_has_context(class, MM_CONTEXT_USER_STACK);
	return env && env->kind == CTF_ENV_STRING && *env->s ? mm_source_note_kernel(source, env->s)
							     : 0;
}

static int identify(struct mm_source *source, struct mm_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < source->folder_count && !ret; i++) {
		struct mm_error here = MM_ERROR_INIT;
		struct ctf_trace_class *class = ctf_metadata_read(source->folders[i], &here);
		struct mm_trace_id *id = &source->ids[i];

		if (!class && here.code == MM_EXIT_ENVIRONMENT)
			return mm_error_set(err, here.code, "%s", here.message);
		/* Ignore errors in the metadata. The reader reports them later. */
		if (!class)
			continue;
		id->has_uuid = class->has_uuid;
		memcpy(id->uuid, class->uuid, sizeof(id->uuid));
		for (size_t j = 0; j < class->clock_count && !id->has_boot_id; j++)
			id->has_boot_id = boot_of(class->clocks[j], id->boot_id);
		ret = declare(source, class);
		if (mm_ctf_source_is(source))
			mm_ctf_source_keep_class(source, i, class);
		else
			ctf_trace_class_destroy(class);
	}
	return ret ? no_memory(source->path, err) : 0;
}

int mm_source_read_clock(struct mm_source *source)
{
	struct mm_snapshots snapshots;
	int ret;

	if (source->options.metadata_clock || !source->folder_count)
		return 0;
	ret = mm_snapshots_find(&snapshots, source);
	if (!ret)
		source->clock_shift_ns = mm_snapshots_clock_shift(&snapshots);
	mm_snapshots_release(&snapshots);
	return ret;
}

const struct mm_folder_ops mm_folder_ops = {
	.identify = identify,
	.read_clock = mm_source_read_clock,
	.find_missing = mm_missing_search,
	.release_missing = mm_missing_destroy,
	.check_packets = mm_packets_check,
};

struct mm_source *mm_source_create_fast(const char *path, const char *const *folders, size_t count,
					const struct mm_source_options *options,
					struct mm_error *err)
{
	struct mm_source *source = mm_ctf_source_create_of(path, folders, count, options, err);

	if (source)
		source->folder_ops = &mm_folder_ops;
	return source;
}

struct mm_source *mm_source_open_folders(const char *path, const char *const *folders, size_t count,
					 const struct mm_source_options *options,
					 struct mm_error *err)
{
	struct mm_source *source = mm_source_create_fast(path, folders, count, options, err);

	if (!source || !mm_source_read_clock(source))
		return source;
	no_memory(path, err);
	mm_source_destroy(source);
	return NULL;
}
