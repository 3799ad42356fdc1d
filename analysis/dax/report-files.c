// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the tables of the DAX report by file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax-cells.h"
#include "analysis/dax/dax-schema.h"
#include "analysis/dax/dax-state.h"

static void set_ino(struct mm_cell *cell, const struct dax_file *file)
{
	if (file->key.ino != DAX_UNKNOWN)
		mm_cell_set_u(cell, file->key.ino);
}

char *dax_file_name(const struct dax_state *state, const struct dax_file_key *key)
{
	const char *mountpoint = NULL;
	struct mm_sysinfo_file known;
	char *name;
	int ret;

	if (mm_sysinfo_find_file(state->sysinfo, key->major, key->minor, key->ino, &known))
		return strdup(known.path);
	if (key->ino != DAX_UNKNOWN)
		mountpoint = mm_sysinfo_mountpoint(state->sysinfo, key->major, key->minor);
	if (mountpoint)
		ret = asprintf(&name, "%s/? (path not in sysinfo)", mountpoint);
	else
		ret = asprintf(&name, "%u:%u (%s)", key->major, key->minor,
			       key->ino == DAX_UNKNOWN ? "inode number unknown"
						       : "path not in sysinfo");
	return ret < 0 ? NULL : name;
}

static void set_name(const struct dax_state *state, const struct dax_file *file,
		     struct mm_cell *cell, struct mm_report *report)
{
	char *name = dax_file_name(state, &file->key);

	if (name)
		mm_cell_set_s(cell, name);
	else
		report->failed = true;
	free(name);
}

static void set_extents(const struct dax_state *state, const struct dax_file *file,
			struct mm_cell *row)
{
	struct mm_sysinfo_file known;
	char text[64];

	if (!mm_sysinfo_find_file(state->sysinfo, file->key.major, file->key.minor, file->key.ino,
				  &known))
		return;
	if (known.dax >= 0)
		mm_cell_set_s(&row[DAX_FILES_DAX], known.dax ? "yes" : "no");
	if (known.extents < 0 || known.extents_2m_aligned < 0)
		return;
	mm_cell_set_u(&row[DAX_FILES_EXTENTS], (uint64_t)known.extents);
	mm_cell_set_u(&row[DAX_FILES_EXTENTS_2M_ALIGNED], (uint64_t)known.extents_2m_aligned);
	snprintf(text, sizeof(text), "%" PRId64 " of %" PRId64, known.extents_2m_aligned,
		 known.extents);
	mm_cell_set_s(&row[DAX_FILES_ALIGNMENT], text);
}

static int compare_files(const void *a, const void *b)
{
	const struct dax_file *x = a, *y = b;
	const uint64_t *pmd_x = x->faults[DAX_KIND_PMD], *pmd_y = y->faults[DAX_KIND_PMD];
	uint64_t pte_x = dax_file_faults(x, DAX_KIND_PTE), pte_y = dax_file_faults(y, DAX_KIND_PTE);

	if (x->attempts.fallback_ns != y->attempts.fallback_ns)
		return x->attempts.fallback_ns < y->attempts.fallback_ns ? 1 : -1;
	if (pmd_x[DAX_OUTCOME_FALLBACK] != pmd_y[DAX_OUTCOME_FALLBACK])
		return pmd_x[DAX_OUTCOME_FALLBACK] < pmd_y[DAX_OUTCOME_FALLBACK] ? 1 : -1;
	if (pte_x != pte_y)
		return pte_x < pte_y ? 1 : -1;
	if (x->key.ino != y->key.ino)
		return x->key.ino < y->key.ino ? -1 : 1;
	if (x->key.major != y->key.major)
		return x->key.major < y->key.major ? -1 : 1;
	return (x->key.minor > y->key.minor) - (x->key.minor < y->key.minor);
}

const struct dax_file *dax_file_of_most_fallbacks(const struct dax_state *state)
{
	const struct dax_file *most = NULL;

	for (uint32_t i = 0; i < state->file_count; i++)
		if (!most || compare_files(&state->files[i], most) < 0)
			most = &state->files[i];
	return most && most->faults[DAX_KIND_PMD][DAX_OUTCOME_FALLBACK] ? most : NULL;
}

static void fill_files(struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_files);
	uint64_t fallback_ns = 0;

	if (state->file_count)
		qsort(state->files, state->file_count, sizeof(*state->files), compare_files);
	for (size_t i = 0; i < state->file_count; i++)
		fallback_ns += state->files[i].attempts.fallback_ns;
	for (size_t i = 0; i < state->file_count; i++) {
		const struct dax_file *file = &state->files[i];
		const uint64_t *pmd = file->faults[DAX_KIND_PMD], *pte = file->faults[DAX_KIND_PTE];
		const uint64_t faults = dax_file_faults(file, DAX_KIND_PMD);
		const uint64_t fallbacks = pmd[DAX_OUTCOME_FALLBACK];
		const struct {
			enum dax_files_column column;
			uint64_t count; /* DAX_UNKNOWN: unknown */
		} counts[] = {
			{ DAX_FILES_PMD_FAULTS, faults },
			{ DAX_FILES_PMD_MAPPED, pmd[DAX_OUTCOME_MAPPED] },
			{ DAX_FILES_PMD_FALLBACKS, fallbacks },
			{ DAX_FILES_PTE_FAULTS, dax_file_faults(file, DAX_KIND_PTE) },
			{ DAX_FILES_WRITE_PROTECT, file->write_protect },
			{ DAX_FILES_SYNC, pmd[DAX_OUTCOME_SYNC] + pte[DAX_OUTCOME_SYNC] },
			{ DAX_FILES_SIGBUS, pmd[DAX_OUTCOME_SIGBUS] + pte[DAX_OUTCOME_SIGBUS] },
			{ DAX_FILES_COPIED, pmd[DAX_OUTCOME_COPIED] + pte[DAX_OUTCOME_COPIED] },
			{ DAX_FILES_RETRIES, pmd[DAX_OUTCOME_RETRY] + pte[DAX_OUTCOME_RETRY] },
			{ DAX_FILES_FINISH_SYNC, file->finish_sync },
			{ DAX_FILES_PMD_LOAD_HOLE, file->pmd_load_hole },
			{ DAX_FILES_LOAD_HOLE, file->load_hole },
			{ DAX_FILES_MKWRITE_NO_ENTRY, file->mkwrite_no_entry || !state->rare_lossy
							      ? file->mkwrite_no_entry
							      : DAX_UNKNOWN },
			{ DAX_FILES_WRITEBACK_RANGES, file->writeback_ranges },
			{ DAX_FILES_WRITEBACK_PAGES, file->writeback_pages },
		};
		struct mm_cell *row = mm_table_row(report, table);

		if (!row)
			return;
		set_name(state, file, &row[DAX_FILES_PATH], report);
		set_extents(state, file, row);
		mm_cell_set_u(&row[DAX_FILES_MAJOR], file->key.major);
		mm_cell_set_u(&row[DAX_FILES_MINOR], file->key.minor);
		set_ino(&row[DAX_FILES_INO], file);
		for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
			if (counts[c].count != DAX_UNKNOWN)
				mm_cell_set_u(&row[counts[c].column], counts[c].count);
		dax_set_percent(&row[DAX_FILES_FALLBACK_PERCENT], fallbacks, faults);
		if (state->counts_accesses)
			mm_cell_set_u(&row[DAX_FILES_FALLBACK_ACCESSES],
				      fallbacks - file->attempts.fallback_repeated);
		mm_cell_set_u(&row[DAX_FILES_FALLBACK_NS], file->attempts.fallback_ns);
		dax_set_percent(&row[DAX_FILES_FALLBACK_TIME_PERCENT], file->attempts.fallback_ns,
				fallback_ns);
		if (state->writes_declared)
			mm_cell_set_u(&row[DAX_FILES_PAGES_WRITTEN], file->written_pages);
	}
}

static void fill_file_causes(struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_file_causes);

	for (size_t i = 0; i < state->file_count; i++) {
		const struct dax_file *file = &state->files[i];

		for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++) {
			struct mm_cell *row;

			if (!file->all_failed[cause])
				continue;
			row = mm_table_row(report, table);
			if (!row)
				return;
			mm_cell_set_u(&row[DAX_FILE_CAUSES_MAJOR], file->key.major);
			mm_cell_set_u(&row[DAX_FILE_CAUSES_MINOR], file->key.minor);
			set_ino(&row[DAX_FILE_CAUSES_INO], file);
			mm_cell_set_s(&row[DAX_FILE_CAUSES_CAUSE], dax_cause_info[cause].id);
			mm_cell_set_u(&row[DAX_FILE_CAUSES_FIRST_FAILED],
				      file->first_failed[cause]);
			mm_cell_set_u(&row[DAX_FILE_CAUSES_ALL_FAILED], file->all_failed[cause]);
		}
	}
}

void dax_report_files(struct dax_state *state, struct mm_report *report)
{
	fill_files(state, report);
	fill_file_causes(state, report);
}

static int compare_writebacks(const void *a, const void *b)
{
	const struct dax_file *x = a, *y = b;

	if (x->writeback_ns != y->writeback_ns)
		return x->writeback_ns < y->writeback_ns ? 1 : -1;
	return compare_files(a, b);
}

void dax_report_writeback(struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_writeback);
	uint64_t ranges = 0;

	if (state->file_count)
		qsort(state->files, state->file_count, sizeof(*state->files), compare_writebacks);
	for (size_t i = 0; i < state->file_count; i++) {
		const struct dax_file *file = &state->files[i];
		struct mm_cell *row;

		ranges += file->writeback_ranges;
		row = file->writeback_ranges || file->written_pages ? mm_table_row(report, table)
								    : NULL;
		if (!row)
			continue;
		set_name(state, file, &row[DAX_WRITEBACK_PATH], report);
		set_ino(&row[DAX_WRITEBACK_INO], file);
		mm_cell_set_u(&row[DAX_WRITEBACK_RANGES], file->writeback_ranges);
		mm_cell_set_u(&row[DAX_WRITEBACK_PAGES], file->writeback_pages);
		if (state->writes_declared)
			mm_cell_set_u(&row[DAX_WRITEBACK_PAGES_WRITTEN], file->written_pages);
		mm_cell_set_u(&row[DAX_WRITEBACK_NS], file->writeback_ns);
	}
	mm_report_count(report, ranges, "dax.writeback.ranges");
	mm_report_count(report, state->writebacks_unpaired, "dax.writeback.unpaired");
	mm_report_count(report, state->writebacks_uncertain, "dax.writeback.uncertain");
}
