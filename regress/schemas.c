// SPDX-License-Identifier: LGPL-2.1-only
/* Lists the reports whose metrics can be checked and compared. */
#include "regress/schemas.h"

#include <string.h>

#include "analysis/mrc/mrc.h"

const struct mm_report_schema *regress_schema_at(size_t number)
{
	size_t count = 0;

	for (; mm_analysis_at(count); count++)
		if (count == number)
			return mm_analysis_at(count)->schema;
	return number == count ? &mrc_schema : NULL;
}

int regress_schema_find(const char *name)
{
	for (int i = 0; regress_schema_at((size_t)i); i++)
		if (!strcmp(regress_schema_at((size_t)i)->name, name))
			return i;
	return -1;
}

int regress_catalogue(struct mm_catalogue *catalogue)
{
	const struct mm_report_schema *schema;
	int ret = mm_catalogue_add_trace(catalogue);

	for (size_t i = 0; !ret && (schema = regress_schema_at(i)); i++)
		ret = mm_catalogue_add_metrics(catalogue, schema) ||
				      mm_catalogue_add_rows(catalogue, schema)
			      ? -1
			      : 0;
	return ret;
}
