/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads a report back from its JSON form. */
#ifndef LTTNG_MM_REPORT_READ_H
#define LTTNG_MM_REPORT_READ_H

#include <jansson.h>
#include <stdbool.h>

#include "reader/report/report.h"
#include "util/error.h"

/* Is @path a file, which may be a stored report? A trace is a folder. */
bool mm_report_is_stored(const char *path);

/*
 * Reads the report in the file @path, which `--json` printed, of an analysis with @schema. Metrics,
 * tables and series that @schema does not declare are counted in a note and ignored: later versions
 * may have more. The file may be hostile; its size is limited as util/json-file.h says. Returns
 * NULL with @err set for anything else than such a report. Release with mm_report_destroy().
 */
struct mm_report *mm_report_read(const char *path, const struct mm_report_schema *schema,
				 struct mm_error *err);
/* The same of the parsed file; @path is for messages. */
struct mm_report *mm_report_from_json(const json_t *json, const char *path,
				      const struct mm_report_schema *schema, struct mm_error *err);

#endif /* LTTNG_MM_REPORT_READ_H */
