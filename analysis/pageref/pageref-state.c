// SPDX-License-Identifier: LGPL-2.1-only
/* Turns events of page references into counts of pages, mappings, address spaces and intervals. */
#include "analysis/pageref/pageref-state.h"

#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"

#define KIND_NAME(name, number) [number] = #name,
const char *const pageref_kind_names[PAGEREF_KINDS] = {
	LTTNG_MM_PAGEREF_KINDS(KIND_NAME)[LTTNG_MM_PAGEREF_KIND_END] = "OTHER",
};

/* Packed fields are all ones if the value does not fit. */
#define SPACE_ONES ((1u << LTTNG_MM_PAGEREF_MM_BITS) - 1)
#define ADDRESS_ONES ((UINT64_C(1) << LTTNG_MM_PAGEREF_ADDRESS_BITS) - 1)

enum { TOUCH_TID, TOUCH_MM, TOUCH_ADDRESS, TOUCH_KIND, TOUCH_HUGE };
enum { RANGE_MM, RANGE_ADDRESS, RANGE_PAGES, RANGE_CAUSE };
enum { PASS_MM, PASS_END, PASS_ARMED, PASS_LEFT_OUT };
enum { SPACE_MM, SPACE_PID, SPACE_NAME };
enum {
	MAPPING_MM,
	MAPPING_START,
	MAPPING_END,
	MAPPING_MAJOR,
	MAPPING_MINOR,
	MAPPING_INO,
	MAPPING_NAME
};

static const char *const touch_fields[] = { "tid", "mm", "address", "kind", "huge", NULL };
static const char *const around_fields[] = { "mm", "address", "pages", NULL };
static const char *const gone_fields[] = { "mm", "address", "pages", "cause", NULL };
static const char *const pass_fields[] = { "mm", "end", "armed", "left_out", NULL };
static const char *const space_fields[] = { "mm", "pid", "name", NULL };
static const char *const mapping_fields[] = { "mm",	   "start", "end",  "dev_major",
					      "dev_minor", "ino",   "name", NULL };

static void request(struct mm_requests *requests, const char *event, const char *const *fields)
{
	mm_requests_add(requests, event);
	for (; *fields; fields++)
		mm_requests_add_field(requests, *fields,
				      strcmp(*fields, "name") ? MM_FIELD_INTEGER : MM_FIELD_STRING);
}

/* Adds the requests in the order of enum pageref_request. */
void pageref_state_request_history(struct mm_requests *requests)
{
	mm_threads_request(requests);
	request(requests, "pageref_mm", space_fields);
	request(requests, "pageref_mapping", mapping_fields);
	pageref_io_request_names(requests);
}

void pageref_state_request(struct mm_requests *requests)
{
	pageref_state_request_history(requests);
	request(requests, "pageref_touch", touch_fields);
	request(requests, "pageref_touch_wide", touch_fields);
	request(requests, "pageref_around", around_fields);
	request(requests, "pageref_pass", pass_fields);
	request(requests, "pageref_unseen", around_fields);
	request(requests, "pageref_gone", gone_fields);
	pageref_io_request(requests);
	request(requests, "pageref_statedump_mm", space_fields);
	request(requests, "pageref_statedump_mapping", mapping_fields);
}

static int add_objects(struct pageref_state *state)
{
	for (uint32_t memory = 0; memory < PAGEREF_MEMORIES; memory++)
		if (!mm_rows_get(&state->objects, memory, 0))
			return -1;
	return 0;
}

/* Adds an area. Returns its number, or 0 when out of memory. */
static uint32_t add_area(struct pageref_state *state, uint64_t first, uint64_t last,
			 uint32_t object)
{
	struct pageref_area *areas =
		mm_array_grow(state->areas, state->area_count, &state->area_room, sizeof(*areas));

	if (!areas)
		return 0;
	state->areas = areas;
	areas[state->area_count] = (struct pageref_area){ first, last, object };
	return (uint32_t)state->area_count++;
}

static int add_interval(struct pageref_state *state, int64_t start_ns)
{
	struct pageref_interval *intervals = mm_array_grow(
		state->intervals, state->interval_count, &state->interval_room, sizeof(*intervals));

	if (!intervals)
		return -1;
	state->intervals = intervals;
	intervals[state->interval_count++] = (struct pageref_interval){ start_ns, false };
	return 0;
}

struct pageref_state *pageref_state_create(void)
{
	struct pageref_state *state = calloc(1, sizeof(*state));
	const uint32_t max = UINT32_MAX - 1;

	if (!state)
		return NULL;
	mm_threads_init(&state->threads);
	mm_threads_init(&state->earlier_threads);
	mm_loss_times_init(&state->losses);
	if (!mm_rows_init(&state->spaces, sizeof(struct touched_space), max, 6) &&
	    !mm_rows_init(&state->tables, sizeof(struct pageref_pages), max, 12) &&
	    !mm_rows_init(&state->objects, sizeof(struct pageref_object), max, 6) &&
	    !mm_rows_init(&state->uses, sizeof(struct pageref_use), max, 8) &&
	    !mm_rows_init(&state->unmapped, sizeof(struct pageref_unmapped), max, 8) &&
	    !mm_rows_init(&state->interval_uses, sizeof(struct pageref_interval_use), max, 6) &&
	    !mm_last_ranges_init(&state->mappings) &&
	    !mm_last_ranges_init(&state->earlier_mappings) && !mm_last_ranges_init(&state->gone) &&
	    !pageref_io_init(&state->io) && !add_objects(state) && !add_area(state, 1, 0, 0) &&
	    state->area_count && !add_interval(state, INT64_MIN))
		return state;
	pageref_state_destroy(state);
	return NULL;
}

void pageref_state_destroy(struct pageref_state *state)
{
	if (!state)
		return;
	for (uint32_t i = 1; i < state->objects.count; i++)
		free(((struct pageref_object *)mm_rows_at(&state->objects, i))->name);
	mm_rows_release(&state->spaces);
	mm_rows_release(&state->tables);
	mm_rows_release(&state->objects);
	mm_rows_release(&state->uses);
	mm_rows_release(&state->unmapped);
	mm_rows_release(&state->interval_uses);
	mm_last_ranges_release(&state->mappings);
	mm_last_ranges_release(&state->earlier_mappings);
	mm_last_ranges_release(&state->gone);
	pageref_io_release(&state->io);
	mm_threads_release(&state->threads);
	mm_threads_release(&state->earlier_threads);
	mm_loss_times_release(&state->losses);
	free(state->areas);
	free(state->intervals);
	free(state);
}

static struct touched_space *find_space(struct pageref_state *state, uint32_t mm)
{
	const uint32_t count = state->spaces.count;
	struct touched_space *space = mm_rows_get(&state->spaces, mm, 0);

	if (space && state->spaces.count > count) {
		space->pid = PAGEREF_NO_PID;
		space->thread = MM_HASH_NONE;
	}
	return space;
}

static void name_space(struct touched_space *space, const struct mm_event *event)
{
	space->pid = (uint32_t)event->fields[SPACE_PID].u;
	space->is_named = true;
	strncpy(space->name, event->fields[SPACE_NAME].s, sizeof(space->name) - 1);
}

static int on_space(struct pageref_state *state, const struct mm_event *event)
{
	struct touched_space *space = find_space(state, (uint32_t)event->fields[SPACE_MM].u);

	if (!space)
		return -1;
	name_space(space, event);
	return 0;
}

/* Returns the number of the mapping's object, or MM_HASH_NONE when out of memory. */
static uint32_t find_object(struct pageref_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	const char *name = f[MAPPING_NAME].s;
	const uint64_t ino = f[MAPPING_INO].u;
	struct mm_row key = { (uint32_t)f[MAPPING_MAJOR].u << 20 | (uint32_t)f[MAPPING_MINOR].u,
			      (uint32_t)ino, (uint32_t)(ino >> 32), 1 };
	struct pageref_object *object;
	uint32_t number;

	if (!key.a && !ino)
		key = (struct mm_row){ !strcmp(name, "[heap]")	  ? PAGEREF_MEMORY_HEAP
				       : !strcmp(name, "[stack]") ? PAGEREF_MEMORY_STACK
								  : PAGEREF_MEMORY_ANONYMOUS,
				       0, 0, 0 };
	number = mm_rows_number(&state->objects, &key);
	if (number == MM_HASH_NONE || !key.d)
		return number;
	object = mm_rows_at(&state->objects, number);
	if (!object->name && !(object->name = strdup(name)))
		return MM_HASH_NONE;
	return number;
}

/* Adds the mapping of an event to @mappings. */
static int add_mapping(struct pageref_state *state, const struct mm_event *event,
		       struct mm_last_ranges *mappings)
{
	const union mm_scalar *f = event->fields;
	const uint64_t first = f[MAPPING_START].u >> PAGEREF_PAGE_SHIFT;
	const uint64_t last = (f[MAPPING_END].u - 1) >> PAGEREF_PAGE_SHIFT;
	uint32_t object, area;

	if (f[MAPPING_START].u >= f[MAPPING_END].u)
		return 0;
	object = find_object(state, event);
	area = object == MM_HASH_NONE ? 0 : add_area(state, first, last, object);
	if (!area)
		return -1;
	return mm_last_ranges_set(mappings, (uint32_t)f[MAPPING_MM].u, first, last,
				  ++state->range_number, area);
}

static int on_mapping(struct pageref_state *state, const struct mm_event *event)
{
	struct touched_space *space = find_space(state, (uint32_t)event->fields[MAPPING_MM].u);

	if (!space || add_mapping(state, event, &state->mappings))
		return -1;
	space->changed = state->range_number;
	return 0;
}

static struct mm_row page_key(uint32_t mm, uint64_t number)
{
	return (struct mm_row){ mm, (uint32_t)(number >> 32), (uint32_t)number, 0 };
}

/* Forgets the table's pages if they are gone, and its area if a mapping has changed since. */
static void update_table(const struct pageref_state *state, const struct touched_space *space,
			 struct pageref_pages *table, uint64_t number)
{
	struct mm_last_range gone;

	if (table->number < space->changed) {
		gone = mm_last_ranges_find(&state->gone, space->key.a, number);
		if (gone.number > table->number)
			memset(table->touched, 0, sizeof(table->touched));
		table->area = 0;
		table->number = state->range_number;
	}
	if (table->interval != space->interval) {
		memset(table->in_interval, 0, sizeof(table->in_interval));
		table->interval = space->interval;
	}
}

/* Adds the pages of a touch to @pages. Returns how many of them are new. */
static uint64_t add_pages(uint64_t *pages, unsigned int page, bool huge)
{
	uint64_t added = 0;

	for (unsigned int i = 0; i < PAGEREF_TABLE_PAGES / 64; i++) {
		const uint64_t bits = huge	       ? UINT64_MAX
				      : i == page / 64 ? UINT64_C(1) << page % 64
						       : 0;

		added += (uint64_t)__builtin_popcountll(bits & ~pages[i]);
		pages[i] |= bits;
	}
	return added;
}

static int add_use(struct pageref_state *state, uint32_t object, uint32_t mm, uint64_t touches,
		   uint64_t pages)
{
	struct pageref_use *use = mm_rows_get(&state->uses, object, mm);

	if (!use)
		return -1;
	use->touches += touches;
	use->pages += pages;
	return 0;
}

/* Counts a touch of @page, by which @pages pages became touched, for its mapping. */
static int count_mapping(struct pageref_state *state, struct pageref_pages *table, uint32_t mm,
			 uint64_t page, uint64_t pages)
{
	const struct pageref_area *area = &state->areas[table->area];
	const struct mm_row key = page_key(mm, page);
	struct pageref_unmapped *unmapped;
	uint32_t number;

	if (page < area->first || page > area->last) {
		table->area = mm_last_ranges_find(&state->mappings, mm, page).value;
		area = &state->areas[table->area];
	}
	if (table->area)
		return add_use(state, area->object, mm, 1, pages);
	number = mm_rows_number(&state->unmapped, &key);
	if (number == MM_HASH_NONE)
		return -1;
	unmapped = mm_rows_at(&state->unmapped, number);
	unmapped->touches++;
	unmapped->pages += pages;
	return 0;
}

/* Adds @pages to those that the address space touched in its current interval. */
static int count_interval(struct pageref_state *state, const struct touched_space *space,
			  uint64_t pages)
{
	struct pageref_interval_use *use =
		pages ? mm_rows_get(&state->interval_uses, space->key.a, space->interval) : NULL;

	if (use)
		use->pages += pages;
	return pages && !use ? -1 : 0;
}

static int count_touch(struct pageref_state *state, const struct mm_event *event, uint32_t mm,
		       uint64_t address)
{
	const union mm_scalar *f = event->fields;
	const uint64_t page = address >> PAGEREF_PAGE_SHIFT, number = page >> PAGEREF_TABLE_SHIFT;
	const struct mm_row key = page_key(mm, number);
	struct touched_space *space = find_space(state, mm);
	uint32_t row = mm_rows_number(&state->tables, &key);
	const unsigned int at = page % PAGEREF_TABLE_PAGES;
	struct pageref_pages *table;
	uint64_t pages;

	if (!space || row == MM_HASH_NONE)
		return -1;
	if (!space->is_named && space->thread == MM_HASH_NONE) {
		space->thread = mm_threads_number(&state->threads, (int32_t)f[TOUCH_TID].u);
		if (space->thread == MM_HASH_NONE)
			return -1;
	}
	/* Before its first pass, an address space is in the interval of the others. */
	if (!space->first_passed)
		space->interval = (uint32_t)state->interval_count - 1;
	table = mm_rows_at(&state->tables, row);
	update_table(state, space, table, number);
	pages = add_pages(table->touched, at, f[TOUCH_HUGE].u);
	space->pages += pages;
	space->touches[f[TOUCH_KIND].u < PAGEREF_KINDS ? f[TOUCH_KIND].u : PAGEREF_KINDS - 1]++;
	if (count_interval(state, space, add_pages(table->in_interval, at, f[TOUCH_HUGE].u)))
		return -1;
	return count_mapping(state, table, mm, page, pages);
}

/* The wide variant is recorded before the packed event, on the same CPU. */
static int on_touch(struct pageref_state *state, const struct mm_event *event)
{
	const struct pageref_wide *wide = &state->wides[event->cpu % PAGEREF_WIDE_CPUS];
	const uint32_t mm = (uint32_t)event->fields[TOUCH_MM].u;
	const uint64_t address = event->fields[TOUCH_ADDRESS].u;
	const bool no_mm = mm == SPACE_ONES, no_address = address == ADDRESS_ONES;

	if (!no_mm && !no_address)
		return count_touch(state, event, mm, address);
	if (wide->tid == event->fields[TOUCH_TID].u && (no_mm || wide->mm == mm) &&
	    (no_address || wide->address == address))
		return count_touch(state, event, wide->mm, wide->address);
	state->incomplete++;
	return 0;
}

static void on_touch_wide(struct pageref_state *state, const struct mm_event *event)
{
	state->wides[event->cpu % PAGEREF_WIDE_CPUS] =
		(struct pageref_wide){ (uint32_t)event->fields[TOUCH_TID].u,
				       (uint32_t)event->fields[TOUCH_MM].u,
				       event->fields[TOUCH_ADDRESS].u };
}

/*
 * A pass over all address spaces goes by ascending numbers, so it starts with an address space
 * whose number is not above the last one's.
 */
static int start_pass(struct pageref_state *state, struct touched_space *space,
		      const struct mm_event *event)
{
	const size_t count = state->interval_count;
	struct pageref_interval *before;

	if ((count == 1 || space->key.a <= state->last_passed) &&
	    add_interval(state, event->time_ns))
		return -1;
	state->last_passed = space->key.a;
	space->interval = space->last_passed = (uint32_t)state->interval_count - 1;
	if (!space->first_passed)
		space->first_passed = space->interval;
	before = &state->intervals[space->interval - 1];
	if (space->interval > 1)
		before->lacks_events |= mm_loss_bound_any(
			mm_loss_between(&state->losses, before->start_ns, event->time_ns));
	return 0;
}

static int on_pass(struct pageref_state *state, const struct mm_event *event)
{
	struct touched_space *space = find_space(state, (uint32_t)event->fields[PASS_MM].u);

	if (!space)
		return -1;
	if (!event->fields[PASS_END].u)
		return start_pass(state, space, event);
	space->passes++;
	space->armed += event->fields[PASS_ARMED].u;
	space->left_out = event->fields[PASS_LEFT_OUT].u;
	return 0;
}

/* Forgets the pages from @first to @last, which are of one table. */
static void forget_pages(struct pageref_state *state, uint32_t mm, uint64_t first, uint64_t last)
{
	const struct mm_row key = page_key(mm, first >> PAGEREF_TABLE_SHIFT);
	const struct pageref_pages *known = mm_rows_lookup3(&state->tables, key.a, key.b, key.c);
	struct pageref_pages *table;

	if (!known)
		return;
	table = mm_rows_at(&state->tables, mm_rows_number(&state->tables, &key));
	for (uint64_t page = first; page <= last; page++)
		table->touched[page % PAGEREF_TABLE_PAGES / 64] &= ~(UINT64_C(1) << page % 64);
}

static int on_gone(struct pageref_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	const uint32_t mm = (uint32_t)f[RANGE_MM].u;
	const uint64_t first = f[RANGE_ADDRESS].u >> PAGEREF_PAGE_SHIFT,
		       table_mask = PAGEREF_TABLE_PAGES - 1;
	struct touched_space *space = find_space(state, mm);
	uint64_t last, first_table, end_table;

	if (!space)
		return -1;
	/* An address space that has ended is not touched again, and its number is not reused. */
	if (!f[RANGE_PAGES].u || f[RANGE_CAUSE].u == LTTNG_MM_PAGEREF_GONE_EXIT)
		return 0;
	last = f[RANGE_PAGES].u > MM_LAST_RANGE_END - first ? MM_LAST_RANGE_END - 1
							    : first + f[RANGE_PAGES].u - 1;
	space->changed = ++state->range_number;
	if (f[RANGE_CAUSE].u == LTTNG_MM_PAGEREF_GONE_UNMAP &&
	    mm_last_ranges_set(&state->mappings, mm, first, last, state->range_number, 0))
		return -1;
	first_table = (first + table_mask) >> PAGEREF_TABLE_SHIFT;
	end_table = (last + 1) >> PAGEREF_TABLE_SHIFT;
	if (first & table_mask)
		forget_pages(state, mm, first,
			     last < (first | table_mask) ? last : first | table_mask);
	if ((last + 1) & table_mask && end_table >= first_table)
		forget_pages(state, mm, last & ~table_mask, last);
	if (first_table >= end_table)
		return 0;
	return mm_last_ranges_set(&state->gone, mm, first_table, end_table - 1, state->range_number,
				  0);
}

/* Counts pages that no touch explains, or that a fault mapped untouched. */
static int on_pages(struct pageref_state *state, const struct mm_event *event)
{
	struct touched_space *space = find_space(state, (uint32_t)event->fields[RANGE_MM].u);

	if (!space)
		return -1;
	if (event->type->request == PAGEREF_ON_UNSEEN)
		space->unseen += event->fields[RANGE_PAGES].u;
	else
		space->around += event->fields[RANGE_PAGES].u;
	return 0;
}

/* Notes the streams that are cut. */
static int start(struct pageref_state *state, const struct mm_source *source)
{
	int ret = 0;

	state->started = true;
	for (size_t i = 0; i < mm_source_loss_count(source) && !ret; i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);
		const struct mm_cut *cut = mm_missing_cut(source, loss);

		if (cut && loss->affects_others)
			ret = mm_loss_times_add_cut(&state->losses, cut);
	}
	return ret;
}

int pageref_state_event(struct pageref_state *state, const struct mm_event *event)
{
	if (event->type->request < PAGEREF_ON_SPACE)
		return mm_threads_see(&state->threads, (enum mm_thread_event)event->type->request,
				      event, 0, NULL);
	/* A state dump describes the whole trace, whenever it was written. */
	if (event->type->request == PAGEREF_ON_SPACE_DUMP)
		return on_space(state, event);
	if (event->type->request == PAGEREF_ON_MAPPING_DUMP)
		return add_mapping(state, event, &state->earlier_mappings);
	if (!state->started && start(state, event->source))
		return -1;
	switch (event->type->request) {
	case PAGEREF_ON_SPACE:
		return on_space(state, event);
	case PAGEREF_ON_MAPPING:
		return on_mapping(state, event);
	case PAGEREF_ON_FILE:
		return pageref_io_name(&state->io, event);
	case PAGEREF_ON_FILE_IO:
		return pageref_io_event(&state->io, event);
	case PAGEREF_ON_TOUCH:
		return on_touch(state, event);
	case PAGEREF_ON_TOUCH_WIDE:
		on_touch_wide(state, event);
		return 0;
	case PAGEREF_ON_PASS:
		return on_pass(state, event);
	case PAGEREF_ON_GONE:
		return on_gone(state, event);
	default:
		return on_pages(state, event);
	}
}

int pageref_state_before(struct pageref_state *state, const struct mm_event *event)
{
	struct touched_space *space;

	if (event->type->request < PAGEREF_ON_SPACE)
		return mm_threads_see(&state->earlier_threads,
				      (enum mm_thread_event)event->type->request, event, 0, NULL);
	if (event->type->request == PAGEREF_ON_MAPPING)
		return add_mapping(state, event, &state->earlier_mappings);
	if (event->type->request == PAGEREF_ON_FILE)
		return pageref_io_name(&state->io, event);
	if (!mm_rows_lookup(&state->spaces, (uint32_t)event->fields[SPACE_MM].u, 0))
		return 0;
	space = find_space(state, (uint32_t)event->fields[SPACE_MM].u);
	if (!space)
		return -1;
	name_space(space, event);
	return 0;
}

int pageref_state_finish(struct pageref_state *state, const struct mm_sysinfo *sysinfo)
{
	state->sysinfo = sysinfo;
	if (state->failed || mm_threads_precede(&state->threads, &state->earlier_threads))
		return -1;
	for (uint32_t i = 1; i < state->unmapped.count; i++) {
		const struct pageref_unmapped *page = mm_rows_at(&state->unmapped, i);
		const uint64_t number = (uint64_t)page->key.b << 32 | page->key.c;
		const uint32_t area =
			mm_last_ranges_find(&state->earlier_mappings, page->key.a, number).value;
		const uint32_t object =
			area ? state->areas[area].object : PAGEREF_MEMORY_UNKNOWN + 1;

		if (add_use(state, object, page->key.a, page->touches, page->pages))
			return -1;
	}
	for (uint32_t i = 1; i < state->spaces.count; i++) {
		struct touched_space *space = mm_rows_at(&state->spaces, i);
		const char *name;
		int32_t pid;

		if (space->is_named || space->thread == MM_HASH_NONE)
			continue;
		pid = mm_threads_pid(&state->threads, space->thread, sysinfo);
		name = mm_threads_comm(&state->threads, space->thread, sysinfo);
		space->pid = pid < 0 ? PAGEREF_NO_PID : (uint32_t)pid;
		if (name)
			strncpy(space->name, name, sizeof(space->name) - 1);
	}
	return 0;
}
