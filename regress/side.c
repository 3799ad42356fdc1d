// SPDX-License-Identifier: LGPL-2.1-only
/* Collects the values of the runs of one side of a comparison. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/diff.h"

/* Returns a fact of run.json, or NULL. */
static char *fact(const struct regress_run *run, const char *key)
{
	const char *text = json_string_value(json_object_get(run->facts, key));

	return text ? strdup(text) : NULL;
}

static char *kernel_of(const struct regress_run *run)
{
	const struct mm_cell *cell = &regress_run_report(run)->coverage[MM_COVERAGE_KERNEL_RELEASE];
	char *text = fact(run, "kernel");

	return text ? text : cell->kind == MM_CELL_STRING ? strdup(cell->s) : NULL;
}

static char *machine_of(const struct regress_run *run)
{
	const struct mm_cell *cell = &regress_run_report(run)->coverage[MM_COVERAGE_CPUS];
	char *text = fact(run, "machine");

	if (text || cell->kind != MM_CELL_UNSIGNED)
		return text;
	return asprintf(&text, "%llu CPUs", (unsigned long long)cell->u) < 0 ? NULL : text;
}

/* Sets *@fact to the text of the first run, and to NULL if a later run has another text. */
static void join(char **fact, char *text, bool is_first)
{
	if (is_first) {
		*fact = text;
		return;
	}
	if (*fact && (!text || strcmp(*fact, text) != 0)) {
		free(*fact);
		*fact = NULL;
	}
	free(text);
}

/* Like join(). If the clocks differ, sets REGRESS_TIME: such times are not compared. */
static void join_clocks(struct regress_side *side, char *clock, bool is_first)
{
	const bool differ =
		!is_first && (!clock != !side->clock || (clock && strcmp(clock, side->clock) != 0));

	join(&side->clock, clock, is_first);
	if (differ)
		side->clock = strdup(REGRESS_TIME);
}

int regress_side_collect(struct regress_side *side, const struct regress_runs *runs,
			 const struct mm_catalogue *catalogue)
{
	*side = (struct regress_side){ .is_command = runs->count > 0 };
	side->values = calloc(runs->count + 1, sizeof(*side->values));
	side->lengths_ns = calloc(runs->count + 1, sizeof(*side->lengths_ns));
	side->reports = calloc(runs->count + 1, sizeof(*side->reports));
	side->are_files = calloc(runs->count + 1, sizeof(*side->are_files));
	if (!side->values || !side->lengths_ns || !side->reports || !side->are_files)
		return -1;
	for (size_t i = 0; i < runs->count; i++) {
		const struct regress_run *run = &runs->all[i];
		const struct mm_cell *length =
			&regress_run_report(run)->coverage[MM_COVERAGE_DURATION_NS];
		char why[REGRESS_WHY];

		side->count++;
		side->are_files[i] = run->is_file;
		for (size_t k = 0; k < REGRESS_SCHEMAS_MAX; k++)
			side->reports[i] |= run->reports[k] ? UINT32_C(1) << k : 0;
		for (size_t k = 0; k < REGRESS_SCHEMAS_MAX; k++)
			if (run->reports[k] &&
			    regress_values_add(&side->values[i], catalogue, run->reports[k],
					       run->reports[k] == regress_run_report(run), NULL,
					       NULL))
				return -1;
		if (length->kind == MM_CELL_UNSIGNED)
			side->lengths_ns[i] = (double)length->u;
		side->is_command &= run->facts != NULL;
		join(&side->kernel, kernel_of(run), !i);
		join(&side->probes, fact(run, "probes"), !i);
		join(&side->machine, machine_of(run), !i);
		join_clocks(side, fact(run, "clock"), !i);
		if (regress_run_is_doubtful(run, why) && !side->doubt &&
		    asprintf(&side->doubt, "%s: %s", run->path, why) < 0) {
			side->doubt = NULL;
			return -1;
		}
	}
	return 0;
}

void regress_side_release(struct regress_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		regress_values_release(&side->values[i]);
	free(side->values);
	free(side->lengths_ns);
	free(side->reports);
	free(side->are_files);
	free(side->kernel);
	free(side->probes);
	free(side->machine);
	free(side->clock);
	free(side->doubt);
	*side = (struct regress_side){ NULL };
}
