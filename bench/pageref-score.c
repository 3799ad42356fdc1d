// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares page references with the pages that a program has accessed in each phase
 * (bench/pageref-programs-guest.sh). FOLDER has the truth of phase N in truth.N, as
 * /proc/accessed-pages prints it.
 *
 *   pageref-score record FOLDER PHASES   standard input (a file): the output of babeltrace2
 *   pageref-score damon FOLDER PHASES    standard input: the events damon_aggregated of ftrace
 *   pageref-score own FOLDER PHASES      standard input: the output of bench/pageref-workload.c
 *
 * Phases 2 to PHASES count. Prints "NAME VALUE" lines:
 *
 *   accessed, found, missed, false   pages, summed over the phases; touches of pages that are gone
 *                                    at the end of the phase are not compared
 *   unexplained                      missed pages that no pageref_unseen reports
 *   around                           pages that pageref_around reports and nobody has touched: the
 *                                    kernel has set their Accessed bits, so they are not compared
 *   present                          pages, summed over the phases
 *   f1                               mean over the phases
 *
 * A page counts as found by DAMON if it is present, and in a region with accesses in an aggregation
 * of the phase. An aggregation belongs to the phase that contains its middle. "own" compares only
 * the pages of the program's array.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PHASES = 64, PAGE = 4096 };

struct page {
	uint64_t number;
	bool accessed, found, unseen, around;
};

/* The present pages of a phase, by ascending number. */
static struct phase {
	struct page *pages;
	size_t count;
	/* Numbers of the pages that were found, but are not present. */
	uint64_t *absent;
	size_t absent_count;
	double end; /* seconds, DAMON only */
} phases[MAX_PHASES];
static int last_phase;

static void *must(void *memory)
{
	if (!memory) {
		perror("pageref-score");
		exit(1);
	}
	return memory;
}

static void read_truth(const char *folder, int number)
{
	struct phase *phase = &phases[number];
	uint64_t first, pages;
	char path[4096];
	int accessed;
	FILE *file;

	snprintf(path, sizeof(path), "%s/truth.%d", folder, number);
	file = fopen(path, "r");
	if (!file) {
		perror(path);
		exit(1);
	}
	while (fscanf(file, "%" SCNu64 "%" SCNu64 "%d", &first, &pages, &accessed) == 3) {
		phase->pages =
			must(realloc(phase->pages, (phase->count + pages) * sizeof(*phase->pages)));
		for (uint64_t i = 0; i < pages; i++)
			phase->pages[phase->count++] =
				(struct page){ .number = first + i, .accessed = accessed };
	}
	fclose(file);
}

/* Returns the index of the first page whose number is at least NUMBER. */
static size_t find(const struct phase *phase, uint64_t number)
{
	size_t low = 0, high = phase->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (phase->pages[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_touch(struct phase *phase, uint64_t number)
{
	size_t i = find(phase, number);

	/* Ignore phases without a truth file. */
	if (!phase->count)
		return;
	if (i < phase->count && phase->pages[i].number == number) {
		phase->pages[i].found = true;
		return;
	}
	for (size_t j = 0; j < phase->absent_count; j++)
		if (phase->absent[j] == number)
			return;
	phase->absent =
		must(realloc(phase->absent, (phase->absent_count + 1) * sizeof(*phase->absent)));
	phase->absent[phase->absent_count++] = number;
}

static void remove_touches(struct phase *phase, uint64_t first, uint64_t pages)
{
	size_t kept = 0;

	for (size_t i = find(phase, first);
	     i < phase->count && phase->pages[i].number - first < pages; i++)
		phase->pages[i].found = false;
	for (size_t i = 0; i < phase->absent_count; i++)
		if (phase->absent[i] - first >= pages)
			phase->absent[kept++] = phase->absent[i];
	phase->absent_count = kept;
}

static void add_unseen(struct phase *phase, uint64_t first, uint64_t pages)
{
	for (size_t i = find(phase, first);
	     i < phase->count && phase->pages[i].number - first < pages; i++)
		phase->pages[i].unseen = true;
}

static void add_around(struct phase *phase, uint64_t first, uint64_t pages)
{
	for (size_t i = find(phase, first);
	     i < phase->count && phase->pages[i].number - first < pages; i++)
		phase->pages[i].around = true;
}

/* Returns the value of a field in babeltrace2's text, or 0. */
static uint64_t field(const char *line, const char *name)
{
	char text[64];
	const char *at;

	snprintf(text, sizeof(text), " %s = ", name);
	at = strstr(line, text);
	return at ? strtoull(at + strlen(text), NULL, 0) : 0;
}

static bool is_pass_start(const char *line)
{
	return strstr(line, " pageref_pass: ") && !field(line, "end");
}

/*
 * A pass starts at the end of each phase. Pages that it reports as unseen belong to that phase.
 * There are more passes than phases, because the probe also makes passes when a program is added.
 * The last pass is at the end of the last phase, so passes are counted from the end.
 */
static void read_record(void)
{
	struct phase unused = { 0 };
	struct phase *phase = &unused, *next = &unused;
	int passes = last_phase + 1;
	char line[4096];

	while (fgets(line, sizeof(line), stdin))
		passes -= is_pass_start(line);
	rewind(stdin);
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t page = field(line, "address") / PAGE;

		if (is_pass_start(line)) {
			passes++;
			next = passes > 0 && passes <= last_phase ? &phases[passes] : &unused;
		} else if (strstr(line, " pageref_pass: ")) {
			phase = next;
		} else if (strstr(line, " pageref_touch: ") && !field(line, "huge")) {
			add_touch(next, page);
		} else if (strstr(line, " pageref_touch: ")) {
			for (int i = 0; i < 512; i++)
				add_touch(next, page / 512 * 512 + (uint64_t)i);
		} else if (strstr(line, " pageref_around: ")) {
			add_around(next, page, field(line, "pages"));
		} else if (strstr(line, " pageref_gone: ")) {
			remove_touches(next, page, field(line, "pages"));
		} else if (strstr(line, " pageref_unseen: ")) {
			add_unseen(phase, page, field(line, "pages"));
		}
	}
}

static double seconds_of(const char *line, const char *event)
{
	const char *at = strstr(line, event);

	/* "12.345678: EVENT" */
	while (at > line && at[-1] != ' ')
		at--;
	if (at > line)
		for (at--; at > line && at[-1] != ' ';)
			at--;
	return strtod(at, NULL);
}

struct damon_region {
	double middle; /* middle of the aggregation, in seconds */
	uint64_t first, end;
};

static void add_region(const struct damon_region *region)
{
	for (int i = 2; i <= last_phase; i++) {
		struct phase *phase = &phases[i];

		if (region->middle <= phases[i - 1].end || region->middle > phase->end)
			continue;
		for (size_t j = find(phase, region->first);
		     j < phase->count && phase->pages[j].number < region->end; j++)
			phase->pages[j].found = true;
	}
}

/* Reads the regions of all aggregations. A lower address than before starts a new aggregation. */
static void read_damon(void)
{
	struct damon_region *regions = NULL;
	size_t count = 0, room = 0;
	double group = 0, previous_group = 0;
	uint64_t start, end, previous = UINT64_MAX;
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		const char *at = strstr(line, "nr_regions=");
		unsigned int number;

		if (strstr(line, "tracing_mark_write:")) {
			at = strstr(line, ": phase ");
			number = at ? (unsigned int)strtoul(at + 8, NULL, 10) : MAX_PHASES;
			if (number <= (unsigned int)last_phase)
				phases[number].end = seconds_of(line, "tracing_mark_write:");
			if (!number)
				group = phases[0].end;
			continue;
		}
		if (!at || sscanf(at, "nr_regions=%*u %" SCNu64 "-%" SCNu64, &start, &end) != 2)
			continue;
		if (start <= previous) {
			previous_group = group;
			group = seconds_of(line, "damon_aggregated:");
		}
		previous = start;
		if (count == room) {
			room = room ? 2 * room : 4096;
			regions = must(realloc(regions, room * sizeof(*regions)));
		}
		regions[count++] = (struct damon_region){ (previous_group + group) / 2,
							  start / PAGE, (end + PAGE - 1) / PAGE };
	}
	for (size_t i = 0; i < count; i++)
		add_region(&regions[i]);
	free(regions);
}

/* Removes the pages outside of the array from the comparison. */
static void keep_array(struct phase *phase, uint64_t first, uint64_t pages)
{
	size_t kept = 0;

	for (size_t i = 0; i < phase->count; i++)
		if (phase->pages[i].number - first < pages)
			phase->pages[kept++] = phase->pages[i];
	phase->count = kept;
}

static void read_own(void)
{
	struct phase unused = { 0 };
	struct phase *phase = &unused;
	uint64_t first, pages;
	char line[4096];
	int number;

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "phase %d %" SCNu64 "%" SCNu64, &number, &first, &pages) == 3) {
			phase = number <= last_phase ? &phases[number] : &unused;
			keep_array(phase, first, pages);
		} else {
			add_touch(phase, strtoull(line, NULL, 10));
		}
	}
}

static void print_score(void)
{
	uint64_t accessed = 0, found = 0, wrong = 0, unexplained = 0, around = 0, present = 0;
	double f1 = 0;

	for (int i = 2; i <= last_phase; i++) {
		const struct phase *phase = &phases[i];
		uint64_t here = 0, here_found = 0, here_wrong = phase->absent_count;

		for (size_t j = 0; j < phase->count; j++) {
			const struct page *page = &phase->pages[j];

			if (page->around && !page->found) {
				around += page->accessed;
				continue;
			}
			here += page->accessed;
			here_found += page->accessed && page->found;
			here_wrong += !page->accessed && page->found;
			unexplained += page->accessed && !page->found && !page->unseen;
		}
		f1 += 2.0 * (double)here_found / (double)(here + here_found + here_wrong) /
		      (last_phase - 1);
		accessed += here;
		found += here_found;
		wrong += here_wrong;
		present += phase->count;
	}
	printf("accessed %" PRIu64 "\nfound %" PRIu64 "\nmissed %" PRIu64 "\nfalse %" PRIu64 "\n",
	       accessed, found, accessed - found, wrong);
	printf("unexplained %" PRIu64 "\naround %" PRIu64 "\npresent %" PRIu64 "\nf1 %.4f\n",
	       unexplained, around, present, f1);
}

int main(int argc, char **argv)
{
	last_phase = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0;
	if (last_phase < 2 || last_phase >= MAX_PHASES) {
		fprintf(stderr, "usage: pageref-score record|damon|own FOLDER PHASES\n");
		return 2;
	}
	for (int i = 2; i <= last_phase; i++)
		read_truth(argv[2], i);
	if (!strcmp(argv[1], "damon"))
		read_damon();
	else if (!strcmp(argv[1], "own"))
		read_own();
	else
		read_record();
	print_score();
	return 0;
}
