// SPDX-License-Identifier: LGPL-2.1-only
/* Finds gaps between packets, when recording may have been paused. Also finds cut streams. */
#include "reader/coverage/find/gaps-find.h"

#include <stdlib.h>
#include <string.h>

#include "reader/coverage/find/pauses-find.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/ranges.h"
#include "reader/events/source-base.h"

/* Maximum number of gaps of a stream; further gaps are joined with the last gap. */
#define GAPS_MAX 1024u

/*
 * A flush ends the packets of all streams of a session, one after another. If a packet of another
 * stream continues for longer than this after the start of a gap, no flush caused the gap.
 */
#define FLUSH_NS 1000000000
/*
 * Timers flush live sessions, usually once a second. After a flush, an idle stream has no packet
 * until its next event, so gaps of a single stream are normal if they are shorter than this.
 */
#define STREAM_PAUSE_NS 1000000000
struct packet_times {
	struct mm_ranges *streams; /* per stream: times of its packets, joined */
	struct mm_ranges *breaks;  /* per stream: gaps before non-increasing sequence numbers */
	bool *from_start;	   /* per stream: true if its first packet has number 0 */
	struct mm_ranges trace;	   /* times of the packets of all streams, joined */
	struct mm_ranges gaps;	   /* gaps that all streams share */
	/* The packet times of all streams, sorted by mm_range_sort_by_reach(). */
	struct mm_range *reach;
	size_t reach_count;
};

/* Is the sequence number of @packet not higher than the number of @last? */
static bool is_break(const struct ctf_packet *last, const struct ctf_packet *packet)
{
	return last->flags & packet->flags & CTF_PACKET_HAS_SEQ && packet->seq <= last->seq;
}

/*
 * Reads the times of the stream's packets, and of the lost packets between them. Ignores packets
 * without timestamps.
 */
static int read_packets(struct packet_times *all, size_t number, const struct ctf_stream *stream,
			uint64_t *slots, struct mm_error *err)
{
	struct mm_ranges *packets = &all->streams[number], *breaks = &all->breaks[number];
	const uint32_t times = CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END;
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet, last = { .flags = 0 }, flush = { .flags = 0 };
	int ret;

	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.unchecked = true;
	while ((ret = ctf_packet_next(&iterator, &packet, err)) > 0) {
		flush = packet;
		if (packet.flags & CTF_PACKET_UNNUMBERED)
			continue;
		if (!last.file)
			all->from_start[number] = packet.flags & CTF_PACKET_HAS_SEQ && !packet.seq;
		if ((packet.flags & times) == times &&
		    mm_ranges_add(packets,
				  packet.lost_packets ? packet.lost_since_ns : packet.begin_ns,
				  packet.end_ns))
			return -1;
		if (is_break(&last, &packet) && mm_ranges_add(breaks, last.end_ns, packet.begin_ns))
			return -1;
		last = packet;
		ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
	}
	/* The unnumbered packet of a flush shows that the stream was idle until the flush. */
	if (!ret && (flush.flags & CTF_PACKET_UNNUMBERED) &&
	    mm_ranges_add(packets, last.file ? last.end_ns : flush.begin_ns, flush.end_ns))
		return -1;
	return ret;
}

static int read_trace(struct packet_times *packets, const struct ctf_trace *trace,
		      struct mm_error *err)
{
	uint64_t *slots = calloc(trace->class->slot_count + 1, sizeof(*slots));
	size_t count = 0;
	int ret;

	packets->streams = calloc(trace->stream_count + 1, sizeof(*packets->streams));
	packets->breaks = calloc(trace->stream_count + 1, sizeof(*packets->breaks));
	packets->from_start = calloc(trace->stream_count + 1, sizeof(*packets->from_start));
	ret = slots && packets->streams && packets->breaks && packets->from_start ? 0 : -1;
	for (size_t i = 0; i < trace->stream_count && !ret; i++) {
		ret = read_packets(packets, i, &trace->streams[i], slots, err);
		mm_ranges_join(&packets->streams[i]);
		count += packets->streams[i].count;
	}
	free(slots);
	packets->reach = ret ? NULL : calloc(count + 1, sizeof(*packets->reach));
	if (!packets->reach)
		return -1;
	for (size_t i = 0; i < trace->stream_count && !ret; i++)
		for (size_t j = 0; j < packets->streams[i].count && !ret; j++) {
			const struct mm_range *range = &packets->streams[i].all[j];

			packets->reach[packets->reach_count++] = *range;
			ret = mm_ranges_add(&packets->trace, range->start_ns, range->end_ns);
		}
	mm_ranges_join(&packets->trace);
	mm_range_sort_by_reach(packets->reach, packets->reach_count);
	return ret;
}

static void release(struct packet_times *packets, size_t stream_count)
{
	for (size_t i = 0; i < stream_count && packets->streams; i++)
		free(packets->streams[i].all);
	for (size_t i = 0; i < stream_count && packets->breaks; i++)
		free(packets->breaks[i].all);
	free(packets->breaks);
	free(packets->from_start);
	free(packets->streams);
	free(packets->trace.all);
	free(packets->reach);
	free(packets->gaps.all);
}

/* Does a packet of another stream continue long after @ns? If so, there was no flush at @ns. */
static bool goes_on(const struct packet_times *packets, int64_t ns)
{
	int64_t end_ns = mm_range_reach(packets->reach, packets->reach_count, ns);

	return end_ns > ns && (uint64_t)end_ns - (uint64_t)ns > FLUSH_NS;
}

static struct mm_range gap_before(const struct mm_ranges *ranges, size_t number)
{
	return (struct mm_range){ ranges->all[number - 1].end_ns, ranges->all[number].start_ns };
}

/* Does a file of the trace differ from the certified file by more than missing packets? */
static bool is_mismatched(const struct mm_missing_list *list, const struct ctf_trace *trace)
{
	for (size_t i = 0; i < trace->stream_count; i++)
		if (mm_missing_is_changed(list, trace->streams[i].name) &&
		    !mm_missing_in(list, trace->streams[i].name))
			return true;
	return false;
}

/* Returns the trace's usable certificate, or NULL. *@name: the trace's name in the certificate. */
static const struct mm_certificate *certificate_of(const struct mm_source *source,
						   const struct mm_snapshots *snapshots,
						   const struct ctf_trace *trace, const char **name)
{
	for (size_t i = 0; i < snapshots->member_count; i++) {
		const struct mm_trace_snapshot *member = &snapshots->members[i];

		if (strcmp(source->folders[i], trace->folder))
			continue;
		if (member->dir == SIZE_MAX || snapshots->all[member->dir].problem ||
		    is_mismatched(source->missing, trace))
			return NULL;
		*name = member->trace;
		return &snapshots->all[member->dir].snapshot.certificate;
	}
	return NULL;
}

static bool is_open(const struct mm_certificate *certificate, const char *trace,
		    const struct mm_range *gap)
{
	for (size_t i = 0; i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];

		for (size_t j = 0; j < stream->hole_count && !strcmp(stream->trace, trace); j++)
			if (stream->holes[j].kind == MM_HOLE_GAP &&
			    stream->holes[j].start_ns < gap->end_ns &&
			    stream->holes[j].end_ns > gap->start_ns)
				return true;
	}
	return false;
}

static bool lasts(const struct mm_range *gap, uint64_t ns)
{
	return gap->end_ns > gap->start_ns && (uint64_t)gap->end_ns - (uint64_t)gap->start_ns >= ns;
}

static bool is_requested(const struct mm_source *source, const struct mm_range *gap)
{
	return gap->start_ns <= source->options.end_ns && gap->end_ns >= source->options.begin_ns;
}

/*
 * Adds a gap of the stream, unless it is short. *@count is the number of added gaps of the same
 * kind so far: gaps in time, or gaps before non-increasing sequence numbers.
 */
static int add_gap(struct mm_source *source, const struct ctf_stream *stream,
		   const struct mm_range *gap, size_t *count)
{
	struct mm_missing_list *list = source->missing;

	if (!lasts(gap, STREAM_PAUSE_NS))
		return 0;
	list->maybe_paused |= is_requested(source, gap);
	if (++*count > GAPS_MAX) {
		struct mm_pause *last = &list->pauses[list->pause_count - 1];

		if (gap->end_ns > last->end_ns)
			last->end_ns = gap->end_ns;
		return 0;
	}
	return mm_pauses_add(list, &(struct mm_pause){ .file = strdup(stream->name),
						       .cpu = stream->cpu,
						       .start_ns = gap->start_ns,
						       .end_ns = gap->end_ns,
						       .maybe = true });
}

/*
 * Adds the gaps of a single stream. If other streams were not flushed at the start of a gap, this
 * stream was not recorded during the gap, or its packets were removed.
 */
static int add_gaps(struct mm_source *source, const struct ctf_stream *stream,
		    const struct packet_times *packets, size_t number)
{
	const struct mm_ranges *of_stream = &packets->streams[number];
	const struct mm_ranges *breaks = &packets->breaks[number];
	size_t count = 0;
	int ret = 0;

	for (size_t i = 1; i < of_stream->count && !ret; i++) {
		const struct mm_range gap = gap_before(of_stream, i);

		if (goes_on(packets, gap.start_ns))
			ret = add_gap(source, stream, &gap, &count);
	}
	count = 0;
	for (size_t i = 0; i < breaks->count && !ret; i++)
		ret = add_gap(source, stream, &breaks->all[i], &count);
	return ret;
}

/* Notes the gaps that all streams share, except gaps whose time the certificate covers. */
static int find_uncovered(struct mm_source *source, struct packet_times *packets,
			  const struct mm_certificate *certificate, const char *name)
{
	const struct mm_source_options *options = &source->options;

	for (size_t i = 1; i < packets->trace.count; i++) {
		const struct mm_range gap = gap_before(&packets->trace, i);
		int64_t start_ns =
			gap.start_ns > options->begin_ns ? gap.start_ns : options->begin_ns;
		int64_t end_ns = gap.end_ns < options->end_ns ? gap.end_ns : options->end_ns;

		if (!lasts(&gap, MM_PAUSE_NS) || start_ns >= end_ns ||
		    (certificate && !is_open(certificate, name, &gap)))
			continue;
		if (mm_ranges_add(&packets->gaps, gap.start_ns, gap.end_ns))
			return -1;
		source->missing->gaps++;
		source->missing->gaps_ns += (uint64_t)end_ns - (uint64_t)start_ns;
	}
	return 0;
}

/* For each gap that all streams share, adds the stream's own gap, which may be longer. */
static int add_stream_gaps(struct mm_missing_list *list, const struct ctf_stream *stream,
			   const struct packet_times *packets, size_t number)
{
	const struct mm_ranges *of_stream = &packets->streams[number], *gaps = &packets->gaps;

	for (size_t i = 1; i < of_stream->count; i++) {
		const struct mm_range gap = gap_before(of_stream, i);
		size_t first = mm_range_first_from(gaps->all, gaps->count, gap.start_ns);
		struct mm_pause *grown;

		if (first == gaps->count || gaps->all[first].start_ns >= gap.end_ns)
			continue;
		grown = mm_array_grow(list->stream_gaps, list->stream_gap_count,
				      &list->stream_gap_room, sizeof(*grown));
		if (!grown)
			return -1;
		list->stream_gaps = grown;
		grown += list->stream_gap_count;
		*grown = (struct mm_pause){ .file = strdup(stream->name),
					    .cpu = stream->cpu,
					    .start_ns = gap.start_ns,
					    .end_ns = gap.end_ns,
					    .maybe = true };
		if (!grown->file)
			return -1;
		list->stream_gap_count++;
	}
	return 0;
}

/* Does an index or a checksum file list the file's packets? */
static bool is_indexed(const struct ctf_file *file)
{
	return file->index || file->sums;
}

static uint64_t later_by(int64_t start_ns, int64_t end_ns)
{
	return end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 0;
}

/*
 * Notes a cut. A stream is cut if it ends earlier than its trace, or if it starts later with a
 * packet whose number is not 0. If packets are known to be missing, they are reported instead.
 *
 * An index lists all packets of its stream, but stream and index may both come from another
 * snapshot. If a stream ends much earlier than the others, it is therefore noted as cut even if its
 * index agrees.
 */
static int add_cut(struct mm_missing_list *list, const struct ctf_stream *stream,
		   const struct packet_times *packets, size_t number)
{
	const struct mm_ranges *own = &packets->streams[number], *all = &packets->trace;
	struct mm_cut cut = { NULL }, *grown;

	if (!own->count || mm_missing_in(list, stream->name))
		return 0;
	cut.start_ns = own->all[0].start_ns;
	cut.end_ns = own->all[own->count - 1].end_ns;
	if (!is_indexed(&stream->files[0]) && !packets->from_start[number])
		cut.before_ns = later_by(all->all[0].start_ns, cut.start_ns);
	cut.indexed = is_indexed(&stream->files[stream->file_count - 1]);
	cut.after_ns = later_by(cut.end_ns, all->all[all->count - 1].end_ns);
	if (cut.indexed && cut.after_ns < MM_CUT_NS)
		cut.after_ns = 0;
	if (!cut.before_ns && !cut.after_ns)
		return 0;
	grown = mm_array_grow(list->cuts, list->cut_count, &list->cut_room, sizeof(*grown));
	cut.file = grown ? strdup(stream->name) : NULL;
	if (grown)
		list->cuts = grown;
	if (!cut.file)
		return -1;
	list->cuts[list->cut_count++] = cut;
	return 0;
}

static int compare_cuts(const void *a, const void *b)
{
	return strcmp(((const struct mm_cut *)a)->file, ((const struct mm_cut *)b)->file);
}

static bool is_listed(const struct mm_source *source, const struct ctf_trace *trace,
		      const bool *listed)
{
	for (size_t i = 0; i < source->folder_count; i++)
		if (listed[i] && !strcmp(source->folders[i], trace->folder))
			return true;
	return false;
}

static int find_gaps(struct mm_source *source, const struct mm_snapshots *snapshots,
		     const struct ctf_trace *trace, const bool *listed, struct mm_error *err)
{
	struct packet_times packets = { NULL };
	const char *name = NULL;
	const struct mm_certificate *certificate = certificate_of(source, snapshots, trace, &name);
	const bool all_listed = is_listed(source, trace, listed);
	int ret = read_trace(&packets, trace, err);

	for (size_t i = 0; i < trace->stream_count && !ret; i++)
		ret = add_gaps(source, &trace->streams[i], &packets, i);
	if (!ret)
		ret = find_uncovered(source, &packets, certificate, name);
	for (size_t i = 0; i < trace->stream_count && !ret; i++)
		ret = add_stream_gaps(source->missing, &trace->streams[i], &packets, i);
	/* If the streams are listed, a file that matches the list cannot be cut. */
	for (size_t i = 0; i < trace->stream_count && !ret; i++)
		if (!all_listed ||
		    mm_missing_is_mismatched(source->missing, trace->streams[i].name))
			ret = add_cut(source->missing, &trace->streams[i], &packets, i);
	release(&packets, trace->stream_count);
	return ret;
}

int mm_gaps_find(struct mm_source *source, const struct mm_snapshots *snapshots,
		 struct ctf_trace *const *traces, size_t count, const bool *listed,
		 struct mm_error *err)
{
	struct mm_missing_list *list = source->missing;
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		if (ctf_class_is_lttng(traces[i]->class) && !mm_trace_is_state(traces[i]->folder))
			ret = find_gaps(source, snapshots, traces[i], listed, err);
	if (list->cut_count)
		qsort(list->cuts, list->cut_count, sizeof(*list->cuts), compare_cuts);
	return ret;
}
