// SPDX-License-Identifier: LGPL-2.1-only
/* Derives the certificate of coverage from packet headers. */
#include "reader/coverage/certify/certify.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/coverage/certify/certify-internal.h"
#include "reader/coverage/missing.h"
#include "reader/ctf/decode/source.h"
#include "reader/ctf/packet/packet.h"
#include "reader/open/open.h"
#include "util/hash.h"
#include "util/plural.h"

/* All traces below a folder that are being certified. */
struct certify_ctx {
	const char *folder;
	struct certify_traces opened;
	/* The source that open_all() opened; NULL: the caller's traces are used. */
	struct mm_source *own_source;
	struct certify_trace *certified;
	struct mm_certificate *certificate;
	int64_t wall_shift_ns;
	bool headers_only; /* the packets were compared with their checksums already */
	struct mm_error *err;
};

static int no_memory(const struct certify_ctx *all)
{
	return mm_error_set(all->err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", all->folder);
}

/* Returns the name of a trace's folder relative to the snapshot, "." for the snapshot itself. */
static const char *name_of(const struct certify_ctx *all, const char *folder)
{
	size_t length = strlen(all->folder);

	if (!strncmp(folder, all->folder, length))
		folder += length;
	folder += strspn(folder, "/");
	return *folder ? folder : ".";
}

/*
 * Returns the channel of a stream file CHANNEL_N if N is @cpu, as an allocated string. Otherwise
 * returns NULL.
 */
static char *channel_of(const char *file, uint32_t cpu)
{
	const char *end = strrchr(file, '_');
	char number[16];

	snprintf(number, sizeof(number), "_%u", cpu);
	return end && end > file && cpu != MM_CPU_UNKNOWN && !strcmp(end, number)
		       ? strndup(file, (size_t)(end - file))
		       : NULL;
}

static uint32_t cpu_of(const char *file)
{
	const char *digits = strrchr(file, '_');
	unsigned long cpu;
	char *end;

	if (!digits || digits[1] < '0' || digits[1] > '9')
		return MM_CPU_UNKNOWN;
	cpu = strtoul(digits + 1, &end, 10);
	return *end || cpu >= MM_CPU_UNKNOWN ? MM_CPU_UNKNOWN : (uint32_t)cpu;
}

/* Adds a stream without packets. Returns NULL with the error set when out of memory. */
static struct certify_stream *add_stream(struct certify_ctx *all, struct certify_trace *trace,
					 const char *file, uint32_t cpu)
{
	struct mm_certified_stream *stream =
		mm_certificate_add_stream(all->certificate, trace->name, file);
	struct certify_stream *grown;

	grown = mm_array_grow(trace->streams, trace->stream_count, &trace->stream_room,
			      sizeof(*grown));
	if (grown)
		trace->streams = grown;
	if (!grown || !stream) {
		no_memory(all);
		return NULL;
	}
	grown += trace->stream_count++;
	*grown = (struct certify_stream){ .number = all->certificate->stream_count - 1,
					  .has_times = true };
	stream->cpu = cpu;
	stream->channel = channel_of(file, cpu);
	stream->events_discarded_known = true;
	return grown;
}

struct stream_walk {
	const struct ctf_stream *from;
	struct certify_trace *trace;
	struct certify_stream *more;
	struct mm_certified_stream *stream;
	/* packets after this time lack a discarded-event count; INT64_MAX: no such packets */
	int64_t uncounted_since_ns;
	uint64_t uncounted;
	bool any; /* a packet with times was read */
	bool failed;
};

static void found(void *user, const struct ctf_finding *finding)
{
	struct stream_walk *walk = user;

	/* A skipped packet of known size is damaged, not missing. */
	walk->stream->packets += finding->whole;
	walk->more->damaged += finding->skipped || finding->truncated ||
			       (finding->backward && walk->from->order == CTF_ORDER_NONE);
}

static void add_hole(struct stream_walk *walk, int64_t start_ns, int64_t end_ns,
		     enum mm_hole_kind kind)
{
	if (start_ns == INT64_MIN || end_ns == INT64_MAX) {
		walk->more->has_times = false;
		return;
	}
	/* Timestamps of damaged packets may go backwards. */
	if (end_ns < start_ns)
		end_ns = start_ns;
	walk->failed |= mm_certified_stream_add_hole(walk->stream, start_ns, end_ns, kind) != 0;
}

/*
 * LTTng counts discarded events from the start of the stream. If the first packet's count is not 0
 * and the packet has sequence number 0, the events were discarded within this packet. If the packet
 * has another number, events may have been discarded before it, so the coverage starts at the end
 * of this packet.
 */
static void take_first(struct stream_walk *walk, const struct ctf_packet *packet)
{
	struct mm_certified_stream *stream = walk->stream;

	walk->more->from_start = !(packet->flags & CTF_PACKET_HAS_SEQ) || !packet->seq;
	walk->more->is_numbered = packet->flags & CTF_PACKET_HAS_SEQ;
	stream->covered = true;
	stream->start_ns = packet->begin_ns;
	if (!(packet->flags & CTF_PACKET_HAS_DISCARDED) || !packet->discarded)
		return;
	if ((packet->flags & CTF_PACKET_HAS_SEQ) && !packet->seq) {
		stream->events_discarded += packet->discarded;
		add_hole(walk, packet->begin_ns, packet->end_ns, MM_HOLE_DISCARDED);
	} else {
		stream->start_ns = packet->end_ns;
	}
}

static void take_losses(struct stream_walk *walk, const struct ctf_packet *packet)
{
	struct mm_certified_stream *stream = walk->stream;

	if (packet->lost_packets) {
		stream->packets_lost += packet->lost_packets;
		add_hole(walk, packet->lost_since_ns, packet->begin_ns, MM_HOLE_PACKETS);
	}
	if (packet->lost_events) {
		stream->events_discarded += packet->lost_events;
		add_hole(walk, packet->counted_since_ns, packet->end_ns, MM_HOLE_DISCARDED);
	}
	if (packet->flags & CTF_PACKET_INCOMPLETE)
		add_hole(walk, packet->begin_ns, packet->end_ns, MM_HOLE_PACKETS);
	/* The next packet with a count also counts events discarded in packets without one. */
	if (packet->flags & CTF_PACKET_WITHOUT_COUNT) {
		walk->uncounted++;
		if (walk->uncounted_since_ns == INT64_MAX)
			walk->uncounted_since_ns = packet->counted_since_ns;
	} else {
		walk->uncounted_since_ns = INT64_MAX;
	}
	stream->events_discarded_known &= !!(packet->flags & CTF_PACKET_HAS_DISCARDED);
}

static void take_packet(struct stream_walk *walk, const struct ctf_packet *packet)
{
	const uint32_t times = CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END;
	struct mm_certified_stream *stream = walk->stream;

	if ((packet->flags & times) != times) {
		walk->more->has_times = false;
		stream->packets++;
		return;
	}
	stream->packets++;
	if (!walk->any)
		take_first(walk, packet);
	walk->any = true;
	take_losses(walk, packet);
	stream->end_ns = packet->end_ns;
	walk->failed |= mm_ranges_add(&walk->trace->packets, packet->begin_ns, packet->end_ns) != 0;
}

static int walk_stream(struct certify_ctx *all, struct certify_trace *trace,
		       const struct ctf_stream *from)
{
	uint64_t *slots = calloc(from->trace->class->slot_count + 1, sizeof(*slots));
	struct stream_walk walk = { .from = from, .trace = trace, .uncounted_since_ns = INT64_MAX };
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	int ret = -1;

	walk.more = slots ? add_stream(all, trace, from->files[0].name, from->cpu) : NULL;
	if (!walk.more)
		goto end;
	walk.stream = &all->certificate->streams[walk.more->number];
	for (size_t i = 0; i < from->file_count; i++)
		walk.stream->bytes += ctf_map_size(from->files[i].map);
	ctf_packet_iterator_init(&iterator, from, slots);
	iterator.finding = found;
	iterator.user = &walk;
	iterator.unchecked = all->headers_only;
	while ((ret = ctf_packet_next(&iterator, &packet, all->err)) > 0 && !walk.failed) {
		take_packet(&walk, &packet);
		ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
	}
	if (walk.failed)
		ret = -1;
	if (!mm_trace_is_state(trace->name))
		all->certificate->uncounted += walk.uncounted;
	if (!walk.more->has_times)
		walk.stream->covered = false;
	/* The last packets have no discarded-event count, so the coverage ends before them. */
	if (walk.uncounted_since_ns != INT64_MAX) {
		walk.stream->events_discarded_known = false;
		walk.stream->end_ns = walk.uncounted_since_ns;
	}
	if (walk.stream->end_ns < walk.stream->start_ns)
		walk.stream->covered = false;
	mm_certified_stream_sort_holes(walk.stream);
end:
	free(slots);
	return ret ? no_memory(all) : 0;
}

static bool has_file(const struct certify_ctx *all, const struct certify_trace *trace,
		     const struct ctf_trace *from, const char *file)
{
	for (size_t i = 0; i < from->stream_count; i++)
		for (size_t j = 0; j < from->streams[i].file_count; j++)
			if (!strcmp(from->streams[i].files[j].name, file))
				return true;
	for (size_t i = 0; i < trace->stream_count; i++)
		if (!strcmp(all->certificate->streams[trace->streams[i].number].file, file))
			return true;
	return false;
}

/* Adds the empty files of a trace. They are streams of CPUs that recorded no event. */
static int add_empty(struct certify_ctx *all, struct certify_trace *trace,
		     const struct ctf_trace *from)
{
	struct dirent **entries = NULL;
	int count = scandir(from->folder, &entries, NULL, alphasort), ret = 0;

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		struct stat st;
		char *path = NULL;

		if (*name != '.' && strcmp(name, "metadata") && !ret &&
		    asprintf(&path, "%s/%s", from->folder, name) < 0) {
			path = NULL;
			ret = no_memory(all);
		}
		if (path && !stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size &&
		    !has_file(all, trace, from, name) &&
		    !add_stream(all, trace, name, cpu_of(name)))
			ret = -1;
		free(path);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

/* Adds the streams that are listed in the facts and have no file. */
static int add_known(struct certify_ctx *all, struct certify_trace *trace,
		     const struct ctf_trace *from)
{
	const json_t *streams = json_object_get(trace->facts, "streams");

	for (size_t i = 0; i < json_array_size(streams); i++) {
		const json_t *entry = json_array_get(streams, i);
		const char *file = json_string_value(json_object_get(entry, "file"));

		if (file && !has_file(all, trace, from, file) &&
		    !add_stream(all, trace, file, cpu_of(file)))
			return -1;
	}
	return 0;
}

static int walk_trace(struct certify_ctx *all, size_t number, const json_t *facts_by_trace)
{
	const struct ctf_trace *from = all->opened.traces[number];
	struct certify_trace *trace = &all->certified[number];
	int ret = 0;

	trace->name = name_of(all, from->folder);
	trace->facts = json_object_get(facts_by_trace, trace->name);
	trace->contiguous = ctf_class_is_lttng(from->class);
	trace->recorded = facts_by_trace && trace->contiguous;
	for (size_t i = 0; i < from->stream_count && !ret; i++)
		ret = walk_stream(all, trace, &from->streams[i]);
	if (!ret)
		ret = add_empty(all, trace, from) || add_known(all, trace, from);
	/* A file without a readable packet belongs to no stream, so add a reason for it. */
	for (size_t i = 0; i < from->finding_count && !ret && !mm_trace_is_state(trace->name); i++)
		ret = mm_certificate_reason(all->certificate, true, "%s: %s.",
					    name_of(all, from->findings[i].file),
					    from->findings[i].what)
			      ? no_memory(all)
			      : 0;
	return ret;
}

/*
 * Returns the earliest possible time of the freeze. This is the time of the request, or the end of
 * the last packet of a watched trace if that is later.
 */
static int64_t find_end(const struct certify_ctx *all, int64_t requested_ns)
{
	int64_t end_ns = requested_ns;

	for (size_t i = 0; i < all->opened.trace_count; i++)
		for (size_t j = 0; j < all->certified[i].packets.count && all->certified[i].facts;
		     j++)
			if (all->certified[i].packets.all[j].end_ns > end_ns)
				end_ns = all->certified[i].packets.all[j].end_ns;
	return end_ns;
}

static int apply_facts(struct certify_ctx *all, int64_t requested_ns)
{
	int64_t end_ns = find_end(all, requested_ns);

	all->certificate->watched = true;
	for (size_t i = 0; i < all->opened.trace_count; i++) {
		struct certify_trace *trace = &all->certified[i];

		if (certify_apply(trace, all->certificate, end_ns))
			return no_memory(all);
		for (size_t j = 0; j < trace->stream_count; j++)
			all->certificate->watched &=
				trace->streams[j].has_facts || mm_trace_is_state(trace->name);
	}
	return 0;
}

/* Adds reasons that do not appear as holes: damage, and packets without timestamps. */
static int add_uncertain(struct certify_ctx *all)
{
	struct mm_certificate *certificate = all->certificate;
	int ret = 0;

	for (size_t i = 0; i < all->opened.trace_count; i++)
		for (size_t j = 0; j < all->certified[i].stream_count && !ret; j++) {
			const struct certify_stream *more = &all->certified[i].streams[j];
			const struct mm_certified_stream *stream =
				&certificate->streams[more->number];

			if (mm_trace_is_state(stream->trace))
				continue;
			if (more->damaged)
				ret = mm_certificate_reason(
					certificate, true,
					"%s/%s: damaged or truncated in %llu place%s.",
					stream->trace, stream->file,
					(unsigned long long)more->damaged,
					mm_plural_s(more->damaged));
			if (!more->has_times && !ret)
				ret = mm_certificate_reason(certificate, false,
							    "%s/%s: packets without timestamps.",
							    stream->trace, stream->file);
		}
	return ret ? no_memory(all) : 0;
}

/* Adds a reason for each stream or packet that is missing according to a list. */
static int add_missing(struct certify_ctx *all)
{
	const struct mm_missing_list *list;
	int ret = 0;

	if (all->own_source && mm_missing_find(all->own_source, all->err))
		return -1;
	list = mm_source_missing(all->opened.source);
	for (size_t i = 0; i < list->count && !ret; i++) {
		const struct mm_missing *missing = &list->all[i];
		char text[256];

		/*
		 * With a request, the caller is the recorder. It knows which streams it has just
		 * written, so no stream is uncertain.
		 */
		if (missing->in_state ||
		    (missing->uncertain && all->certificate->requested_ns != INT64_MIN))
			continue;
		mm_missing_text(missing, text, sizeof(text));
		all->certificate->suspected += missing->uncertain;
		ret = mm_certificate_reason(all->certificate, !missing->uncertain, "%s: %s.",
					    name_of(all, missing->display_path), text);
	}
	return ret ? no_memory(all) : 0;
}

/*
 * Adds the reason "a missing stream would not be noticed". The recorder does not need this reason,
 * because it certifies what it has just written and knows which streams exist.
 */
static int add_unverifiable(struct certify_ctx *all)
{
	const char *unverifiable = mm_missing_unverifiable(mm_source_missing(all->opened.source));

	if (!unverifiable || all->certificate->requested_ns != INT64_MIN)
		return 0;
	return mm_certificate_reason(all->certificate, false,
				     "A missing stream would not be noticed: %s.", unverifiable)
		       ? no_memory(all)
		       : 0;
}

/* Opens the traces unless the caller has opened them. */
static int open_all(struct certify_ctx *all)
{
	struct certify_traces *opened = &all->opened;
	struct mm_source_options options;

	if (!opened->source || !opened->traces) {
		mm_source_options_init(&options);
		options.reader = MM_READER_FAST;
		all->own_source = mm_source_open(all->folder, &options, all->err);
	}
	if (all->own_source) {
		opened->source = all->own_source;
		opened->traces =
			mm_ctf_source_traces(all->own_source, &opened->trace_count, all->err);
	}
	return opened->traces ? 0 : -1;
}

/* Reads the packet headers of all traces into the certificate. */
static int walk_all(struct certify_ctx *all, const json_t *facts_by_trace)
{
	if (open_all(all))
		return -1;
	all->certified = calloc(all->opened.trace_count + 1, sizeof(*all->certified));
	if (!all->certified)
		return no_memory(all);
	for (size_t i = 0; i < all->opened.trace_count; i++)
		if (walk_trace(all, i, facts_by_trace))
			return -1;
	return 0;
}

static void release(struct certify_ctx *all)
{
	for (size_t i = 0; i < all->opened.trace_count && all->certified; i++) {
		free(all->certified[i].streams);
		free(all->certified[i].packets.all);
	}
	free(all->certified);
	mm_source_destroy(all->own_source);
}

int certify_packets(const char *folder, const struct certify_traces *opened,
		    struct mm_certificate *certificate, struct mm_error *err)
{
	struct mm_error here = MM_ERROR_INIT;
	struct certify_ctx all = {
		.folder = folder, .certificate = certificate, .headers_only = true, .err = &here
	};

	if (opened) {
		all.opened = *opened;
		all.headers_only = opened->compared;
	}
	mm_certificate_init(certificate);
	walk_all(&all, NULL);
	release(&all);
	if (err && here.code && !err->code)
		*err = here;
	return here.code ? -1 : 0;
}

static int certify_all(struct certify_ctx *all, const json_t *facts_by_trace, int64_t requested_ns,
		       struct mm_error *err)
{
	struct mm_certificate *certificate = all->certificate;
	struct mm_error here = MM_ERROR_INIT;

	all->err = &here;
	mm_certificate_init(certificate);
	certificate->requested_ns = requested_ns;
	certificate->wall_shift_ns = all->wall_shift_ns;
	if (!walk_all(all, facts_by_trace) && !apply_facts(all, requested_ns) &&
	    !add_uncertain(all) && !add_missing(all)) {
		/*
		 * The least likely reason comes last: a stream may be missing without being
		 * noticed.
		 */
		if (mm_certificate_decide(certificate))
			no_memory(all);
		else
			add_unverifiable(all);
		mm_certificate_judge(certificate);
	}
	release(all);
	all->err = NULL;
	if (err && here.code && !err->code)
		*err = here;
	return here.code ? -1 : 0;
}

int certify(const char *folder, const json_t *facts_by_trace, int64_t requested_ns,
	    int64_t wall_shift_ns, struct mm_certificate *certificate, struct mm_error *err)
{
	struct certify_ctx all = { .folder = folder,
				   .certificate = certificate,
				   .wall_shift_ns = wall_shift_ns };

	return certify_all(&all, facts_by_trace, requested_ns, err);
}

int certify_opened(const struct certify_traces *opened, struct mm_certificate *certificate,
		   struct mm_error *err)
{
	struct certify_ctx all = { .folder = mm_source_path(opened->source),
				   .opened = *opened,
				   .certificate = certificate };

	return certify_all(&all, NULL, INT64_MIN, err);
}
