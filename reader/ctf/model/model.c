// SPDX-License-Identifier: LGPL-2.1-only
// Builds, copies and searches the model of a trace's metadata.

#include "reader/ctf/model/model.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)

/*
 * Makes room for one more item of @size bytes in @array. The room doubles when the count reaches a
 * power of two. Returns NULL when out of memory.
 */
static void *grow(void *array, size_t count, size_t size)
{
	size_t room = count ? count * 2 : 1;

	if (count & (count - 1))
		return array;
	if (room < count || room > SIZE_MAX / size)
		return NULL;
	return realloc(array, room * size);
}

/* Copies @s, which may be NULL. Sets *ok to false when out of memory. */
static char *copy_string(const char *s, bool *ok)
{
	char *copy = s ? strdup(s) : NULL;

	if (s && !copy)
		*ok = false;
	return copy;
}

static void *copy_array(const void *array, size_t count, size_t size, bool *ok)
{
	size_t room = 1;
	void *copy;

	if (!count)
		return NULL;
	/* Allocate the room that grow() would have allocated, so that items can be added later. */
	while (room < count)
		room *= 2;
	copy = calloc(room, size);
	if (copy)
		memcpy(copy, array, count * size);
	else
		*ok = false;
	return copy;
}

struct ctf_field *ctf_field_create(enum ctf_kind kind)
{
	struct ctf_field *field = calloc(1, sizeof(*field));

	if (!field)
		return NULL;
	field->kind = kind;
	field->align = 1;
	field->base = 10;
	field->keep_slot = -1;
	field->ref_slot = -1;
	return field;
}

void ctf_field_destroy(struct ctf_field *field)
{
	size_t i;

	if (!field)
		return;
	for (i = 0; i < field->mapping_count; i++) {
		free(field->mappings[i].label);
		free(field->mappings[i].ranges);
	}
	free(field->mappings);
	for (i = 0; i < field->member_count; i++) {
		free(field->members[i].name);
		free(field->members[i].ranges);
		ctf_field_destroy(field->members[i].field);
	}
	free(field->members);
	ctf_field_destroy(field->element);
	free(field->ranges);
	free(field->media_type);
	free(field->path);
	free(field->refs);
	free(field->choices);
	free(field);
}

static bool copy_mappings(struct ctf_field *copy, const struct ctf_field *field)
{
	bool ok = true;
	size_t i;

	copy->mappings =
		copy_array(field->mappings, field->mapping_count, sizeof(*field->mappings), &ok);
	if (!ok)
		return false;
	copy->mapping_count = field->mapping_count;
	for (i = 0; i < field->mapping_count; i++) {
		copy->mappings[i].label = copy_string(field->mappings[i].label, &ok);
		copy->mappings[i].ranges =
			copy_array(field->mappings[i].ranges, field->mappings[i].range_count,
				   sizeof(struct ctf_range), &ok);
	}
	return ok;
}

static bool copy_members(struct ctf_field *copy, const struct ctf_field *field)
{
	bool ok = true;
	size_t i;

	copy->members =
		copy_array(field->members, field->member_count, sizeof(*field->members), &ok);
	if (!ok)
		return false;
	copy->member_count = field->member_count;
	for (i = 0; i < field->member_count; i++) {
		const struct ctf_member *from = &field->members[i];
		struct ctf_member *to = &copy->members[i];

		to->name = copy_string(from->name, &ok);
		to->ranges =
			copy_array(from->ranges, from->range_count, sizeof(*from->ranges), &ok);
		to->field = from->field ? ctf_field_copy(from->field) : NULL;
		if (from->field && !to->field)
			ok = false;
	}
	return ok;
}

struct ctf_field *ctf_field_copy(const struct ctf_field *field)
{
	struct ctf_field *copy = ctf_field_create(field->kind);
	bool ok = true;

	if (!copy)
		return NULL;
	*copy = *field;
	copy->mappings = NULL;
	copy->members = NULL;
	copy->mapping_count = copy->member_count = copy->ref_count = 0;
	copy->refs = NULL;
	copy->choices = NULL;
	copy->choice_count = 0;
	copy->element = NULL;
	copy->keep_slot = copy->ref_slot = -1;
	copy->ranges = copy_array(field->ranges, field->range_count, sizeof(*field->ranges), &ok);
	copy->media_type = copy_string(field->media_type, &ok);
	copy->path = copy_string(field->path, &ok);
	ok = copy_mappings(copy, field) && ok;
	ok = copy_members(copy, field) && ok;
	if (field->element) {
		copy->element = ctf_field_copy(field->element);
		ok = copy->element && ok;
	}
	if (!ok) {
		ctf_field_destroy(copy);
		return NULL;
	}
	return copy;
}

int ctf_field_add_member(struct ctf_field *compound, const char *name, struct ctf_field *field)
{
	struct ctf_member *members;
	bool ok = true;
	char *copy;

	members = grow(compound->members, compound->member_count, sizeof(*members));
	if (!members)
		goto fail;
	compound->members = members;
	copy = copy_string(name, &ok);
	if (!ok)
		goto fail;
	members[compound->member_count++] = (struct ctf_member){ .name = copy, .field = field };
	return 0;
fail:
	ctf_field_destroy(field);
	return -1;
}

static int add_range(struct ctf_range **ranges, size_t *count, struct ctf_range range)
{
	struct ctf_range *grown = grow(*ranges, *count, sizeof(range));

	if (!grown)
		return -1;
	*ranges = grown;
	grown[(*count)++] = range;
	return 0;
}

int ctf_member_add_range(struct ctf_member *member, struct ctf_range range)
{
	return add_range(&member->ranges, &member->range_count, range);
}

int ctf_field_add_range(struct ctf_field *option, struct ctf_range range)
{
	return add_range(&option->ranges, &option->range_count, range);
}

/*
 * Compares @label only with the last label, so that adding takes constant time.
 * ctf_trace_class_finish() joins other equal labels.
 */
int ctf_field_add_mapping(struct ctf_field *field, const char *label, struct ctf_range range)
{
	struct ctf_mapping *last = NULL, *mappings;
	bool ok = true;

	if (field->mapping_count)
		last = &field->mappings[field->mapping_count - 1];
	if (last && !strcmp(last->label, label))
		return add_range(&last->ranges, &last->range_count, range);
	mappings = grow(field->mappings, field->mapping_count, sizeof(*mappings));
	if (!mappings)
		return -1;
	field->mappings = mappings;
	last = &mappings[field->mapping_count];
	*last = (struct ctf_mapping){ .label = copy_string(label, &ok) };
	if (!ok)
		return -1;
	field->mapping_count++;
	return add_range(&last->ranges, &last->range_count, range);
}

int ctf_field_add_ref(struct ctf_field *dependent, struct ctf_field *target)
{
	struct ctf_field **refs = grow(dependent->refs, dependent->ref_count, sizeof(*refs));

	if (!refs)
		return -1;
	dependent->refs = refs;
	refs[dependent->ref_count++] = target;
	return 0;
}

struct ctf_trace_class *ctf_trace_class_create(void)
{
	return calloc(1, sizeof(struct ctf_trace_class));
}

static void destroy_clock(struct ctf_clock *clock)
{
	free(clock->name);
	free(clock->description);
	free(clock->name_space);
	free(clock->uid);
	free(clock->origin_name_space);
	free(clock->origin_name);
	free(clock->origin_uid);
	free(clock->id);
	free(clock);
}

static void destroy_event(struct ctf_event_class *event)
{
	free(event->name);
	free(event->log_level_name);
	free(event->emf_uri);
	ctf_field_destroy(event->specific_context);
	ctf_field_destroy(event->payload);
	free(event);
}

static void destroy_stream(struct ctf_stream_class *stream)
{
	size_t i;

	for (i = 0; i < stream->event_count; i++)
		destroy_event(stream->events[i]);
	free(stream->events);
	free(stream->by_id);
	free(stream->name);
	free(stream->name_space);
	free(stream->uid);
	ctf_field_destroy(stream->packet_context);
	ctf_field_destroy(stream->event_header);
	ctf_field_destroy(stream->common_context);
	free(stream);
}

void ctf_trace_class_destroy(struct ctf_trace_class *trace)
{
	size_t i;

	if (!trace)
		return;
	for (i = 0; i < trace->clock_count; i++)
		destroy_clock(trace->clocks[i]);
	free(trace->clocks);
	for (i = 0; i < trace->stream_count; i++)
		destroy_stream(trace->streams[i]);
	free(trace->streams);
	free(trace->stream_by_id);
	for (i = 0; i < trace->env_count; i++) {
		free(trace->env[i].name);
		free(trace->env[i].s);
	}
	free(trace->env);
	ctf_field_destroy(trace->packet_header);
	free(trace->name);
	free(trace->name_space);
	free(trace->uid);
	free(trace);
}

struct ctf_clock *ctf_trace_class_add_clock(struct ctf_trace_class *trace)
{
	struct ctf_clock **clocks = grow(trace->clocks, trace->clock_count, sizeof(*clocks));
	struct ctf_clock *clock;

	if (!clocks)
		return NULL;
	trace->clocks = clocks;
	clock = calloc(1, sizeof(*clock));
	if (clock)
		clocks[trace->clock_count++] = clock;
	return clock;
}

struct ctf_stream_class *ctf_trace_class_add_stream(struct ctf_trace_class *trace, uint64_t id)
{
	struct ctf_stream_class **streams, *stream;

	streams = grow(trace->streams, trace->stream_count, sizeof(*streams));
	if (!streams)
		return NULL;
	trace->streams = streams;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->id = id;
	stream->trace = trace;
	stream->index = trace->stream_count;
	streams[trace->stream_count++] = stream;
	return stream;
}

struct ctf_event_class *ctf_stream_class_add_event(struct ctf_stream_class *stream, uint64_t id,
						   const char *name)
{
	struct ctf_event_class **events, *event;

	if (stream->event_count == stream->event_room) {
		size_t room = stream->event_room ? stream->event_room * 2 : 16;

		events = reallocarray(stream->events, room, sizeof(*events));
		if (!events)
			return NULL;
		stream->events = events;
		stream->event_room = room;
	}
	event = calloc(1, sizeof(*event));
	if (!event)
		return NULL;
	event->name = strdup(name ? name : "");
	if (!event->name) {
		free(event);
		return NULL;
	}
	event->id = id;
	event->has_name = name != NULL;
	event->stream_class = stream;
	event->index = stream->event_count;
	stream->events[stream->event_count++] = event;
	return event;
}

int ctf_trace_class_add_env(struct ctf_trace_class *trace, const char *name, enum ctf_env_kind kind,
			    const char *s, int64_t i)
{
	struct ctf_env *env = grow(trace->env, trace->env_count, sizeof(*env));
	bool ok = true;

	if (!env)
		return -1;
	trace->env = env;
	env = &env[trace->env_count];
	*env = (struct ctf_env){ .kind = kind, .i = i };
	env->name = copy_string(name, &ok);
	env->s = copy_string(s, &ok);
	if (!ok) {
		free(env->name);
		free(env->s);
		return -1;
	}
	trace->env_count++;
	return 0;
}

struct ctf_stream_class *ctf_stream_class_find(const struct ctf_trace_class *trace, uint64_t id)
{
	size_t low = 0, high = trace->stream_count, middle;

	if (!trace->stream_by_id) {
		for (; low < high; low++)
			if (trace->streams[low]->id == id)
				return trace->streams[low];
		return NULL;
	}
	while (low < high) {
		struct ctf_stream_class *stream;

		middle = low + (high - low) / 2;
		stream = trace->streams[trace->stream_by_id[middle]];
		if (stream->id == id)
			return stream;
		if (stream->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct ctf_event_class *ctf_event_class_find(const struct ctf_stream_class *stream,
						   uint64_t id)
{
	size_t at;

	/* Most tracers number their events from 0. */
	if (id < stream->event_count && stream->events[id]->id == id)
		return stream->events[id];
	if (!stream->by_id)
		return NULL;
	for (at = ctf_id_hash(stream, id) & stream->by_id_mask; stream->by_id[at];
	     at = (at + 1) & stream->by_id_mask)
		if (stream->events[stream->by_id[at] - 1]->id == id)
			return stream->events[stream->by_id[at] - 1];
	return NULL;
}

const struct ctf_field *ctf_field_find(const struct ctf_field *structure, const char *name,
				       size_t *index)
{
	size_t i;

	for (i = 0; structure && i < structure->member_count; i++) {
		if (!structure->members[i].name || strcmp(structure->members[i].name, name))
			continue;
		if (index)
			*index = i;
		return structure->members[i].field;
	}
	return NULL;
}

bool ctf_trace_class_has_context(const struct ctf_trace_class *trace, const char *name)
{
	for (size_t i = 0; i < trace->stream_count; i++) {
		const struct ctf_stream_class *stream = trace->streams[i];

		if (ctf_field_find(stream->common_context, name, NULL))
			return true;
		for (size_t j = 0; j < stream->event_count; j++)
			if (ctf_field_find(stream->events[j]->specific_context, name, NULL))
				return true;
	}
	return false;
}

const struct ctf_env *ctf_env_find(const struct ctf_trace_class *trace, const char *name)
{
	size_t i;

	for (i = 0; i < trace->env_count; i++)
		if (!strcmp(trace->env[i].name, name))
			return &trace->env[i];
	return NULL;
}

/* If a cycle is not a nanosecond, uses floating point, in order to round like babeltrace2. */
static uint64_t cycles_to_ns(uint64_t frequency, uint64_t cycles)
{
	double ns;

	if (frequency == (uint64_t)NS_PER_S)
		return cycles;
	ns = 1e9 * (double)cycles / (double)frequency;
	return ns >= 0x1p64 ? UINT64_MAX : (uint64_t)ns;
}

int ctf_clock_to_ns(const struct ctf_clock *clock, uint64_t value, int64_t *ns)
{
	uint64_t value_ns = cycles_to_ns(clock->frequency, value);
	int64_t base;

	/* Leave a margin of one second on both sides for the offset in cycles. */
	if (clock->offset_s < INT64_MIN / NS_PER_S || clock->offset_s >= INT64_MAX / NS_PER_S - 1)
		return -1;
	base = clock->offset_s * NS_PER_S;
	base += (int64_t)cycles_to_ns(clock->frequency, clock->offset_cycles);
	if (value_ns >= INT64_MAX || __builtin_add_overflow(base, (int64_t)value_ns, ns))
		return -1;
	return 0;
}

void ctf_clock_shift(struct ctf_clock *clock, int64_t ns)
{
	int64_t seconds = ns / NS_PER_S;
	uint64_t cycles;

	ns %= NS_PER_S;
	if (ns < 0) {
		ns += NS_PER_S;
		seconds--;
	}
	cycles = (uint64_t)((__uint128_t)(uint64_t)ns * clock->frequency / NS_PER_S) +
		 clock->offset_cycles;
	/* If the offset overflows, make it so large that all times of the clock are invalid. */
	if (__builtin_add_overflow(clock->offset_s, seconds, &clock->offset_s) ||
	    __builtin_add_overflow(clock->offset_s, (int64_t)(cycles / clock->frequency),
				   &clock->offset_s))
		clock->offset_s = INT64_MAX;
	clock->offset_cycles = cycles % clock->frequency;
}
