// SPDX-License-Identifier: LGPL-2.1-only
/* Looks for damaged packets before libbabeltrace2 reads them. */
#include "analysis/run/packets-check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/ctf/decode/check.h"
#include "analysis/ctf/packet/packet.h"
#include "analysis/trace/request.h"

struct checking {
	const struct mm_source_options *options;
	const struct mm_requests *requests;
};

/* The time in which packets are checked. */
struct range {
	int64_t begin_ns, end_ns;
};

static void found(void *user, const struct ctf_finding *finding)
{
	if (finding->unseen)
		mm_error_set(
			user, MM_EXIT_BAD_INPUT,
			"trace: %s: packet %" PRIu64 ", byte %" PRIu64
			": %s; libbabeltrace2 would deliver events of the packet: use `lttng-mm report` without --reader",
			finding->file, finding->packet, finding->offset, finding->what);
}

/* Decodes the events of a packet that has no checksum. */
static void check_events(const struct ctf_plan *plan, const struct ctf_packet *packet,
			 uint64_t *slots, struct mm_error *err)
{
	struct ctf_finding finding = { .file = packet->file->path,
				       .packet = packet->number,
				       .unseen = true };
	struct ctf_fault fault;

	if (packet->file->sums || ctf_packet_check(plan, packet, slots, &fault))
		return;
	finding.offset = packet->offset + fault.at;
	finding.what = fault.what;
	found(err, &finding);
}

/* Are the stream's events delivered whatever the requested time range is, as state dumps are? */
static bool is_state(const struct checking *checking, const struct ctf_stream *stream)
{
	struct mm_loss may = { NULL };

	for (size_t i = 0; i < stream->class->event_count; i++) {
		const char *name = stream->class->events[i]->name;
		int request = name ? mm_requests_find(checking->requests, name) : -1;

		if (request >= 0)
			mm_source_may_have(&may, checking->requests, request, name);
	}
	return mm_loss_is_state(&may) && !checking->options->in_order;
}

static void find_range(struct range *range, const struct checking *checking,
		       const struct ctf_stream *stream)
{
	const struct mm_source_options *options = checking->options;
	const bool all = is_state(checking, stream) || stream->order == CTF_ORDER_NONE;

	/* Times of the trace's first day are not known yet. */
	range->begin_ns = all || options->begin_in_day ? INT64_MIN : options->begin_ns;
	range->end_ns = all || options->end_in_day ? INT64_MAX : options->end_ns;
}

static bool is_after(const struct range *range, const struct ctf_packet *packet)
{
	return (packet->flags & CTF_PACKET_HAS_BEGIN) && packet->begin_ns > range->end_ns;
}

static int check_stream(const struct checking *checking, const struct ctf_stream *stream,
			uint64_t *slots, struct mm_error *err)
{
	struct ctf_plan *plan = ctf_plan_create(stream->class, NULL, NULL);
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	struct range range;

	if (!plan)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	find_range(&range, checking, stream);
	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.finding = found;
	iterator.user = err;
	if (range.begin_ns != INT64_MIN)
		ctf_packet_seek(&iterator, range.begin_ns, err);
	while (!err->code && ctf_packet_next(&iterator, &packet, err) > 0 && !err->code &&
	       !is_after(&range, &packet)) {
		check_events(plan, &packet, slots, err);
		ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
	}
	ctf_plan_destroy(plan);
	return err->code ? -1 : 0;
}

static int check_trace(const struct checking *checking, const struct ctf_trace *trace,
		       struct mm_error *err)
{
	uint64_t *slots = calloc(trace->class->slot_count + 1, sizeof(*slots));
	int ret = slots ? 0 : mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");

	for (size_t i = 0; i < trace->finding_count; i++)
		found(err, &trace->findings[i]);
	for (size_t i = 0; i < trace->stream_count && !ret && !err->code; i++)
		ret = check_stream(checking, &trace->streams[i], slots, err);
	free(slots);
	return err->code ? -1 : ret;
}

int mm_packets_check(struct mm_source *source, const struct mm_requests *requests,
		     struct mm_error *err)
{
	const struct checking checking = { &source->options, requests };
	struct mm_error why = MM_ERROR_INIT;
	struct ctf_trace **traces;
	size_t count = 0;
	int ret = 0;

	traces = ctf_traces_open(source->path, source->folders, source->folder_count,
				 source->clock_shift_ns, &count, &why);
	for (size_t i = 0; traces && i < count && !ret; i++)
		ret = check_trace(&checking, traces[i], &why);
	if (traces)
		ctf_traces_close(traces, count);
	if (why.code && !err->code)
		*err = why;
	return why.code ? -1 : 0;
}
