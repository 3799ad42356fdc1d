// SPDX-License-Identifier: LGPL-2.1-only
/* Looks up items of a schema and its base. */
#include "reader/report/schema.h"

#include <stddef.h>
#include <string.h>

const struct mm_metric_def *mm_schema_metric(const struct mm_report_schema *schema,
					     const char *name)
{
	for (; schema; schema = schema->base)
		for (const struct mm_metric_def *def = schema->metrics; def && def->name; def++)
			if (!strcmp(def->name, name))
				return def;
	return NULL;
}

const struct mm_series_def *mm_schema_series(const struct mm_report_schema *schema,
					     const char *name)
{
	for (; schema; schema = schema->base)
		for (const struct mm_series_def *def = schema->series; def && def->name; def++)
			if (!strcmp(def->name, name))
				return def;
	return NULL;
}

const struct mm_table_def *mm_schema_table_at(const struct mm_report_schema *schema, size_t i)
{
	for (; schema; schema = schema->base)
		for (size_t t = 0; schema->tables && schema->tables[t]; t++)
			if (!i--)
				return schema->tables[t];
	return NULL;
}

const struct mm_table_def *mm_schema_table(const struct mm_report_schema *schema, const char *name)
{
	const struct mm_table_def *def;

	for (size_t i = 0; (def = mm_schema_table_at(schema, i)); i++)
		if (!strcmp(def->name, name))
			return def;
	return NULL;
}

static bool contains(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

bool mm_schema_repeats(const struct mm_report_schema *schema, const char *name)
{
	return schema->compared && contains(schema->compared->repeated, name);
}

bool mm_schema_lowers(const struct mm_report_schema *schema, const char *name)
{
	return schema->compared && contains(schema->compared->lowered, name);
}

bool mm_schema_is_coarse(const struct mm_report_schema *schema, const char *name)
{
	return schema->compared && contains(schema->compared->coarse, name);
}
