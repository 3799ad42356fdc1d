// SPDX-License-Identifier: LGPL-2.1-only
/*
 * States that --file and --pid restrict the report. If nothing matches, names other candidates:
 *   No DAX fault or writeback matches --pid=99.
 *   The trace has DAX events of processes db (pid 10, 12 events) and cp (pid 7, 2 events).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax-state.h"
#include "reader/sysinfo/file-match.h"
#include "util/plural.h"

/* Maximum number of candidates that are named. Further candidates are only counted. */
#define NAMED_MAX 4
#define PROCESSES_MAX (1u << 16)

/* A process whose events --pid excludes. */
struct other_process {
	struct mm_row row; /* pid */
	uint64_t events;
	char comm[DAX_COMM_BYTES]; /* "": no event names the process */
};

/* A file or process that the filter could select. */
struct dax_candidate {
	char *name; /* "db (pid 10, 12 events)"; owned */
	uint64_t events;
};

struct dax_candidates {
	struct dax_candidate *all;
	size_t count, room;
};

int dax_filters_init(struct dax_state *state)
{
	return mm_rows_init(&state->others, sizeof(struct other_process), PROCESSES_MAX, 6);
}

int dax_filters_note_process(struct dax_state *state, int32_t pid, uint64_t events,
			     const char *comm)
{
	struct other_process *process = mm_rows_get(&state->others, (uint32_t)pid, 0);
	const size_t length = strnlen(comm, sizeof(process->comm) - 1);

	if (!process)
		return -1;
	process->events += events;
	if (length) {
		memcpy(process->comm, comm, length);
		process->comm[length] = '\0';
	}
	return 0;
}

int dax_filters_merge(struct dax_state *state, const struct dax_state *later)
{
	for (uint32_t i = 1; i < later->others.count; i++) {
		const struct other_process *process = mm_rows_at(&later->others, i);

		if (dax_filters_note_process(state, (int32_t)process->row.a, process->events,
					     process->comm))
			return -1;
	}
	return 0;
}

char *dax_filters_text(const struct dax_options *options)
{
	char pid[32] = "", *text;

	if (options->report.by_pid)
		snprintf(pid, sizeof(pid), " --pid=%u", options->report.pid);
	return asprintf(&text, "%s%s%s", options->file ? " --file=" : "",
			options->file ? options->file : "", pid) < 0
		       ? NULL
		       : text;
}

/*
 * Adds a candidate, and takes ownership of @name (NULL: out of memory). Returns 0, or -1 when out
 * of memory.
 */
static int add(struct dax_candidates *candidates, char *name, uint64_t events)
{
	struct dax_candidate *grown = name ? mm_array_grow(candidates->all, candidates->count,
							   &candidates->room, sizeof(*grown))
					   : NULL;

	if (!grown) {
		free(name);
		return -1;
	}
	candidates->all = grown;
	grown[candidates->count++] = (struct dax_candidate){ name, events };
	return 0;
}

static int add_file(const struct dax_state *state, const struct dax_file *file,
		    struct dax_candidates *candidates)
{
	const struct dax_file_key *key = &file->key;
	struct mm_sysinfo_file known;
	char *name;
	int length;
	bool has_path =
		mm_sysinfo_find_file(state->sysinfo, key->major, key->minor, key->ino, &known);

	/* --file cannot select a file without a path and an inode number. */
	if (!file->events || (!has_path && key->ino == DAX_UNKNOWN))
		return 0;
	if (has_path)
		length = asprintf(&name, "%s (%" PRIu64 " event%s)", known.path, file->events,
				  mm_plural_s(file->events));
	else
		length = asprintf(&name, "inode 0x%" PRIx64 " (%" PRIu64 " event%s)", key->ino,
				  file->events, mm_plural_s(file->events));
	return add(candidates, length < 0 ? NULL : name, file->events);
}

static int add_process(const struct dax_state *state, const struct other_process *process,
		       struct dax_candidates *candidates)
{
	const int32_t pid = (int32_t)process->row.a;
	uint32_t leader = mm_threads_last(&state->threads, pid);
	const char *comm = NULL;
	char *name;

	if (leader != MM_HASH_NONE)
		comm = mm_threads_comm(&state->threads, leader, state->sysinfo);
	else if (state->sysinfo)
		comm = mm_sysinfo_comm(state->sysinfo, pid);
	if (!comm)
		comm = process->comm[0] ? process->comm : "<...>";
	if (asprintf(&name, "%s (pid %" PRId32 ", %" PRIu64 " event%s)", comm, pid, process->events,
		     mm_plural_s(process->events)) < 0)
		name = NULL;
	return add(candidates, name, process->events);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct dax_candidate *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* States the candidates with the most events; @of: "other files" or "other processes". */
static void answer_candidates(struct dax_candidates *candidates, const char *of,
			      struct mm_report *report)
{
	const size_t count = candidates->count, named = count < NAMED_MAX ? count : NAMED_MAX;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!count)
		return;
	qsort(candidates->all, count, sizeof(*candidates->all), compare_candidates);
	out = open_memstream(&text, &size);
	for (size_t i = 0; out && i < named; i++)
		fprintf(out, "%s%s",
			!i		? ""
			: i + 1 < count ? ", "
					: " and ",
			candidates->all[i].name);
	if (out && named < count)
		fprintf(out, " and %zu more", count - named);
	if (!out || fclose(out))
		report->failed = true;
	else
		mm_report_answer(report, "The trace has DAX events of %s: %s.", of, text);
	free(text);
}

/*
 * Does --file select any file, even one whose events other filters exclude? Call this only if
 * state->file_count is 0: all files are then among the state->other_file_count excluded ones.
 */
static bool selects_file(const struct dax_state *state)
{
	for (uint32_t i = 0; i < state->other_file_count; i++)
		if (state->files[i].use == DAX_FILE_COUNTED)
			return true;
	return false;
}

/* States that nothing matches. Suggests a similar name or process. */
static void answer_no_match(const struct dax_state *state, const struct dax_options *options,
			    const char *filters, struct mm_report *report)
{
	struct mm_nearest nearest = { .wanted = options->file };
	char thread[MM_THREAD_HINT] = "", file[MM_NEAREST_TEXT] = "";

	if (options->report.by_pid)
		mm_thread_hint(&state->threads, state->sysinfo, (int32_t)options->report.pid,
			       thread);
	if (options->file && !*thread && !selects_file(state)) {
		for (uint32_t i = 0; i < state->other_file_count; i++)
			mm_file_offer(state->sysinfo, &nearest, state->files[i].key.major,
				      state->files[i].key.minor, state->files[i].key.ino);
		mm_nearest_hint(&nearest, file, sizeof(file));
	}
	mm_report_answer(report, "No DAX fault or writeback%s %s%s%s%s",
			 report->windowed ? " in the requested time range" : "",
			 report->lacking ? "is known to match" : "matches", filters,
			 *thread ? thread : file, *file ? "" : ".");
}

/* States which files or processes have events. Returns 0, or -1 when out of memory. */
static int answer_others(const struct dax_state *state, const struct dax_options *options,
			 struct mm_report *report)
{
	const bool by_file = options->file && !selects_file(state);
	struct dax_candidates candidates = { NULL, 0, 0 };
	int ret = 0;

	for (uint32_t i = 0; by_file && i < state->other_file_count && !ret; i++)
		ret = add_file(state, &state->files[i], &candidates);
	for (uint32_t i = 1; !by_file && i < state->others.count && !ret; i++)
		ret = add_process(state, mm_rows_at(&state->others, i), &candidates);
	if (!ret)
		answer_candidates(&candidates,
				  by_file	  ? "other files"
				  : options->file ? "that file by other processes"
						  : "other processes",
				  report);
	for (size_t i = 0; i < candidates.count; i++)
		free(candidates.all[i].name);
	free(candidates.all);
	return ret;
}

void dax_report_filters(const struct dax_state *state, const struct dax_options *options,
			struct mm_report *report)
{
	char *text;

	if (!options->file && !options->report.by_pid)
		return;
	text = dax_filters_text(options);
	if (text && state->file_count) {
		mm_report_remark(report, "All figures are restricted by%s.", text);
	} else if (text) {
		answer_no_match(state, options, text, report);
		report->failed |= answer_others(state, options, report) != 0;
	}
	report->failed |= !text;
	free(text);
}
