// SPDX-License-Identifier: LGPL-2.1-only
/* Opens a trace and reads its streams on several threads. */
#include "reader/inspect/info.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"
#include "reader/ctf/decode/decode.h"
#include "reader/ctf/decode/source.h"
#include "reader/events/source.h"
#include "reader/inspect/info-gather.h"
#include "reader/open/open.h"
#include "util/threads.h"

static int no_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "info: out of memory");
}

void ctf_info_stream_done(struct ctf_info_stream *info)
{
	for (size_t i = 0; i < info->damage_count; i++) {
		free(info->damages[i].file);
		free(info->damages[i].what);
	}
	free(info->damages);
	free(info->gaps);
	free(info->note);
	free(info->class_events);
	free(info->class_bits);
	free(info->classes);
	if (info->has_plan)
		ctf_plan_destroy(info->plan);
}

static void add_damage(struct ctf_info_stream *info, const char *file, uint64_t packet,
		       uint64_t offset, const char *what, bool truncated)
{
	struct ctf_info_damage *damage;

	info->damages_seen++;
	if (info->damage_count == CTF_INFO_DAMAGES && !truncated)
		return;
	if (!info->damages)
		info->damages = calloc(CTF_INFO_DAMAGES, sizeof(*info->damages));
	if (!info->damages)
		return;
	/* Always list a truncated end: if the list is full, replace the last entry. */
	if (info->damage_count == CTF_INFO_DAMAGES) {
		damage = &info->damages[--info->damage_count];
		free(damage->file);
		free(damage->what);
	}
	damage = &info->damages[info->damage_count++];
	*damage = (struct ctf_info_damage){
		.file = strdup(file),
		.what = strdup(what),
		.packet = packet,
		.offset = offset,
		.truncated = truncated,
	};
}

/* Notes, once per stream, that an index is damaged although the packets are intact. */
static void keep_note(struct ctf_info_stream *info, const struct ctf_finding *finding)
{
	if (info->note)
		return;
	if (asprintf(&info->note, "trace: %s: packet %" PRIu64 ", byte %" PRIu64 ": %s",
		     finding->file, finding->packet, finding->offset, finding->what) < 0) {
		info->note = NULL;
		no_memory(&info->error);
	}
}

static void found(void *user, const struct ctf_finding *finding)
{
	struct ctf_info_stream *info = user;

	if (finding->note) {
		keep_note(info, finding);
		return;
	}
	if (finding->skipped || finding->truncated || finding->counter || finding->doubtful ||
	    (finding->backward &&
	     (info->stream->order == CTF_ORDER_NONE || ctf_stream_is_exclusive(info->stream)))) {
		info->packets_truncated += finding->truncated;
		info->packets_damaged += !finding->truncated;
	}
	add_damage(info, finding->file, finding->packet, finding->offset, finding->what,
		   finding->truncated);
}

static void count_losses(struct ctf_info_stream *info, const struct ctf_packet *packet)
{
	bool has_end = packet->flags & CTF_PACKET_HAS_END;

	info->packets_without_count += !!(packet->flags & CTF_PACKET_WITHOUT_COUNT);
	if (!packet->lost_events && !packet->lost_packets)
		return;
	info->events_discarded += packet->lost_events;
	info->packets_lost += packet->lost_packets;
	info->gaps_seen++;
	if (!info->gaps)
		info->gaps = calloc(CTF_INFO_GAPS, sizeof(*info->gaps));
	if (!info->gaps || info->gap_count == CTF_INFO_GAPS)
		return;
	info->gaps[info->gap_count++] = (struct ctf_info_gap){
		.since_ns = packet->lost_events ? packet->counted_since_ns : packet->lost_since_ns,
		/* Events may have been discarded in the packet itself. */
		.until_ns = packet->lost_events && has_end ? packet->end_ns : packet->begin_ns,
		.packets = packet->lost_packets,
		.events = packet->lost_events,
	};
}

/* Counts the events of a packet. Returns how many bytes of the packet's memory were released. */
static uint64_t count_events(struct ctf_info_stream *info, const struct ctf_packet *packet,
			     uint64_t *slots, uint64_t *clock)
{
	struct ctf_decoder decoder = { 0 };
	enum ctf_status status;
	struct ctf_head head;
	uint64_t done = 0;

	ctf_decoder_begin(&decoder, info->plan, packet, slots);
	if (!(packet->flags & CTF_PACKET_HAS_BEGIN))
		decoder.clock = *clock;
	for (;;) {
		done += ctf_packet_done(packet, done, decoder.at / 8);
		status = ctf_decode_head(&decoder, &head);
		if (!status)
			status = ctf_decode_body(&decoder, &head, NULL, NULL);
		if (status)
			break;
		info->events++;
		info->class_events[head.class->class->index]++;
		info->class_bits[head.class->class->index] += decoder.at - head.at;
	}
	*clock = decoder.clock;
	if (decoder.problem && !(status == CTF_END && (packet->flags & CTF_PACKET_TRUNCATED))) {
		char text[96];

		info->packets_damaged++;
		add_damage(info, packet->file->path, packet->number,
			   packet->offset + decoder.at / 8,
			   ctf_decode_problem_text(&decoder, text, sizeof(text)), false);
	}
	return done;
}

static void count_packet(struct ctf_info_stream *info, const struct ctf_packet *packet)
{
	info->packets++;
	info->bytes += packet->size_bits / 8;
	info->content_bytes += packet->content_bits / 8;
	if ((packet->flags & CTF_PACKET_HAS_BEGIN) && info->begin_ns == INT64_MIN)
		info->begin_ns = packet->begin_ns;
	if (packet->flags & CTF_PACKET_HAS_END)
		info->end_ns = packet->end_ns;
	count_losses(info, packet);
}

static int list_classes(struct ctf_info_stream *info)
{
	size_t count = info->stream->class->event_count, used = 0;

	for (size_t i = 0; i < count; i++)
		used += info->class_events[i] != 0;
	info->classes = calloc(used + 1, sizeof(*info->classes));
	if (!info->classes)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (info->class_events[i])
			info->classes[info->class_count++] =
				(struct ctf_info_class){ i, info->class_events[i],
							 info->class_bits[i] };
	free(info->class_events);
	free(info->class_bits);
	info->class_events = info->class_bits = NULL;
	return 0;
}

/*
 * Does a file of the stream lack checksums? If so, damage shows only when the events are decoded.
 */
static bool has_no_sums(const struct ctf_stream *stream)
{
	for (size_t i = 0; i < stream->file_count; i++)
		if (!stream->files[i].sums)
			return true;
	return false;
}

void ctf_info_gather(struct ctf_info_stream *info, bool events)
{
	const struct ctf_stream *stream = info->stream;
	uint64_t *slots = calloc(stream->trace->class->slot_count + 1, sizeof(*slots));
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	uint64_t clock = 0;

	info->begin_ns = INT64_MIN;
	info->end_ns = INT64_MAX;
	if (events) {
		info->class_events = calloc(stream->class->event_count + 1, sizeof(uint64_t));
		info->class_bits = calloc(stream->class->event_count + 1, sizeof(uint64_t));
	}
	if (!slots || (events && (!info->class_events || !info->class_bits))) {
		no_memory(&info->error);
		goto end;
	}
	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.finding = found;
	iterator.user = info;
	iterator.indexed = stream->order != CTF_ORDER_NONE && ctf_stream_is_exclusive(stream);
	while (ctf_packet_next(&iterator, &packet, &info->error) > 0) {
		uint64_t done = 0;

		count_packet(info, &packet);
		if (events)
			done = count_events(info, &packet, slots, &clock);
		ctf_map_done(packet.file->map, packet.offset + done, packet.size_bits / 8 - done);
	}
	if (events && list_classes(info))
		no_memory(&info->error);
end:
	free(slots);
}

/* The state that the threads share. Each thread takes one stream after another. */
struct info_gather {
	struct ctf_info_stream *infos;
	size_t count;
	atomic_size_t next;
	bool events, check;
};

static void *gather(void *user)
{
	struct info_gather *ctx = user;
	size_t i;

	while ((i = atomic_fetch_add(&ctx->next, 1)) < ctx->count)
		ctf_info_gather(&ctx->infos[i],
				ctx->events || (ctx->check && has_no_sums(ctx->infos[i].stream)));
	return NULL;
}

static int gather_all(struct ctf_info_stream *infos, size_t count,
		      const struct ctf_info_options *options, struct mm_error *err)
{
	/* --require-complete decodes events, too, because some damage shows only in the events. */
	struct info_gather ctx = { .infos = infos,
				   .count = count,
				   .events = options->events,
				   .check = options->incomplete != NULL };
	pthread_t threads[MM_JOBS_MAX];
	unsigned int wanted = options->jobs < MM_JOBS_MAX ? options->jobs : MM_JOBS_MAX, started;

	/* The calling thread gathers, too, so start one thread fewer. */
	if (wanted > count)
		wanted = (unsigned int)count;
	started = wanted ? mm_threads_start(threads, wanted - 1, gather, &ctx) : 0;
	gather(&ctx);
	mm_threads_join(threads, started);
	for (size_t i = 0; i < count; i++) {
		if (infos[i].error.code) {
			*err = infos[i].error;
			return -1;
		}
	}
	return 0;
}

/* Makes one plan per stream class. Returns 0, or -1 when out of memory. */
static int make_plans(struct ctf_info_stream *infos, size_t count)
{
	struct mm_requests nothing;
	int ret = 0;

	mm_requests_init(&nothing);
	for (size_t i = 0; i < count && !ret; i++) {
		const struct ctf_stream_class *class = infos[i].stream->class;

		if (i && infos[i - 1].stream->class == class) {
			infos[i].plan = infos[i - 1].plan;
			continue;
		}
		infos[i].plan = ctf_plan_create(class, &nothing, NULL);
		infos[i].has_plan = true;
		ret = infos[i].plan ? 0 : -1;
	}
	mm_requests_release(&nothing);
	return ret;
}

static struct ctf_info_stream *list_streams(struct ctf_trace *const *traces, size_t trace_count,
					    size_t *count)
{
	struct ctf_info_stream *infos;

	*count = 0;
	for (size_t i = 0; i < trace_count; i++)
		*count += traces[i]->stream_count;
	infos = calloc(*count + 1, sizeof(*infos));
	*count = 0;
	for (size_t i = 0; i < trace_count && infos; i++)
		for (size_t j = 0; j < traces[i]->stream_count; j++)
			infos[(*count)++].stream = &traces[i]->streams[j];
	return infos;
}

static bool is_stream(const void *all, uint32_t number, const void *file)
{
	return !strcmp(((const struct ctf_info_stream *)all)[number].stream->name, file);
}

/* Counts the pauses of each stream. Returns 0, or -1 when out of memory. */
static int count_pauses(struct ctf_info_stream *infos, size_t count,
			const struct mm_missing_list *list)
{
	struct mm_hash by_name;
	int ret = 0;

	mm_hash_init(&by_name);
	for (size_t i = 0; i < count && list->pause_count && !ret; i++)
		ret = mm_hash_add(&by_name, mm_hash_of_string(&by_name, infos[i].stream->name),
				  (uint32_t)i);
	for (size_t i = 0; i < list->pause_count && !ret; i++) {
		const char *file = list->pauses[i].file;
		uint32_t number = mm_hash_find(&by_name, mm_hash_of_string(&by_name, file), infos,
					       file, is_stream);

		if (number != MM_HASH_NONE)
			infos[number].pauses += !list->pauses[i].maybe;
	}
	mm_hash_release(&by_name);
	return ret;
}

struct mm_report *ctf_info(const char *path, const struct ctf_info_options *options,
			   struct mm_error *err)
{
	struct mm_error here = MM_ERROR_INIT;
	struct mm_source_options source_options;
	struct ctf_info_stream *infos = NULL;
	struct mm_report *report = NULL;
	struct ctf_trace *const *traces = NULL;
	size_t trace_count = 0, info_count = 0;
	struct mm_source *source;

	mm_source_options_init(&source_options);
	source_options.reader = MM_READER_FAST;
	source = mm_source_open(path, &source_options, &here);
	if (source)
		traces = mm_ctf_source_traces(source, &trace_count, &here);
	if (traces) {
		infos = list_streams(traces, trace_count, &info_count);
		if (!infos || make_plans(infos, info_count))
			no_memory(&here);
		else if (!mm_missing_find(source, &here) &&
			 !gather_all(infos, info_count, options, &here) &&
			 !count_pauses(infos, info_count, mm_source_missing(source)))
			report = ctf_info_report(source, traces, trace_count, infos, info_count,
						 options, &here);
		if (!report)
			no_memory(&here);
	}
	for (size_t i = 0; infos && i < info_count; i++)
		ctf_info_stream_done(&infos[i]);
	free(infos);
	mm_source_destroy(source);
	if (err && here.code && !err->code)
		*err = here;
	return report;
}
