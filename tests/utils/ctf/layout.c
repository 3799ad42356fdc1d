// SPDX-License-Identifier: LGPL-2.1-only
/* Generates a trace's classes: packet header and context, event headers, clocks, event classes. */
#include <stdio.h>
#include <string.h>

#include "tests/utils/ctf/layout.h"

static uint64_t below(struct mk_gen *gen, uint64_t limit)
{
	return mk_below(gen->random, limit);
}

static bool chance(struct mk_gen *gen, unsigned int percent)
{
	return mk_chance(gen->random, percent);
}

static void shuffle(struct mk_gen *gen, unsigned int *items, unsigned int count)
{
	while (count > 1) {
		unsigned int at = (unsigned int)below(gen, count--);
		unsigned int item = items[at];

		items[at] = items[count];
		items[count] = item;
	}
}

/* If both byte orders occur, every root starts at a byte boundary and has its own byte order. */
static struct mk_type *new_root(struct mk_gen *gen, const struct mk_layout *layout,
				enum mk_scope scope)
{
	struct mk_type *root;

	gen->scope = scope;
	gen->budget = 25;
	gen->packed_big = layout->odd_order ? chance(gen, 50) : gen->big;
	root = mk_root(gen);
	if (layout->odd_order)
		root->align = 8;
	return root;
}

/* Makes the content end at a byte boundary. */
static void end_at_byte(struct mk_gen *gen, struct mk_type *root)
{
	struct mk_type *type = mk_unsigned(gen, 8, MK_NO_ROLE);

	type->align = 8;
	mk_add_member(gen, root, NULL, type);
}

/* In CTF 1.8, the name of a field gives its role. In CTF 2, names are arbitrary. */
static const char *role_name(struct mk_gen *gen, enum mk_role role)
{
	static const char *const names[MK_ROLE_COUNT] = {
		[MK_MAGIC] = "magic",
		[MK_UUID] = "uuid",
		[MK_STREAM_CLASS_ID] = "stream_id",
		[MK_STREAM_ID] = "stream_instance_id",
		[MK_PACKET_SIZE] = "packet_size",
		[MK_CONTENT_SIZE] = "content_size",
		[MK_BEGIN] = "timestamp_begin",
		[MK_END] = "timestamp_end",
		[MK_DISCARDED] = "events_discarded",
		[MK_SEQ] = "packet_seq_num",
		[MK_CPU] = "cpu_id",
		[MK_EVENT_ID] = "id",
		[MK_EVENT_CHOICE] = "id",
		[MK_EVENT_TIME] = "timestamp",
	};

	if (gen->ctf2 && role != MK_CPU && chance(gen, 50))
		return NULL;
	return names[role];
}

static struct mk_type *add_role(struct mk_gen *gen, struct mk_type *root, enum mk_role role,
				unsigned int bits)
{
	struct mk_type *type = mk_unsigned(gen, bits, role);
	/*
	 * Only these roles may get a variable-length integer. babeltrace2 2.1 aborts on such
	 * integers in packet contexts. If a timestamp is such an integer, babeltrace2 combines it
	 * with the previous timestamp by OR.
	 */
	bool any_length = role == MK_EVENT_ID || role == MK_STREAM_ID || role == MK_STREAM_CLASS_ID;

	if (gen->ctf2 && any_length && chance(gen, 10)) {
		type->kind = MK_LEB;
		type->bits = 64;
		type->align = 8;
	}

	mk_add_member(gen, root, role_name(gen, role), type);
	return type;
}

static void packet_header(struct mk_gen *gen, struct mk_layout *layout)
{
	struct mk_trace *trace = &layout->trace;
	struct mk_type *root = new_root(gen, layout, MK_PACKET_HEADER), *type;

	if (trace->stream_count == 1 && chance(gen, 15))
		return;
	if (chance(gen, 75))
		add_role(gen, root, MK_MAGIC, 32);
	if (trace->has_uuid && chance(gen, 70)) {
		type = mk_type_new(gen, gen->ctf2 ? MK_STATIC_BLOB : MK_ARRAY);
		type->role = MK_UUID;
		type->length = MK_UUID_BYTES;
		type->align = gen->ctf2 ? 8 : 1;
		if (!gen->ctf2) {
			type->element = mk_unsigned(gen, 8, MK_NO_ROLE);
			type->element->align = 8;
			type->element->parent = type;
		}
		mk_add_member(gen, root, role_name(gen, MK_UUID), type);
	}
	if (trace->stream_count > 1 || chance(gen, 60))
		add_role(gen, root, MK_STREAM_CLASS_ID, 0);
	layout->has_stream_id = chance(gen, 35);
	if (layout->has_stream_id)
		add_role(gen, root, MK_STREAM_ID, 0);
	if (chance(gen, 15))
		mk_add_fields(gen, root, 2);
	trace->packet_header = root;
}

static void set_clock(struct mk_type *type, const struct mk_stream_class *stream)
{
	/* In CTF 2, the role of a timestamp field implies the clock. */
	type->has_clock = stream->clock != NULL;
}

static void packet_context(struct mk_gen *gen, struct mk_layout *layout,
			   struct mk_stream_class *stream, struct mk_stream_layout *about)
{
	unsigned int roles[] = { MK_PACKET_SIZE, MK_CONTENT_SIZE, MK_BEGIN, MK_END,
				 MK_DISCARDED,	 MK_SEQ,	  MK_CPU };
	struct mk_type *root = new_root(gen, layout, MK_PACKET_CONTEXT), *type;
	bool has[MK_ROLE_COUNT] = { 0 };

	about->whole_file = true;
	about->byte_end = true;
	if (!stream->clock && chance(gen, 30))
		return;
	has[MK_PACKET_SIZE] = chance(gen, 90);
	has[MK_CONTENT_SIZE] = has[MK_PACKET_SIZE] && chance(gen, 90);
	has[MK_BEGIN] = stream->clock;
	has[MK_END] = has[MK_BEGIN] && chance(gen, 90);
	/* babeltrace2 2.1 aborts if there are losses but no timestamps */
	has[MK_DISCARDED] = (has[MK_END] || !stream->clock) && chance(gen, 70);
	has[MK_SEQ] = (has[MK_END] || !stream->clock) && chance(gen, 70);
	has[MK_CPU] = chance(gen, 40);
	shuffle(gen, roles, 7);
	for (unsigned int i = 0; i < 7; i++) {
		bool time = roles[i] == MK_BEGIN || roles[i] == MK_END;
		unsigned int bits = roles[i] == MK_CPU ? 32 : 64;

		if (!has[roles[i]])
			continue;
		if (!time && chance(gen, 30))
			bits = 32;
		type = add_role(gen, root, roles[i], time ? layout->packet_time_bits : bits);
		if (time)
			set_clock(type, stream);
		/* Generate each timestamp, then omit it: nothing else in the trace may change. */
		if (time && layout->untimed)
			root->member_count--;
	}
	if (chance(gen, 30))
		mk_add_fields(gen, root, 1 + (unsigned int)below(gen, 2));
	about->whole_file = !has[MK_PACKET_SIZE];
	about->byte_end = !has[MK_CONTENT_SIZE];
	if (about->byte_end)
		end_at_byte(gen, root);
	stream->packet_context = root;
}

/*
 * Creates LTTng's header: an id of few bits selects either a short timestamp, or a long id with a
 * long timestamp.
 */
static void lttng_header(struct mk_gen *gen, struct mk_type *root,
			 const struct mk_stream_class *stream, struct mk_stream_layout *about)
{
	bool compact = about->header == MK_HEADER_COMPACT;
	struct mk_type *choice = mk_type_new(gen, MK_INT), *variant, *inner, *type;

	choice->bits = compact ? 5 : 16;
	choice->align = compact ? 1 : 8;
	choice->big = gen->packed_big;
	choice->role = MK_EVENT_CHOICE;
	choice->is_enum = true;
	choice->label_count = 2;
	choice->labels[0] = (struct mk_label){ "compact", { 0, compact ? 30 : 65534 } };
	choice->labels[1] =
		(struct mk_label){ "extended", { compact ? 31 : 65535, compact ? 31 : 65535 } };
	mk_add_member(gen, root, "id", choice);
	variant = mk_type_new(gen, MK_VARIANT);
	variant->ref = choice;
	mk_add_member(gen, root, "v", variant);
	for (unsigned int i = 0; i < 2; i++) {
		inner = mk_type_new(gen, MK_STRUCT);
		if (i) {
			type = mk_unsigned(gen, 32, MK_EVENT_ID);
			mk_add_member(gen, inner, "id", type);
		}
		type = mk_unsigned(gen,
				   i	     ? 64
				   : compact ? 27
					     : 32,
				   stream->clock ? MK_EVENT_TIME : MK_NO_ROLE);
		if (!i && compact)
			type->align = 1;
		set_clock(type, stream);
		mk_add_member(gen, inner, "timestamp", type);
		mk_add_member(gen, variant, choice->labels[i].name, inner);
		variant->members[i].range = choice->labels[i].range;
	}
	root->align = 8;
	about->time_bits = compact ? 27 : 32;
	about->choice_max = compact ? 30 : 65534;
	about->id_max = 100000;
}

static void plain_header(struct mk_gen *gen, const struct mk_layout *layout, struct mk_type *root,
			 const struct mk_stream_class *stream, struct mk_stream_layout *about)
{
	unsigned int parts[] = { 0, 1, 2 };
	struct mk_type *type;

	about->id_max = 0;
	shuffle(gen, parts, 3);
	for (unsigned int i = 0; i < 3; i++) {
		if (parts[i] == 0 && chance(gen, 90)) {
			type = add_role(gen, root, MK_EVENT_ID, chance(gen, 50) ? 0 : 16);
			about->id_max = (1ull << (type->bits - 1)) - 1;
		} else if (parts[i] == 1 && stream->clock && (layout->wide || chance(gen, 85))) {
			type = add_role(gen, root, MK_EVENT_TIME,
					layout->wide || chance(gen, 60)
						? 64
						: 12 + (unsigned int)below(gen, 53));
			set_clock(type, stream);
			about->time_bits = type->bits;
		} else if (parts[i] == 2 && chance(gen, 15)) {
			mk_add_fields(gen, root, 2);
		}
	}
}

static void event_header(struct mk_gen *gen, struct mk_layout *layout,
			 struct mk_stream_class *stream, struct mk_stream_layout *about)
{
	struct mk_type *root = new_root(gen, layout, MK_EVENT_HEADER), *type;

	about->header = (enum mk_header)below(gen, MK_HEADER_COUNT);
	about->time_bits = 64;
	about->choice_max = UINT64_MAX;
	if (about->header == MK_HEADER_NONE && chance(gen, 50))
		about->header = MK_HEADER_COMPACT;
	if (layout->wide)
		about->header = chance(gen, 50) ? MK_HEADER_BARECTF : MK_HEADER_PLAIN;
	if (about->header == MK_HEADER_NONE)
		return;
	if (about->header == MK_HEADER_COMPACT || about->header == MK_HEADER_LARGE) {
		lttng_header(gen, root, stream, about);
	} else if (about->header == MK_HEADER_BARECTF) {
		type = mk_unsigned(gen, 8, MK_EVENT_ID);
		mk_add_member(gen, root, "id", type);
		about->id_max = 255;
		if (stream->clock) {
			type = mk_unsigned(gen, chance(gen, 50) && !layout->wide ? 32 : 64,
					   MK_EVENT_TIME);
			set_clock(type, stream);
			about->time_bits = type->bits;
			mk_add_member(gen, root, "timestamp", type);
		}
	} else {
		plain_header(gen, layout, root, stream, about);
	}
	stream->event_header = root;
}

static const char *event_name(struct mk_gen *gen)
{
	static const char *const names[] = {
		"sched_switch", "provider:event", "an event",	 "x",
		"\"quoted\"",	"caf\xc3\xa9",	  "back\\slash", "a.b"
	};

	return mk_strdup(gen->arena, "%s_%u", names[below(gen, 8)], gen->names++);
}

static void event_class(struct mk_gen *gen, struct mk_layout *layout,
			struct mk_stream_class *stream, const struct mk_stream_layout *about,
			uint64_t id)
{
	struct mk_event_class *event = &stream->events[stream->event_count++];
	unsigned int targets = gen->target_count;

	event->id = id;
	event->name = event_name(gen);
	event->log_level = chance(gen, 20) ? (int)below(gen, 15) : -1;
	event->uri = chance(gen, 10) ? "http://example.com/event?x=\"1\"" : NULL;
	if (chance(gen, 20)) {
		event->context = new_root(gen, layout, MK_SPECIFIC_CONTEXT);
		mk_add_fields(gen, event->context, 1 + (unsigned int)below(gen, 3));
	}
	if (about->byte_end || !stream->event_header || chance(gen, 95)) {
		event->payload = new_root(gen, layout, MK_PAYLOAD);
		mk_add_fields(gen, event->payload, (unsigned int)below(gen, 7));
		if (about->byte_end || !stream->event_header || !stream->event_header->member_count)
			end_at_byte(gen, event->payload);
	}
	gen->target_count = targets;
}

static void event_classes(struct mk_gen *gen, struct mk_layout *layout,
			  struct mk_stream_class *stream, const struct mk_stream_layout *about)
{
	unsigned int count = 1 + (unsigned int)below(gen, 6);
	uint64_t id = chance(gen, 70) ? 0 : below(gen, 20);

	if (about->header == MK_HEADER_COMPACT && chance(gen, 20))
		count = 33;
	if (about->id_max < count)
		count = 1;
	for (unsigned int i = 0; i < count; i++) {
		if (!about->id_max)
			id = 0;
		event_class(gen, layout, stream, about, id);
		id += 1;
		if (about->id_max > 1000 && chance(gen, 10))
			id += below(gen, about->id_max > UINT32_MAX && chance(gen, 20)
						 ? about->id_max / 100
						 : 500);
	}
}

static void make_clock(struct mk_gen *gen, struct mk_clock *clock, unsigned int number)
{
	static const uint64_t frequencies[] = { 1,	    1000,     1000000,	 32768,
						3000000000, 24000001, 999999999, 10000000 };
	static const int64_t seconds[] = { 0, 1700000000, -5, -100000, 1, 946684800 };

	clock->name = mk_strdup(gen->arena, "%s%u", chance(gen, 50) ? "monotonic" : "_c", number);
	clock->description = chance(gen, 50) ? "A \"clock\"\\ of\ttests" : NULL;
	clock->frequency = chance(gen, 50) ? 1000000000 : frequencies[below(gen, 8)];
	clock->offset_s = seconds[below(gen, 6)];
	clock->offset_cycles = chance(gen, 50) ? below(gen, clock->frequency) : 0;
	if (!gen->ctf2 && clock->frequency == 1000000000 && chance(gen, 30)) {
		clock->offset_s = 0;
		clock->offset_cycles = 1700000000123456789;
	}
	clock->has_precision = chance(gen, 30);
	clock->precision = below(gen, 100);
	clock->has_uuid = chance(gen, 40);
	for (unsigned int i = 0; i < MK_UUID_BYTES; i++)
		clock->uuid[i] = (uint8_t)below(gen, 256);
}

static void old_tracer(struct mk_gen *gen, struct mk_layout *layout)
{
	static const struct {
		const char *name;
		enum mk_quirk quirk;
		int major, minor, patch;
	} tracers[] = {
		{ "lttng-ust", MK_EVENT_AFTER_PACKET, 2, 10, 7 },
		{ "lttng-ust", MK_EVENT_AFTER_PACKET, 1, 20, 0 },
		{ "lttng-modules", MK_EVENT_AFTER_PACKET, 2, 9, 12 },
		{ "lttng-modules", MK_EVENT_AFTER_PACKET, 2, 10, 9 },
		{ "lttng-modules", MK_EVENT_AFTER_PACKET, 2, 8, 30 },
		{ "barectf", MK_EVENT_BEFORE_PACKET, 2, 3, 0 },
		{ "barectf", MK_EVENT_BEFORE_PACKET, 2, 2, 5 },
		{ "barectf", MK_EVENT_BEFORE_PACKET, 1, 9, 9 },
		{ "lttng-ust", MK_NO_END, 2, 13, 0 },
		{ "lttng-modules", MK_NO_END, 2, 12, 1 },
		{ "lttng-modules", MK_NO_QUIRK, 2, 13, 9 },
		{ "lttng-ust", MK_NO_QUIRK, 2, 11, 0 },
		{ "barectf", MK_NO_QUIRK, 2, 3, 1 },
	};
	size_t i = below(gen, sizeof(tracers) / sizeof(tracers[0]));
	struct mk_trace *trace = &layout->trace;

	layout->quirk = tracers[i].quirk;
	trace->env[trace->env_count++] = (struct mk_env){ "tracer_name", tracers[i].name, 0 };
	trace->env[trace->env_count++] = (struct mk_env){ "tracer_major", NULL, tracers[i].major };
	trace->env[trace->env_count++] = (struct mk_env){ "tracer_minor", NULL, tracers[i].minor };
	trace->env[trace->env_count++] = (struct mk_env){ "tracer_patch", NULL, tracers[i].patch };
}

static void environment(struct mk_gen *gen, struct mk_trace *trace)
{
	static const struct mk_env entries[] = {
		{ "hostname", "machine", 0 },
		{ "domain", "kernel", 0 },
		{ "domain", "ust", 0 },
		{ "vpid", NULL, 1234 },
		{ "procname", "a \"program\"", 0 },
		{ "negative", NULL, -5 },
		{ "most", NULL, INT64_MAX },
		{ "tracer_name", "made-up", 0 },
		{ "trace_name", "", 0 },
		{ "_x", "h\xc3\xa9", 0 },
		{ "tracer_major", NULL, 2 },
	};

	for (unsigned int i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (trace->env_count == 8 || !chance(gen, 30))
			continue;
		if (i == 2 && trace->env_count &&
		    !strcmp(trace->env[trace->env_count - 1].name, "domain"))
			continue;
		trace->env[trace->env_count++] = entries[i];
	}
}

void mk_layout_make(struct mk_gen *gen, struct mk_layout *layout)
{
	struct mk_trace *trace = &layout->trace;

	trace->ctf2 = gen->ctf2;
	trace->big = gen->big = chance(gen, 40);
	gen->natural = chance(gen, 20);
	gen->lttng_names = !gen->ctf2 && chance(gen, 40);
	layout->odd_order = chance(gen, 12);
	trace->has_uuid = chance(gen, 75);
	for (unsigned int i = 0; i < MK_UUID_BYTES; i++)
		trace->uuid[i] = (uint8_t)below(gen, 256);
	trace->stream_count = chance(gen, 70) ? 1 : 2 + (unsigned int)below(gen, 2);
	trace->clock_count = !layout->clockless;
	for (unsigned int i = 0; i < trace->clock_count; i++)
		make_clock(gen, &trace->clocks[i], i);
	if (trace->clock_count && (chance(gen, 40) || layout->absolute))
		trace->clocks[0].absolute = true;
	if (trace->clock_count && trace->stream_count > 1 && chance(gen, 30)) {
		trace->clocks[0].absolute = true;
		make_clock(gen, &trace->clocks[1], 1);
		trace->clocks[1].absolute = true;
		trace->clock_count = 2;
	}
	if (!layout->wide && trace->clock_count && chance(gen, 15))
		old_tracer(gen, layout);
	else
		environment(gen, trace);
	layout->packet_time_bits =
		layout->wide || chance(gen, 85) ? 64 : 32 + (unsigned int)below(gen, 32);
	packet_header(gen, layout);
	for (unsigned int i = 0; i < trace->stream_count; i++) {
		struct mk_stream_class *stream = &trace->streams[i];
		struct mk_stream_layout *about = &layout->streams[i];
		unsigned int targets = gen->target_count;

		/* without a field, the id is 0 */
		stream->id = !mk_find_role(trace->packet_header, MK_STREAM_CLASS_ID) ? 0
			     : i	       ? trace->streams[i - 1].id + 1 + below(gen, 5)
			     : chance(gen, 70) ? 0
					       : below(gen, 100);
		if (trace->clock_count)
			stream->clock = &trace->clocks[below(gen, trace->clock_count)];
		packet_context(gen, layout, stream, about);
		event_header(gen, layout, stream, about);
		if (chance(gen, 30)) {
			stream->common_context = new_root(gen, layout, MK_COMMON_CONTEXT);
			mk_add_fields(gen, stream->common_context, 1 + (unsigned int)below(gen, 3));
		}
		event_classes(gen, layout, stream, about);
		gen->target_count = targets;
	}
}
