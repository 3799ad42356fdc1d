// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the packets of the files that belong to one stream. */
#include "reader/ctf/packet/repeats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/packet/packet-read.h"

/* One file of a stream, and the range of its packets. */
struct file_extent {
	const struct ctf_stream *stream;
	const struct ctf_file *file;
	bool walked, any, has_times, has_seq;
	bool has_others; /* the file has packets of other streams */
	int64_t begin_ns, end_ns;
	uint64_t seq_first, seq_last, count;
	struct ctf_packet packet;
};

struct repeat_search {
	struct file_extent *spans;
	size_t count;
	uint64_t *slots;
	struct mm_error *err;
};

static bool is_per_cpu(const struct ctf_stream *stream)
{
	return stream->cpu != MM_CPU_UNKNOWN && ctf_trace_private(stream->trace)->per_cpu;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/*
 * qsort() comparison of files by class, then by stream id. Files without a stream id are compared
 * by CPU or by start time.
 */
static int compare_streams(const struct file_extent *a, const struct file_extent *b)
{
	const struct ctf_stream *x = a->stream, *y = b->stream;
	int order = compare((uintptr_t)x->class, (uintptr_t)y->class);

	if (!order)
		order = x->has_id - y->has_id;
	if (!order && x->has_id)
		return compare(x->id, y->id);
	if (!order)
		order = compare(x->cpu, y->cpu);
	if (!order && !is_per_cpu(x))
		order = (a->file->first_ns > b->file->first_ns) -
			(a->file->first_ns < b->file->first_ns);
	return order;
}

static int by_stream(const void *a, const void *b)
{
	const struct file_extent *x = a, *y = b;
	int order = compare_streams(x, y);

	if (!order)
		order = (x->file->first_ns > y->file->first_ns) -
			(x->file->first_ns < y->file->first_ns);
	return order ? order : strcmp(x->file->path, y->file->path);
}

static void add_packet(struct file_extent *span, const struct ctf_packet *packet)
{
	const uint32_t times = CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END;

	if (packet->flags & CTF_PACKET_UNNUMBERED)
		return;
	if (!span->any) {
		span->any = span->has_times = span->has_seq = true;
		span->packet = *packet;
		span->begin_ns = packet->begin_ns;
		span->end_ns = packet->end_ns;
		span->seq_first = span->seq_last = packet->seq;
	}
	span->count++;
	span->has_times &= (packet->flags & times) == times;
	span->has_seq &= !!(packet->flags & CTF_PACKET_HAS_SEQ);
	if (packet->begin_ns < span->begin_ns)
		span->begin_ns = packet->begin_ns;
	if (packet->end_ns > span->end_ns)
		span->end_ns = packet->end_ns;
	if (packet->seq < span->seq_first)
		span->seq_first = packet->seq;
	if (packet->seq > span->seq_last)
		span->seq_last = packet->seq;
}

static void found(void *user, const struct ctf_finding *finding)
{
	((struct file_extent *)user)->has_others |= finding->other;
}

/* Reads the packet headers of the file as if it were its stream's only file. */
static int walk(const struct repeat_search *repeats, struct file_extent *span)
{
	struct ctf_file file = *span->file;
	struct ctf_stream alone = *span->stream;
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	int ret;

	if (span->walked)
		return 0;
	span->walked = true;
	alone.files = &file;
	alone.file_count = 1;
	/* Clear the members that describe all files of the stream. */
	alone.refs = NULL;
	alone.ref_count = 0;
	alone.copies = NULL;
	alone.copy_count = 0;
	alone.open_end = NULL;
	alone.has_last_end = false;
	ctf_packet_iterator_init(&iterator, &alone, repeats->slots);
	iterator.finding = found;
	iterator.user = span;
	while ((ret = ctf_packet_next(&iterator, &packet, repeats->err)) > 0) {
		add_packet(span, &packet);
		ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
	}
	return ret;
}

/* Do both files start with the same packet, and does this packet have events? */
static bool are_copies(const struct file_extent *a, const struct file_extent *b)
{
	const struct ctf_packet *x = &a->packet, *y = &b->packet;

	return a->any && b->any && x->size_bits == y->size_bits && x->content_bits > x->events_at &&
	       !memcmp(x->data, y->data, x->size_bits / 8);
}

/*
 * Do the packets of both files overlap? A packet that starts when the previous packet ends does not
 * overlap it.
 */
static bool overlap(const struct file_extent *a, const struct file_extent *b)
{
	bool seq = a->has_seq && b->has_seq, times = a->has_times && b->has_times;

	if (!a->any || !b->any || (!seq && !times))
		return false;
	if (times && a->begin_ns != b->begin_ns &&
	    (a->begin_ns >= b->end_ns || b->begin_ns >= a->end_ns))
		return false;
	return !seq || (a->seq_first <= b->seq_last && b->seq_first <= a->seq_last);
}

static bool has_all(const struct file_extent *a, const struct file_extent *b)
{
	if (a->has_others || b->has_others)
		return false;
	if (a->has_seq && b->has_seq && a->seq_last - a->seq_first == a->count - 1)
		return a->seq_first <= b->seq_first && b->seq_last <= a->seq_last;
	/*
	 * If packets have no sequence numbers, or if numbers are missing, all counts and times must
	 * be equal.
	 */
	return a->count == b->count && a->begin_ns == b->begin_ns && a->end_ns == b->end_ns &&
	       a->seq_first == b->seq_first && a->seq_last == b->seq_last;
}

/* Compares each file of one stream with the previous file and with the file that ends last. */
static int check_stream(const struct repeat_search *repeats, struct file_extent *spans,
			size_t count, const struct file_extent **first,
			const struct file_extent **second)
{
	bool by_bytes = !spans->stream->has_id && !is_per_cpu(spans->stream);
	const struct file_extent *last = spans;

	for (size_t i = 0; i < count; i++) {
		if (walk(repeats, &spans[i]))
			return -1;
		*first = NULL;
		if (i && (by_bytes ? are_copies(last, &spans[i]) : overlap(last, &spans[i])))
			*first = last;
		else if (i && !by_bytes && overlap(&spans[i - 1], &spans[i]))
			*first = &spans[i - 1];
		if (*first) {
			*second = &spans[i];
			return 1;
		}
		if (by_bytes || (spans[i].any && spans[i].end_ns > last->end_ns) || !last->any)
			last = &spans[i];
	}
	return 0;
}

static int list_files(struct repeat_search *repeats, struct ctf_trace *const *traces, size_t count)
{
	size_t files = 0, slots = 0;

	for (size_t i = 0; i < count; i++) {
		if (traces[i]->class->slot_count > slots)
			slots = traces[i]->class->slot_count;
		for (size_t j = 0; j < traces[i]->stream_count; j++)
			files += traces[i]->streams[j].file_count;
	}
	repeats->slots = calloc(slots + 1, sizeof(*repeats->slots));
	repeats->spans = calloc(files + 1, sizeof(*repeats->spans));
	if (!repeats->slots || !repeats->spans)
		return mm_error_set(repeats->err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < traces[i]->stream_count; j++) {
			const struct ctf_stream *stream = &traces[i]->streams[j];

			for (size_t k = 0;
			     k < stream->file_count && (!stream->has_id || stream->file_count > 1);
			     k++)
				repeats->spans[repeats->count++] =
					(struct file_extent){ .stream = stream,
							      .file = &stream->files[k] };
		}
	return 0;
}

int ctf_repeats_find(struct ctf_trace *const *traces, size_t count, struct ctf_repeat *repeat,
		     struct mm_error *err)
{
	struct mm_error here = MM_ERROR_INIT;
	struct repeat_search repeats = { .err = &here };
	const struct file_extent *a = NULL, *b = NULL;
	int ret = list_files(&repeats, traces, count);
	size_t end;

	if (repeats.count)
		qsort(repeats.spans, repeats.count, sizeof(*repeats.spans), by_stream);
	for (size_t i = 0; i < repeats.count && !ret; i = end) {
		end = i + 1;
		while (end < repeats.count &&
		       !compare_streams(&repeats.spans[i], &repeats.spans[end]))
			end++;
		if (end > i + 1)
			ret = check_stream(&repeats, repeats.spans + i, end - i, &a, &b);
	}
	if (ret > 0) {
		bool swap = !has_all(a, b) && has_all(b, a);

		*repeat = (struct ctf_repeat){ swap ? b->file : a->file, swap ? a->file : b->file,
					       has_all(a, b) || has_all(b, a) };
	}
	free(repeats.spans);
	free(repeats.slots);
	if (here.code && err && !err->code)
		*err = here;
	return ret;
}

/* Is this the name of a file in a ring of trace files, CHANNEL_CPU_NUMBER? */
static bool is_of_ring(const char *name, uint32_t cpu)
{
	const char *end = strrchr(name, '_'), *start;
	char number[16];
	size_t length;

	if (!end || cpu == MM_CPU_UNKNOWN || !end[1] || end[1 + strspn(end + 1, "0123456789")])
		return false;
	length = (size_t)snprintf(number, sizeof(number), "_%" PRIu32, cpu);
	start = end - length;
	return (size_t)(end - name) > length && !memcmp(start, number, length);
}

static int count_stream(const struct ctf_stream *stream, uint64_t *packets, struct mm_error *err)
{
	uint64_t *slots = calloc(stream->trace->class->slot_count + 1, sizeof(*slots));
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	int ret;

	if (!slots)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	ctf_packet_iterator_init(&iterator, stream, slots);
	while ((ret = ctf_packet_next(&iterator, &packet, err)) > 0) {
		if (!packet.number && is_of_ring(packet.file->name, stream->cpu))
			*packets += packet.lost_packets;
		ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
	}
	free(slots);
	return ret;
}

int ctf_ring_count(struct ctf_trace *const *traces, size_t count, uint64_t *packets,
		   struct mm_error *err)
{
	int ret = 0;

	*packets = 0;
	for (size_t i = 0; i < count && !ret; i++)
		for (size_t j = 0; j < traces[i]->stream_count && !ret; j++) {
			const struct ctf_stream *stream = &traces[i]->streams[j];

			if (stream->file_count > 1 &&
			    is_of_ring(stream->files[1].name, stream->cpu))
				ret = count_stream(stream, packets, err);
		}
	return ret;
}
