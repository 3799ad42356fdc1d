// SPDX-License-Identifier: LGPL-2.1-only
/* Says in reports that the files are not those that were certified. */
#include "analysis/inspect/certify.h"
#include "analysis/run/coverage.h"
#include "analysis/run/open.h"
#include "analysis/sysinfo/snapshots.h"
#include "util/path.h"
#include "util/plural.h"
#include "util/text.h"

#include <stdlib.h>

static void warn(const struct mm_source *source, const struct mm_snapshot_place *place,
		 const char *difference, size_t count, struct mm_report *report)
{
	char *given = source->path ? mm_path_as_given(place->folder, source->path) : NULL;
	const char *path = given ? given : place->folder;

	if (count > 1)
		mm_report_warn(
			report,
			"The files are not what " MM_SNAPSHOT_FILE
			" certifies: %s: %s, and %zu more difference%s (see `lttng-mm info`).",
			path, difference, count - 1, mm_plural_s(count - 1));
	else
		mm_report_warn(report,
			       "The files are not what " MM_SNAPSHOT_FILE " certifies: %s: %s.",
			       path, difference);
	free(given);
	mm_coverage_set_differs(report);
}

int certificate_warn(const struct mm_source *source, struct mm_report *report, struct mm_error *err)
{
	struct mm_snapshots snapshots;
	int ret = mm_snapshots_find(&snapshots, source);

	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	for (size_t i = 0; i < snapshots.count && !ret; i++) {
		const struct mm_snapshot_place *place = &snapshots.all[i];
		size_t line_count = 0, count = 0;
		char **lines = NULL;

		if (place->problem)
			continue;
		ret = certificate_check(place->folder, NULL, &place->snapshot.certificate, &lines,
					&line_count, &count, err);
		if (!ret && count)
			warn(source, place, lines[0], count, report);
		mm_strings_release(lines, line_count);
	}
	mm_snapshots_release(&snapshots);
	return ret;
}

int certificate_warn_of(const char *path, struct mm_report *report, struct mm_error *err)
{
	struct mm_source *source;
	int ret;

	if (mm_source_is_live(path))
		return 0;
	source = mm_source_open(path, NULL, err);
	ret = source ? certificate_warn(source, report, err) : -1;
	mm_source_destroy(source);
	return ret;
}
