/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads and writes of files through the page cache. */
#ifndef LTTNG_MM_PAGEREF_PAGEREF_IO_H
#define LTTNG_MM_PAGEREF_PAGEREF_IO_H

#include "analysis/subsystem/analysis.h"
#include "reader/report/schema.h"
#include "util/last-range.h"
#include "util/rows.h"

enum pageref_io_direction {
	PAGEREF_IO_READ,
	PAGEREF_IO_WRITE,
	PAGEREF_IO_DIRECTIONS,
};

/* A file. The key is its device and its inode number. */
struct pageref_io_file {
	struct mm_row key;
	char *path; /* owned; NULL: not known */
};

/* Reads and writes of a file by an address space. The key is the file and the address space. */
struct pageref_io_use {
	struct mm_row key;
	struct pageref_io_sum {
		uint64_t calls, bytes, pages; /* @pages: number of distinct pages */
	} sums[PAGEREF_IO_DIRECTIONS];
};

struct pageref_io {
	struct mm_rows files; /* struct pageref_io_file */
	struct mm_rows uses;  /* struct pageref_io_use */
	/*
	 * Ranges of used pages, by direction. The first key of a range is the number of a row in
	 * @uses.
	 */
	struct mm_last_ranges used[PAGEREF_IO_DIRECTIONS];
	uint64_t ranges; /* number of the last range */
};

/* Returns 0, or -1 when out of memory. */
int pageref_io_init(struct pageref_io *io);
void pageref_io_release(struct pageref_io *io);

/* Request the events that name files, and the events of reads and writes. */
void pageref_io_request_names(struct mm_requests *requests);
void pageref_io_request(struct mm_requests *requests);

/*
 * Handle an event that names a file, and an event of a read or write. Both return 0, or -1 when out
 * of memory.
 */
int pageref_io_name(struct pageref_io *io, const struct mm_event *event);
int pageref_io_event(struct pageref_io *io, const struct mm_event *event);

struct pageref_state;

/*
 * Fills the table and the metrics of the report, and adds a sentence to its answer. Does nothing if
 * the trace has no read or write of a selected address space.
 */
void pageref_io_fill(const struct pageref_state *state, const struct mm_report_options *options,
		     struct mm_report *report);

extern const struct mm_table_def pageref_table_file_io;

#endif /* LTTNG_MM_PAGEREF_PAGEREF_IO_H */
