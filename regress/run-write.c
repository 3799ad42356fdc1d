// SPDX-License-Identifier: LGPL-2.1-only
/* Writes the files of a run. */
#include "regress/run-write.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "reader/report/render.h"
#include "util/json-file.h"

static json_t *list_of(char *const *texts)
{
	json_t *list = json_array();

	for (; *texts; texts++)
		json_array_append_new(list, mm_json_text(*texts));
	return list;
}

static json_t *text_or_null(const char *text)
{
	return text ? mm_json_text(text) : json_null();
}

json_t *regress_run_facts_json(const struct regress_run_facts *facts)
{
	const unsigned long before = mm_json_watch();
	json_t *root = json_pack(
		"{s:i, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}", "format", 1,
		"command", list_of(facts->command), "profiles", list_of(facts->profiles), "all",
		(int)facts->all, "kernel", text_or_null(facts->kernel), "probes",
		text_or_null(facts->probes), "machine", text_or_null(facts->machine), "clock",
		text_or_null(facts->clock), "started", (json_int_t)facts->started_s, "elapsed_ns",
		(json_int_t)facts->elapsed_ns, "trace", text_or_null(facts->trace), "inconclusive",
		text_or_null(facts->inconclusive));

	if (!mm_json_unwatch(before))
		return root;
	json_decref(root);
	return NULL;
}

static int fail(const char *path, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "run: %s: %s", path, strerror(errno));
}

static int write_report(const struct mm_report *report, const char *folder, struct mm_error *err)
{
	char path[PATH_MAX];
	FILE *out;
	int ret;

	snprintf(path, sizeof(path), "%s/%s.json", folder, report->schema->name);
	out = fopen(path, "wxe");
	if (!out)
		return fail(path, err);
	ret = mm_render_json(out, report);
	if (fclose(out) || ret)
		return fail(path, err);
	return 0;
}

int regress_run_write(const struct regress_run *run, const char *folder, struct mm_error *err)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < REGRESS_SCHEMAS_MAX; i++)
		if (run->reports[i] && write_report(run->reports[i], folder, err))
			return -1;
	snprintf(path, sizeof(path), "%s/" REGRESS_RUN_FILE, folder);
	if (json_dump_file(run->facts, path, JSON_INDENT(2)))
		return fail(path, err);
	return 0;
}
