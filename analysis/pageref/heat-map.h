/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A heat map: touched pages by address and time, in a grid whose size does not depend on the trace.
 */
#ifndef LTTNG_MM_PAGEREF_HEAT_MAP_H
#define LTTNG_MM_PAGEREF_HEAT_MAP_H

#include "analysis/pageref/pageref-report.h"

#define HEAT_COLUMNS 1024u
#define HEAT_CHUNKS 2048u
#define HEAT_RECENT 4096u

/*
 * A row of the grid: 2^heat_map.chunk_shift pages of an address space. The key is the address space
 * and the number of the chunk.
 */
struct heat_chunk {
	struct mm_row key;
	uint32_t area; /* area of the chunk at its first touch; 0: not known */
};

/* Touches of an address space. The key is its number. */
struct heat_space {
	struct mm_row key;
	uint64_t touches;
};

/*
 * A heat map. If there are too many chunks, all chunks become twice as large. If the columns do not
 * cover the time, all columns become twice as wide. A column is an array over all chunks, because
 * consecutive touches usually belong to one column.
 */
struct heat_map {
	struct pageref_state *state; /* mappings, names and missed touches */
	bool by_touches;	     /* the width of a column is a number of touches, not a time */
	struct mm_rows chunks;	     /* struct heat_chunk */
	/* Cache of recently touched chunks, which avoids the hash table of @chunks. */
	struct heat_recent {
		uint64_t chunk;
		uint32_t mm, number; /* 0: not used */
	} recent[HEAT_RECENT];
	unsigned int chunk_shift;
	bool is_full; /* chunks cannot become larger any more */
	struct heat_column {
		uint32_t *pages; /* number of touched pages per chunk; NULL: no touches */
		bool is_lossy;	 /* events may be missing */
	} columns[HEAT_COLUMNS];
	unsigned int column_shift; /* a column is 2^column_shift ns or touches wide */
	unsigned int column;	   /* number of the current column */
	int64_t column_ns;	   /* time of the first event in the current column */
	struct mm_rows spaces;	   /* struct heat_space */
	uint32_t space;		   /* row of the last touch in @spaces */
	uint64_t touches, pages;   /* a touch of a huge page counts as 512 pages */
	/* touches without a chunk, because no more chunks were possible */
	uint64_t left_out;
	bool has_huge;
};

/* Returns NULL when out of memory. */
struct heat_map *heat_map_create(bool by_touches);
void heat_map_destroy(struct heat_map *map);
/*
 * Handles an event that pageref_state_request() requests with @places_only. Returns 0, or -1 when
 * out of memory.
 */
int heat_map_event(struct heat_map *map, const struct mm_event *event);
/* Handles the end of the trace. Returns 0, or -1 when out of memory. */
int heat_map_finish(struct heat_map *map, const struct mm_sysinfo *sysinfo);

/* Consecutive chunks of one file or kind of memory in one address space. */
struct heat_region {
	const struct touched_space *space;
	const struct pageref_object *object;
	size_t first, count; /* positions among all chunks that are shown */
};

/*
 * A heat map in the size of a picture or a terminal. Long ranges of addresses without touches are
 * left out.
 */
struct heat_view {
	size_t row_count, column_count; /* 0: there is nothing to see */
	/* touches in each cell, counted in pages; row 0 has the lowest addresses */
	uint64_t *cells;
	uint64_t most; /* the largest value in @cells */
	bool *lossy;   /* for each column: events may be missing */
	struct heat_region *regions;
	size_t region_count, region_room;
	size_t chunk_count; /* number of chunks that are shown */
	size_t chunks_per_row;
	uint64_t row_bytes;   /* size of the address range of a row */
	uint64_t column_size; /* width of a column, in ns or touches */
	uint64_t size;	      /* total width of the columns with events, in ns or touches */
	uint64_t pages;	      /* sum of all cells */
	uint64_t touches;
	uint64_t processes;
};

/*
 * Makes a view of the selected processes with at most @rows rows and @columns columns. Returns 0,
 * or -1 when out of memory. Release with heat_view_release().
 */
int heat_view_make(const struct heat_map *map, const struct mm_report_options *options, size_t rows,
		   size_t columns, struct heat_view *view);
void heat_view_release(struct heat_view *view);

#define HEAT_TEXT 400
#define HEAT_SCALE_TEXT 160
/* heat_view_title() states what the view shows. heat_view_scale() states the size of a cell. */
void heat_view_title(const struct heat_map *map, const struct heat_view *view,
		     char text[HEAT_TEXT]);
void heat_view_scale(const struct heat_map *map, const struct heat_view *view,
		     char text[HEAT_SCALE_TEXT]);
/* States what the view does not show, or why it is empty. */
void heat_view_missed(const struct heat_map *map, const struct heat_view *view,
		      const struct mm_report_options *options, char text[HEAT_TEXT]);
/* Writes the name of the region's process: "cc1 (pid 77)". The name may be untrusted. */
void heat_view_process(const struct heat_region *region, char *text, size_t size);
/* Writes a time or a number of touches for a label of the axis. */
void heat_view_tick(const struct heat_map *map, uint64_t at, uint64_t step, char *text,
		    size_t size);
/*
 * Returns a distance between labels. With this distance, about @count labels fit in @size. It is 1,
 * 2 or 5 times a power of ten.
 */
uint64_t heat_view_step(uint64_t size, unsigned int count);

/* Draws the map for a terminal of @width columns. Returns 0, or -1 when out of memory. */
int heat_map_print(const struct heat_map *map, const struct mm_report_options *options, FILE *out,
		   unsigned int width);
/*
 * Writes the map as a PNG file. Returns 0, or -1 when out of memory or if writing to @out failed.
 */
int heat_map_write_png(const struct heat_map *map, const struct mm_report_options *options,
		       FILE *out);

extern const struct mm_listing pageref_heat_listing;

#endif /* LTTNG_MM_PAGEREF_HEAT_MAP_H */
