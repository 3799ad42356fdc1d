/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parses stored reports. */
#ifndef LTTNG_MM_REPORT_READ_H
#define LTTNG_MM_REPORT_READ_H

#include <jansson.h>
#include <stdbool.h>

#include "reader/report/report.h"
#include "util/error.h"

/* May @path be a stored report? A report is a file; a trace is a folder. */
bool mm_report_is_stored(const char *path);

/*
 * Parses the file @path, which an analysis with @schema has printed with `--json`. Ignores metrics,
 * tables and series that @schema does not declare, because later versions may have more. Counts the
 * ignored items in a warning. The file may be hostile; util/json-file.h limits its size. Returns
 * the report (release with mm_report_destroy()). Returns NULL with @err set if the file is not such
 * a report.
 */
struct mm_report *mm_report_read(const char *path, const struct mm_report_schema *schema,
				 struct mm_error *err);
/* Like mm_report_read(), for parsed JSON. @path is for messages. */
struct mm_report *mm_report_from_json(const json_t *json, const char *path,
				      const struct mm_report_schema *schema, struct mm_error *err);

#endif /* LTTNG_MM_REPORT_READ_H */
