// SPDX-License-Identifier: LGPL-2.1-only
/* The shape `random`: writes the streams of a synthetic trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/utils/ctf/layout.h"

#define PACKET_MAGIC 0xc1fc1fc1u
#define INDEX_MAGIC 0xc1f1dcc1u
#define INDEX_ENTRY_BYTES 72

struct random_stream {
	const struct mk_layout *layout;
	struct mk_stream_class *class;
	const struct mk_stream_layout *about;
	struct mk_random *random;
	uint64_t id, now, step, seq, discarded, cpu;
	uint64_t events_max; /* limit per packet */
	struct mk_buffer index;
};

static uint64_t most(const struct mk_type *type)
{
	return type->bits >= 64 ? UINT64_MAX : (1ull << type->bits) - 1;
}

static void advance(struct random_stream *stream)
{
	static const unsigned int shares[] = { 0, 0, 1, 1, 1, 2, 5, 10 };

	stream->now += stream->step * shares[mk_below(stream->random, 8)];
	if (mk_chance(stream->random, 30))
		stream->now += mk_below(stream->random, stream->step);
}

static void put_event(struct mk_out *out, struct random_stream *stream)
{
	struct mk_stream_class *class = stream->class;
	struct mk_event_class *event = &class->events[mk_below(stream->random, class->event_count)];
	const struct mk_stream_layout *about = stream->about;
	uint64_t last = stream->now;

	advance(stream);
	/* Sometimes pauses, at most for as long as the event header can express. */
	if (mk_chance(stream->random, 2))
		stream->now += about->choice_max != UINT64_MAX && stream->step > 500 &&
					       stream->layout->packet_time_bits == 64
				       ? 1ull << 33
				       : stream->step * 40;
	out->roles[MK_EVENT_TIME] = stream->now;
	out->roles[MK_EVENT_ID] = event->id;
	out->roles[MK_EVENT_CHOICE] = event->id;
	if (event->id > about->choice_max ||
	    (about->time_bits < 64 && stream->now - last >= 1ull << about->time_bits))
		out->roles[MK_EVENT_CHOICE] = about->choice_max + 1;
	if (class->event_header)
		mk_write_value(out, class->event_header);
	if (class->common_context)
		mk_write_value(out, class->common_context);
	if (event->context)
		mk_write_value(out, event->context);
	if (event->payload)
		mk_write_value(out, event->payload);
}

static void rewrite(struct mk_out *out, struct random_stream *stream, enum mk_role role,
		    uint64_t value)
{
	struct mk_type *type = mk_find_role(stream->class->packet_context, role);

	if (type)
		mk_rewrite(out, type, value & most(type));
}

/* Updates the counters since the start of the stream, in their recorded width. */
static void count_losses(struct random_stream *stream)
{
	struct mk_type *seq = mk_find_role(stream->class->packet_context, MK_SEQ);
	struct mk_type *discarded = mk_find_role(stream->class->packet_context, MK_DISCARDED);

	if (mk_chance(stream->random, 15))
		stream->discarded += 1 + mk_below(stream->random, 9);
	if (discarded && stream->discarded > most(discarded))
		stream->discarded = most(discarded);
	stream->seq += mk_chance(stream->random, 10) ? 1 + mk_below(stream->random, 4) : 1;
	if (seq && stream->seq > most(seq))
		stream->seq = most(seq);
}

static void index_entry(struct random_stream *stream, uint64_t offset, uint64_t size,
			uint64_t content, uint64_t begin, uint64_t end)
{
	uint64_t fields[] = {
		offset,	    size,	content, begin, end, stream->discarded, stream->class->id,
		stream->id, stream->seq
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		mk_put_bits(&stream->index, stream->index.length * 8, 64, fields[i], true);
}

/*
 * Returns the end timestamp that an old tracer would write: before the last events of the packet.
 */
static uint64_t end_time(struct random_stream *stream, uint64_t begin, bool last)
{
	if (stream->layout->quirk == MK_EVENT_AFTER_PACKET)
		return begin + mk_below(stream->random, stream->now - begin + 1);
	/* babeltrace2 2.1 aborts on an end timestamp of 0 in packets that also count losses. */
	if (mk_find_role(stream->class->packet_context, MK_DISCARDED) ||
	    mk_find_role(stream->class->packet_context, MK_SEQ))
		return stream->now;
	return stream->layout->quirk == MK_NO_END && last ? 0 : stream->now;
}

static void put_packet(struct mk_buffer *file, struct random_stream *stream, bool last)
{
	struct mk_buffer packet = { 0 };
	struct mk_out out = { .buffer = &packet,
			      .random = stream->random,
			      .uuid = stream->layout->trace.uuid };
	uint64_t events =
		mk_chance(stream->random, 12) ? 0 : mk_below(stream->random, stream->events_max);
	uint64_t begin, content, size, end;

	advance(stream);
	/*
	 * Make start timestamps differ: babeltrace2 2.1 confuses files of a stream with equal ones.
	 */
	if (stream->layout->has_stream_id)
		stream->now++;
	begin = stream->now;
	out.roles[MK_MAGIC] = PACKET_MAGIC;
	out.roles[MK_STREAM_CLASS_ID] = stream->class->id;
	out.roles[MK_STREAM_ID] = stream->id;
	out.roles[MK_BEGIN] = begin;
	if (stream->layout->quirk == MK_EVENT_BEFORE_PACKET && events)
		out.roles[MK_BEGIN] += mk_below(stream->random, stream->step);
	out.roles[MK_DISCARDED] = stream->discarded;
	out.roles[MK_SEQ] = stream->seq;
	out.roles[MK_CPU] = stream->cpu;
	if (stream->layout->trace.packet_header)
		mk_write_value(&out, stream->layout->trace.packet_header);
	if (stream->class->packet_context)
		mk_write_value(&out, stream->class->packet_context);
	/*
	 * Write at least one event of more than 0 bits: babeltrace2 2.1 searches for the last event
	 * in packets whose timestamps it corrects.
	 */
	if (!events && (!out.at || stream->layout->quirk))
		events = 1;
	while (events--)
		put_event(&out, stream);
	if (mk_chance(stream->random, 60))
		advance(stream);
	if (stream->now < out.roles[MK_BEGIN])
		stream->now = out.roles[MK_BEGIN];
	end = end_time(stream, begin, last);
	content = out.at;
	size = mk_align(content, 8);
	mk_buffer_extend(&packet, size / 8);
	if (!stream->about->byte_end && mk_chance(stream->random, 40)) {
		uint64_t padding = mk_below(stream->random, 64);
		bool garbage = mk_chance(stream->random, 50);

		for (uint64_t i = 0; i < padding; i++)
			mk_put_bits(&packet, size + i * 8, 8, garbage ? 0xff : 0, false);
		size += padding * 8;
	}
	if (stream->class->packet_context) {
		rewrite(&out, stream, MK_END, end);
		rewrite(&out, stream, MK_PACKET_SIZE, size);
		rewrite(&out, stream, MK_CONTENT_SIZE, content);
	}
	index_entry(stream, file->length, size, content, out.roles[MK_BEGIN], end);
	mk_buffer_add(file, packet.data, size / 8);
	mk_buffer_free(&packet);
	count_losses(stream);
}

static void put_index(const char *folder, const char *name, const struct random_stream *stream)
{
	static const uint32_t head[] = { INDEX_MAGIC, 1, 1, INDEX_ENTRY_BYTES };
	struct mk_buffer index = { 0 };
	char path[4096];

	for (size_t i = 0; i < 4; i++)
		mk_put_bits(&index, i * 32, 32, head[i], true);
	mk_buffer_add(&index, stream->index.data, stream->index.length);
	snprintf(path, sizeof(path), "%s/index", folder);
	mk_write_file(path, name, index.data, index.length);
	mk_buffer_free(&index);
}

/* Writes one stream, in one file, or in several if its packets have a stream id. */
static void put_stream(const char *folder, struct random_stream *stream, unsigned int number,
		       bool index)
{
	unsigned int files = 1;
	char name[64];

	/*
	 * Write packets without a size to one file: babeltrace2 2.1 would continue in the next
	 * file.
	 */
	if (stream->layout->has_stream_id && !stream->about->whole_file &&
	    mk_chance(stream->random, 30))
		files += (unsigned int)mk_below(stream->random, 3);
	for (unsigned int i = 0; i < files; i++) {
		uint64_t packets = stream->about->whole_file ? 1 : 1 + mk_below(stream->random, 5);
		struct mk_buffer file = { 0 };

		while (packets--)
			put_packet(&file, stream, !packets && i + 1 == files);
		snprintf(name, sizeof(name), "channel%u_%u%s", (unsigned int)stream->class->id,
			 number, "");
		if (files > 1)
			snprintf(name + strlen(name), 16, "_%u", i);
		mk_write_file(folder, name, file.data, file.length);
		strcat(name, ".idx");
		if (index)
			put_index(folder, name, stream);
		mk_buffer_free(&file);
		mk_buffer_free(&stream->index);
	}
}

/* Returns a step of time that the narrowest timestamp of the class can express. */
static uint64_t step_of(const struct mk_stream_class *class, const struct mk_stream_layout *about)
{
	uint64_t step = class->clock ? class->clock->frequency / 1000000 : 1;

	if (step < 1)
		step = 1;
	if (about->time_bits < 20 && step > (1ull << about->time_bits) / 128)
		step = (1ull << about->time_bits) / 128;
	return step;
}

void mk_random_trace(const struct mk_random_options *options)
{
	struct mk_random random = { .state = options->seed };
	struct mk_arena arena = { 0 };
	struct mk_gen gen = { .arena = &arena, .random = &random };
	struct mk_layout *layout = mk_alloc(&arena, sizeof(*layout));
	struct mk_buffer text = { 0 };
	bool index, together;
	uint64_t start, id_step;
	struct mk_type *id;

	/* Adjacent seeds would give adjacent states, so use a random number as the state. */
	random.state = mk_random(&random);
	start = mk_random(&random) >> 24;
	gen.ctf2 = options->format ? options->format == 2 : mk_chance(&random, 45);
	layout->wide = options->wide || options->untimed;
	layout->untimed = options->untimed;
	layout->clockless = options->clockless;
	layout->absolute = options->absolute;
	mk_layout_make(&gen, layout);
	index = mk_chance(&random, 25) || options->index;
	together = mk_chance(&random, 60);
	id_step = mk_chance(&random, 80) ? 7 : mk_random(&random) >> 12;
	id = mk_find_role(layout->trace.packet_header, MK_STREAM_ID);
	if (!id || id->bits < 32)
		id_step = 7;
	for (unsigned int i = 0; i < layout->trace.stream_count; i++) {
		uint64_t count = 1 + mk_below(&random, 3);

		for (uint64_t k = 0; k < count; k++) {
			struct random_stream stream = { .layout = layout,
							.random = &random,
							.class = &layout->trace.streams[i],
							.about = &layout->streams[i],
							.id = k * id_step,
							.cpu = k,
							.events_max = options->events };

			stream.step = step_of(stream.class, stream.about);
			stream.now = stream.class->clock && stream.class->clock->frequency < 1000000
					     ? start >> 24
					     : start;
			if (layout->packet_time_bits < 64)
				stream.now &= (1ull << (layout->packet_time_bits - 3)) - 1;
			if (!together)
				stream.now += mk_below(&random, 10) * stream.step;
			if (mk_chance(&random, 30))
				stream.seq = mk_below(&random, 100);
			if (mk_chance(&random, 20))
				stream.discarded = mk_below(&random, 100);
			put_stream(options->folder, &stream, (unsigned int)k, index);
		}
	}
	if (gen.ctf2) {
		mk_json(&text, &layout->trace, &random);
		mk_write_file(options->folder, "metadata", text.data, text.length);
	} else {
		size_t packet = mk_chance(&random, 40) ? 64ull << mk_below(&random, 7) : 0;

		mk_tsdl(&text, &layout->trace, &random);
		if (!layout->trace.has_uuid)
			packet = 0;
		mk_write_metadata(options->folder, &text, layout->trace.uuid, layout->trace.big,
				  packet);
	}
	mk_buffer_free(&text);
	mk_arena_free(&arena);
}
