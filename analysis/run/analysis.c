// SPDX-License-Identifier: LGPL-2.1-only
/* Runs an analysis on a trace and makes its report. */
#include "analysis/run/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run/open.h"
#include "analysis/run/parts.h"
#include "analysis/run/passes.h"
#include "analysis/run/window.h"
#include "analysis/trace/missing.h"

static const struct mm_column loss_columns[] = {
	{ "stream", "stream", MM_UNIT_NONE },
	{ "events_discarded", "events discarded", MM_UNIT_COUNT },
	{ "packets_lost", "packets lost", MM_UNIT_COUNT },
	{ "uncounted", "packets without a count", MM_UNIT_COUNT },
	{ "truncated", "truncated packets", MM_UNIT_COUNT },
	{ "damaged", "damaged packets", MM_UNIT_COUNT },
	{ "missing", "missing", MM_UNIT_COUNT },
	{ NULL, NULL, MM_UNIT_NONE },
};

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name of a stream's file, without its folders. */
static const char *stream_name(const struct mm_loss *loss)
{
	return file_name(loss->stream);
}

/* Orders channel_2 before channel_10, and streams of the same name by their folders. */
static int compare_losses(const void *a, const void *b)
{
	const struct mm_loss *x = *(const struct mm_loss *const *)a;
	const struct mm_loss *y = *(const struct mm_loss *const *)b;
	int order = strverscmp(stream_name(x), stream_name(y));

	order = order ? order : strverscmp(x->stream, y->stream);
	/* A missing stream may have the file name of a stream that is present. */
	return order ? order : x->missing - y->missing;
}

static const struct mm_column damage_columns[] = {
	{ "message", "what", MM_UNIT_NONE },
	{ NULL, NULL, MM_UNIT_NONE },
};

static const struct mm_column missing_columns[] = {
	{ "stream", "stream", MM_UNIT_NONE },
	{ "cpu", "CPU", MM_UNIT_COUNT },
	{ "packets", "packets", MM_UNIT_COUNT },
	{ "what", "what", MM_UNIT_NONE },
	{ NULL, NULL, MM_UNIT_NONE },
};

static void fill_missing(const struct mm_source *source, struct mm_report *report)
{
	struct mm_table *table =
		mm_report_table(report, "missing", "Missing", NULL, missing_columns);

	for (size_t i = 0; source->missing && i < source->missing->count; i++) {
		const struct mm_missing *missing = &source->missing->all[i];
		struct mm_cell *row = mm_table_row(report, table);
		char text[256];

		if (!row)
			return;
		mm_missing_text(missing, text, sizeof(text));
		mm_cell_set_s(&row[0], file_name(missing->file));
		if (missing->cpu != MM_CPU_UNKNOWN)
			mm_cell_set_u(&row[1], missing->cpu);
		if (missing->packets)
			mm_cell_set_u(&row[2], missing->packets);
		mm_cell_set_s(&row[3], text);
	}
}

static void fill_notes(const struct mm_context *context, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, "notes", "Notes", NULL, damage_columns);
	const char *note;

	for (size_t i = 0; (note = mm_context_note(context, i)); i++) {
		struct mm_cell *row = mm_table_row(report, table);

		if (row)
			mm_cell_set_s(&row[0], note);
	}
}

static void fill_damage(const struct mm_source *source, struct mm_report *report)
{
	struct mm_table *table =
		mm_report_table(report, "damage", "Read past", NULL, damage_columns);

	for (size_t i = 0; i < source->damage_count; i++) {
		struct mm_cell *row = mm_table_row(report, table);

		if (row)
			mm_cell_set_s(&row[0], source->damage[i]);
	}
}

/* Counts packets that were recorded and are missing now. */
static uint64_t absent_packets(const struct mm_source *source)
{
	uint64_t packets = 0;

	for (size_t i = 0; source->missing && i < source->missing->count; i++)
		if (!source->missing->all[i].in_state)
			packets += source->missing->all[i].packets;
	return packets;
}

/*
 * Losses are part of the result, even if there are none; their order does not depend on the reader.
 */
static void fill_losses(const struct mm_source *source, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, "losses", NULL, NULL, loss_columns);
	uint64_t events = 0, packets = 0, uncounted = 0, truncated = 0, damaged = 0, missing = 0;

	const struct mm_loss **losses = calloc(source->loss_count + 1, sizeof(*losses));

	if (!losses) {
		report->failed = true;
		return;
	}
	for (size_t i = 0; i < source->loss_count; i++)
		losses[i] = &source->losses[i];
	qsort(losses, source->loss_count, sizeof(*losses), compare_losses);
	for (size_t i = 0; i < source->loss_count; i++) {
		const struct mm_loss *loss = losses[i];
		struct mm_cell *row = mm_table_row(report, table);

		/* Losses of state dumps are listed, but are not gaps in the recorded activity. */
		if (!mm_loss_is_state(loss)) {
			events += loss->events_discarded;
			packets += loss->packets_lost;
			uncounted += loss->packets_uncounted;
			truncated += loss->packets_truncated;
			missing += loss->missing;
		}
		damaged += loss->packets_damaged;
		if (!row)
			continue;
		mm_cell_set_s(&row[0], stream_name(loss));
		mm_cell_set_u(&row[1], loss->events_discarded);
		mm_cell_set_u(&row[2], loss->packets_lost);
		mm_cell_set_u(&row[3], loss->packets_uncounted);
		mm_cell_set_u(&row[4], loss->packets_truncated);
		mm_cell_set_u(&row[5], loss->packets_damaged);
		mm_cell_set_u(&row[6], loss->missing);
	}
	free(losses);
	mm_report_metric(report, "trace.events", "events", (double)source->event_count, NULL);
	mm_report_metric(report, "trace.events_discarded", "events", (double)events, NULL);
	mm_report_metric(report, "trace.packets_lost", "packets", (double)packets, NULL);
	mm_report_metric(report, "trace.packets_uncounted", "packets", (double)uncounted, NULL);
	mm_report_metric(report, "trace.packets_truncated", "packets", (double)truncated, NULL);
	mm_report_metric(report, "trace.packets_damaged", "packets", (double)damaged, NULL);
	mm_report_metric(report, "trace.streams_missing", "streams", (double)missing, NULL);
	report->unverifiable = source->missing ? mm_missing_unverifiable(source->missing)
					       : "nothing is known of the trace's folders";
	mm_report_metric(report, "trace.streams_verified", "", report->unverifiable ? 0 : 1, NULL);
	if (events || packets || uncounted || truncated || damaged || missing)
		report->incomplete = true;
	report->recorder_lost = events || uncounted || packets > absent_packets(source);
	report->damaged = damaged;
	fill_missing(source, report);
	fill_damage(source, report);
}

static bool declares_prefix(const struct mm_source *source, const char *prefix)
{
	for (size_t i = 0; i < source->event_name_count; i++)
		if (!strncmp(source->event_names[i], prefix, strlen(prefix)))
			return true;
	return false;
}

struct mm_report *mm_analysis_report(const struct mm_analysis *analysis, void *state,
				     const struct mm_source *source,
				     const struct mm_context *context,
				     const struct mm_report_options *options, struct mm_error *err)
{
	struct mm_report *report;

	if (!declares_prefix(source, analysis->required)) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: no %s* events in it; record them with `lttng-mm record %s`",
			source->path, analysis->required, analysis->name);
		return NULL;
	}
	if (analysis->finish(state, source, context, err))
		return NULL;
	report = mm_report_create(analysis->name);
	if (report)
		mm_window_conclude(analysis, state, source, report);
	if (report && !analysis->fill(state, options, report)) {
		fill_losses(source, report);
		fill_notes(context, report);
	} else if (report) {
		report->failed = true;
	}
	if (!report || mm_report_failed(report)) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
		mm_report_destroy(report);
		return NULL;
	}
	return report;
}

struct mm_report *mm_analysis_run(const struct mm_analysis *analysis, const char *path,
				  const struct mm_source_options *source_options,
				  const struct mm_report_options *options, struct mm_error *err)
{
	bool single = mm_source_is_live(path);
	struct mm_passes passes = { NULL };
	struct mm_context *context;
	struct mm_source *source;
	struct mm_report *report = NULL;
	void *state;

	if ((single && mm_passes_check_single(analysis, path, err)) ||
	    mm_parts_run(analysis, path, source_options, MM_PARTS_BYTES_MIN, &source, &state, NULL,
			 err))
		return NULL;
	context = mm_context_load(source);
	if (!context)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	else if ((single || !mm_passes_run(analysis, state, source, &passes, err)) &&
		 !mm_window_history(analysis, state, source, err))
		report = mm_analysis_report(analysis, state, source, context, options, err);
	if (report && single)
		mm_passes_note(analysis, report);
	analysis->destroy(state);
	mm_passes_release(&passes);
	mm_context_destroy(context);
	mm_source_destroy(source);
	return report;
}
