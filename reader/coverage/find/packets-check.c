// SPDX-License-Identifier: LGPL-2.1-only
/* Looks for damaged packets before libbabeltrace2 reads them. */
#include "reader/coverage/find/packets-check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/suspects.h"
#include "reader/ctf/decode/check.h"
#include "reader/ctf/decode/ends.h"
#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/sums.h"
#include "reader/events/request.h"
#include "reader/events/source-base.h"
#include "util/hash.h"

struct packets_check {
	struct mm_source *source;
	const struct mm_source_options *options;
	const struct mm_requests *requests;
};

/* The time range in which packets are checked. */
struct check_window {
	int64_t begin_ns, end_ns;
};

/*
 * Sets the error for damage that libbabeltrace2 does not detect. @effect: what libbabeltrace2 would
 * do.
 */
static void refuse(struct mm_error *err, const struct ctf_finding *finding, const char *effect)
{
	mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"trace: %s: packet %" PRIu64 ", byte %" PRIu64
		": %s; libbabeltrace2 would %s: use `lttng-mm report` or `lttng-mm print` without --reader",
		finding->file, finding->packet, finding->offset, finding->what, effect);
}

/*
 * Refuses a damaged packet. Depending on the damage and the version, libbabeltrace2 would take it
 * for valid data, drop it or abort. Does not refuse packets that go backwards in time, because
 * libbabeltrace2's muxer refuses them itself if their events go backwards, too.
 */
static void found(void *user, const struct ctf_finding *finding)
{
	struct mm_error *err = user;

	if (finding->backward ||
	    !(finding->skipped || finding->truncated || finding->unseen || finding->counter))
		return;
	if (finding->truncated && !finding->unseen)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: packet %" PRIu64 ", byte %" PRIu64
			": %s: libbabeltrace2 cannot read it; to read the rest of a damaged or truncated trace, omit --reader=babeltrace2",
			finding->file, finding->packet, finding->offset, finding->what);
	else
		refuse(err, finding,
		       finding->foreign ? "misread or drop events of the packet without a message"
					: "deliver events of the packet");
}

/*
 * Like found(), but ignores wrong counters. If packets are out of order or repeated, counters go
 * backwards, which is reported separately.
 */
static void found_unordered(void *user, const struct ctf_finding *finding)
{
	if (!finding->counter)
		found(user, finding);
}

/*
 * Refuses values of 2^64 - 1, because libbabeltrace2 takes them for "absent", and fails an
 * assertion.
 */
static void check_values(const struct ctf_packet *packet, uint64_t *slots, struct mm_error *err)
{
	static const struct {
		enum ctf_role role;
		const char *what;
	} values[] = {
		{ CTF_ROLE_TIME, "timestamp_begin is 2^64 - 1" },
		{ CTF_ROLE_PACKET_END_TIME, "timestamp_end is 2^64 - 1" },
		{ CTF_ROLE_DISCARDED, "events_discarded is 2^64 - 1" },
		{ CTF_ROLE_PACKET_SEQ, "packet_seq_num is 2^64 - 1" },
	};
	const struct ctf_stream *stream = packet->stream;
	struct ctf_finding finding = { .file = packet->file->path,
				       .packet = packet->number,
				       .offset = packet->offset };
	struct ctf_header header;

	if (ctf_header_read(ctf_packet_plan_find(stream->trace, stream->class), packet->data,
			    packet->size_bits, 0, slots, &header))
		return;
	finding.what = "packet_size exceeds the file";
	if (packet->flags & CTF_PACKET_TRUNCATED)
		refuse(err, &finding, "abort");
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (header.have & values[i].role &&
		    ctf_header_value(&header, values[i].role) == UINT64_MAX) {
			finding.what = values[i].what;
			refuse(err, &finding, "abort");
		}
}

/*
 * Checks an index. If the total size of an index is right, libbabeltrace2 relies on the offsets in
 * the index.
 */
static void check_index(const struct ctf_stream *stream, const struct ctf_file *file,
			uint64_t *slots, struct mm_error *err)
{
	const char *field = ctf_index_check(stream, file, slots);
	int folder = (int)(strlen(file->path) - strlen(file->name));

	if (field)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %.*sindex/%s.idx: %s differs from the packets of %s, and libbabeltrace2 would rely on the index; remove the index file, or use `lttng-mm report` or `lttng-mm print` without --reader",
			folder, file->path, file->name, field, file->name);
}

/* Notes the times of a packet without a count of discarded events. */
static void keep_uncounted(struct mm_source *source, const struct ctf_packet *packet,
			   struct mm_error *err)
{
	const uint32_t needed =
		CTF_PACKET_WITHOUT_COUNT | CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END;
	struct mm_uncounted *grown;

	if ((packet->flags & needed) != needed)
		return;
	grown = mm_array_grow(source->uncounted, source->uncounted_count, &source->uncounted_room,
			      sizeof(*grown));
	if (!grown) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
		return;
	}
	source->uncounted = grown;
	grown[source->uncounted_count++] =
		(struct mm_uncounted){ packet->begin_ns, packet->end_ns };
}

static int compare_uncounted(const void *a, const void *b)
{
	const struct mm_uncounted *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/*
 * Checks all headers, even before the time range, because any packet can make libbabeltrace2 abort.
 */
static void check_headers(const struct packets_check *ctx, const struct ctf_stream *stream,
			  uint64_t *slots, struct mm_error *err)
{
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;

	for (size_t i = 0; i < stream->file_count; i++) {
		const struct ctf_file *file = &stream->files[i];

		if (file->sums && ctf_sums_parts(file->sums))
			mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"trace: %s: packets of the file were removed, added or moved, which libbabeltrace2 would not notice: use `lttng-mm report` or `lttng-mm print` without --reader",
				file->path);
		check_index(stream, file, slots, err);
	}
	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.unchecked = true;
	while (!err->code && ctf_packet_next(&iterator, &packet, err) > 0) {
		check_values(&packet, slots, err);
		keep_uncounted(ctx->source, &packet, err);
	}
}

/* Refuses a packet without a checksum if decoding its events shows damage. */
static void check_events(const struct ctf_plan *plan, const struct ctf_packet *packet,
			 const struct mm_suspects *suspects, uint64_t *slots, struct mm_error *err)
{
	struct ctf_finding finding = { .file = packet->file->path, .packet = packet->number };
	struct ctf_fault fault;

	if (packet->file->sums ||
	    ctf_packet_check_known(plan, packet,
				   mm_suspects_find(suspects, finding.file, packet->offset), slots,
				   &fault))
		return;
	finding.offset = packet->offset + fault.at;
	finding.what = fault.what;
	refuse(err, &finding, "deliver events of the packet");
}

/* May the stream contain state dumps? State dumps are delivered for every requested time range. */
static bool is_state(const struct packets_check *ctx, const struct ctf_stream *stream)
{
	struct mm_loss may = { NULL };

	for (size_t i = 0; i < stream->class->event_count; i++) {
		const char *name = stream->class->events[i]->name;
		int request = name ? mm_requests_find(ctx->requests, name) : -1;

		if (request >= 0)
			mm_source_may_have(&may, ctx->requests, request, name);
	}
	return mm_loss_is_state(&may) && !ctx->options->in_order;
}

static void find_window(struct check_window *window, const struct packets_check *ctx,
			const struct ctf_stream *stream)
{
	const struct mm_source_options *options = ctx->options;
	const bool all = is_state(ctx, stream) || stream->order == CTF_ORDER_NONE;

	/*
	 * Check all packets if the bounds are relative to the trace or its boot, because such
	 * bounds are not resolved yet.
	 */
	window->begin_ns = all || options->begin_base.kind ? INT64_MIN : options->begin_ns;
	window->end_ns = all || options->end_base.kind ? INT64_MAX : options->end_ns;
}

static bool is_after(const struct check_window *window, const struct ctf_packet *packet)
{
	return (packet->flags & CTF_PACKET_HAS_BEGIN) && packet->begin_ns > window->end_ns;
}

static int check_stream(const struct packets_check *ctx, const struct ctf_stream *stream,
			uint64_t *slots, struct mm_error *err)
{
	struct ctf_plan *plan = ctf_plan_create(stream->class, NULL, NULL);
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	struct check_window window;

	if (!plan)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	find_window(&window, ctx, stream);
	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.finding = stream->order == CTF_ORDER_NONE ? found_unordered : found;
	iterator.user = err;
	iterator.wary = stream->order != CTF_ORDER_NONE && ctf_stream_is_exclusive(stream);
	if (window.begin_ns != INT64_MIN)
		ctf_packet_seek(&iterator, window.begin_ns, err);
	while (!err->code && ctf_packet_next(&iterator, &packet, err) > 0 && !err->code &&
	       !is_after(&window, &packet)) {
		check_events(plan, &packet, ctx->options->suspects, slots, err);
		ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
	}
	ctf_plan_destroy(plan);
	if (!err->code)
		check_headers(ctx, stream, slots, err);
	return err->code ? -1 : 0;
}

static int check_trace(const struct packets_check *ctx, const struct ctf_trace *trace,
		       struct mm_error *err)
{
	uint64_t *slots = calloc(trace->class->slot_count + 1, sizeof(*slots));
	int ret = slots ? 0 : mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");

	for (size_t i = 0; i < trace->finding_count; i++)
		found(err, &trace->findings[i]);
	for (size_t i = 0; i < trace->stream_count && !ret && !err->code; i++)
		ret = check_stream(ctx, &trace->streams[i], slots, err);
	free(slots);
	return err->code ? -1 : ret;
}

int mm_packets_check(struct mm_source *source, const struct mm_requests *requests,
		     struct mm_error *err)
{
	const struct packets_check ctx = { source, &source->options, requests };
	struct mm_error why = MM_ERROR_INIT;
	struct ctf_trace **traces;
	size_t count = 0;
	int ret = 0;

	traces = ctf_traces_open_timed(source->path, source->folders, source->folder_count, NULL,
				       source->clock_shift_ns, &count, &why);
	for (size_t i = 0; traces && i < count && !ret; i++)
		ret = check_trace(&ctx, traces[i], &why);
	if (source->uncounted_count)
		qsort(source->uncounted, source->uncounted_count, sizeof(*source->uncounted),
		      compare_uncounted);
	if (traces)
		ctf_traces_close(traces, count);
	if (why.code && !err->code)
		*err = why;
	return why.code ? -1 : 0;
}
