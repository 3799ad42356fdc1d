/* SPDX-License-Identifier: LGPL-2.1-only */
/* The reports whose metrics can be checked and compared. */
#ifndef LTTNG_MM_REGRESS_SCHEMAS_H
#define LTTNG_MM_REGRESS_SCHEMAS_H

#include "analysis/registry/registry.h"
#include "reader/report/catalogue.h"

/* Maximum number of reports: all analyses, and `mrc`. */
#define REGRESS_SCHEMAS_MAX (MM_SUBSYSTEMS_MAX + 1)

/*
 * Returns the schema of report number @number, counted from 0, or NULL after the last one. The
 * first ones are the schemas of the analyses in the order of the registry.
 */
const struct mm_report_schema *regress_schema_at(size_t number);
/* Returns the number of the report called @name, or -1. */
int regress_schema_find(const char *name);

/* Fills in the catalogue of all metrics that have values in these reports. Returns 0 or -1. */
int regress_catalogue(struct mm_catalogue *catalogue);

#endif /* LTTNG_MM_REGRESS_SCHEMAS_H */
