// SPDX-License-Identifier: LGPL-2.1-only
/* Compares all snapshots of a trace with their certificates, and warns of differences. */
#include "reader/coverage/certify/certify.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/report/coverage-section.h"
#include "reader/ctf/decode/source.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/escape.h"
#include "util/path.h"
#include "util/plural.h"
#include "util/text.h"

#include <stdlib.h>

struct warn_ctx {
	const struct mm_source *source;
	struct mm_report *report;
	bool files_differ;
};

static void warn(void *user, const struct mm_snapshot_dir *dir, char *const *lines,
		 size_t line_count, size_t count)
{
	struct warn_ctx *ctx = user;
	const char *root = mm_source_path(ctx->source);
	char *given = root ? mm_path_as_given(dir->folder, root) : NULL;
	const char *path = given ? given : dir->folder;

	/* If snapshot.json contradicts itself, the first line says how. */
	if (dir->snapshot.contradiction) {
		mm_report_warn(ctx->report, MM_SNAPSHOT_FILE " contradicts itself: %s: %s.", path,
			       *lines++);
		line_count--;
		count--;
	}
	if (line_count && count > 1)
		mm_report_warn(ctx->report,
			       "The files differ from the certificate in " MM_SNAPSHOT_FILE
			       ": %s: %s, and %zu more difference%s (see `lttng-mm info`).",
			       path, lines[0], count - 1, mm_plural_s(count - 1));
	else if (line_count)
		mm_report_warn(ctx->report,
			       "The files differ from the certificate in " MM_SNAPSHOT_FILE
			       ": %s: %s.",
			       path, lines[0]);
	free(given);
	mm_coverage_set_differs(ctx->report);
	ctx->report->doubts &= ~(unsigned int)MM_REPORT_CONTRADICTORY;
	if (!line_count && !ctx->files_differ)
		ctx->report->doubts |= MM_REPORT_CONTRADICTORY;
	ctx->files_differ |= line_count;
	if (line_count)
		ctx->report->doubts &= ~(unsigned int)MM_REPORT_UNLISTED;
}

int certificate_check_all(const struct certify_traces *opened, certificate_differs_fn differs,
			  void *user, struct mm_error *err)
{
	struct mm_snapshots snapshots;
	int ret = mm_snapshots_find(&snapshots, opened->source);

	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory",
			     mm_source_path(opened->source));
	for (size_t i = 0; i < snapshots.count && !ret; i++) {
		const struct mm_snapshot_dir *dir = &snapshots.all[i];
		size_t line_count = 0, count = 0;
		char **lines = NULL;

		if (dir->problem)
			continue;
		ret = certificate_check(dir->folder, opened, &dir->snapshot, &lines, &line_count,
					&count, err);
		if (!ret && count)
			differs(user, dir, lines, line_count, count);
		mm_strings_release(lines, line_count);
	}
	mm_snapshots_release(&snapshots);
	return ret;
}

int certificate_warn(struct mm_source *source, struct mm_report *report, struct mm_error *err)
{
	struct certify_traces opened = { .source = source, .compared = true };
	struct warn_ctx ctx = { source, report, false };

	if (mm_ctf_source_is(source)) {
		opened.traces = mm_ctf_source_traces(source, &opened.trace_count, err);
		if (!opened.traces)
			return -1;
	}
	return certificate_check_all(&opened, warn, &ctx, err);
}

int certificate_print(struct mm_source *source, struct mm_error *err)
{
	static const struct mm_report_schema none = { 0 };
	struct mm_report *report = mm_report_create(&none);
	int ret = report ? mm_missing_find(source, err) : -1;

	if (!report)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory",
			     mm_source_path(source));
	if (!ret) {
		mm_coverage_set_sums(report, mm_source_missing(source));
		mm_coverage_set_damaged(report, mm_source_missing(source));
		mm_coverage_set_mismatches(report, mm_source_missing(source));
		ret = certificate_warn(source, report, err);
	}
	for (size_t i = 0; !ret && i < report->warning_count; i++) {
		fputs("lttng-mm: note: ", stderr);
		mm_escape_message_print(stderr, report->warnings[i]);
		fputc('\n', stderr);
	}
	mm_report_destroy(report);
	return ret;
}
