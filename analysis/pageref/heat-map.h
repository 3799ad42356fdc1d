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
	uint32_t area; /* its mapping at the first touch; 0: not known */
};

/* The touches of an address space; the key is its number. */
struct heat_space {
	struct mm_row key;
	uint64_t touches;
};

/*
 * Chunks double in size when there are too many of them, and columns become twice as wide when the
 * time does not fit. A column is one array, because touches that follow each other are in one
 * column.
 */
struct heat_map {
	struct pageref_state *state; /* mappings, names, and what was missed */
	bool by_touches;	     /* columns are numbers of touches, not times */
	struct mm_rows chunks;	     /* struct heat_chunk */
	/* Numbers of chunks that were touched recently, found without the hash table of @chunks. */
	struct heat_recent {
		uint64_t chunk;
		uint32_t mm, number; /* 0: not used */
	} recent[HEAT_RECENT];
	unsigned int chunk_shift;
	bool is_full; /* chunks cannot be joined any more */
	struct heat_column {
		uint32_t *pages; /* touched pages, by chunk; NULL: none */
		bool is_lossy;	 /* events may be missing */
	} columns[HEAT_COLUMNS];
	unsigned int column_shift; /* a column is 2^column_shift ns or touches wide */
	unsigned int column;	   /* the current one */
	int64_t column_ns;	   /* time of the first event in it */
	struct mm_rows spaces;	   /* struct heat_space */
	uint32_t space;		   /* the row of the last touch */
	uint64_t touches, pages;   /* a huge page is 512 pages */
	uint64_t left_out;	   /* touches for which there is no chunk */
	bool has_huge;
};

/* Returns NULL when out of memory. */
struct heat_map *heat_map_create(bool by_touches);
void heat_map_destroy(struct heat_map *map);
/* Handles an event of pageref_state_request(places_only). Returns 0, or -1 when out of memory. */
int heat_map_event(struct heat_map *map, const struct mm_event *event);
/* Handles the end of the trace. Returns 0, or -1 when out of memory. */
int heat_map_finish(struct heat_map *map, const struct mm_sysinfo *sysinfo);

/* Chunks of one file or kind of memory in one address space, without others between them. */
struct heat_region {
	const struct touched_space *space;
	const struct pageref_object *object;
	size_t first, count; /* position among all chunks that are shown */
};

/* A grid of the size of a picture or a terminal, without addresses that were not touched. */
struct heat_view {
	size_t row_count, column_count; /* 0: there is nothing to see */
	uint64_t *cells;		/* touched pages; row 0 has the lowest addresses */
	uint64_t most;			/* the largest cell */
	bool *lossy;			/* by column */
	struct heat_region *regions;
	size_t region_count, region_room;
	size_t chunk_count; /* the positions of regions are below */
	size_t chunks_per_row;
	uint64_t row_bytes;   /* addresses of a row */
	uint64_t column_size; /* nanoseconds or touches */
	uint64_t size;	      /* of all columns that have events, in nanoseconds or touches */
	uint64_t pages;	      /* sum of all cells */
	uint64_t touches;
	uint64_t processes;
};

/*
 * Makes a view of at most @rows and @columns of the selected process. Returns 0, or -1 when out of
 * memory. Release with heat_view_release().
 */
int heat_view_make(const struct heat_map *map, const struct mm_report_options *options, size_t rows,
		   size_t columns, struct heat_view *view);
void heat_view_release(struct heat_view *view);

#define HEAT_TEXT 400
#define HEAT_SCALE_TEXT 160
/* Write sentences: what the view shows, and what its cells are. */
void heat_view_title(const struct heat_map *map, const struct heat_view *view,
		     char text[HEAT_TEXT]);
void heat_view_scale(const struct heat_map *map, const struct heat_view *view,
		     char text[HEAT_SCALE_TEXT]);
/* Writes what the view does not show, or why there is nothing to see. */
void heat_view_missed(const struct heat_map *map, const struct heat_view *view,
		      const struct mm_report_options *options, char text[HEAT_TEXT]);
/* Writes the name of the region's process: "cc1 (pid 77)". The result may be hostile. */
void heat_view_process(const struct heat_region *region, char *text, size_t size);
/* Writes a time or a number of touches for a label of the axis. */
void heat_view_tick(const struct heat_map *map, uint64_t at, uint64_t step, char *text,
		    size_t size);
/* Returns a distance of labels of which at most @count fit in @size: 1, 2 or 5 times 10^N. */
uint64_t heat_view_step(uint64_t size, unsigned int count);

/* Draws the map for a terminal of @width columns. Returns 0, or -1 when out of memory. */
int heat_map_print(const struct heat_map *map, const struct mm_report_options *options, FILE *out,
		   unsigned int width);
/* Writes the map as a PNG file. Returns 0, or -1: out of memory, or @out has an error. */
int heat_map_write_png(const struct heat_map *map, const struct mm_report_options *options,
		       FILE *out);

extern const struct mm_listing pageref_heat_listing;

#endif /* LTTNG_MM_PAGEREF_HEAT_MAP_H */
