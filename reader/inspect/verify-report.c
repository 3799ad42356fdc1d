// SPDX-License-Identifier: LGPL-2.1-only
/* Reports the findings of a verification to its handler, and counts them. */
#include "reader/inspect/verify-report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "reader/inspect/verify-batch.h"
#include "reader/inspect/verify-private.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/missing.h"
#include "reader/events/source.h"
#include "util/escape.h"
#include "util/path.h"
#include "util/time.h"

static void tell(struct ctf_verification *verify, enum ctf_verify_kind kind, const char *file,
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

void verify_report_batch(struct ctf_verification *verify, struct ctf_batch *batch)
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

static void tell_declared(const struct ctf_verification *verify,
			  const struct ctf_stream_class *class)
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

void verify_report_opening(struct ctf_verification *verify, const struct mm_source *source)
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

int verify_report_order(struct ctf_verification *verify)
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
				return verify_no_memory(verify->err);
		}
	return 0;
}

static void report_pauses(struct ctf_verification *verify, const struct mm_missing_list *list)
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

/*
 * Passes a note to the handler. Sample: note: /tmp/t/kernel/ring_1: may be missing: other channels
 * have streams of this CPU
 */
static void note_uncertain(struct ctf_verification *verify, const struct mm_missing *missing,
			   const char *text)
{
	char *raw, *note;

	if (!verify->handler->note)
		return;
	if (asprintf(&raw, "%s: %s", missing->display_path, text) < 0) {
		verify_no_memory(verify->err);
		return;
	}
	note = mm_escape_terminal_copy(raw);
	if (note)
		verify->handler->note(verify->handler->user, note);
	else
		verify_no_memory(verify->err);
	free(note);
	free(raw);
}

static void report_sums(struct ctf_verification *verify, const struct mm_missing_list *list)
{
	for (size_t i = 0; i < list->lost_sums_count; i++) {
		const struct mm_lost_checksums *lost = &list->lost_sums[i];
		enum ctf_verify_kind kind = lost->error ? CTF_VERIFY_LOST : CTF_VERIFY_DAMAGED;
		char what[MM_SUMS_TEXT];

		tell(verify, kind, lost->file, 0, 0,
		     mm_missing_sums_what(lost, what, sizeof(what)));
		verify->counts->findings[kind]++;
	}
}

/* Reports damaged snapshot.json files as lost, because their contents are lost. */
static void report_snapshots(struct ctf_verification *verify, const struct mm_missing_list *list)
{
	for (size_t i = 0; i < list->damaged_snapshot_count; i++)
		tell(verify, CTF_VERIFY_LOST, list->damaged_snapshots[i], 0, 0,
		     list->damaged_whys[i]);
	verify->counts->findings[CTF_VERIFY_LOST] += list->damaged_snapshot_count;
}

static void report_mismatches(struct ctf_verification *verify, const struct mm_missing_list *list)
{
	char what[160];

	for (size_t i = 0; i < mm_missing_mismatches(list); i++) {
		snprintf(what, sizeof(what),
			 "differs from the file list in the system information: %s",
			 list->mismatches[i].what);
		tell(verify, CTF_VERIFY_LOST, list->mismatches[i].display_path, 0, 0, what);
	}
	verify->counts->findings[CTF_VERIFY_LOST] += list->mismatch_count;
}

void verify_report_missing(struct ctf_verification *verify, const struct mm_missing_list *list)
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
	report_mismatches(verify, list);
	report_pauses(verify, list);
	for (size_t i = 0; i < list->problem_count; i++) {
		tell(verify, CTF_VERIFY_DAMAGED, list->problem_files[i], 0, 0, list->problems[i]);
		counts->findings[CTF_VERIFY_DAMAGED]++;
	}
}

/*
 * Reports a difference. Sample: lost: /tmp/snapshot.json: packet 0, byte 0: the trace differs ...
 */
static void tell_difference(struct ctf_verification *verify, const char *folder, const char *line)
{
	char *file, *what = NULL;

	if (asprintf(&file, "%s/" MM_SNAPSHOT_FILE, folder) < 0)
		file = NULL;
	if (asprintf(&what, "the trace differs from the certificate: %s", line) < 0)
		what = NULL;
	if (file && what)
		tell(verify, CTF_VERIFY_LOST, file, 0, 0, what);
	else
		verify_no_memory(verify->err);
	free(what);
	free(file);
}

void verify_report_differences(void *user, const struct mm_snapshot_dir *dir, char *const *lines,
			       size_t line_count, size_t count)
{
	struct ctf_verification *verify = user;

	for (size_t i = 0; i < line_count; i++)
		tell_difference(verify, dir->folder, lines[i]);
	verify->counts->findings[CTF_VERIFY_LOST] += count;
}
