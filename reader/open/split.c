// SPDX-License-Identifier: LGPL-2.1-only
/* Splits a trace's time range into parts whose packets have about the same total size. */
#include "reader/open/split.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "reader/ctf/decode/source.h"
#include "reader/ctf/packet/packet-read.h"
#include "reader/events/source-base.h"

/*
 * Maximum number of samples. If there are more packets, neighbouring samples of a stream are
 * combined.
 */
#define SAMPLES_MAX 65536u

/* The total size of a stream's packets that end at @end_ns or shortly before. */
struct size_sample {
	int64_t end_ns;
	uint64_t bytes;
};

struct size_samples {
	struct size_sample *list;
	size_t count;
	uint64_t bytes_each; /* minimum size of a sample, except at the end of a stream */
	uint64_t total;
	int64_t begin_ns, end_ns;
};

static void found_damage(void *user, const struct ctf_finding *finding)
{
	bool *damaged = user;

	(void)finding;
	*damaged = true;
}

static void halve(struct size_samples *samples)
{
	size_t kept = 0;

	for (size_t i = 0; i < samples->count; i += 2) {
		struct size_sample *sample = &samples->list[kept++];

		*sample = samples->list[i];
		if (i + 1 == samples->count)
			break;
		sample->bytes += samples->list[i + 1].bytes;
		if (samples->list[i + 1].end_ns > sample->end_ns)
			sample->end_ns = samples->list[i + 1].end_ns;
	}
	samples->count = kept;
	samples->bytes_each *= 2;
}

static void add_sample(struct size_samples *samples, const struct ctf_packet *packet,
		       uint64_t *waiting)
{
	if (packet->end_ns < samples->begin_ns || packet->begin_ns > samples->end_ns)
		return;
	samples->total += packet->content_bits / 8;
	*waiting += packet->content_bits / 8;
	if (*waiting < samples->bytes_each)
		return;
	if (samples->count == SAMPLES_MAX)
		halve(samples);
	samples->list[samples->count++] = (struct size_sample){ packet->end_ns, *waiting };
	*waiting = 0;
}

/*
 * Adds a stream's packets to @samples. Returns false if the stream is damaged or incomplete. Also
 * returns false if its timestamps have less than 64 bits, because decoding a packet then needs all
 * previous packets.
 */
static bool walk_stream(struct size_samples *samples, const struct ctf_stream *stream,
			uint64_t *slots)
{
	const uint32_t times = CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END;
	const uint32_t odd = CTF_PACKET_TRUNCATED | CTF_PACKET_WITHOUT_COUNT;
	const struct ctf_packet_plan *plan = ctf_packet_plan_find(stream->trace, stream->class);
	struct ctf_packet_iterator iterator;
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_packet packet;
	int64_t last_ns = INT64_MIN;
	uint64_t waiting = 0;
	bool damaged = false;
	int ret;

	if (!stream->class->clock || plan->begin_width < 64 || plan->end_width < 64)
		return false;
	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.finding = found_damage;
	iterator.user = &damaged;
	while ((ret = ctf_packet_next(&iterator, &packet, &err)) > 0) {
		if (damaged || (packet.flags & (times | odd)) != times ||
		    packet.begin_ns < last_ns || packet.end_ns < packet.begin_ns ||
		    packet.lost_events || packet.lost_packets)
			return false;
		last_ns = packet.end_ns;
		ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
		add_sample(samples, &packet, &waiting);
	}
	return !ret && !damaged;
}

static bool walk(struct size_samples *samples, struct ctf_trace *const *traces, size_t count)
{
	bool intact = true;

	for (size_t i = 0; i < count && intact; i++) {
		size_t slot_count = traces[i]->class->slot_count;
		uint64_t *slots = calloc(slot_count ? slot_count : 1, sizeof(*slots));

		intact = slots && !traces[i]->finding_count;
		for (size_t j = 0; j < traces[i]->stream_count && intact; j++)
			intact = walk_stream(samples, &traces[i]->streams[j], slots);
		free(slots);
	}
	return intact;
}

/* Returns a span that has only the trace's start. This is enough to give times of day a date. */
static struct mm_time_span find_span(struct ctf_trace *const *traces, size_t count)
{
	struct mm_time_span span = { .first_ns = INT64_MAX };

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < traces[i]->stream_count; j++) {
			const struct ctf_stream *stream = &traces[i]->streams[j];

			if (stream->file_count && stream->files[0].first_ns < span.first_ns)
				span.first_ns = stream->files[0].first_ns;
		}
	return span;
}

static int compare_samples(const void *a, const void *b)
{
	const struct size_sample *x = a, *y = b;

	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* Returns the total size of the files without opening them. */
static uint64_t size_of(const struct mm_source *source)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < source->folder_count; i++) {
		DIR *dir = opendir(source->folders[i]);
		struct dirent *entry;
		struct stat st;

		while (dir && (entry = readdir(dir)))
			if (!fstatat(dirfd(dir), entry->d_name, &st, 0) && S_ISREG(st.st_mode))
				bytes += (uint64_t)st.st_size;
		if (dir)
			closedir(dir);
	}
	return bytes;
}

/*
 * Chooses the timestamps for splitting. A part ends with the packet that completes its share of the
 * total size.
 */
static unsigned int choose(struct size_samples *samples, unsigned int parts, uint64_t bytes_min,
			   int64_t *splits)
{
	unsigned int count = 0;
	uint64_t bytes = 0;

	if (!samples->count || samples->total < bytes_min)
		return 0;
	if (bytes_min && samples->total / bytes_min < parts / 2)
		parts = 2 * (unsigned int)(samples->total / bytes_min);
	qsort(samples->list, samples->count, sizeof(*samples->list), compare_samples);
	/* Do not split after the last packet. */
	for (size_t i = 0; i + 1 < samples->count && count + 1 < parts; i++) {
		int64_t end_ns = samples->list[i].end_ns;

		bytes += samples->list[i].bytes;
		if (bytes / (count + 1) < samples->total / parts || end_ns < samples->begin_ns ||
		    end_ns >= samples->end_ns ||
		    end_ns >= samples->list[samples->count - 1].end_ns ||
		    (count && end_ns < splits[count - 1]))
			continue;
		splits[count++] = end_ns + 1;
	}
	return count;
}

unsigned int ctf_split_times(struct mm_source *source, unsigned int parts, uint64_t bytes_min,
			     struct mm_source_options *options, int64_t *splits)
{
	struct size_samples samples = { .bytes_each = 4096 };
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace *const *traces;
	struct mm_time_span span;
	unsigned int split_count = 0;
	size_t count = 0;

	*options = source->options;
	if (size_of(source) < bytes_min)
		return 0;
	traces = mm_ctf_source_traces(source, &count, &err);
	samples.list = malloc(SAMPLES_MAX * sizeof(*samples.list));
	if (traces)
		span = find_span(traces, count);
	if (traces && samples.list && !mm_source_options_resolve(options, &span, &err)) {
		samples.begin_ns = options->begin_ns;
		samples.end_ns = options->end_ns;
		if (walk(&samples, traces, count))
			split_count = choose(&samples, parts, bytes_min, splits);
	}
	free(samples.list);
	return split_count;
}
