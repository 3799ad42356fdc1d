// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Labels of enumerations and bit maps, prepared for printing. The simpler table in
 * reader/events/labels.h is for numbers in reports. Printing also needs ranges, several labels per
 * value in babeltrace2's order, quoted texts, and a fast look-up.
 */
#include "reader/print/text-labels.h"

#include <stdlib.h>
#include <string.h>

#include "reader/print/text-escape.h"
#include "util/escape.h"

/*
 * babeltrace2 2.1 prints several labels of one value in the order of a C++ hash table (libstdc++'s
 * std::unordered_map). Labels of TSDL pass through one such table, labels of CTF 2 through two. The
 * following code computes this order. The table's hash function is MurmurHash64A. All its nodes are
 * in one singly linked list, and a bucket is a part of this list. The number of buckets grows along
 * a fixed sequence of primes.
 */
#define NOTHING SIZE_MAX

static const size_t bucket_counts[] = {
	1,	13,	 29,	  59,	   127,	     257,      541,	 1109,
	2357,	5087,	 10273,	  20753,   42043,    85229,    172933,	 351061,
	712697, 1447153, 2938679, 5967347, 12117689, 24607243, 49969847,
};

struct unordered_map {
	uint64_t *hashes; /* hash of node i */
	size_t *next;	  /* successor of each node; next[count] is the head of the list */
	size_t *buckets;  /* for each bucket: the node before its first node */
	size_t bucket_count, head;
};

static uint64_t murmur(const char *text)
{
	const uint64_t factor = UINT64_C(0xc6a4a7935bd1e995);
	size_t length = strlen(text), i;
	uint64_t hash = UINT64_C(0xc70f6907) ^ length * factor, word;

	for (i = 0; length - i >= 8; i += 8) {
		memcpy(&word, text + i, sizeof(word));
		word *= factor;
		word ^= word >> 47;
		hash = (hash ^ word * factor) * factor;
	}
	if (i < length) {
		word = 0;
		memcpy(&word, text + i, length - i);
		hash = (hash ^ word) * factor;
	}
	hash = (hash ^ hash >> 47) * factor;
	return hash ^ hash >> 47;
}

static void table_add(struct unordered_map *table, size_t node)
{
	size_t bucket = table->hashes[node] % table->bucket_count;

	if (table->buckets[bucket] != NOTHING) {
		table->next[node] = table->next[table->buckets[bucket]];
		table->next[table->buckets[bucket]] = node;
		return;
	}
	table->next[node] = table->next[table->head];
	table->next[table->head] = node;
	if (table->next[node] != NOTHING)
		table->buckets[table->hashes[table->next[node]] % table->bucket_count] = node;
	table->buckets[bucket] = table->head;
}

/* Increases the number of buckets, and adds all nodes again in list order. */
static int table_grow(struct unordered_map *table, size_t bucket_count)
{
	size_t *buckets = realloc(table->buckets, bucket_count * sizeof(*buckets));
	size_t node = table->next[table->head];

	if (!buckets)
		return -1;
	table->buckets = buckets;
	table->bucket_count = bucket_count;
	for (size_t i = 0; i < bucket_count; i++)
		buckets[i] = NOTHING;
	table->next[table->head] = NOTHING;
	while (node != NOTHING) {
		size_t next = table->next[node];

		table_add(table, node);
		node = next;
	}
	return 0;
}

/*
 * Adds the mappings to a hash table in the order @order. Then sets @order to the order of the
 * table.
 */
static int table_order(const struct ctf_mapping *mappings, size_t *order, size_t count)
{
	struct unordered_map table = { .head = count };
	const size_t *size = bucket_counts;
	size_t *old = malloc(count * sizeof(*old));
	int ret = -1;

	table.hashes = malloc(count * sizeof(*table.hashes));
	table.next = malloc((count + 1) * sizeof(*table.next));
	if (!old || !table.hashes || !table.next)
		goto end;
	memcpy(old, order, count * sizeof(*old));
	table.next[count] = NOTHING;
	for (size_t i = 0; i < count; i++) {
		table.hashes[i] = murmur(mappings[old[i]].label);
		if (i + 1 > *size || !i) {
			/*
			 * Keep the last bucket count, which is enough for any enumeration that fits
			 * in the metadata.
			 */
			if (size + 1 < bucket_counts + sizeof(bucket_counts) / sizeof(*size))
				size++;
			if (table_grow(&table, *size))
				goto end;
		}
		table_add(&table, i);
	}
	for (size_t i = table.next[count], at = 0; i != NOTHING; i = table.next[i])
		order[at++] = old[i];
	ret = 0;
end:
	free(old);
	free(table.hashes);
	free(table.next);
	free(table.buckets);
	return ret;
}

struct sorted_label {
	const char *label;
	size_t index;
};

static int compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct sorted_label *)a)->label,
		      ((const struct sorted_label *)b)->label);
}

static int alphabetical_order(const struct ctf_mapping *mappings, size_t *order, size_t count)
{
	struct sorted_label *sorted = malloc(count * sizeof(*sorted));

	if (!sorted)
		return -1;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct sorted_label){ mappings[i].label, i };
	qsort(sorted, count, sizeof(*sorted), compare_labels);
	for (size_t i = 0; i < count; i++)
		order[i] = sorted[i].index;
	free(sorted);
	return 0;
}

static size_t *make_order(const struct ctf_field *field, int metadata_major, bool babeltrace)
{
	size_t count = field->mapping_count;
	size_t *order = malloc((count ? count : 1) * sizeof(*order));
	int ret = 0;

	if (!order)
		return NULL;
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	if (babeltrace && count && field->kind == CTF_BITMAP)
		ret = alphabetical_order(field->mappings, order, count);
	else if (babeltrace && count)
		for (int round = 0; round < (metadata_major > 1 ? 2 : 1) && !ret; round++)
			ret = table_order(field->mappings, order, count);
	if (ret) {
		free(order);
		return NULL;
	}
	return order;
}

static char *make_text(const char *label, bool babeltrace, uint32_t *length)
{
	size_t raw = strlen(label), size = MM_QUOTED_ROOM(raw) * 3 + 1;
	char *text = raw < UINT32_MAX / 16 ? malloc(size) : NULL;

	if (!text)
		return NULL;
	if (babeltrace)
		*length = (uint32_t)(mm_put_quoted(text, label, raw) - text);
	else
		*length = (uint32_t)mm_escape_terminal(text, size, label, raw);
	return text;
}

static int fill(struct mm_text_labels *labels, const size_t *order, bool babeltrace)
{
	const struct ctf_field *field = labels->field;

	for (size_t i = 0; i < field->mapping_count; i++) {
		const struct ctf_mapping *mapping = &field->mappings[order[i]];
		struct mm_label *label = &labels->labels[i];

		label->text = make_text(mapping->label, babeltrace, &label->length);
		if (!label->text)
			return -1;
		labels->label_count++;
		if (label->length > labels->longest)
			labels->longest = label->length;
		for (size_t j = 0; j < mapping->range_count; j++)
			labels->ranges[labels->range_count++] = (struct mm_label_range){
				.lower = mapping->ranges[j].lower.u ^ labels->bias,
				.upper = mapping->ranges[j].upper.u ^ labels->bias,
				.label = (uint32_t)i,
			};
	}
	return 0;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct mm_label_range *left = a, *right = b;

	return (left->lower > right->lower) - (left->lower < right->lower);
}

/* Sorts the ranges by value. If some ranges overlap, which is rare, does not sort them. */
static int sort_ranges(struct mm_text_labels *labels)
{
	size_t count = labels->range_count;
	struct mm_label_range *sorted = malloc((count ? count : 1) * sizeof(*sorted));

	if (!sorted)
		return -1;
	memcpy(sorted, labels->ranges, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_ranges);
	for (size_t i = 0; i < count; i++)
		labels->overlap |= sorted[i].lower > sorted[i].upper ||
				   (i && sorted[i].lower <= sorted[i - 1].upper);
	if (labels->overlap) {
		free(sorted);
		return 0;
	}
	free(labels->ranges);
	labels->ranges = sorted;
	return 0;
}

/* Returns the index + 1 of @value's first label, or 0 if there is none. */
static uint32_t number_of(const struct mm_text_labels *labels, uint64_t value)
{
	size_t at = 0;
	const struct mm_label *label = mm_text_labels_next(labels, value, &at);

	return label ? (uint32_t)(label - labels->labels) + 1 : 0;
}

/* Fills the tables of small numbers and single bits. Most enumerations have no other values. */
static void fill_tables(struct mm_text_labels *labels)
{
	for (unsigned int i = 0; i < 64; i++) {
		labels->small[i] = number_of(labels, i);
		labels->bits[i] = number_of(labels, UINT64_C(1) << i);
	}
	labels->in_tables = !labels->overlap;
	for (size_t i = 0; i < labels->range_count && labels->in_tables; i++) {
		uint64_t lower = labels->ranges[i].lower ^ labels->bias;
		uint64_t upper = labels->ranges[i].upper ^ labels->bias;

		labels->in_tables = (lower <= upper && upper < 64) ||
				    (lower == upper && !(lower & (lower - 1)));
	}
}

struct mm_text_labels *mm_text_labels_create(const struct ctf_field *field, int metadata_major,
					     bool babeltrace)
{
	struct mm_text_labels *labels = calloc(1, sizeof(*labels));
	size_t *order = make_order(field, metadata_major, babeltrace);
	size_t ranges = 1;
	int ret = -1;

	if (!labels || !order || field->mapping_count > UINT32_MAX)
		goto end;
	labels->field = field;
	if (field->kind == CTF_SIGNED || field->kind == CTF_LEB_SIGNED)
		labels->bias = UINT64_C(1) << 63;
	for (size_t i = 0; i < field->mapping_count; i++)
		ranges += field->mappings[i].range_count;
	labels->labels = calloc(field->mapping_count + 1, sizeof(*labels->labels));
	labels->ranges = calloc(ranges, sizeof(*labels->ranges));
	if (labels->labels && labels->ranges)
		ret = fill(labels, order, babeltrace);
	/* A bit map has no tables, because its ranges are bit numbers, not values. */
	if (!ret && field->kind != CTF_BITMAP) {
		ret = sort_ranges(labels);
		if (!ret)
			fill_tables(labels);
	}
end:
	free(order);
	if (ret) {
		mm_text_labels_destroy(labels);
		return NULL;
	}
	return labels;
}

void mm_text_labels_destroy(struct mm_text_labels *labels)
{
	if (!labels)
		return;
	for (size_t i = 0; i < labels->label_count; i++)
		free(labels->labels[i].text);
	free(labels->labels);
	free(labels->ranges);
	free(labels);
}

/* Returns the label of range @at, and sets *@next to the first range of the next label. */
static const struct mm_label *take(const struct mm_text_labels *labels, size_t at, size_t *next)
{
	uint32_t label = labels->ranges[at].label;

	while (at < labels->range_count && labels->ranges[at].label == label)
		at++;
	*next = at;
	return &labels->labels[label];
}

/*
 * Finds the label of a value. Requires that ranges do not overlap, so that there is only one label.
 */
static const struct mm_label *find_sorted(const struct mm_text_labels *labels, uint64_t value,
					  size_t *at)
{
	size_t low = 0, high = labels->range_count;

	*at = SIZE_MAX;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (labels->ranges[middle].lower <= value)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || value > labels->ranges[low - 1].upper)
		return NULL;
	return &labels->labels[labels->ranges[low - 1].label];
}

const struct mm_label *mm_text_labels_next(const struct mm_text_labels *labels, uint64_t value,
					   size_t *at)
{
	value ^= labels->bias;
	if (!labels->overlap)
		return *at ? NULL : find_sorted(labels, value, at);
	for (size_t i = *at; i < labels->range_count; i++)
		if (value >= labels->ranges[i].lower && value <= labels->ranges[i].upper)
			return take(labels, i, at);
	return NULL;
}

/* Returns a mask of the bits in the range. A bit map has at most 64 bits. */
static uint64_t range_mask(const struct mm_label_range *range)
{
	uint64_t upper = range->upper > 63 ? 63 : range->upper;

	if (range->lower > upper)
		return 0;
	return UINT64_MAX << range->lower & UINT64_MAX >> (63 - upper);
}

const struct mm_label *mm_text_flags_next(const struct mm_text_labels *labels, uint64_t value,
					  size_t *at)
{
	for (size_t i = *at; i < labels->range_count; i++)
		if (value & range_mask(&labels->ranges[i]))
			return take(labels, i, at);
	return NULL;
}
