// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Distributes batches of packets to threads, and reports their findings in the order of the trace.
 *
 * Threads fill batches under a lock, stream by stream, with the packets in order. Reading the
 * packet headers there takes little time compared with decoding the events. Verified batches are
 * passed to the caller through a queue, and it sorts them by their numbers. The number of batches
 * is fixed, which limits memory and makes a thread that is ahead wait.
 */
#include "reader/inspect/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/coverage/certify/certify.h"
#include "reader/coverage/missing.h"
#include "reader/ctf/decode/source.h"
#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/sums.h"
#include "reader/events/source.h"
#include "reader/inspect/verify-batch.h"
#include "reader/open/open.h"
#include "reader/sysinfo/snapshots.h"
#include "util/escape.h"
#include "util/path.h"
#include "util/plural.h"
#include "util/text.h"
#include "util/threads.h"
#include "util/time.h"
#include "util/tsan.h"

#define BATCHES_PER_JOB 4

struct verify {
	struct ctf_trace *const *traces;
	size_t trace_count;
	struct ctf_plan **plans;
	size_t plan_count, value_count, slot_count;

	/* The position from which batches are filled; protected by @lock. */
	pthread_mutex_t lock;
	size_t trace, stream; /* the current stream */
	bool in_stream, exhausted;
	struct ctf_packet_iterator iterator;
	struct ctf_batch *taking; /* receives the iterator's findings */
	uint64_t *slots;
	uint64_t next_number, end_clock;

	/* Unused batches, and verified ones. */
	struct cds_wfs_stack spare;
	struct cds_wfcq_head done_head;
	struct cds_wfcq_tail done_tail;
	sem_t spare_count, done_count;
	struct ctf_batch **ring; /* verified, by number; may have gaps */
	size_t batch_count;

	/* Reporting. */
	const struct ctf_verify_handler *handler;
	struct ctf_verify_counts *counts;
	struct mm_error *err;
	uint64_t reported; /* number of batches reported */
	bool any_event;
	uint64_t last_clock; /* of the stream's events so far */
};

static int no_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

static const struct ctf_plan *find_plan(const struct verify *verify,
					const struct ctf_stream_class *class)
{
	for (size_t i = 0; i < verify->plan_count; i++)
		if (verify->plans[i]->stream_class == class)
			return verify->plans[i];
	return NULL;
}

static void found(void *user, const struct ctf_finding *finding)
{
	struct verify *verify = user;

	ctf_batch_note(verify->taking, finding->truncated ? CTF_VERIFY_LOST : CTF_VERIFY_DAMAGED,
		       finding->file, finding->packet, finding->offset, "%s", finding->what);
	verify->taking->counts.packets_truncated += finding->truncated;
}

/* Says which packets of the recorded file are missing before @packet. */
static void note_lost_packets(struct ctf_batch *batch, const struct ctf_packet *packet)
{
	const struct ctf_file *file = packet->file;
	const struct ctf_part *part =
		file->sums ? ctf_sums_part_at(file->sums, packet->offset, packet->number) : NULL;
	char recorded[64] = "";

	if (part && part->lost)
		snprintf(recorded, sizeof(recorded), ", which was packet %" PRIu64 " when recorded",
			 part->number);
	if (packet->lost_packets)
		ctf_batch_note(
			batch, CTF_VERIFY_LOST, packet->file->path, packet->number, packet->offset,
			"%" PRIu64 " %s lost before this one%s", packet->lost_packets,
			mm_plural(packet->lost_packets, "packet was", "packets were"), recorded);
}

static void note_losses(struct ctf_batch *batch, const struct ctf_packet *packet)
{
	note_lost_packets(batch, packet);
	if (packet->lost_events && packet->without_count_before)
		ctf_batch_note(
			batch, CTF_VERIFY_LOST, packet->file->path, packet->number, packet->offset,
			"%" PRIu64 " %s discarded since the last count, %" PRIu64 " packets before",
			packet->lost_events,
			mm_plural(packet->lost_events, "event was", "events were"),
			packet->without_count_before + 1);
	else if (packet->lost_events)
		ctf_batch_note(batch, CTF_VERIFY_LOST, packet->file->path, packet->number,
			       packet->offset, "%" PRIu64 " %s discarded since the previous packet",
			       packet->lost_events,
			       mm_plural(packet->lost_events, "event was", "events were"));
	if (packet->flags & CTF_PACKET_WITHOUT_COUNT)
		ctf_batch_note(
			batch, CTF_VERIFY_LOST, packet->file->path, packet->number, packet->offset,
			"events may have been discarded since the previous packet: LTTng left their count out");
	batch->counts.packets_without_count += !!(packet->flags & CTF_PACKET_WITHOUT_COUNT);
	batch->counts.packets_lost += packet->lost_packets;
	batch->counts.events_discarded += packet->lost_events;
}

/* Gets the path of the index file, for messages. */
static void index_path(const struct ctf_file *file, char *path, size_t size)
{
	size_t folder = strlen(file->path) - strlen(file->name);

	snprintf(path, size, "%.*sindex/%s.idx", (int)folder, file->path, file->name);
}

static void check_index(struct ctf_batch *batch, const struct ctf_packet *packet)
{
	const struct ctf_file *file = packet->file;
	struct ctf_index_entry entry;
	const char *field;
	char path[4096];
	uint64_t offset;

	/* Where packets were removed or moved, the checksums say which ones. */
	if (!file->index || packet->number >= ctf_index_count(file->index) ||
	    (file->sums && ctf_sums_parts(file->sums)))
		return;
	ctf_index_read(file->index, packet->number, &entry);
	field = ctf_index_differs(&entry, packet);
	if (!field)
		return;
	index_path(file, path, sizeof(path));
	offset = ctf_index_offset(file->index, packet->number);
	ctf_batch_note(batch, CTF_VERIFY_DAMAGED, path, packet->number, offset,
		       "%s is not what the packet at byte %" PRIu64 " of %s has", field,
		       packet->offset, file->name);
}

/* At the end of a stream: checks that each index has an entry for every packet. */
static void check_index_sizes(struct ctf_batch *batch, const struct ctf_stream *stream)
{
	for (size_t i = 0; i < stream->file_count; i++) {
		const struct ctf_file *file = &stream->files[i];
		struct stat status;
		char path[4096];
		uint64_t count, end, size;

		index_path(file, path, sizeof(path));
		if (!file->index) {
			if (!stat(path, &status) && S_ISREG(status.st_mode))
				ctf_batch_note(batch, CTF_VERIFY_DAMAGED, path, 0, 0,
					       "not an index: wrong magic number, version or size");
			continue;
		}
		if (file->sums && ctf_sums_parts(file->sums))
			continue;
		count = ctf_index_count(file->index);
		end = ctf_index_end(file->index);
		size = ctf_map_size(file->map);
		if (end > size && ctf_index_is_contiguous(file->index))
			ctf_batch_note(batch, CTF_VERIFY_LOST, path, count, 0,
				       "its %" PRIu64 " %s up to byte %" PRIu64
				       ", but %s has %" PRIu64 " bytes: it is truncated",
				       count, mm_plural(count, "packet goes", "packets go"), end,
				       file->name, size);
		else if (!count || end != size)
			ctf_batch_note(batch, CTF_VERIFY_DAMAGED, path, count, 0,
				       "its %" PRIu64 " %s not end where %s does", count,
				       mm_plural(count, "packet does", "packets do"), file->name);
	}
}

/* Moves to the next stream. Returns false if there is none. Called with the lock held. */
static bool next_stream(struct verify *verify)
{
	const struct ctf_trace *trace;

	while (verify->trace < verify->trace_count) {
		trace = verify->traces[verify->trace];
		if (verify->stream < trace->stream_count) {
			ctf_packet_iterator_init(&verify->iterator,
						 &trace->streams[verify->stream++], verify->slots);
			verify->iterator.finding = found;
			verify->iterator.user = verify;
			verify->in_stream = true;
			verify->end_clock = 0;
			return true;
		}
		verify->trace++;
		verify->stream = 0;
	}
	return false;
}

/*
 * Fills @batch with the next packets, all of one stream. Returns false if none are left. Called
 * with the lock held.
 */
static bool take_packets(struct verify *verify, struct ctf_batch *batch)
{
	uint64_t bytes = 0;

	ctf_batch_reset(batch);
	if (verify->exhausted)
		return false;
	batch->begins_stream = !verify->in_stream;
	if (!verify->in_stream && !next_stream(verify)) {
		verify->exhausted = true;
		return false;
	}
	batch->number = verify->next_number++;
	batch->stream = verify->iterator.stream;
	batch->plan = find_plan(verify, batch->stream->class);
	batch->early_is_fine =
		ctf_trace_private(batch->stream->trace)->quirks & CTF_QUIRK_EVENT_BEFORE_PACKET;
	batch->start_clock = verify->end_clock;
	verify->taking = batch;
	while (batch->packet_count < CTF_BATCH_PACKETS && bytes < CTF_BATCH_BYTES) {
		struct ctf_packet *packet = &batch->packets[batch->packet_count];
		int ret;

		batch->order = 2 * batch->packet_count;
		ret = ctf_packet_next(&verify->iterator, packet, &batch->error);
		if (ret <= 0) {
			verify->in_stream = false;
			verify->exhausted = ret < 0;
			if (!ret)
				check_index_sizes(batch, batch->stream);
			break;
		}
		note_losses(batch, packet);
		check_index(batch, packet);
		bytes += packet->size_bits / 8;
		batch->packet_count++;
	}
	batch->counts.packets = batch->packet_count;
	return true;
}

/*
 * Without start timestamps of packets, timestamps of events may depend on the last event of the
 * previous packet.
 */
static bool must_follow(const struct ctf_batch *batch)
{
	return batch->stream->class->clock &&
	       !ctf_packet_plan_find(batch->stream->trace, batch->stream->class)->has_begin;
}

/* Takes and verifies one batch. Returns false if nothing was left. */
static bool work(struct verify *verify, struct ctf_batch *batch, struct ctf_verifier *verifier)
{
	bool taken, follow;

	pthread_mutex_lock(&verify->lock);
	taken = take_packets(verify, batch);
	follow = taken && must_follow(batch);
	if (follow) {
		ctf_batch_verify(batch, verifier);
		verify->end_clock = batch->any_event ? batch->last_clock : batch->start_clock;
	}
	pthread_mutex_unlock(&verify->lock);
	if (taken && !follow)
		ctf_batch_verify(batch, verifier);
	return taken;
}

static struct ctf_batch *get_spare(struct verify *verify)
{
	struct cds_wfs_node *node;

	wait_for(&verify->spare_count);
	node = cds_wfs_pop_blocking(&verify->spare);
	ctf_after_dequeue(&verify->spare);
	return caa_container_of(node, struct ctf_batch, spare);
}

static void put_spare(struct verify *verify, struct ctf_batch *batch)
{
	ctf_before_enqueue(&verify->spare);
	cds_wfs_node_init(&batch->spare);
	cds_wfs_push(&verify->spare, &batch->spare);
	sem_post(&verify->spare_count);
}

/* Not a valid batch number: the mark of a thread that ends. */
#define NO_NUMBER UINT64_MAX

static void put_done(struct verify *verify, struct ctf_batch *batch)
{
	ctf_before_enqueue(&verify->done_tail);
	cds_wfcq_node_init(&batch->done);
	cds_wfcq_enqueue(&verify->done_head, &verify->done_tail, &batch->done);
	sem_post(&verify->done_count);
}

static struct ctf_batch *get_done(struct verify *verify)
{
	struct cds_wfcq_node *node;

	wait_for(&verify->done_count);
	node = cds_wfcq_dequeue_blocking(&verify->done_head, &verify->done_tail);
	ctf_after_dequeue(&verify->done_tail);
	return caa_container_of(node, struct ctf_batch, done);
}

static void *run_thread(void *user)
{
	struct verify *verify = user;
	struct ctf_verifier verifier;
	struct ctf_batch *batch = get_spare(verify);

	if (ctf_verifier_init(&verifier, verify->value_count, verify->slot_count)) {
		/* Reported once by the reporting thread. The other threads do the work. */
		ctf_batch_reset(batch);
		no_memory(&batch->error);
	} else {
		while (work(verify, batch, &verifier)) {
			put_done(verify, batch);
			batch = get_spare(verify);
		}
	}
	ctf_verifier_done(&verifier);
	batch->number = NO_NUMBER;
	put_done(verify, batch);
	return NULL;
}

static void tell(struct verify *verify, enum ctf_verify_kind kind, const char *file,
		 uint64_t packet, uint64_t offset, const char *what)
{
	const struct ctf_verify_finding finding = {
		.kind = kind, .file = file, .packet = packet, .offset = offset, .what = what
	};

	verify->handler->finding(verify->handler->user, &finding);
}

static void add_counts(struct ctf_verify_counts *to, const struct ctf_verify_counts *from)
{
	to->packets += from->packets;
	to->events += from->events;
	to->bytes += from->bytes;
	to->events_discarded += from->events_discarded;
	to->packets_lost += from->packets_lost;
	to->packets_without_count += from->packets_without_count;
	to->packets_truncated += from->packets_truncated;
	for (int i = 0; i < CTF_VERIFY_KINDS; i++)
		to->findings[i] += from->findings[i];
}

/* Reports the findings of a batch. Called in the order of the batches' numbers. */
static void report(struct verify *verify, struct ctf_batch *batch)
{
	char what[128];

	if (verify->err->code)
		return;
	if (batch->begins_stream)
		verify->any_event = false;
	if (batch->any_event && verify->any_event && batch->plan->stream_class->clock &&
	    batch->first_clock < verify->last_clock) {
		snprintf(what, sizeof(what),
			 "event at %" PRIu64
			 " is earlier than the last event of the previous packet, %" PRIu64,
			 batch->first_clock, verify->last_clock);
		tell(verify, CTF_VERIFY_DAMAGED, batch->first_file->path, batch->first_packet,
		     batch->first_offset, what);
		verify->counts->findings[CTF_VERIFY_DAMAGED]++;
	}
	for (size_t i = 0; i < batch->note_count; i++) {
		const struct ctf_note *note = &batch->notes[i];

		tell(verify, note->kind, note->file ? note->file : "", note->packet, note->offset,
		     note->what ? note->what : "");
	}
	add_counts(verify->counts, &batch->counts);
	if (batch->any_event) {
		verify->any_event = true;
		verify->last_clock = batch->last_clock;
	}
	if (batch->error.code)
		*verify->err = batch->error;
}

/* Collects verified batches until all threads have ended. */
static void collect(struct verify *verify, unsigned int threads)
{
	while (threads) {
		struct ctf_batch *batch = get_done(verify);

		if (batch->number == NO_NUMBER) {
			if (batch->error.code && !verify->err->code)
				*verify->err = batch->error;
			threads--;
			continue;
		}
		verify->ring[batch->number % verify->batch_count] = batch;
		while ((batch = verify->ring[verify->reported % verify->batch_count])) {
			verify->ring[verify->reported % verify->batch_count] = NULL;
			verify->reported++;
			report(verify, batch);
			if (verify->err->code) {
				pthread_mutex_lock(&verify->lock);
				verify->exhausted = true;
				pthread_mutex_unlock(&verify->lock);
			}
			put_spare(verify, batch);
		}
	}
}

static int run_alone(struct verify *verify)
{
	struct ctf_verifier verifier;
	struct ctf_batch *batch = calloc(1, sizeof(*batch));
	int ret = ctf_verifier_init(&verifier, verify->value_count, verify->slot_count);

	if (!batch || ret)
		no_memory(verify->err);
	while (batch && !verify->err->code && work(verify, batch, &verifier))
		report(verify, batch);
	if (batch)
		ctf_batch_done(batch);
	free(batch);
	ctf_verifier_done(&verifier);
	return verify->err->code ? -1 : 0;
}

static int run_threads(struct verify *verify, unsigned int jobs)
{
	pthread_t *threads = calloc(jobs, sizeof(*threads));
	struct ctf_batch *batches;
	unsigned int started = 0;

	verify->batch_count = (size_t)jobs * BATCHES_PER_JOB;
	batches = calloc(verify->batch_count, sizeof(*batches));
	verify->ring = calloc(verify->batch_count, sizeof(*verify->ring));
	if (!threads || !batches || !verify->ring) {
		no_memory(verify->err);
		goto end;
	}
	for (size_t i = 0; i < verify->batch_count; i++)
		put_spare(verify, &batches[i]);
	started = mm_threads_start(threads, jobs, run_thread, verify);
	if (!started)
		mm_error_set(verify->err, MM_EXIT_ENVIRONMENT, "verify: no thread can be started");
	collect(verify, started);
	mm_threads_join(threads, started);
	for (size_t i = 0; i < verify->batch_count; i++)
		ctf_batch_done(&batches[i]);
end:
	free(verify->ring);
	free(batches);
	free(threads);
	return verify->err->code ? -1 : 0;
}

static int make_plans(struct verify *verify)
{
	size_t count = 0, made = 0;

	for (size_t i = 0; i < verify->trace_count; i++)
		count += verify->traces[i]->class->stream_count;
	verify->plans = calloc(count + 1, sizeof(*verify->plans));
	if (!verify->plans)
		return -1;
	for (size_t i = 0; i < verify->trace_count; i++) {
		const struct ctf_trace_class *class = verify->traces[i]->class;

		if (class->slot_count > verify->slot_count)
			verify->slot_count = class->slot_count;
		for (size_t j = 0; j < class->stream_count; j++) {
			verify->plans[made] = ctf_plan_create(class->streams[j], NULL, NULL);
			if (!verify->plans[made])
				return -1;
			if (verify->plans[made]->value_count > verify->value_count)
				verify->value_count = verify->plans[made]->value_count;
			verify->plan_count = ++made;
		}
	}
	verify->slots = calloc(verify->slot_count + 1, sizeof(*verify->slots));
	return verify->slots ? 0 : -1;
}

static void tell_declared(const struct verify *verify, const struct ctf_stream_class *class)
{
	for (size_t i = 0; i < class->event_count && verify->handler->declared; i++) {
		const struct ctf_event_class *event = class->events[i];
		const struct ctf_field *payload = event->payload;
		bool any = payload && payload->member_count;

		if (event->name)
			verify->handler->declared(verify->handler->user, event->name,
						  any ? payload->members[0].name : NULL);
	}
}

static bool is_missing(const struct mm_source *source, const char *file)
{
	char *path = mm_path_absolute(file);
	bool is = path && mm_missing_of(source, path);

	free(path);
	return is;
}

/*
 * Reports the files without a stream, which were found when the trace was opened, unless they are
 * reported as missing.
 */
static void report_opening(struct verify *verify, const struct mm_source *source)
{
	for (size_t i = 0; i < verify->trace_count; i++) {
		const struct ctf_trace *trace = verify->traces[i];

		for (size_t j = 0; j < trace->class->stream_count; j++)
			tell_declared(verify, trace->class->streams[j]);
		verify->counts->streams += trace->stream_count;
		verify->counts->files += trace->finding_count;
		for (size_t j = 0; j < trace->stream_count; j++)
			verify->counts->files += trace->streams[j].file_count;
		for (size_t j = 0; j < trace->finding_count; j++) {
			const struct ctf_finding *finding = &trace->findings[j];
			enum ctf_verify_kind kind =
				finding->truncated ? CTF_VERIFY_LOST : CTF_VERIFY_DAMAGED;

			verify->counts->packets_truncated += finding->truncated;
			if (finding->truncated && is_missing(source, finding->file))
				continue;
			tell(verify, kind, finding->file, finding->packet, finding->offset,
			     finding->what);
			verify->counts->findings[kind]++;
		}
	}
	verify->counts->traces = verify->trace_count;
}

/* Says in which order packets are read. Returns 0, or -1 when out of memory. */
static int report_order(struct verify *verify)
{
	for (size_t i = 0; i < verify->trace_count; i++)
		for (size_t j = 0; j < verify->traces[i]->stream_count; j++) {
			const struct ctf_stream *stream = &verify->traces[i]->streams[j];
			char *text = ctf_stream_order_text(stream);
			char *safe = text ? mm_escape_message_copy(text) : NULL;

			if (safe && verify->handler->note)
				verify->handler->note(verify->handler->user, safe);
			free(text);
			free(safe);
			if (ctf_stream_is_sorted(stream) && !safe)
				return no_memory(verify->err);
		}
	return 0;
}

static void report_pauses(struct verify *verify, const struct mm_missing_list *list)
{
	for (size_t i = 0; i < list->pause_count; i++) {
		const struct mm_pause *pause = &list->pauses[i];

		if (pause->maybe)
			continue;
		char start[MM_TIME_TEXT], text[160];

		mm_time_format(start, sizeof(start), pause->start_ns, true);
		snprintf(text, sizeof(text), "recording was paused for %.9f s from %s",
			 (double)((uint64_t)pause->end_ns - (uint64_t)pause->start_ns) / 1e9,
			 start);
		tell(verify, CTF_VERIFY_LOST, pause->file, 0, 0, text);
		verify->counts->findings[CTF_VERIFY_LOST]++;
		verify->counts->pauses++;
	}
}

/* Sample: note: /tmp/t/kernel/ring_1: may be missing: other channels have streams of this CPU */
static void note_uncertain(struct verify *verify, const struct mm_missing *missing,
			   const char *text)
{
	char *raw, *note;

	if (!verify->handler->note)
		return;
	if (asprintf(&raw, "%s: %s", missing->display_path, text) < 0) {
		no_memory(verify->err);
		return;
	}
	note = mm_escape_terminal_copy(raw);
	if (note)
		verify->handler->note(verify->handler->user, note);
	else
		no_memory(verify->err);
	free(note);
	free(raw);
}

/* Checksums that are gone are a loss. */
static void report_sums(struct verify *verify, const struct mm_missing_list *list)
{
	for (size_t i = 0; i < list->lost_sums_count; i++) {
		const struct mm_lost_sums *lost = &list->lost_sums[i];
		enum ctf_verify_kind kind = lost->error ? CTF_VERIFY_LOST : CTF_VERIFY_DAMAGED;
		char what[MM_SUMS_TEXT];

		tell(verify, kind, lost->file, 0, 0,
		     mm_missing_sums_what(lost, what, sizeof(what)));
		verify->counts->findings[kind]++;
	}
}

/* What a damaged snapshot.json says is lost. */
static void report_snapshots(struct verify *verify, const struct mm_missing_list *list)
{
	for (size_t i = 0; i < list->damaged_snapshot_count; i++)
		tell(verify, CTF_VERIFY_LOST, list->damaged_snapshots[i], 0, 0,
		     list->damaged_whys[i]);
	verify->counts->findings[CTF_VERIFY_LOST] += list->damaged_snapshot_count;
}

/* Files that are not those that the system information lists. */
static void report_exchanged(struct verify *verify, const struct mm_missing_list *list)
{
	char what[160];

	for (size_t i = 0; i < mm_missing_exchanged(list); i++) {
		snprintf(what, sizeof(what), "not what the system information lists: %s",
			 list->exchanged[i].what);
		tell(verify, CTF_VERIFY_LOST, list->exchanged[i].display_path, 0, 0, what);
	}
	verify->counts->findings[CTF_VERIFY_LOST] += list->exchanged_count;
}

static void report_missing(struct verify *verify, const struct mm_missing_list *list)
{
	struct ctf_verify_counts *counts = verify->counts;
	char text[256];

	counts->unverifiable = list->unverifiable;
	counts->unverifiable_why = mm_missing_unverifiable(list);
	for (size_t i = 0; i < list->note_count && verify->handler->note; i++)
		verify->handler->note(verify->handler->user, list->notes[i]);
	for (size_t i = 0; i < list->unchecked_count && verify->handler->note; i++)
		verify->handler->note(verify->handler->user, list->unchecked[i]);
	for (size_t i = 0; i < list->count; i++) {
		const struct mm_missing *missing = &list->all[i];

		mm_missing_text(missing, text, sizeof(text));
		if (missing->uncertain) {
			note_uncertain(verify, missing, text);
			continue;
		}
		tell(verify, CTF_VERIFY_LOST, missing->display_path, 0, 0, text);
		counts->findings[CTF_VERIFY_LOST]++;
		counts->streams_missing += missing->complete_stream;
		counts->packets_missing += missing->complete_stream ? 0 : missing->packets;
	}
	report_sums(verify, list);
	report_snapshots(verify, list);
	report_exchanged(verify, list);
	report_pauses(verify, list);
	for (size_t i = 0; i < list->problem_count; i++) {
		tell(verify, CTF_VERIFY_DAMAGED, list->problem_files[i], 0, 0, list->problems[i]);
		counts->findings[CTF_VERIFY_DAMAGED]++;
	}
}

/* Sample: lost: /tmp/t/snapshot.json: packet 0, byte 0: not what was certified: kernel/r_1: ... */
static void tell_difference(struct verify *verify, const char *folder, const char *line)
{
	char *file, *what = NULL;

	if (asprintf(&file, "%s/" MM_SNAPSHOT_FILE, folder) < 0)
		file = NULL;
	if (asprintf(&what, "not what was certified: %s", line) < 0)
		what = NULL;
	if (file && what)
		tell(verify, CTF_VERIFY_LOST, file, 0, 0, what);
	else
		no_memory(verify->err);
	free(what);
	free(file);
}

/* Each difference from the certificate counts as a loss. */
static void report_differences(void *user, const struct mm_snapshot_place *place,
			       char *const *lines, size_t line_count, size_t count)
{
	struct verify *verify = user;

	for (size_t i = 0; i < line_count; i++)
		tell_difference(verify, place->folder, lines[i]);
	verify->counts->findings[CTF_VERIFY_LOST] += count;
}

int ctf_verify(const char *path, unsigned int jobs, const struct ctf_verify_handler *handler,
	       struct ctf_verify_counts *counts, struct mm_error *err)
{
	struct mm_error here = MM_ERROR_INIT;
	struct verify verify = { .handler = handler, .counts = counts, .err = &here };
	struct certify_traces opened;
	struct mm_source_options options;
	struct mm_source *source;

	memset(counts, 0, sizeof(*counts));
	pthread_mutex_init(&verify.lock, NULL);
	sem_init(&verify.spare_count, 0, 0);
	sem_init(&verify.done_count, 0, 0);
	cds_wfs_init(&verify.spare);
	cds_wfcq_init(&verify.done_head, &verify.done_tail);
	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	source = mm_source_open(path, &options, &here);
	if (source)
		verify.traces = mm_ctf_source_traces(source, &verify.trace_count, &here);
	opened = (struct certify_traces){ source, verify.traces, verify.trace_count, false };
	if (verify.traces && make_plans(&verify))
		no_memory(&here);
	if (source && verify.traces && !here.code && !mm_missing_find(source, &here) &&
	    !certificate_gaps(&opened, &counts->gaps, &here) && !report_order(&verify)) {
		report_opening(&verify, source);
		report_missing(&verify, source->missing);
		certificate_check_all(&opened, report_differences, &verify, &here);
		if (jobs > 1)
			run_threads(&verify, jobs);
		else
			run_alone(&verify);
	}
	for (size_t i = 0; i < verify.plan_count; i++)
		ctf_plan_destroy(verify.plans[i]);
	free(verify.plans);
	free(verify.slots);
	mm_source_destroy(source);
	cds_wfcq_destroy(&verify.done_head, &verify.done_tail);
	cds_wfs_destroy(&verify.spare);
	sem_destroy(&verify.done_count);
	sem_destroy(&verify.spare_count);
	pthread_mutex_destroy(&verify.lock);
	if (err && here.code && !err->code)
		*err = here;
	return here.code ? -1 : 0;
}

static void ignore(void *user, const struct ctf_verify_finding *finding)
{
	(void)user;
	(void)finding;
}

void ctf_verify_unread(const char *path, unsigned int jobs, struct mm_error *err)
{
	const struct ctf_verify_handler handler = { .finding = ignore };
	struct mm_error incomplete = MM_ERROR_INIT;
	struct ctf_verify_counts counts;

	if (err->code != MM_EXIT_BAD_INPUT || ctf_verify(path, jobs, &handler, &counts, NULL) ||
	    !counts.packets_truncated || counts.findings[CTF_VERIFY_DAMAGED])
		return;
	certificate_require(path, &incomplete);
	if (incomplete.code == MM_EXIT_INCOMPLETE)
		*err = incomplete;
}
