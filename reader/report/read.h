/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parses stored reports. */
#ifndef LTTNG_MM_REPORT_READ_H
#define LTTNG_MM_REPORT_READ_H

#include <jansson.h>
#include <stdbool.h>

#include "reader/report/report.h"
#include "util/error.h"

/* May @path be a stored report? It is a file, whereas a trace is a folder. */
bool mm_report_is_stored(const char *path);

/*
 * Parses the file @path, which `--json` printed, of an analysis with @schema. Metrics, tables and
 * series that @schema does not declare are ignored and counted in a warning: later versions may
 * have more. The file may be hostile; util/json-file.h limits its size. Returns the report, to be
 * released with mm_report_destroy(), or NULL with @err set if the file is no such report.
 */
struct mm_report *mm_report_read(const char *path, const struct mm_report_schema *schema,
				 struct mm_error *err);
/* Like mm_report_read(), for JSON that is parsed already. @path is for messages. */
struct mm_report *mm_report_from_json(const json_t *json, const char *path,
				      const struct mm_report_schema *schema, struct mm_error *err);

#endif /* LTTNG_MM_REPORT_READ_H */
