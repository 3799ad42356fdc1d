// SPDX-License-Identifier: LGPL-2.1-only
/* Code that all kinds of sources share. */
#include "reader/events/source-base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/time.h"

void mm_source_options_init(struct mm_source_options *options)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	*options = (struct mm_source_options){
		.reader = MM_READER_AUTO,
		.begin_ns = INT64_MIN,
		.end_ns = INT64_MAX,
		.jobs = cores < 1	      ? 1
			: cores > MM_JOBS_MAX ? MM_JOBS_MAX
					      : (unsigned int)cores,
	};
}

/* Converts one bound of the time range. The value @limit means that there is no bound. */
static int resolve(int64_t *ns, struct mm_time_base *base, int64_t limit,
		   const struct mm_source_options *options, const struct mm_time_span *span,
		   struct mm_error *err)
{
	const struct mm_time time = { *base, *ns };

	*base = (struct mm_time_base){ MM_TIME_ABSOLUTE };
	if (time.base.kind == MM_TIME_ABSOLUTE && *ns == limit)
		return 0;
	if (mm_time_resolve(&time, span, options->gmt, ns, err))
		return -1;
	if (__builtin_sub_overflow(*ns, options->shift_ns, ns))
		*ns = options->shift_ns > 0 ? INT64_MIN : INT64_MAX;
	return 0;
}

static int64_t shifted(int64_t ns, int64_t shift_ns)
{
	int64_t sum;

	return __builtin_add_overflow(ns, shift_ns, &sum) ? ns : sum;
}

int mm_source_options_resolve(struct mm_source_options *options, const struct mm_time_span *span,
			      struct mm_error *err)
{
	struct mm_time_span seen = *span; /* @span, plus the shift that the user requested */

	seen.first_ns = shifted(span->first_ns, options->shift_ns);
	seen.last_ns = shifted(span->last_ns, options->shift_ns);
	seen.boot_ns = shifted(span->boot_ns, options->shift_ns);
	if (resolve(&options->begin_ns, &options->begin_base, INT64_MIN, options, &seen, err) ||
	    resolve(&options->end_ns, &options->end_base, INT64_MAX, options, &seen, err))
		return -1;
	options->shift_ns = 0;
	return 0;
}

int mm_source_identify(struct mm_source *source, struct mm_error *err)
{
	if (source->ids)
		return 0;
	source->ids = calloc(source->folder_count + 1, sizeof(*source->ids));
	if (!source->ids)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	return source->folder_ops ? source->folder_ops->identify(source, err) : 0;
}

void mm_source_destroy(struct mm_source *source)
{
	if (!source)
		return;
	mm_strings_release(source->folders, source->folder_count);
	mm_strings_release(source->event_names, source->event_name_count);
	mm_strings_release(source->orphans, source->orphan_count);
	free(source->ids);
	/* Without folder_ops, mm_missing_find() has created an empty list. */
	if (source->folder_ops && source->missing)
		source->folder_ops->release_missing(source->missing);
	else
		free(source->missing);
	mm_hash_release(&source->event_name_by_hash);
	mm_strings_release(source->damage, source->damage_count);
	mm_strings_release(source->notes, source->note_count);
	for (size_t i = 0; i < source->loss_count; i++)
		free(source->losses[i].stream);
	free(source->losses);
	free(source->kernel_release);
	free(source->uncounted);
	free(source->path);
	source->ops->destroy(source);
}

const struct mm_source_options *mm_source_options(const struct mm_source *source)
{
	return &source->options;
}

void mm_source_set_options(struct mm_source *source, const struct mm_source_options *options)
{
	source->options = *options;
}

const char *mm_source_path(const struct mm_source *source)
{
	return source->path;
}

size_t mm_source_folder_count(const struct mm_source *source)
{
	return source->folder_count;
}

const char *mm_source_folder_at(const struct mm_source *source, size_t index)
{
	return source->folders[index];
}

const char *const *mm_source_folders(const struct mm_source *source)
{
	return (const char *const *)source->folders;
}

const struct mm_trace_id *mm_source_id_at(const struct mm_source *source, size_t index)
{
	return &source->ids[index];
}

size_t mm_source_orphan_count(const struct mm_source *source)
{
	return source->orphan_count;
}

const char *mm_source_orphan_at(const struct mm_source *source, size_t index)
{
	return source->orphans[index];
}

const struct mm_missing_list *mm_source_missing(const struct mm_source *source)
{
	return source->missing;
}

int64_t mm_source_clock_shift_ns(const struct mm_source *source)
{
	return source->clock_shift_ns;
}

const char *mm_source_kernel_release(const struct mm_source *source)
{
	return source->kernel_release;
}

bool mm_source_kernels_differ(const struct mm_source *source)
{
	return source->kernels_differ;
}

size_t mm_source_event_name_count(const struct mm_source *source)
{
	return source->event_name_count;
}

const char *mm_source_event_name_at(const struct mm_source *source, size_t index)
{
	return source->event_names[index];
}

size_t mm_source_loss_count(const struct mm_source *source)
{
	return source->loss_count;
}

const struct mm_loss *mm_source_loss_at(const struct mm_source *source, size_t index)
{
	return &source->losses[index];
}

const struct mm_loss *mm_source_losses(const struct mm_source *source)
{
	return source->losses;
}

size_t mm_source_damage_count(const struct mm_source *source)
{
	return source->damage_count;
}

const char *mm_source_damage_at(const struct mm_source *source, size_t index)
{
	return source->damage[index];
}

size_t mm_source_announced_count(const struct mm_source *source)
{
	return source->announced_count;
}

size_t mm_source_note_count(const struct mm_source *source)
{
	return source->note_count;
}

const char *mm_source_note_at(const struct mm_source *source, size_t index)
{
	return source->notes[index];
}

uint64_t mm_source_event_count(const struct mm_source *source)
{
	return source->event_count;
}

void mm_source_add_events(struct mm_source *source, uint64_t count)
{
	source->event_count += count;
}

uint64_t mm_source_state_event_count(const struct mm_source *source)
{
	return source->state_event_count;
}

uint64_t mm_source_starts_noticed(const struct mm_source *source)
{
	return source->starts_noticed;
}

bool mm_source_is_backward(const struct mm_source *source)
{
	return source->backward;
}

bool mm_source_is_disordered(const struct mm_source *source)
{
	return source->disordered;
}

bool mm_source_is_suspect(const struct mm_source *source)
{
	return source->suspect;
}

int mm_source_join(struct mm_source *source, const struct mm_source *later)
{
	if (source->loss_count != later->loss_count)
		return -1;
	/* Both sources have read all state dumps, so count these only once. */
	source->event_count += later->event_count - later->state_event_count;
	source->options.end_ns = later->options.end_ns;
	for (size_t i = 0; i < source->loss_count; i++) {
		struct mm_loss *loss = &source->losses[i];
		const struct mm_loss *more = &later->losses[i];

		if (loss->begin_ns == INT64_MIN)
			loss->begin_ns = more->begin_ns;
		if (more->end_ns != INT64_MAX)
			loss->end_ns = more->end_ns;
	}
	return 0;
}

int mm_source_run(struct mm_source *source, const struct mm_requests *requests,
		  const struct mm_handler *handler, struct mm_error *err)
{
	if (mm_requests_check(requests, err))
		return -1;
	return source->ops->run(source, requests, handler, err);
}

static bool is_name(const void *names, uint32_t number, const void *wanted)
{
	return !strcmp(((char *const *)names)[number], wanted);
}

bool mm_source_declares(const struct mm_source *source, const char *event_name)
{
	const struct mm_hash *hash = &source->event_name_by_hash;

	return mm_hash_find(hash, mm_hash_of_string(hash, event_name), source->event_names,
			    event_name, is_name) != MM_HASH_NONE;
}

bool mm_source_declares_prefix(const struct mm_source *source, const char *prefix)
{
	for (size_t i = 0; i < source->event_name_count; i++)
		if (!strncmp(source->event_names[i], prefix, strlen(prefix)))
			return true;
	return false;
}

bool mm_source_declares_user_stacks(const struct mm_source *source)
{
	return source->declares_user_stacks;
}

int mm_source_declare(struct mm_source *source, const char *event_name)
{
	struct mm_hash *hash = &source->event_name_by_hash;
	uint32_t key, number = (uint32_t)source->event_name_count;

	if (!number)
		mm_hash_init(hash);
	key = mm_hash_of_string(hash, event_name);
	if (mm_hash_find(hash, key, source->event_names, event_name, is_name) != MM_HASH_NONE)
		return 0;
	if (mm_strings_add(&source->event_names, &source->event_name_count, event_name))
		return -1;
	return mm_hash_add(hash, key, number);
}

int mm_source_note_kernel(struct mm_source *source, const char *release)
{
	if (source->kernel_release && strcmp(source->kernel_release, release)) {
		free(source->kernel_release);
		source->kernel_release = NULL;
		source->kernels_differ = true;
	}
	if (source->kernel_release || source->kernels_differ)
		return 0;
	source->kernel_release = strdup(release);
	return source->kernel_release ? 0 : -1;
}

void mm_source_damage(struct mm_source *source, const struct mm_handler *handler,
		      const char *message, bool truncated)
{
	/* If there is no memory, only the message is lost. The losses still count the packet. */
	if (source->damage_count < MM_DAMAGE_MAX)
		mm_strings_add(&source->damage, &source->damage_count, message);
	if (handler->damaged)
		handler->damaged(handler->user, message, truncated);
}

int mm_source_note(struct mm_source *source, const struct mm_handler *handler, const char *message)
{
	for (size_t i = 0; i < source->note_count; i++)
		if (!strcmp(source->notes[i], message))
			return 0;
	if (handler->noted)
		handler->noted(handler->user, message);
	return mm_strings_add(&source->notes, &source->note_count, message);
}

struct mm_loss *mm_source_add_loss(struct mm_source *source, const char *stream, uint32_t cpu)
{
	struct mm_loss *grown = mm_array_grow(source->losses, source->loss_count,
					      &source->loss_room, sizeof(*grown));
	char *name = strdup(stream);

	if (grown)
		source->losses = grown;
	if (!grown || !name) {
		free(name);
		return NULL;
	}
	grown += source->loss_count++;
	memset(grown, 0, sizeof(*grown));
	grown->stream = name;
	grown->cpu = cpu;
	grown->begin_ns = INT64_MIN;
	grown->end_ns = INT64_MAX;
	grown->lost_until_ns = grown->lost_packets_until_ns = INT64_MIN;
	grown->damaged_since_ns = INT64_MAX;
	return grown;
}

int mm_event_field_at(const struct mm_event *event, size_t index, const char **name,
		      struct mm_value *value)
{
	return event->source->ops->field_at(event, index, name, value);
}

int mm_event_context_at(const struct mm_event *event, size_t index, const char **name,
			struct mm_value *value)
{
	const struct mm_source_ops *ops = event->source->ops;

	return ops->context_at ? ops->context_at(event, index, name, value) : -1;
}

void mm_event_field_text(const struct mm_event *event, const struct mm_value *value, char *dst,
			 size_t size)
{
	if (event->source->ops->field_text(event, value, dst, size) && size)
		dst[0] = '\0';
}

const char *mm_event_type_member_at(const struct mm_event_type *type, size_t index)
{
	return type->source->ops->member_at(type, index);
}

int mm_event_type_label_at(const struct mm_event_type *type, unsigned int field, size_t index,
			   struct mm_enum_label *label)
{
	return type->source->ops->label_at(type, field, index, label);
}

bool mm_source_may_have_context(struct mm_source *source, const char *name)
{
	return !source || !source->ops->may_have_context ||
	       source->ops->may_have_context(source, name);
}

static bool fits(enum mm_kind kind, unsigned int flags)
{
	static const unsigned int flags_of[] = {
		[MM_KIND_NONE] = MM_FIELD_OPTIONAL,
		[MM_KIND_UNSIGNED] = MM_FIELD_INTEGER,
		[MM_KIND_SIGNED] = MM_FIELD_INTEGER,
		[MM_KIND_REAL] = MM_FIELD_REAL,
		[MM_KIND_STRING] = MM_FIELD_STRING,
		[MM_KIND_ARRAY] = MM_FIELD_ARRAY,
		[MM_KIND_COMPOUND] = 0,
	};

	if (kind != MM_KIND_NONE && !(flags & MM_FIELD_KINDS))
		return true;
	return flags & flags_of[kind];
}

static bool is_first(const struct mm_event_type *type, const char *name)
{
	const char *first = mm_event_type_member_at(type, 0);

	return first && !strcmp(first, name);
}

int mm_source_bind(struct mm_source *source, const struct mm_requests *requests,
		   const struct mm_handler *handler, struct mm_event_type *type,
		   struct mm_error *err)
{
	const struct mm_request *request = &requests->all[type->request];
	int ret = 0;

	type->source = source;
	type->is_state = mm_request_is_state(requests, type->request, type->name);
	for (unsigned int i = 0; i < request->field_count && !ret; i++)
		ret = !fits(type->kinds[i], request->fields[i].flags) ||
		      ((request->fields[i].flags & MM_FIELD_FIRST) &&
		       !is_first(type, request->fields[i].path));
	if (!ret && handler->bind)
		ret = handler->bind(handler->user, type, err);
	if (ret > 0)
		type->request = -1;
	return ret < 0 ? -1 : 0;
}

void mm_source_may_have(struct mm_loss *loss, const struct mm_requests *requests, int number,
			const char *event)
{
	if (mm_request_is_state(requests, number, event)) {
		loss->has_state_dumps = true;
		return;
	}
	loss->has_requested = true;
	loss->has_subject |= !mm_request_is_for_names(requests, number);
	loss->affects_others |= mm_request_affects_others(requests, number);
	loss->has_counted |= !mm_request_is_for_names(requests, number) &&
			     !mm_request_affects_others(requests, number);
}
