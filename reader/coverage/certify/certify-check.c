// SPDX-License-Identifier: LGPL-2.1-only
/* Compares traces with their certificate. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/coverage/certify/certify-internal.h"
#include "util/path.h"
#include "util/plural.h"
#include "util/text.h"

struct certificate_diff {
	const char *folder; /* the snapshot's folder */
	char ***lines;
	size_t *line_count, *count;
	bool failed;
};

#define LINES_MAX 64

__attribute__((format(printf, 2, 3))) static void differ(struct certificate_diff *diff,
							 const char *fmt, ...)
{
	va_list args;
	char *line;

	if (++*diff->count > LINES_MAX)
		return;
	va_start(args, fmt);
	if (vasprintf(&line, fmt, args) < 0)
		line = NULL;
	va_end(args);
	diff->failed |= !line || mm_strings_add(diff->lines, diff->line_count, line);
	free(line);
}

/* Compares the certified CPU with the actual CPU (@is) if both are known. */
static void compare_cpu(struct certificate_diff *diff, const struct mm_certified_stream *stream,
			const struct mm_certified_stream *is)
{
	if (stream->cpu != UINT32_MAX && is->cpu != UINT32_MAX && stream->cpu != is->cpu)
		differ(diff, "%s/%s: CPU %" PRIu32 ", not %" PRIu32 " as certified", stream->trace,
		       stream->file, is->cpu, stream->cpu);
}

static void compare_number(struct certificate_diff *diff, const struct mm_certified_stream *stream,
			   const char *what, uint64_t certified, uint64_t is)
{
	if (certified != is)
		differ(diff, "%s/%s: %" PRIu64 " %s, not %" PRIu64 " as certified", stream->trace,
		       stream->file, is, what, certified);
}

/*
 * Returns the next hole that the packets themselves show, or NULL. Starts at index *@at, and moves
 * *@at after the hole.
 */
static const struct mm_hole *next_loss(const struct mm_certified_stream *stream, size_t *at)
{
	while (*at < stream->hole_count) {
		const struct mm_hole *hole = &stream->holes[(*at)++];

		if (hole->kind == MM_HOLE_PACKETS || hole->kind == MM_HOLE_DISCARDED)
			return hole;
	}
	return NULL;
}

static void compare_holes(struct certificate_diff *diff, const struct mm_certified_stream *stream,
			  const struct mm_certified_stream *is)
{
	size_t at = 0, is_at = 0;

	/* The last hole of a full list may join several holes, so full lists cannot be compared. */
	if (stream->hole_count == MM_CERTIFICATE_HOLES_MAX ||
	    is->hole_count == MM_CERTIFICATE_HOLES_MAX)
		return;
	for (;;) {
		const struct mm_hole *a = next_loss(stream, &at), *b = next_loss(is, &is_at);

		if (!a && !b)
			return;
		if (a && b && a->start_ns == b->start_ns && a->end_ns == b->end_ns &&
		    a->kind == b->kind)
			continue;
		differ(diff, "%s/%s: its holes differ from the certified ones", stream->trace,
		       stream->file);
		return;
	}
}

/*
 * Compares the ends. A certificate may extend a stream beyond its last packet, up to the freeze. It
 * must not end the stream before the last packet's end.
 */
static void compare_ends(struct certificate_diff *diff, const struct mm_certified_stream *stream,
			 const struct mm_certified_stream *is)
{
	if (stream->covered && is->covered && is->end_ns > stream->end_ns)
		differ(diff, "%s/%s: ends %.9f s later than certified", stream->trace, stream->file,
		       (double)((uint64_t)is->end_ns - (uint64_t)stream->end_ns) / 1e9);
}

static int compare_streams(const void *a, const void *b)
{
	const struct mm_certified_stream *x = *(const struct mm_certified_stream *const *)a;
	const struct mm_certified_stream *y = *(const struct mm_certified_stream *const *)b;
	int order = strcmp(x->trace, y->trace);

	return order ? order : strcmp(x->file, y->file);
}

static const struct mm_certified_stream **sorted(const struct mm_certificate *certificate)
{
	const struct mm_certified_stream **all =
		calloc(certificate->stream_count + 1, sizeof(*all));

	for (size_t i = 0; all && i < certificate->stream_count; i++)
		all[i] = &certificate->streams[i];
	if (all)
		qsort(all, certificate->stream_count, sizeof(*all), compare_streams);
	return all;
}

static void differ_absent(struct certificate_diff *diff, const struct mm_certified_stream *stream)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s/%s", diff->folder, stream->trace, stream->file) < 0) {
		diff->failed = true;
		return;
	}
	differ(diff, "%s/%s: %s: certified with %" PRIu64 " packet%s", stream->trace, stream->file,
	       mm_path_is_denied(path) ? "cannot be read, permission denied" : "missing",
	       stream->packets, mm_plural_s(stream->packets));
	free(path);
}

static void compare_all(struct certificate_diff *diff, const struct mm_certificate *certificate,
			const struct mm_certificate *is)
{
	const struct mm_certified_stream **a = sorted(certificate), **b = sorted(is);
	size_t i = 0, j = 0;

	diff->failed |= !a || !b;
	while (!diff->failed && (i < certificate->stream_count || j < is->stream_count)) {
		int order = i == certificate->stream_count ? 1
			    : j == is->stream_count	   ? -1
							   : compare_streams(&a[i], &b[j]);

		if (order > 0) {
			if (b[j]->packets)
				differ(diff, "%s/%s: was not certified", b[j]->trace, b[j]->file);
			j++;
			continue;
		}
		if (order < 0) {
			if (a[i]->bytes || a[i]->packets)
				differ_absent(diff, a[i]);
			i++;
			continue;
		}
		compare_cpu(diff, a[i], b[j]);
		compare_number(diff, a[i], "bytes", a[i]->bytes, b[j]->bytes);
		compare_number(diff, a[i], "packets", a[i]->packets, b[j]->packets);
		compare_number(diff, a[i], "packets lost", a[i]->packets_lost, b[j]->packets_lost);
		compare_number(diff, a[i], "events discarded", a[i]->events_discarded,
			       b[j]->events_discarded);
		compare_holes(diff, a[i], b[j]);
		compare_ends(diff, a[i], b[j]);
		i++;
		j++;
	}
	free(a);
	free(b);
}

/*
 * Derives the verdict from the certified streams again, because the certificate may have been
 * edited.
 */
static void compare_verdict(struct certificate_diff *diff, const struct mm_certificate *certificate)
{
	struct mm_certificate again = *certificate;

	again.why = NULL;
	again.why_count = again.losses = again.uncertain = 0;
	diff->failed |= mm_certificate_decide(&again) != 0;
	if (certificate->verdict == MM_VERDICT_COMPLETE && again.verdict != MM_VERDICT_COMPLETE)
		differ(diff, "the verdict is `complete`, but the certified streams imply `%s`",
		       mm_verdict_name(again.verdict));
	if (certificate->has_shared != again.has_shared ||
	    (again.has_shared && (certificate->shared_start_ns != again.shared_start_ns ||
				  certificate->shared_end_ns != again.shared_end_ns)))
		differ(diff,
		       "the certified time that all streams cover differs from the time derived from the certified streams");
	mm_strings_release(again.why, again.why_count);
}

static bool is_same_folder(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int certificate_check(const char *folder, const struct certify_traces *opened,
		      const struct mm_snapshot *snapshot, char ***lines, size_t *line_count,
		      size_t *count, struct mm_error *err)
{
	struct certificate_diff diff = {
		.folder = folder, .lines = lines, .line_count = line_count, .count = count
	};
	struct mm_certificate is;
	int ret;

	*lines = NULL;
	*line_count = *count = 0;
	if (opened && is_same_folder(folder, mm_source_path(opened->source)))
		ret = certify_packets(mm_source_path(opened->source), opened, &is, err);
	else
		ret = certify_packets(folder, NULL, &is, err);
	if (!ret) {
		if (snapshot->contradiction)
			differ(&diff, "%s", snapshot->contradiction);
		compare_all(&diff, &snapshot->certificate, &is);
		compare_verdict(&diff, &snapshot->certificate);
		if (diff.failed)
			ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory",
					   folder);
	}
	mm_certificate_release(&is);
	return ret;
}
