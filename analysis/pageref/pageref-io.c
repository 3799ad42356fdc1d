// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Counts reads and writes of files through the page cache. Sample of the answer:
 *
 *   Reads and writes: 12.4 MiB of 31 files were read, 310 KiB of 2 files were written.
 */
#include "analysis/pageref/pageref-io.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/pageref-state.h"
#include "reader/report/units.h"
#include "util/plural.h"

enum { IO_MM, IO_MAJOR, IO_MINOR, IO_INO, IO_OFFSET, IO_WRITE, IO_RESULT };
enum { NAME_MAJOR, NAME_MINOR, NAME_INO, NAME_PATH };

int pageref_io_init(struct pageref_io *io)
{
	const uint32_t max = UINT32_MAX - 1;

	if (mm_rows_init(&io->files, sizeof(struct pageref_io_file), max, 6) ||
	    mm_rows_init(&io->uses, sizeof(struct pageref_io_use), max, 8))
		return -1;
	for (int i = 0; i < PAGEREF_IO_DIRECTIONS; i++)
		if (mm_last_ranges_init(&io->used[i]))
			return -1;
	return 0;
}

void pageref_io_release(struct pageref_io *io)
{
	for (uint32_t i = 1; i < io->files.count; i++)
		free(((struct pageref_io_file *)mm_rows_at(&io->files, i))->path);
	mm_rows_release(&io->files);
	mm_rows_release(&io->uses);
	for (int i = 0; i < PAGEREF_IO_DIRECTIONS; i++)
		mm_last_ranges_release(&io->used[i]);
}

void pageref_io_request_names(struct mm_requests *requests)
{
	mm_requests_add(requests, "pageref_file");
	mm_requests_add_field(requests, "dev_major", MM_FIELD_INTEGER);
	mm_requests_add_field(requests, "dev_minor", MM_FIELD_INTEGER);
	mm_requests_add_field(requests, "ino", MM_FIELD_INTEGER);
	mm_requests_add_field(requests, "path", MM_FIELD_STRING);
}

void pageref_io_request(struct mm_requests *requests)
{
	static const char *const fields[] = { "mm",	"dev_major", "dev_minor", "ino",
					      "offset", "write",     "result" };

	mm_requests_add(requests, "pageref_file_io");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		mm_requests_add_field(requests, fields[i], MM_FIELD_INTEGER);
}

static struct mm_row file_key(uint64_t major, uint64_t minor, uint64_t ino)
{
	return (struct mm_row){ (uint32_t)major << 20 | (uint32_t)minor, (uint32_t)ino,
				(uint32_t)(ino >> 32), 0 };
}

/* Another file may reuse an inode number. The last path counts. */
int pageref_io_name(struct pageref_io *io, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	const struct mm_row key = file_key(f[NAME_MAJOR].u, f[NAME_MINOR].u, f[NAME_INO].u);
	const uint32_t number = mm_rows_number(&io->files, &key);
	struct pageref_io_file *file;

	if (number == MM_HASH_NONE)
		return -1;
	file = mm_rows_at(&io->files, number);
	if (file->path && !strcmp(file->path, f[NAME_PATH].s))
		return 0;
	free(file->path);
	file->path = strdup(f[NAME_PATH].s);
	return file->path ? 0 : -1;
}

/*
 * Notes that the pages from @first to @last are used. Joins overlapping and adjoining ranges, so
 * few ranges are stored. Returns the number of pages that were not used before, or -1 when out of
 * memory.
 */
static int64_t add_pages(struct pageref_io *io, uint32_t use, enum pageref_io_direction direction,
			 uint64_t first, uint64_t last)
{
	struct mm_last_ranges *used = &io->used[direction];
	struct mm_last_range range = mm_last_ranges_find(used, use, first ? first - 1 : 0);
	uint64_t from = range.number ? range.first : first, to = last;
	int64_t added = (int64_t)(last - first) + 1;

	for (range = mm_last_ranges_from(used, use, from); range.number && range.first <= last + 1;
	     range = mm_last_ranges_from(used, use, range.last + 1)) {
		const uint64_t begin = range.first > first ? range.first : first;
		const uint64_t end = range.last < last ? range.last : last;

		if (begin <= end)
			added -= (int64_t)(end - begin) + 1;
		to = range.last > to ? range.last : to;
	}
	if (added && mm_last_ranges_set(used, use, from, to, ++io->ranges, 1))
		return -1;
	return added;
}

int pageref_io_event(struct pageref_io *io, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	const struct mm_row key = file_key(f[IO_MAJOR].u, f[IO_MINOR].u, f[IO_INO].u);
	const enum pageref_io_direction direction =
		f[IO_WRITE].u ? PAGEREF_IO_WRITE : PAGEREF_IO_READ;
	const uint32_t file = mm_rows_number(&io->files, &key);
	const struct mm_row use_key = { file, (uint32_t)f[IO_MM].u, 0, 0 };
	const uint32_t number = file == MM_HASH_NONE ? file : mm_rows_number(&io->uses, &use_key);
	const int64_t result = f[IO_RESULT].i;
	const uint64_t offset = f[IO_OFFSET].u;
	struct pageref_io_sum *sum;
	int64_t added = 0;

	if (number == MM_HASH_NONE)
		return -1;
	/* Offsets of files are below 2^63, and results have 32 bits. Other values are damaged. */
	if (result > 0 && result <= INT32_MAX && offset <= INT64_MAX)
		added = add_pages(io, number, direction, offset >> PAGEREF_PAGE_SHIFT,
				  (offset + (uint64_t)result - 1) >> PAGEREF_PAGE_SHIFT);
	if (added < 0)
		return -1;
	sum = &((struct pageref_io_use *)mm_rows_at(&io->uses, number))->sums[direction];
	sum->calls++;
	sum->bytes += result > 0 ? (uint64_t)result : 0;
	sum->pages += (uint64_t)added;
	return 0;
}

enum {
	FILES_PATH,
	FILES_MAJOR,
	FILES_MINOR,
	FILES_INO,
	FILES_BYTES,
	FILES_READ,
	FILES_WRITE = FILES_READ + 3,
	FILES_SPACES = FILES_WRITE + 3,
};

#define PAGES_MEANING(used)                       \
	"distinct pages of 4 KiB that were " used \
	"; a page that several processes use counts for each"

static const struct mm_column columns[] = {
	[FILES_PATH] = { "file", "file", MM_TEXT, MM_SHORTEN(0, 20),
			 "path, as the process sees it; null: no event has it" },
	[FILES_MAJOR] = { "dev_major", NULL, MM_NUMBER, MM_KEEP,
			  "device of the file's filesystem: major number" },
	[FILES_MINOR] = { "dev_minor", NULL, MM_NUMBER, MM_KEEP, "minor number" },
	[FILES_INO] = { "ino", "inode", MM_HEX, MM_DROP(3), "inode number" },
	[FILES_BYTES] = { "bytes", "bytes", MM_BYTES, MM_DROP(1), "bytes read and written" },
	[FILES_READ] = { "reads", "reads", MM_COUNT("calls"), MM_KEEP,
			 "reads, including failed ones" },
	[FILES_READ + 1] = { "read_bytes", "read", MM_BYTES, MM_KEEP, "bytes read" },
	[FILES_READ + 2] = { "read_pages", "pages read", MM_COUNT("pages"), MM_DROP(2),
			     PAGES_MEANING("read") },
	[FILES_WRITE] = { "writes", "writes", MM_COUNT("calls"), MM_KEEP,
			  "writes, including failed ones" },
	[FILES_WRITE + 1] = { "written_bytes", "written", MM_BYTES, MM_KEEP, "bytes written" },
	[FILES_WRITE + 2] = { "written_pages", "pages written", MM_COUNT("pages"), MM_DROP(2),
			      PAGES_MEANING("written") },
	[FILES_SPACES] = { "address_spaces", "address spaces", MM_COUNT("spaces"), MM_DROP(4),
			   "address spaces that read or wrote the file" },
	{ 0 },
};

const struct mm_table_def pageref_table_file_io = {
	"file_io", "Reads and writes of files, most bytes first",
	"reads and writes through the page cache; touches of mappings are not included",
	"each file with reads or writes that --file-io recorded", columns
};

/* Sums for a file over all selected address spaces. */
struct file_sum {
	struct pageref_io_sum sums[PAGEREF_IO_DIRECTIONS];
	uint64_t spaces, files[PAGEREF_IO_DIRECTIONS];
};

static void add_sums(struct file_sum *to, const struct pageref_io_sum *sums)
{
	for (int i = 0; i < PAGEREF_IO_DIRECTIONS; i++) {
		to->sums[i].calls += sums[i].calls;
		to->sums[i].bytes += sums[i].bytes;
		to->sums[i].pages += sums[i].pages;
	}
}

static bool is_selected(const struct pageref_state *state, uint32_t mm,
			const struct mm_report_options *options)
{
	const struct touched_space *space = mm_rows_lookup(&state->spaces, mm, 0);

	return !options->by_pid || (space && mm_options_select(options, (int32_t)space->pid));
}

/*
 * Returns an array with an element for each file. Release it with free(). Returns NULL when out of
 * memory.
 */
static struct file_sum *sum_files(const struct pageref_state *state,
				  const struct mm_report_options *options)
{
	const struct mm_rows *uses = &state->io.uses;
	struct file_sum *all = calloc(state->io.files.count, sizeof(*all));

	for (uint32_t i = 1; all && i < uses->count; i++) {
		const struct pageref_io_use *use = mm_rows_at(uses, i);

		if (!is_selected(state, use->key.b, options))
			continue;
		add_sums(&all[use->key.a], use->sums);
		all[use->key.a].spaces++;
	}
	return all;
}

static void set_count(struct mm_cell *cell, bool least, uint64_t value)
{
	if (least)
		mm_cell_set_least(cell, value);
	else
		mm_cell_set_u(cell, value);
}

static void fill_row(const struct pageref_io_file *file, const struct file_sum *sum, bool least,
		     struct mm_cell *row)
{
	if (file->path)
		mm_cell_set_s(&row[FILES_PATH], file->path);
	mm_cell_set_u(&row[FILES_MAJOR], file->key.a >> 20);
	mm_cell_set_u(&row[FILES_MINOR], file->key.a & 0xfffff);
	mm_cell_set_u(&row[FILES_INO], (uint64_t)file->key.c << 32 | file->key.b);
	set_count(&row[FILES_BYTES], least,
		  sum->sums[PAGEREF_IO_READ].bytes + sum->sums[PAGEREF_IO_WRITE].bytes);
	for (int i = 0; i < PAGEREF_IO_DIRECTIONS; i++) {
		struct mm_cell *cells = &row[i == PAGEREF_IO_READ ? FILES_READ : FILES_WRITE];

		set_count(&cells[0], least, sum->sums[i].calls);
		set_count(&cells[1], least, sum->sums[i].bytes);
		set_count(&cells[2], least, sum->sums[i].pages);
	}
	set_count(&row[FILES_SPACES], least, sum->spaces);
}

static void fill_metrics(const struct file_sum *total, struct mm_report *report)
{
	static const char *const directions[PAGEREF_IO_DIRECTIONS] = {
		[PAGEREF_IO_READ] = "read", [PAGEREF_IO_WRITE] = "write"
	};

	for (int i = 0; i < PAGEREF_IO_DIRECTIONS; i++) {
		const struct pageref_io_sum *sum = &total->sums[i];
		const struct {
			const char *name;
			uint64_t value;
		} values[] = { { "pageref.file_calls", sum->calls },
			       { "pageref.file_bytes", sum->bytes },
			       { "pageref.file_pages", sum->pages } };

		for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++)
			set_count(&mm_report_metric(report, values[j].name, directions[i], NULL)
					   ->value,
				  report->lacking, values[j].value);
	}
}

static void answer(const struct file_sum *total, struct mm_report *report)
{
	const uint64_t *files = total->files;
	char bytes[PAGEREF_IO_DIRECTIONS][MM_NUMBER_TEXT];

	for (int i = 0; i < PAGEREF_IO_DIRECTIONS; i++) {
		const struct mm_cell cell = { .kind = MM_CELL_UNSIGNED, .u = total->sums[i].bytes };

		mm_render_number(bytes[i], sizeof(bytes[i]), &cell, MM_BYTES);
	}
	mm_report_answer(report,
			 "Reads and writes: %s%s of %" PRIu64 " file%s were read, %s of %" PRIu64
			 " file%s were written.",
			 report->lacking ? "at least " : "", bytes[PAGEREF_IO_READ],
			 files[PAGEREF_IO_READ], mm_plural_s(files[PAGEREF_IO_READ]),
			 bytes[PAGEREF_IO_WRITE], files[PAGEREF_IO_WRITE],
			 mm_plural_s(files[PAGEREF_IO_WRITE]));
}

void pageref_io_fill(const struct pageref_state *state, const struct mm_report_options *options,
		     struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &pageref_table_file_io);
	struct file_sum *all = sum_files(state, options), total = { 0 };

	report->failed |= !all;
	for (uint32_t i = 1; all && i < state->io.files.count; i++) {
		struct mm_cell *row = all[i].spaces ? mm_table_row(report, table) : NULL;

		if (!row)
			continue;
		fill_row(mm_rows_at(&state->io.files, i), &all[i], report->lacking, row);
		add_sums(&total, all[i].sums);
		for (int j = 0; j < PAGEREF_IO_DIRECTIONS; j++)
			total.files[j] += all[i].sums[j].calls > 0;
		total.spaces++;
	}
	free(all);
	if (total.spaces) {
		fill_metrics(&total, report);
		answer(&total, report);
	}
	if (mm_table_sort(table, FILES_BYTES, true))
		report->failed = true;
	mm_table_limit(table, options->top);
}
