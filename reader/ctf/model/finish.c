// SPDX-License-Identifier: LGPL-2.1-only
// Checks a model that a parser has built, and derives the data that readers need.

#include "reader/ctf/model/finish.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/*
 * Calls @visit for each field tree of f->event. If f->event is NULL, uses the trees of f->stream;
 * if f->stream is also NULL, the tree of the trace.
 */
static int visit_scopes(struct ctf_finish *f,
			int (*visit)(struct ctf_finish *f, struct ctf_field *root))
{
	const struct {
		struct ctf_field *root;
		enum ctf_scope scope;
		const char *part;
	} trace[] = {
		{ f->trace->packet_header, CTF_SCOPE_HEADER, "packet header" },
	}, stream[] = {
		{ f->stream ? f->stream->packet_context : NULL, CTF_SCOPE_PACKET_CONTEXT,
		  "packet context" },
		{ f->stream ? f->stream->event_header : NULL, CTF_SCOPE_EVENT_HEADER, "event header" },
		{ f->stream ? f->stream->common_context : NULL, CTF_SCOPE_OTHER, "common context" },
	}, event[] = {
		{ f->event ? f->event->specific_context : NULL, CTF_SCOPE_OTHER, "specific context" },
		{ f->event ? f->event->payload : NULL, CTF_SCOPE_OTHER, "payload" },
	}, *scopes = f->event ? event : f->stream ? stream : trace;
	size_t count = f->event ? 2 : f->stream ? 3 : 1;
	size_t i;
	int ret = 0;

	for (i = 0; i < count && !ret; i++) {
		f->scope = scopes[i].scope;
		f->part = scopes[i].part;
		f->member = NULL;
		if (scopes[i].root)
			ret = visit(f, scopes[i].root);
	}
	f->part = NULL;
	return ret;
}

/* Calls @visit for each tree of the trace, of all stream classes and of all event classes. */
static int visit_all(struct ctf_finish *f,
		     int (*visit)(struct ctf_finish *f, struct ctf_field *root))
{
	size_t i, j;
	int ret;

	f->stream = NULL;
	f->event = NULL;
	ret = visit_scopes(f, visit);
	for (i = 0; i < f->trace->stream_count && !ret; i++) {
		f->stream = f->trace->streams[i];
		ret = visit_scopes(f, visit);
		for (j = 0; j < f->stream->event_count && !ret; j++) {
			f->event = f->stream->events[j];
			ret = visit_scopes(f, visit);
		}
		f->event = NULL;
	}
	f->stream = NULL;
	return ret;
}

static int finish_root(struct ctf_finish *f, struct ctf_field *root)
{
	uint32_t roles = 0;

	if (ctf_finish_field(f, root, &roles))
		return -1;
	if (!f->stream)
		f->trace->roles |= roles;
	else
		f->stream->roles |= roles;
	return 0;
}

static void keep_highest(struct ctf_finish *f)
{
	if ((size_t)f->next > f->trace->slot_count)
		f->trace->slot_count = f->next;
}

static int number_root(struct ctf_finish *f, struct ctf_field *root)
{
	ctf_finish_slots(f, root);
	if (f->event || !f->stream)
		return 0;
	if (f->scope == CTF_SCOPE_PACKET_CONTEXT)
		f->stream->packet_slots = f->stream->outer_slots = (size_t)f->next;
	else if (f->scope == CTF_SCOPE_EVENT_HEADER)
		f->stream->outer_slots = (size_t)f->next;
	return 0;
}

/*
 * Assigns the final numbers of slots. A slot stores a value that other fields refer to. Two stream
 * classes may share numbers, and so may two event classes, because a decoder never needs the values
 * of both at one time. This saves memory in decoders.
 */
static int number_slots(struct ctf_finish *f)
{
	int32_t trace_slots, stream_slots;
	size_t i, j;

	if (f->slot_count) {
		f->number = malloc(f->slot_count * sizeof(*f->number));
		if (!f->number)
			return ctf_finish_no_memory(f);
		memset(f->number, 0xff, f->slot_count * sizeof(*f->number));
	}
	visit_scopes(f, ctf_finish_slots);
	keep_highest(f);
	trace_slots = f->next;
	for (i = 0; i < f->trace->stream_count; i++) {
		f->stream = f->trace->streams[i];
		f->next = trace_slots;
		f->stream->packet_slots = f->stream->outer_slots = (size_t)trace_slots;
		visit_scopes(f, number_root);
		keep_highest(f);
		stream_slots = f->next;
		for (j = 0; j < f->stream->event_count; j++) {
			f->event = f->stream->events[j];
			f->next = stream_slots;
			visit_scopes(f, ctf_finish_slots);
			keep_highest(f);
		}
		f->event = NULL;
	}
	f->stream = NULL;
	return 0;
}

static int index_events(struct ctf_finish *f, struct ctf_stream_class *stream)
{
	size_t room = 16, i, at;

	if (stream->event_count > UINT32_MAX / 4)
		return ctf_finish_fail(f, "too many event classes");
	while (room < stream->event_count * 2)
		room *= 2;
	stream->by_id = calloc(room, sizeof(*stream->by_id));
	if (!stream->by_id)
		return ctf_finish_no_memory(f);
	stream->by_id_mask = room - 1;
	/* Random numbers may be unavailable early during boot. In this case, use an address. */
	if (getrandom(&stream->by_id_seed, sizeof(stream->by_id_seed), GRND_NONBLOCK) !=
	    sizeof(stream->by_id_seed))
		stream->by_id_seed = (uintptr_t)stream->by_id * UINT64_C(0xc2b2ae3d27d4eb4f);
	for (i = 0; i < stream->event_count; i++) {
		uint64_t id = stream->events[i]->id;

		for (at = ctf_id_hash(stream, id) & (room - 1); stream->by_id[at];
		     at = (at + 1) & (room - 1))
			if (stream->events[stream->by_id[at] - 1]->id == id) {
				f->event = stream->events[i];
				return ctf_finish_fail(f, "another event class has this id");
			}
		stream->by_id[at] = i + 1;
	}
	return 0;
}

struct stream_id {
	uint64_t id;
	size_t index;
};

static int compare_ids(const void *a, const void *b)
{
	const struct stream_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int check_stream_ids(struct ctf_finish *f)
{
	size_t count = f->trace->stream_count, i;
	struct stream_id *ids = calloc(count + 1, sizeof(*ids));
	uint32_t *sorted = calloc(count + 1, sizeof(*sorted));
	int ret = 0;

	if (!ids || !sorted || count > UINT32_MAX) {
		free(ids);
		free(sorted);
		return ctf_finish_no_memory(f);
	}
	for (i = 0; i < count; i++)
		ids[i] = (struct stream_id){ f->trace->streams[i]->id, i };
	qsort(ids, count, sizeof(*ids), compare_ids);
	for (i = 0; i < count; i++)
		sorted[i] = (uint32_t)ids[i].index;
	for (i = 1; i < count && !ret; i++)
		if (ids[i].id == ids[i - 1].id)
			ret = ctf_finish_fail(f, "two stream classes have the id %" PRIu64,
					      ids[i].id);
	free(ids);
	f->trace->stream_by_id = sorted;
	return ret;
}

static int check_clocks(struct ctf_finish *f)
{
	size_t i;

	for (i = 0; i < f->trace->clock_count; i++) {
		const struct ctf_clock *clock = f->trace->clocks[i];
		const char *name = clock->name ? clock->name : clock->id ? clock->id : "";

		if (!clock->frequency)
			return ctf_finish_fail(f, "the clock `%.80s` has a frequency of 0", name);
		if (clock->offset_cycles >= clock->frequency)
			return ctf_finish_fail(
				f,
				"the clock `%.80s` has an offset whose cycles amount to a second or more",
				name);
	}
	return 0;
}

/* If there are several classes, each packet or event must state its class. */
static int check_choice(struct ctf_finish *f)
{
	size_t i;

	if (f->trace->stream_count > 1 && !(f->trace->roles & CTF_ROLE_STREAM_CLASS_ID))
		return ctf_finish_fail(
			f, "several stream classes, but no packet header field selects one");
	for (i = 0; i < f->trace->stream_count; i++) {
		f->stream = f->trace->streams[i];
		if (f->stream->event_count > 1 && !(f->stream->roles & CTF_ROLE_EVENT_CLASS_ID))
			return ctf_finish_fail(
				f, "several event classes, but no event header field selects one");
	}
	f->stream = NULL;
	return 0;
}

static uint64_t count_fields(const struct ctf_field *field)
{
	uint64_t count = 1;

	for (size_t i = 0; field && i < ctf_child_count(field); i++)
		count += count_fields(ctf_child(field, i));
	return field ? count : 0;
}

/*
 * Limits the work for shared fields. Readers make plans: each stream class's plan includes the
 * packet header, and each event class's plan includes the common context.
 */
static int check_shared(struct ctf_finish *f)
{
	uint64_t count = count_fields(f->trace->packet_header);

	if (count && f->trace->stream_count > CTF_SHARED_MAX / count)
		return ctf_finish_fail(f,
				       "%zu stream classes times %" PRIu64
				       " packet header fields exceed the limit of %u",
				       f->trace->stream_count, count, CTF_SHARED_MAX);
	for (size_t i = 0; i < f->trace->stream_count; i++) {
		f->stream = f->trace->streams[i];
		count = count_fields(f->stream->common_context);
		if (count && f->stream->event_count > CTF_SHARED_MAX / count)
			return ctf_finish_fail(f,
					       "%zu event classes times %" PRIu64
					       " context fields exceed the limit of %u",
					       f->stream->event_count, count, CTF_SHARED_MAX);
	}
	f->stream = NULL;
	return 0;
}

int ctf_trace_class_finish(struct ctf_trace_class *trace, const char *where, struct mm_error *err)
{
	struct ctf_finish f = { .trace = trace, .where = where, .err = err };
	size_t i;
	int ret;

	ret = check_clocks(&f);
	if (!ret)
		ret = check_stream_ids(&f);
	for (i = 0; i < trace->stream_count && !ret; i++) {
		f.stream = trace->streams[i];
		ret = index_events(&f, trace->streams[i]);
	}
	if (!ret)
		ret = visit_all(&f, finish_root);
	if (!ret)
		ret = check_choice(&f);
	if (!ret)
		ret = check_shared(&f);
	if (!ret)
		ret = visit_all(&f, ctf_finish_refs);
	f.stream = NULL;
	f.event = NULL;
	if (!ret)
		ret = number_slots(&f);
	free(f.parent);
	free(f.number);
	return ret;
}
