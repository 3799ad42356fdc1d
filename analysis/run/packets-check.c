// SPDX-License-Identifier: LGPL-2.1-only
/* Looks for damaged packets before libbabeltrace2 reads them. */
#include "analysis/run/packets-check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/ctf/decode/check.h"
#include "analysis/ctf/packet/packet.h"

static void found(void *user, const struct ctf_finding *finding)
{
	if (finding->checksum)
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
				       .checksum = true };
	struct ctf_fault fault;

	if (packet->file->sums || ctf_packet_check(plan, packet, slots, &fault))
		return;
	finding.offset = packet->offset + fault.at;
	finding.what = fault.what;
	found(err, &finding);
}

static int check_stream(const struct ctf_stream *stream, uint64_t *slots, struct mm_error *err)
{
	struct ctf_plan *plan = ctf_plan_create(stream->class, NULL, NULL);
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	int ret;

	if (!plan)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.finding = found;
	iterator.user = err;
	while ((ret = ctf_packet_next(&iterator, &packet, err)) > 0 && !err->code) {
		check_events(plan, &packet, slots, err);
		ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
	}
	ctf_plan_destroy(plan);
	return err->code ? -1 : 0;
}

static int check_trace(const struct ctf_trace *trace, struct mm_error *err)
{
	uint64_t *slots = calloc(trace->class->slot_count + 1, sizeof(*slots));
	int ret = slots ? 0 : mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");

	for (size_t i = 0; i < trace->finding_count; i++)
		found(err, &trace->findings[i]);
	for (size_t i = 0; i < trace->stream_count && !ret && !err->code; i++)
		ret = check_stream(&trace->streams[i], slots, err);
	free(slots);
	return err->code ? -1 : ret;
}

int mm_packets_check(struct mm_source *source, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	struct ctf_trace **traces;
	size_t count = 0;
	int ret = 0;

	traces = ctf_traces_open(source->path, source->folders, source->folder_count,
				 source->clock_shift_ns, &count, &why);
	for (size_t i = 0; traces && i < count && !ret; i++)
		ret = check_trace(traces[i], &why);
	if (traces)
		ctf_traces_close(traces, count);
	if (why.code && !err->code)
		*err = why;
	return why.code ? -1 : 0;
}
