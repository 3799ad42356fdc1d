// SPDX-License-Identifier: LGPL-2.1-only
/* The list of missing files, and their report as losses. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"
#include "reader/events/source-base.h"
#include "util/plural.h"
#include "util/text.h"

bool mm_trace_is_state(const char *folder)
{
	const char *end = folder + strlen(folder);

	/* Compares the name of the folder, then the name of its parent. */
	for (int level = 0; level < 2; level++) {
		const char *name;
		size_t length;

		while (end > folder && end[-1] == '/')
			end--;
		name = end;
		while (name > folder && name[-1] != '/')
			name--;
		length = (size_t)(end - name);
		if (length == strlen(MM_STATE_FOLDER) && !memcmp(name, MM_STATE_FOLDER, length))
			return true;
		/*
		 * The parent of kernel/ does not matter, because a snapshot's folder may have any
		 * name.
		 */
		if (length == strlen(MM_RING_FOLDER) && !memcmp(name, MM_RING_FOLDER, length))
			return false;
		end = name;
	}
	return false;
}

static void free_missing(struct mm_missing *missing)
{
	free(missing->file);
	free(missing->display_path);
}

void mm_missing_destroy(struct mm_missing_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->count; i++)
		free_missing(&list->all[i]);
	for (size_t i = 0; i < list->declared_count; i++)
		free(list->declared[i].event);
	free(list->declared);
	for (size_t i = 0; i < list->pause_count; i++)
		free(list->pauses[i].file);
	free(list->pauses);
	for (size_t i = 0; i < list->stream_gap_count; i++)
		free(list->stream_gaps[i].file);
	free(list->stream_gaps);
	for (size_t i = 0; i < list->cut_count; i++)
		free(list->cuts[i].file);
	free(list->cuts);
	for (size_t i = 0; i < list->covered_count; i++) {
		free(list->covered[i].file);
		free(list->covered[i].channel);
	}
	free(list->covered);
	mm_strings_release(list->limits, list->limit_count);
	mm_strings_release(list->problems, list->problem_count);
	mm_strings_release(list->problem_files, list->problem_count);
	mm_hash_release(&list->by_file);
	mm_strings_release(list->unchecked, list->unchecked_count);
	mm_strings_release(list->damaged_snapshots, list->damaged_snapshot_count);
	mm_strings_release(list->damaged_whys, list->damaged_why_count);
	for (size_t i = 0; i < mm_missing_mismatches(list); i++) {
		free(list->mismatches[i].file);
		free(list->mismatches[i].display_path);
	}
	free(list->mismatches);
	for (size_t i = 0; i < list->lost_sums_count; i++)
		free(list->lost_sums[i].file);
	free(list->lost_sums);
	mm_strings_release(list->notes, list->note_count);
	free(list->all);
	free(list);
}

static int compare_covered(const void *stream, const void *covered)
{
	return strcmp(stream, ((const struct mm_covered *)covered)->file);
}

static const struct mm_covered *find_covered(const struct mm_missing_list *list, const char *stream)
{
	return list && list->covered_count ? bsearch(stream, list->covered, list->covered_count,
						     sizeof(*list->covered), compare_covered)
					   : NULL;
}

const struct mm_covered *mm_missing_covered(const struct mm_source *source, const char *stream)
{
	const struct mm_covered *covered = find_covered(source->missing, stream);

	/*
	 * A certificate does not apply to a file that has changed or lost packets since it was
	 * certified.
	 */
	return covered && !covered->changed && !mm_missing_in(source->missing, stream) ? covered
										       : NULL;
}

bool mm_missing_is_changed(const struct mm_missing_list *list, const char *stream)
{
	const struct mm_covered *covered = find_covered(list, stream);

	return covered && covered->changed;
}

static bool is_file(const void *all, uint32_t number, const void *path)
{
	return !strcmp(((const struct mm_missing *)all)[number].file, path);
}

const char *mm_missing_channel(const struct mm_source *source, const char *stream)
{
	const struct mm_covered *covered = find_covered(source->missing, stream);

	return covered ? covered->channel : NULL;
}

const struct mm_missing *mm_missing_in(const struct mm_missing_list *list, const char *path)
{
	uint32_t number = mm_hash_find(&list->by_file, mm_hash_of_string(&list->by_file, path),
				       list->all, path, is_file);

	return number == MM_HASH_NONE ? NULL : &list->all[number];
}

const struct mm_missing *mm_missing_of(const struct mm_source *source, const char *path)
{
	const struct mm_missing_list *list = source->missing;

	return list && list->count ? mm_missing_in(list, path) : NULL;
}

static int compare_cut(const void *stream, const void *cut)
{
	return strcmp(stream, ((const struct mm_cut *)cut)->file);
}

const struct mm_cut *mm_missing_cut(const struct mm_source *source, const struct mm_loss *loss)
{
	const struct mm_missing_list *list = source->missing;

	return list && list->cut_count && !loss->missing
		       ? bsearch(loss->stream, list->cuts, list->cut_count, sizeof(*list->cuts),
				 compare_cut)
		       : NULL;
}

int mm_missing_find(struct mm_source *source, struct mm_error *err)
{
	if (source->missing)
		return 0;
	if (source->folder_ops)
		return source->folder_ops->find_missing(source, err);
	source->missing = calloc(1, sizeof(*source->missing));
	return source->missing ? 0 : mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
}

const char *mm_missing_unverifiable(const struct mm_missing_list *list)
{
	if (list->uncertain)
		return "no file lists the streams, and some channels lack the stream of a CPU that other channels, the state dump or the system information show";
	if (!list->unverifiable)
		return NULL;
	if (list->unverifiable == list->compared)
		return "no system information lists the streams, though both sessions have streams of the same CPUs";
	if (list->some_verified)
		return "neither system information nor a certificate lists the streams of all folders";
	if (list->has_index)
		return "neither system information nor a certificate lists the streams, and an index names only its own stream";
	return "no system information, certificate or index lists the streams";
}

bool mm_missing_is_limited(const struct mm_missing_list *list)
{
	return list && (list->limits_unknown || list->limit_count);
}

/*
 * Do the limits include a filter, or are they unknown? The limits "slab_* with bytes > 64" and
 * "slab_* except slab_kfree" are filters; "pid 7" is a tracker.
 */
bool mm_missing_is_filtered(const struct mm_missing_list *list)
{
	for (size_t i = 0; list && i < list->limit_count; i++)
		if (strstr(list->limits[i], " with ") || strstr(list->limits[i], " except "))
			return true;
	return list && list->limits_unknown;
}

size_t mm_missing_mismatches(const struct mm_missing_list *list)
{
	return list->mismatch_count < MM_MISMATCHES_MAX ? list->mismatch_count : MM_MISMATCHES_MAX;
}

bool mm_missing_is_mismatched(const struct mm_missing_list *list, const char *path)
{
	for (size_t i = 0; i < mm_missing_mismatches(list); i++)
		if (!strcmp(list->mismatches[i].file, path))
			return true;
	return false;
}

const char *mm_missing_sums_what(const struct mm_lost_checksums *lost, char *text, size_t size)
{
	if (lost->error && lost->error != ENOENT)
		snprintf(text, size, "the checksums cannot be read: %s: " MM_UNCHECKED,
			 strerror(lost->error));
	else
		snprintf(
			text, size, "the checksums are %s: " MM_UNCHECKED,
			lost->maybe_never_made
				? "missing (some could not be computed when the snapshot was taken)"
			: lost->error ? "missing"
				      : "damaged");
	return text;
}

char *mm_missing_sums_text(const struct mm_missing_list *list)
{
	const size_t others = list->lost_sums_count - 1;
	char *text, what[MM_SUMS_TEXT];
	int length;

	if (others)
		length = asprintf(
			&text,
			"%s: %s; the same applies to %zu more file%s (`lttng-mm verify` lists them)",
			list->lost_sums[0].file,
			mm_missing_sums_what(&list->lost_sums[0], what, sizeof(what)), others,
			mm_plural_s(others));
	else
		length = asprintf(&text, "%s: %s", list->lost_sums[0].file,
				  mm_missing_sums_what(&list->lost_sums[0], what, sizeof(what)));
	return length < 0 ? NULL : text;
}

void mm_missing_text(const struct mm_missing *missing, char *text, size_t size)
{
	int length = snprintf(text, size, "%s: %s",
			      missing->uncertain	 ? "may be missing"
			      : missing->complete_stream ? "missing"
							 : "incomplete",
			      missing->what);

	if (missing->packets && length >= 0 && (size_t)length < size)
		length += snprintf(text + length, size - (size_t)length, ", %" PRIu64 " packet%s",
				   missing->packets, mm_plural_s(missing->packets));
	if (missing->source && length >= 0 && (size_t)length < size)
		snprintf(text + length, size - (size_t)length, " (%s)", missing->source);
}

/*
 * The roles (mm_requests_set_role()) that the events of a stream class may have for the consumer.
 * If @has_class is false, @may covers the events of all classes in the folder.
 */
struct class_roles {
	size_t folder;
	bool has_class;
	uint64_t class_id;
	struct mm_loss may;
};

/*
 * Hash indexes of roles and loss records. With linear lists, the search would take quadratic time.
 */
struct role_index {
	struct class_roles *roles;
	size_t count, room;
	struct mm_hash by_class;
	/* existing loss records, found by the name of their stream */
	struct mm_hash by_stream;
};

static uint32_t hash_of_roles(const struct role_index *index, const struct class_roles *roles)
{
	return mm_hash_of(&index->by_class, roles->folder << 1 | roles->has_class,
			  roles->has_class ? roles->class_id : 0);
}

static bool are_same_class(const void *all, uint32_t number, const void *wanted)
{
	const struct class_roles *a = &((const struct class_roles *)all)[number], *b = wanted;

	return a->folder == b->folder && a->has_class == b->has_class &&
	       (!a->has_class || a->class_id == b->class_id);
}

static const struct class_roles *find_roles(const struct role_index *index,
					    const struct class_roles *wanted)
{
	uint32_t number = mm_hash_find(&index->by_class, hash_of_roles(index, wanted), index->roles,
				       wanted, are_same_class);

	return number == MM_HASH_NONE ? NULL : &index->roles[number];
}

static int add_roles(struct role_index *index, const struct class_roles *wanted,
		     const struct mm_requests *requests, int request, const char *event)
{
	struct class_roles *roles = (struct class_roles *)find_roles(index, wanted);

	if (!roles) {
		roles = mm_array_grow(index->roles, index->count, &index->room, sizeof(*roles));
		if (!roles)
			return -1;
		index->roles = roles;
		roles += index->count;
		*roles = *wanted;
		if (mm_hash_add(&index->by_class, hash_of_roles(index, wanted),
				(uint32_t)index->count++))
			return -1;
	}
	mm_source_may_have(&roles->may, requests, request, event);
	return 0;
}

static bool is_record(const void *losses, uint32_t number, const void *stream)
{
	return !strcmp(((const struct mm_loss *)losses)[number].stream, stream);
}

static int build_index(struct role_index *index, const struct mm_source *source,
		       const struct mm_requests *requests)
{
	const struct mm_missing_list *list = source->missing;
	int ret = 0;

	for (size_t i = 0; i < list->declared_count && !ret; i++) {
		const struct mm_declared_event *declared = &list->declared[i];
		const struct class_roles of_class = {
			declared->folder, true, declared->class_id, { 0 }
		};
		const struct class_roles of_folder = { declared->folder, false, 0, { 0 } };

		int request = mm_requests_find(requests, declared->event);

		if (request >= 0)
			ret = add_roles(index, &of_class, requests, request, declared->event) ||
			      add_roles(index, &of_folder, requests, request, declared->event);
	}
	for (size_t i = 0; i < source->loss_count && !ret; i++)
		if (source->losses[i].missing)
			ret = mm_hash_add(
				&index->by_stream,
				mm_hash_of_string(&index->by_stream, source->losses[i].stream),
				(uint32_t)i);
	return ret ? -1 : 0;
}

/*
 * Sets the roles of the events that the missing stream declares. If these events are unknown, sets
 * all roles that the stream may have: only state dumps if it belongs to the session of the state
 * dumps, otherwise all other roles.
 */
static void note_requests(const struct role_index *index, const struct mm_missing *missing,
			  struct mm_loss *loss)
{
	const struct class_roles wanted = {
		missing->folder, missing->has_class, missing->class_id, { 0 }
	};
	const struct class_roles *roles = missing->declared ? find_roles(index, &wanted) : NULL;

	if (!missing->declared) {
		loss->has_state_dumps = missing->in_state;
		loss->has_requested = loss->has_subject = loss->affects_others = !missing->in_state;
		loss->has_counted = !missing->in_state;
	} else if (roles) {
		loss->has_state_dumps = roles->may.has_state_dumps;
		loss->has_requested = roles->may.has_requested;
		loss->has_subject = roles->may.has_subject;
		loss->affects_others = roles->may.affects_others;
		loss->has_counted = roles->may.has_counted;
	}
}

/* Does the stream have a loss record? An earlier run that read state dumps may have made it. */
static bool has_record(const struct role_index *index, const struct mm_source *source,
		       const struct mm_missing *missing)
{
	return mm_hash_find(&index->by_stream, mm_hash_of_string(&index->by_stream, missing->file),
			    source->losses, missing->file, is_record) != MM_HASH_NONE;
}

/* Prepares @loss for the next report: packets are missing up to @until_ns. */
static void note_packets(struct mm_loss *loss, int64_t until_ns)
{
	loss->lost_events = 0;
	loss->lost_until_ns = loss->lost_packets_until_ns = until_ns;
}

static int report(const struct role_index *index, struct mm_source *source,
		  struct mm_missing *missing, const struct mm_handler *handler)
{
	struct mm_loss roles = { NULL }, *loss;

	note_requests(index, missing, &roles);
	roles.has_requested |= roles.has_state_dumps && source->options.in_order;
	if (mm_loss_is_state(&roles) ? has_record(index, source, missing)
				     : source->options.only_state)
		return 0;
	loss = mm_source_add_loss(source, missing->file, missing->cpu);
	if (!loss)
		return -1;
	missing->loss = (size_t)(loss - source->losses);
	loss->has_requested = roles.has_requested;
	loss->has_subject = roles.has_subject;
	loss->affects_others = roles.affects_others;
	loss->has_counted = roles.has_counted;
	loss->has_state_dumps = roles.has_state_dumps;
	loss->missing = true;
	loss->maybe = missing->uncertain;
	loss->packets_lost = missing->packets;
	loss->damaged_since_ns = INT64_MIN;
	note_packets(loss, INT64_MAX);
	if (handler->lost)
		handler->lost(handler->user, loss, INT64_MIN);
	return 0;
}

int mm_missing_report(struct mm_source *source, const struct mm_requests *requests,
		      const struct mm_handler *handler, struct mm_error *err)
{
	struct role_index index = { NULL };
	int ret;

	mm_hash_init(&index.by_class);
	mm_hash_init(&index.by_stream);
	ret = build_index(&index, source, requests);
	for (size_t i = 0; i < source->missing->count && !ret; i++) {
		struct mm_missing *missing = &source->missing->all[i];

		if (missing->complete_stream)
			ret = report(&index, source, missing, handler);
	}
	mm_hash_release(&index.by_class);
	mm_hash_release(&index.by_stream);
	free(index.roles);
	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory") : 0;
}

/*
 * May packets in the requested time range be missing at the stream's start? Returns false for
 * streams of state dumps, which have no time range.
 */
static bool concerns_start(const struct mm_source *source, const struct mm_missing *missing,
			   const struct mm_loss *loss)
{
	return missing->begin_ns != INT64_MIN && missing->begin_ns >= source->options.begin_ns &&
	       !mm_loss_is_state(loss);
}

void mm_missing_report_start(const struct mm_source *source, const struct mm_missing *missing,
			     struct mm_loss *loss, const struct mm_handler *handler)
{
	if (!concerns_start(source, missing, loss))
		return;
	loss->uncertain = false;
	loss->at_unknown_place = true;
	loss->packets_lost += missing->packets;
	note_packets(loss, missing->begin_ns);
	if (handler->lost)
		handler->lost(handler->user, loss, INT64_MIN);
	loss->at_unknown_place = false;
}

void mm_missing_report_end(const struct mm_source *source, const struct mm_missing *missing,
			   struct mm_loss *loss, const struct mm_handler *handler)
{
	int64_t since_ns = missing->end_ns;

	if (since_ns == INT64_MAX)
		since_ns = loss->end_ns == INT64_MAX ? loss->begin_ns : loss->end_ns;
	if (since_ns > source->options.end_ns && !mm_loss_is_state(loss))
		return;
	loss->uncertain = false;
	loss->at_unknown_place = true;
	if (!concerns_start(source, missing, loss))
		loss->packets_lost += missing->packets;
	note_packets(loss, INT64_MAX);
	if (handler->lost)
		handler->lost(handler->user, loss, since_ns);
	loss->at_unknown_place = false;
}
