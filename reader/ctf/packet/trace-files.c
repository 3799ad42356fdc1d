// SPDX-License-Identifier: LGPL-2.1-only
/* Opens a trace: finds its stream files and groups them into streams. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/ctf/metadata/metadata.h"
#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/sums.h"
#include "util/path.h"

static int no_memory(const char *folder, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", folder);
}

/*
 * Makes room for one more item of @size bytes in an array. The room doubles when the count reaches
 * a power of two. Returns NULL when out of memory.
 */
static void *grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? 2 * count : 1, size);
}

static void file_done(struct ctf_file *file)
{
	ctf_map_close(file->map);
	ctf_index_close(file->index);
	ctf_sums_close(file->sums);
	free(file->path);
	free(file->name);
	*file = (struct ctf_file){ 0 };
}

void ctf_trace_close(struct ctf_trace *trace)
{
	struct ctf_trace_private *private = (struct ctf_trace_private *)trace;

	if (!trace)
		return;
	for (size_t i = 0; i < trace->stream_count; i++) {
		for (size_t j = 0; j < trace->streams[i].file_count; j++)
			file_done(&trace->streams[i].files[j]);
		ctf_stream_release_order(&trace->streams[i]);
		free(trace->streams[i].files);
		free(trace->streams[i].name);
	}
	free(trace->streams);
	for (size_t i = 0; i < trace->finding_count; i++) {
		free((char *)trace->findings[i].file);
		free((char *)trace->findings[i].what);
	}
	free(trace->findings);
	for (size_t i = 0; i < private->plan_count; i++)
		ctf_packet_plan_done(&private->plans[i]);
	free(private->plans);
	ctf_trace_class_destroy(trace->class);
	free(trace->folder);
	free(trace->name);
	free(private);
}

static int make_plans(struct ctf_trace_private *private)
{
	const struct ctf_trace_class *class = private->base.class;

	private->has_magic = ctf_header_magic(class, private->magic);
	private->plans = calloc(class->stream_count + 1, sizeof(*private->plans));
	if (!private->plans)
		return -1;
	for (size_t i = 0; i < class->stream_count; i++) {
		if (ctf_packet_plan_init(&private->plans[i], class->streams[i]))
			return -1;
		private->plan_count++;
	}
	return 0;
}

static int64_t env_number(const struct ctf_trace_class *class, const char *name)
{
	const struct ctf_env *env = ctf_env_find(class, name);

	return env && env->kind == CTF_ENV_SIGNED ? env->i : -1;
}

static bool before(const int64_t version[3], int64_t major, int64_t minor, int64_t patch)
{
	if (version[0] != major)
		return version[0] < major;
	if (version[1] != minor)
		return version[1] < minor;
	return version[2] < patch;
}

/* Returns the known faults (enum ctf_quirk) of the tracer, found by its name and version. */
static uint32_t find_quirks(const struct ctf_trace_class *class)
{
	const struct ctf_env *tracer = ctf_env_find(class, "tracer_name");
	int64_t version[3] = { env_number(class, "tracer_major"), env_number(class, "tracer_minor"),
			       env_number(class, "tracer_patch") };
	bool modules, lttng;

	if (!tracer || tracer->kind != CTF_ENV_STRING)
		return 0;
	modules = !strcmp(tracer->s, "lttng-modules");
	lttng = modules || !strcmp(tracer->s, "lttng-ust");
	if (version[0] < 0)
		return lttng ? CTF_QUIRK_WITHOUT_COUNT : 0;
	if (version[2] < 0)
		version[2] = env_number(class, "tracer_patchlevel");
	if (lttng) {
		bool fixed = !before(version, 2, 11, 0);

		/* The fault is also fixed in two older branches of lttng-modules. */
		if (modules && version[0] == 2 && version[1] == 10)
			fixed = version[2] >= 10;
		if (modules && version[0] == 2 && version[1] == 9)
			fixed = version[2] >= 13;
		return CTF_QUIRK_CRASH | CTF_QUIRK_WITHOUT_COUNT |
		       (fixed ? 0 : CTF_QUIRK_EVENT_AFTER_PACKET) |
		       (before(version, 2, 13, 3) ? CTF_QUIRK_LATE_COUNT : 0);
	}
	if (!strcmp(tracer->s, "barectf") && before(version, 2, 3, 1))
		return CTF_QUIRK_EVENT_BEFORE_PACKET;
	return 0;
}

static bool is_tracer(const struct ctf_trace_class *class, const char *name)
{
	const struct ctf_env *tracer = ctf_env_find(class, "tracer_name");

	return tracer && tracer->kind == CTF_ENV_STRING && !strncmp(tracer->s, name, strlen(name));
}

bool ctf_class_is_lttng(const struct ctf_trace_class *class)
{
	return is_tracer(class, "lttng-");
}

int ctf_trace_add_finding(struct ctf_trace *trace, const struct ctf_finding *finding)
{
	struct ctf_finding *findings =
		grow(trace->findings, trace->finding_count, sizeof(*findings));

	if (!findings)
		return -1;
	trace->findings = findings;
	findings += trace->finding_count++;
	*findings = *finding;
	findings->file = strdup(finding->file);
	findings->what = strdup(finding->what);
	return findings->file && findings->what ? 0 : -1;
}

static struct ctf_stream *find_stream(struct ctf_trace *trace, const struct ctf_stream_class *class,
				      bool has_id, uint64_t id)
{
	struct ctf_stream *streams;

	for (size_t i = 0; has_id && i < trace->stream_count; i++)
		if (trace->streams[i].class == class && trace->streams[i].has_id &&
		    trace->streams[i].id == id)
			return &trace->streams[i];
	streams = grow(trace->streams, trace->stream_count, sizeof(*streams));
	if (!streams)
		return NULL;
	trace->streams = streams;
	streams += trace->stream_count++;
	*streams = (struct ctf_stream){
		.trace = trace, .class = class, .has_id = has_id, .id = id, .cpu = MM_CPU_UNKNOWN
	};
	return streams;
}

/*
 * Adds @file to @stream, and takes ownership of @file. Files are ordered by their start timestamp,
 * then by the order in which they are added.
 */
static int add_file(struct ctf_stream *stream, struct ctf_file *file, uint32_t cpu)
{
	struct ctf_file *files = grow(stream->files, stream->file_count, sizeof(*files));
	size_t at;

	if (!files) {
		file_done(file);
		return -1;
	}
	stream->files = files;
	for (at = stream->file_count; at && files[at - 1].first_ns > file->first_ns; at--)
		;
	memmove(files + at + 1, files + at, (stream->file_count - at) * sizeof(*files));
	files[at] = *file;
	if (!at)
		stream->cpu = cpu;
	stream->file_count++;
	return 0;
}

int ctf_trace_add_file(struct ctf_trace *trace, const struct ctf_stream_class *class, bool has_id,
		       uint64_t id, struct ctf_file *file, uint32_t cpu)
{
	struct ctf_stream *stream = find_stream(trace, class, has_id, id);

	if (stream)
		return add_file(stream, file, cpu);
	file_done(file);
	return -1;
}

/*
 * Like first_packet(), for a file with moved packets. Reads the head of the packet that was
 * recorded first.
 */
static int first_moved(const struct ctf_trace *trace, const struct ctf_file *file,
		       const struct ctf_parts *parts, uint64_t *slots, struct ctf_packet_head *head)
{
	const struct ctf_part *first = NULL;

	for (size_t i = 0; i < parts->count; i++)
		if (parts->all[i].kind == CTF_PART_PACKET &&
		    (!first || parts->all[i].number < first->number))
			first = &parts->all[i];
	return first ? ctf_packet_head_read(trace, NULL, file->map, first->offset, NULL, slots,
					    head)
		     : -1;
}

/* Like first_packet(), but finds the first packet with a correct checksum. */
static int first_checked(const struct ctf_trace *trace, const struct ctf_file *file,
			 uint64_t *slots, struct ctf_packet_head *head)
{
	const struct mm_checksum *sum = ctf_sums_first(file->sums);
	const struct ctf_parts *parts = ctf_sums_parts(file->sums);
	const uint64_t size = ctf_map_size(file->map);

	if (parts && !first_moved(trace, file, parts, slots, head))
		return 0;
	for (; sum && !parts && sum->bytes <= size && sum->offset <= size - sum->bytes;
	     sum = ctf_sums_next(file->sums, sum))
		if (ctf_sums_check(file->sums, sum, file->map) &&
		    !ctf_packet_head_read(trace, NULL, file->map, sum->offset, NULL, slots, head))
			return 0;
	sum = ctf_sums_first(file->sums);
	*head = (struct ctf_packet_head){
		.at_end = sum && sum->bytes > size && !parts,
		.problem = sum && sum->bytes > size && !parts
				   ? "the file ends within its first packet"
				   : "no packet of the file has the right checksum",
	};
	return -1;
}

/* If @file has packets of this trace, skips packets of other traces before them. */
static void skip_foreign(const struct ctf_trace *trace, const struct ctf_file *file,
			 uint64_t *slots, struct ctf_packet_head *head)
{
	uint64_t offset = 0, size = ctf_map_size(file->map), spent = 0;
	struct ctf_packet_head next = *head;

	while (next.header.foreign && next.size_bits / 8 < size - offset) {
		offset += next.size_bits / 8;
		if (ctf_packet_head_read(trace, NULL, file->map, offset, &spent, slots, &next))
			return;
	}
	if (!next.header.foreign)
		*head = next;
}

static bool are_of_one_stream(const struct ctf_packet_head *a, const struct ctf_packet_head *b)
{
	return a->header.class == b->header.class &&
	       ctf_header_value(&a->header, CTF_ROLE_STREAM_ID) ==
		       ctf_header_value(&b->header, CTF_ROLE_STREAM_ID) &&
	       ctf_header_value(&a->header, CTF_ROLE_CPU_ID) ==
		       ctf_header_value(&b->header, CTF_ROLE_CPU_ID);
}

/* Does the file name CHANNEL_CPU contain the CPU that @head states? */
static bool has_cpu_of(const char *name, const struct ctf_packet_head *head)
{
	const char *number = strrchr(name, '_');

	return number && number[1] && !number[1 + strspn(number + 1, "0123456789")] &&
	       strtoull(number + 1, NULL, 10) == ctf_header_value(&head->header, CTF_ROLE_CPU_ID);
}

/*
 * Replaces @head, the head of the first packet, if that packet seems to be damaged. In LTTng's
 * files, this is the case if the second and third packet agree on a stream, but not with the first
 * packet. If there are only two packets, the CPU in the file's name decides.
 */
static void skip_other(const struct ctf_trace *trace, const struct ctf_file *file, uint64_t *slots,
		       struct ctf_packet_head *head)
{
	uint64_t size = ctf_map_size(file->map), at = head->size_bits / 8, spent = 0;
	struct ctf_packet_head second, third;
	bool follows;

	if (!ctf_trace_private(trace)->per_cpu || head->size_bits == UINT64_MAX || at >= size ||
	    ctf_packet_head_read(trace, NULL, file->map, at, &spent, slots, &second) ||
	    second.mismatch || are_of_one_stream(head, &second))
		return;
	follows = second.size_bits / 8 < size - at;
	if (follows ? !ctf_packet_head_read(trace, NULL, file->map, at + second.size_bits / 8,
					    &spent, slots, &third) &&
			      are_of_one_stream(&second, &third)
		    : has_cpu_of(file->name, &second) && !has_cpu_of(file->name, head))
		*head = second;
}

/*
 * Finds the first readable packet of @file. Returns 0. If no packet is readable, returns -1, and
 * @head->problem states the reason.
 */
static int first_packet(const struct ctf_trace *trace, const struct ctf_file *file, uint64_t *slots,
			struct ctf_packet_head *head)
{
	struct ctf_packet_head first;
	uint64_t offset, spent = 0;

	if (file->sums)
		return first_checked(trace, file, slots, head);
	if (!ctf_packet_head_read(trace, NULL, file->map, 0, &spent, slots, head)) {
		if (head->header.foreign)
			skip_foreign(trace, file, slots, head);
		else
			skip_other(trace, file, slots, head);
		return 0;
	}
	first = *head;
	offset = ctf_packet_find(trace, NULL, file->map, 1, &spent, slots);
	if (offset != UINT64_MAX)
		return ctf_packet_head_read(trace, NULL, file->map, offset, NULL, slots, head);
	*head = first;
	return -1;
}

/* Does the file start like a packet? If it does not, it is damaged, not truncated. */
static bool begins_well(const struct ctf_trace *trace, const struct ctf_file *file)
{
	const struct ctf_trace_private *private = ctf_trace_private(trace);

	uint64_t size = ctf_map_size(file->map);

	if (size > sizeof(private->magic))
		size = sizeof(private->magic);
	return !private->has_magic ||
	       !memcmp(ctf_map_data(file->map), private->magic, (size_t)size);
}

static int place_file(struct ctf_trace *trace, struct ctf_file *file, uint64_t *slots)
{
	struct ctf_packet_head head;
	struct ctf_packet packet;
	bool has_id;

	if (first_packet(trace, file, slots, &head)) {
		const struct ctf_finding finding = { .file = file->path,
						     .what = head.problem,
						     .offset = head.problem_at,
						     .skipped = true,
						     .unseen = file->sums != NULL,
						     .truncated = head.at_end &&
								  begins_well(trace, file) };
		int ret = ctf_trace_add_finding(trace, &finding);

		file_done(file);
		return ret;
	}
	/* The stream and the offset are placeholders. Only the times and the CPU are used below. */
	ctf_packet_fill(&packet, &(struct ctf_stream){ .trace = trace, .class = head.header.class },
			file, 0, &head, NULL);
	/* Packets of another trace come last, because their times are not comparable. */
	file->first_ns = head.header.foreign ? INT64_MAX : packet.begin_ns;
	/* Files without a start timestamp cannot be ordered, so each becomes a separate stream. */
	has_id = (head.header.have & CTF_ROLE_STREAM_ID) && (packet.flags & CTF_PACKET_HAS_BEGIN);
	return ctf_trace_add_file(trace, head.header.class, has_id,
				  ctf_header_value(&head.header, CTF_ROLE_STREAM_ID), file,
				  packet.cpu);
}

static int open_file(struct ctf_trace *trace, const char *name, uint64_t *slots,
		     struct mm_error *err)
{
	struct ctf_file file = { .name = strdup(name) };
	struct stat status;

	if (!file.name || asprintf(&file.path, "%s/%s", trace->folder, name) < 0) {
		file.path = NULL;
		file_done(&file);
		return no_memory(trace->folder, err);
	}
	if (stat(file.path, &status) || !S_ISREG(status.st_mode) || !status.st_size) {
		file_done(&file);
		return 0;
	}
	/* Skip an unreadable file. mm_missing_find() lists it as missing. */
	if (mm_path_is_denied(file.path)) {
		file_done(&file);
		return 0;
	}
	file.map = ctf_map_open(file.path, err);
	if (!file.map) {
		file_done(&file);
		return -1;
	}
	if (!ctf_map_size(file.map)) {
		file_done(&file);
		return 0;
	}
	file.index = ctf_index_open(trace->folder, name);
	if (ctf_sums_open(&file.sums, trace->folder, name) ||
	    (file.sums && ctf_sums_find_parts(file.sums, trace, file.map, slots))) {
		file_done(&file);
		return no_memory(trace->folder, err);
	}
	return place_file(trace, &file, slots) ? no_memory(trace->folder, err) : 0;
}

static int is_candidate(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0;
}

/* Compares bytes, because the order of alphasort() depends on the locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int open_files(struct ctf_trace *trace, struct mm_error *err)
{
	uint64_t *slots = calloc(trace->class->slot_count + 1, sizeof(*slots));
	struct dirent **entries = NULL;
	int count = -1, ret = 0;

	if (!slots)
		return no_memory(trace->folder, err);
	count = scandir(trace->folder, &entries, is_candidate, by_bytes);
	if (count < 0)
		ret = mm_error_set(err, MM_EXIT_BAD_INPUT, "trace: %s: cannot be read: %s",
				   trace->folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		if (!ret)
			ret = open_file(trace, entries[i]->d_name, slots, err);
		free(entries[i]);
	}
	free(entries);
	free(slots);
	return ret;
}

static int compare_paths(const void *a, const void *b)
{
	const struct ctf_stream *left = a, *right = b;

	return strcmp(left->files[0].path, right->files[0].path);
}

static int compare_streams(const void *a, const void *b)
{
	int ret = ctf_stream_compare(a, b);

	return ret ? ret : compare_paths(a, b);
}

int ctf_trace_order(struct ctf_trace *trace)
{
	uint64_t synthetic = 0;

	if (!trace->stream_count)
		return 0;
	/* Number the streams without an id in the order of their first files. */
	qsort(trace->streams, trace->stream_count, sizeof(*trace->streams), compare_paths);
	for (size_t i = 0; i < trace->stream_count; i++) {
		struct ctf_stream *stream = &trace->streams[i];

		free(stream->name);
		stream->name = mm_path_absolute(stream->files[0].path);
		if (!stream->name)
			return -1;
		if (!stream->has_id)
			stream->id = synthetic++;
	}
	qsort(trace->streams, trace->stream_count, sizeof(*trace->streams), compare_streams);
	for (size_t i = 0; i < trace->stream_count; i++)
		trace->streams[i].rank = (uint32_t)i;
	return 0;
}

static char *host_name(const struct ctf_trace_class *class)
{
	const struct ctf_env *host = ctf_env_find(class, "hostname");

	return strdup(host && host->kind == CTF_ENV_STRING ? host->s : "");
}

struct ctf_trace *ctf_trace_open_class(const char *folder, struct ctf_trace_class *class,
				       struct mm_error *err)
{
	struct ctf_trace_private *private = calloc(1, sizeof(*private));
	struct ctf_trace *trace = &private->base;

	if (!private) {
		ctf_trace_class_destroy(class);
		no_memory(folder, err);
		return NULL;
	}
	trace->class = class;
	trace->folder = strdup(folder);
	trace->name = host_name(class);
	private->quirks = find_quirks(class);
	private->per_cpu = ctf_class_is_lttng(class);
	private->kernel = is_tracer(class, "lttng-modules");
	if (!trace->folder || !trace->name || make_plans(private)) {
		no_memory(folder, err);
		goto failed;
	}
	if (open_files(trace, err))
		goto failed;
	if (ctf_trace_order(trace)) {
		no_memory(folder, err);
		goto failed;
	}
	return trace;
failed:
	ctf_trace_close(trace);
	return NULL;
}

struct ctf_trace *ctf_trace_open_read(const char *folder, struct ctf_trace_class *class,
				      int64_t clock_shift_ns, struct mm_error *err)
{
	for (size_t i = 0; clock_shift_ns && i < class->clock_count; i++)
		ctf_clock_shift(class->clocks[i], clock_shift_ns);
	return ctf_trace_open_class(folder, class, err);
}

struct ctf_trace *ctf_trace_open(const char *folder, int64_t clock_shift_ns, struct mm_error *err)
{
	struct ctf_trace_class *class = ctf_metadata_read(folder, err);

	return class ? ctf_trace_open_read(folder, class, clock_shift_ns, err) : NULL;
}
