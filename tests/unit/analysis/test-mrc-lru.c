// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the bounds of LRU refaults on random workloads. A model of the recorder turns the uses of a
 * workload into events: it marks pages one by one during a pass, loses marks, and maps pages around
 * faults. For each size of the memory, the test counts the refaults with a list of the pages in the
 * order of use. This count must be within the bounds at all valid sizes.
 */
#include <string.h>

#include "analysis/mrc/pages.h"
#include "tests/tap.h"

#define TRACES 1200 /* of each kind */
#define SPACES 6
#define PAGES 24
#define ANON 10	   /* pages below ANON are anonymous */
#define PRIVATE 15 /* pages from ANON on: private writable file mapping; from PRIVATE on: shared */
#define EVENTS 4000
#define USES 4000
#define OBJECTS 4000
#define HUGE_FIRST 512 /* address of the first huge page, in pages */
#define HUGE_PAGES 3

enum event_kind { TOUCH, AROUND, START, END, GONE, FORK };

struct event {
	enum event_kind kind;
	uint32_t mm, parent, page, count;
	unsigned int how; /* kind of the touch, or cause */
	bool write, huge;
};

struct entry {
	int object; /* 0: not present */
	bool marked, seen;
};

struct space {
	bool alive, walking;
	unsigned int passes, at;
	struct entry pages[PAGES + HUGE_PAGES];
	struct {
		uint32_t page;
		uint64_t since;
	} unseen[EVENTS];
	size_t unseen_count;
	uint64_t started, last_started;
};

/* Properties of a workload. */
struct kind {
	const char *name;
	unsigned int lost; /* percent of the marks */
	bool frees, forks, files, huge, staggered;
};

static struct {
	const struct kind *kind;
	struct event events[EVENTS];
	size_t event_count;
	int uses[USES]; /* objects; negative: the object is freed */
	size_t use_count;
	int objects, mapped[OBJECTS], weights[OBJECTS];
	int file_objects[PAGES];
	struct space spaces[SPACES];
} m;

static unsigned int below(unsigned int end)
{
	return (unsigned int)rand() % end;
}

static bool chance(unsigned int percent)
{
	return below(100) < percent;
}

static struct event *record(enum event_kind kind, unsigned int space, uint32_t page)
{
	struct event *event = &m.events[m.event_count++];

	*event = (struct event){ .kind = kind, .mm = space + 1, .page = page, .count = 1 };
	return event;
}

static void use(int object)
{
	m.uses[m.use_count++] = object;
}

static int new_object(int weight)
{
	m.weights[++m.objects] = weight;
	m.mapped[m.objects] = 0;
	return m.objects;
}

static bool is_huge(unsigned int page)
{
	return page >= PAGES;
}

/* Pages of the model after PAGES are huge pages. */
static uint32_t address_of(unsigned int page)
{
	return is_huge(page) ? HUGE_FIRST * (page - PAGES + 1) : page;
}

static bool is_file_page(unsigned int page)
{
	return page >= ANON && page < PAGES && m.kind->files;
}

static bool is_private_file(unsigned int page)
{
	return is_file_page(page) && page < PRIVATE;
}

static bool is_file_object(unsigned int page, int object)
{
	return is_file_page(page) && m.file_objects[page] == object;
}

static void map(unsigned int space, unsigned int page, int object)
{
	m.spaces[space].pages[page] = (struct entry){ .object = object, .seen = true };
	m.mapped[object]++;
}

static void unmap(unsigned int space, unsigned int page)
{
	struct entry *entry = &m.spaces[space].pages[page];
	const int object = entry->object;

	*entry = (struct entry){ 0 };
	if (object && !--m.mapped[object] && !is_file_object(page, object))
		use(-object);
}

static void touch(unsigned int space, unsigned int page, unsigned int how, bool write)
{
	struct event *event = record(TOUCH, space, address_of(page));

	event->how = how;
	event->write = write;
	event->huge = is_huge(page);
}

/* A fault maps the pages after @page, too. */
static void map_around(unsigned int space, unsigned int page)
{
	const unsigned int end = page < PRIVATE ? PRIVATE : PAGES;

	for (unsigned int i = page + 1; i < end && i < page + 3; i++) {
		if (m.spaces[space].pages[i].object)
			return;
		map(space, i, m.file_objects[i]);
		record(AROUND, space, i);
	}
}

static void use_page(unsigned int space, unsigned int page, bool write)
{
	struct entry *entry = &m.spaces[space].pages[page];
	int object;

	if (!entry->object) {
		touch(space, page, LTTNG_MM_PAGEREF_DEMAND, write);
		if (is_file_page(page))
			use(m.file_objects[page]);
		if (!is_file_page(page) || (is_private_file(page) && write)) {
			object = new_object(is_huge(page) ? MRC_HUGE_PAGES : 1);
			use(object);
			map(space, page, object);
			return;
		}
		map(space, page, m.file_objects[page]);
		if (chance(50))
			map_around(space, page);
		return;
	}
	use(entry->object);
	if (entry->marked) {
		entry->marked = false;
		/* The first pass over a forked address space does not report lost marks. */
		if (!m.spaces[space].passes || !chance(m.kind->lost)) {
			touch(space, page, LTTNG_MM_PAGEREF_ARMED, write);
			entry->seen = true;
		}
	}
	if (!write || is_huge(page))
		return;
	if ((is_private_file(page) && is_file_object(page, entry->object)) ||
	    (!is_file_page(page) && m.mapped[entry->object] > 1) ||
	    (is_private_file(page) && m.mapped[entry->object] > 1)) {
		touch(space, page, LTTNG_MM_PAGEREF_COPY, true);
		object = new_object(1);
		unmap(space, page);
		use(object);
		map(space, page, object);
	}
}

static void advance_pass(unsigned int number, unsigned int count)
{
	struct space *space = &m.spaces[number];

	for (; count-- && space->at < PAGES + HUGE_PAGES; space->at++) {
		struct entry *entry = &space->pages[space->at];

		if (!entry->object)
			continue;
		if (!entry->marked && !entry->seen && space->passes) {
			space->unseen[space->unseen_count].page = space->at;
			space->unseen[space->unseen_count++].since = space->last_started;
		}
		entry->marked = true;
		entry->seen = false;
	}
	if (space->at < PAGES + HUGE_PAGES)
		return;
	record(END, number, 0);
	space->walking = false;
	space->passes++;
	space->last_started = space->started;
}

static void start_pass(unsigned int number)
{
	struct space *space = &m.spaces[number];

	space->walking = true;
	space->at = 0;
	space->started = m.event_count;
	record(START, number, 0);
	if (!m.kind->staggered)
		advance_pass(number, PAGES + HUGE_PAGES);
}

static void fork_space(unsigned int parent)
{
	unsigned int child = 0;

	while (child < SPACES && (m.spaces[child].alive || m.spaces[child].passes))
		child++;
	if (child == SPACES)
		return;
	m.spaces[child].alive = true;
	m.spaces[child].passes = 0;
	record(FORK, child, 0)->parent = parent + 1;
	for (unsigned int page = 0; page < PAGES + HUGE_PAGES; page++) {
		const struct entry *from = &m.spaces[parent].pages[page];

		if (!from->object || is_file_object(page, from->object))
			continue;
		map(child, page, from->object);
		m.spaces[child].pages[page].marked = from->marked;
		m.spaces[child].pages[page].seen = false;
	}
}

static void end_space(unsigned int number)
{
	record(GONE, number, 0)->how = LTTNG_MM_PAGEREF_GONE_EXIT;
	for (unsigned int page = 0; page < PAGES + HUGE_PAGES; page++)
		unmap(number, page);
	m.spaces[number].alive = m.spaces[number].walking = false;
	m.spaces[number].passes = 1; /* the number is not used again */
}

static void lose_pages(unsigned int number, unsigned int page)
{
	struct event *event;

	if (is_file_page(page) && chance(50)) {
		/* A truncation frees the page in all address spaces that map it. */
		const int object = m.file_objects[page];

		if (!m.mapped[object])
			return;
		for (unsigned int i = 0; i < SPACES; i++) {
			if (m.spaces[i].pages[page].object != object)
				continue;
			record(GONE, i, page)->how = LTTNG_MM_PAGEREF_GONE_DISCARD;
			unmap(i, page);
		}
		use(-object);
		m.file_objects[page] = new_object(1);
		return;
	}
	event = record(GONE, number, address_of(page));
	event->how =
		is_file_page(page) ? LTTNG_MM_PAGEREF_GONE_RECLAIM : LTTNG_MM_PAGEREF_GONE_UNMAP;
	event->count = is_huge(page) ? MRC_HUGE_PAGES : 1 + below(4);
	if (!is_huge(page) && page + event->count > (is_file_page(page) ? PAGES : ANON))
		event->count = 1;
	for (unsigned int i = 0; i < (is_huge(page) ? 1 : event->count); i++)
		unmap(number, page + i);
}

/* Chooses a page by the pattern of the workload. */
static unsigned int choose(unsigned int pattern, size_t step)
{
	const unsigned int pages = m.kind->huge ? PAGES + HUGE_PAGES : PAGES;
	const unsigned int a = below(pages), b = below(pages);

	switch (pattern) {
	case 0:
		return a;
	case 1:
		return (unsigned int)step % pages;
	case 2:
		return a < b ? a : b;
	default:
		return (unsigned int)(step / 60 * 5 + a / 3) % pages;
	}
}

static void make(const struct kind *kind, unsigned int seed)
{
	const unsigned int pattern = seed % 4, interval = 4 + seed / 4 % 25;

	srand(seed);
	memset(&m, 0, sizeof(m));
	m.kind = kind;
	for (unsigned int page = 0; page < PAGES; page++)
		m.file_objects[page] = new_object(1);
	m.spaces[0].alive = m.spaces[1].alive = true;
	for (size_t step = 0; step < 400; step++) {
		const unsigned int number = kind->forks ? below(SPACES) : step % 5 == 0;
		struct space *space = &m.spaces[number];

		if (!space->alive)
			continue;
		if (space->walking)
			advance_pass(number, 1 + below(8));
		else if (!below(interval))
			start_pass(number);
		if (kind->frees && chance(4))
			lose_pages(number, choose(pattern, step));
		if (kind->lost && space->passes && chance(5)) {
			/* Something else removes a mark, and nobody uses the page. */
			struct entry *entry = &space->pages[choose(pattern, step)];

			entry->seen &= !entry->marked;
			entry->marked = false;
		}
		if (kind->forks && chance(3))
			fork_space(number);
		if (kind->forks && chance(1) && number)
			end_space(number);
		else
			use_page(number, choose(pattern, step), chance(30));
	}
	/* Only a pass notices lost marks, so each address space gets one more pass. */
	for (unsigned int number = 0; number < SPACES; number++) {
		if (m.spaces[number].walking)
			advance_pass(number, PAGES + HUGE_PAGES);
		if (m.spaces[number].alive)
			start_pass(number);
		if (m.spaces[number].walking)
			advance_pass(number, PAGES + HUGE_PAGES);
	}
}

/* Counts the refaults of a memory of @size pages with the LRU policy. */
static uint64_t count_refaults(uint64_t size)
{
	static int list[OBJECTS];
	static bool known[OBJECTS];
	uint64_t refaults = 0, used = 0;
	size_t count = 0;

	memset(known, 0, sizeof(known));
	for (size_t i = 0; i < m.use_count; i++) {
		const int object = abs(m.uses[i]);
		size_t at = 0;

		while (at < count && list[at] != object)
			at++;
		if (at < count) {
			memmove(list + at, list + at + 1, (--count - at) * sizeof(*list));
			used -= (uint64_t)m.weights[object];
		} else if (m.uses[i] > 0) {
			refaults += known[object];
		}
		if (m.uses[i] < 0)
			continue;
		known[object] = true;
		if ((uint64_t)m.weights[object] > size)
			continue;
		list[count++] = object;
		used += (uint64_t)m.weights[object];
		while (used > size) {
			used -= (uint64_t)m.weights[list[0]];
			memmove(list, list + 1, --count * sizeof(*list));
		}
	}
	return refaults;
}

static void add_file(struct mrc_mappings *mappings, uint32_t mm, uint64_t first, uint64_t end,
		     bool shared)
{
	const union mm_scalar fields[] = {
		{ .u = mm },
		{ .u = first << MRC_PAGE_SHIFT },
		{ .u = end << MRC_PAGE_SHIFT },
		{ .u = first },
		{ .u = true },
		{ .u = shared },
		{ .u = 8 },
		{ .u = 1 },
		{ .u = 77 },
	};
	const struct mm_event event = { .fields = fields };

	if (mrc_mappings_add(mappings, &event))
		abort();
}

/* Makes the data that mrc_prelude_read() would read from the trace. */
static void make_prelude(struct mrc_prelude *prelude)
{
	*prelude = (struct mrc_prelude){ .sample = LTTNG_MM_PAGEREF_SAMPLE_ALL };
	if (mm_rows_init(&prelude->spaces, sizeof(struct mrc_known_space), 1000, 4) ||
	    mrc_mappings_init(&prelude->mappings))
		abort();
	prelude->unseen = calloc(EVENTS, sizeof(*prelude->unseen));
	for (uint32_t i = 0; i < SPACES; i++) {
		struct mrc_known_space *space = mm_rows_get(&prelude->spaces, i + 1, 0);

		space->first_unseen = MRC_NO_UNSEEN;
		for (size_t j = m.spaces[i].unseen_count; j--;) {
			const uint32_t page = m.spaces[i].unseen[j].page;

			prelude->unseen[prelude->unseen_count] = (struct mrc_unseen){
				.since_ns = (int64_t)m.spaces[i].unseen[j].since,
				.first = address_of(page),
				.pages = is_huge(page) ? MRC_HUGE_PAGES : 1,
				.next = space->first_unseen,
			};
			space->first_unseen = (uint32_t)prelude->unseen_count++;
		}
		if (!m.kind->files)
			continue;
		add_file(&prelude->mappings, i + 1, ANON, PRIVATE, false);
		add_file(&prelude->mappings, i + 1, PRIVATE, PAGES, true);
	}
}

static int feed(struct mrc_pages *pages)
{
	int ret = 0;

	for (size_t i = 0; i < m.event_count && !ret; i++) {
		const struct event *event = &m.events[i];
		const struct mrc_touch touched = { event->mm,
						   (uint64_t)event->page << MRC_PAGE_SHIFT,
						   event->how, event->huge, event->write };

		switch (event->kind) {
		case TOUCH:
			ret = mrc_pages_touch(pages, &touched);
			break;
		case AROUND:
			ret = mrc_pages_around(pages, event->mm, touched.address, event->count);
			break;
		case START:
		case END:
			ret = mrc_pages_pass(pages, event->mm, event->kind == END, (int64_t)i);
			break;
		case GONE:
			ret = mrc_pages_gone(pages, event->mm, touched.address, event->count,
					     event->how);
			break;
		case FORK:
			ret = mrc_pages_space(pages, event->mm, event->parent);
		}
	}
	return ret ? ret : mrc_pages_finish(pages);
}

static uint64_t sizes, outside, wide, low_sum, high_sum, true_sum;

static void check_size(const struct mrc_tally *tally, uint64_t size, unsigned int seed)
{
	const uint64_t low = mrc_distances_above(&tally->low, size);
	const uint64_t high = mrc_distances_above(&tally->high, size);
	const uint64_t is = count_refaults(size);

	sizes++;
	low_sum += low;
	high_sum += high;
	true_sum += is;
	if (is < low || is > high) {
		outside++;
		tap_differ("%s: seed %u, size %" PRIu64 " (valid from %" PRIu64 "): %" PRIu64
			   " refaults are not from %" PRIu64 " to %" PRIu64,
			   m.kind->name, seed, size, tally->largest, is, low, high);
	}
	/* Without losses, the error of a distance is at most the size of the largest set. */
	if (!m.kind->lost && !m.kind->files && !m.kind->forks)
		wide += mrc_distances_above(&tally->high, size + tally->largest) > low;
}

static void check(const struct kind *kind, unsigned int traces)
{
	sizes = outside = wide = low_sum = high_sum = true_sum = 0;
	for (unsigned int seed = 0; seed < traces; seed++) {
		struct mrc_prelude prelude;
		struct mrc_pages pages;
		const struct mrc_tally *tally = &pages.stack.tallies[0];

		make(kind, seed);
		make_prelude(&prelude);
		if (mrc_pages_init(&pages, &prelude, 1) || feed(&pages))
			abort();
		if (pages.gave_up)
			outside++;
		for (uint64_t size = tally->largest; size < tally->largest + 2 * PAGES; size++)
			check_size(tally, size, seed);
		for (uint64_t huge = 1; kind->huge && huge <= 2 * HUGE_PAGES; huge++)
			for (uint64_t size = huge * MRC_HUGE_PAGES - 2;
			     size < huge * MRC_HUGE_PAGES + PAGES; size += 5)
				if (size >= tally->largest)
					check_size(tally, size, seed);
		mrc_pages_release(&pages);
		mm_rows_release(&prelude.spaces);
		mrc_mappings_release(&prelude.mappings);
		free(prelude.unseen);
	}
	printf("# %s: %u traces, %" PRIu64 " valid sizes: %" PRIu64 " to %" PRIu64
	       " refaults, in truth %" PRIu64 "\n",
	       kind->name, traces, sizes, low_sum, high_sum, true_sum);
	tap(!outside && sizes, "%s: the refaults are within the bounds at all valid sizes",
	    kind->name);
	tap(!wide,
	    "... and without losses the distance between the bounds is at most the largest set");
}

int main(void)
{
	static const struct kind kinds[] = {
		{ .name = "passes at once" },
		{ .name = "passes that take time", .staggered = true },
		{ .name = "lost marks", .staggered = true, .lost = 10 },
		{ .name = "freed pages", .staggered = true, .frees = true },
		{ .name = "files", .staggered = true, .files = true },
		{ .name = "files that are truncated",
		  .staggered = true,
		  .files = true,
		  .frees = true },
		{ .name = "copies", .staggered = true, .forks = true },
		{ .name = "huge pages", .staggered = true, .frees = true, .huge = true },
		{ .name = "everything",
		  .staggered = true,
		  .lost = 10,
		  .frees = true,
		  .files = true,
		  .forks = true,
		  .huge = true },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		check(&kinds[i], TRACES);
	return tap_status();
}
