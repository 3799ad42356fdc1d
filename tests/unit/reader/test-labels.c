// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests labels of enumerations and flags: which labels a table stores, and how numbers are printed.
 */
#include "reader/events/labels.h"

#include <string.h>

#include "reader/events/source-base.h"
#include "tests/tap.h"

struct declared_label {
	uint64_t lower, upper;
	const char *name;
};

static const struct declared_label bits[] = {
	{ 0, 0, "NONE" },   { 1, 1, "READ" },
	{ 2, 2, "WRITE" },  { 3, 3, "BOTH" },
	{ 8, 15, "RANGE" }, { 1ull << 63, 1ull << 63, "LAST" },
	{ 2, 2, "AGAIN" },  { 16, 16, "as-long-as-no-label-of-any-kernel" },
};
static const struct declared_label later_bits[] = { { 1, 1, "OTHER" }, { 4, 4, "EXEC" } };
static const struct declared_label values[] = {
	{ 0, 0, "HOLE" },
	{ 3, 3, "UNWRITTEN" },
	{ 63, 63, "LARGEST" },
	{ 64, 64, "TOO_LARGE" },
};

static const struct {
	const struct declared_label *all;
	size_t count;
} fields[] = {
	{ bits, sizeof(bits) / sizeof(bits[0]) },
	{ later_bits, sizeof(later_bits) / sizeof(later_bits[0]) },
	{ values, sizeof(values) / sizeof(values[0]) },
};

/* Simulates the reader: requested field N has the labels of @fields[N]. */
static int label_at(const struct mm_event_type *type, unsigned int field, size_t index,
		    struct mm_enum_label *label)
{
	(void)type;
	if (field >= sizeof(fields) / sizeof(fields[0]) || index >= fields[field].count)
		return -1;
	*label = (struct mm_enum_label){ .name = fields[field].all[index].name };
	label->lower.u = fields[field].all[index].lower;
	label->upper.u = fields[field].all[index].upper;
	return 0;
}

static const struct mm_source_ops ops = { .label_at = label_at };
static struct mm_source source = { .ops = &ops };
static const struct mm_event_type type = { .name = "labelled", .source = &source };

static void read_field(struct mm_labels *labels, unsigned int field)
{
	if (mm_labels_read(labels, &type, field))
		tap_bail("out of memory");
}

static void check(const struct mm_labels *labels, uint64_t value, const char *expected)
{
	char text[80];

	mm_labels_text(labels, value, text, sizeof(text));
	tap(!strcmp(text, expected), "0x%" PRIx64 ": %s (found %s)", value, expected, text);
}

static void check_bits(void)
{
	struct mm_labels labels, later;
	char text[10];

	mm_labels_init(&labels, MM_LABELS_OF_BITS, 16);
	check(&labels, 0, "0x0");
	check(&labels, 0xcc0, "0xcc0");
	read_field(&labels, 0);
	check(&labels, 0, "NONE");
	check(&labels, 1, "READ");
	check(&labels, 3, "READ|WRITE");
	check(&labels, 8, "0x8");
	check(&labels, 0xb, "READ|WRITE|0x8");
	check(&labels, 1ull << 63 | 1, "READ|LAST");
	check(&labels, 16, "as-long-as-no-label-of-any-kernel");
	mm_labels_text(&labels, 3, text, sizeof(text));
	tap(!strcmp(text, "READ|WRIT"), "text that does not fit is terminated: %s", text);

	mm_labels_init(&later, MM_LABELS_OF_BITS, 16);
	read_field(&later, 1);
	check(&later, 7, "OTHER|EXEC|0x2");
	if (mm_labels_merge(&labels, &later))
		tap_bail("out of memory");
	mm_labels_release(&later);
	check(&labels, 7, "READ|WRITE|EXEC");
	mm_labels_init(&later, MM_LABELS_OF_BITS, 10);
	check(&later, 0xcc0, "3264");
	mm_labels_release(&later);
	mm_labels_release(&labels);
}

static void check_values(void)
{
	struct mm_labels labels;

	mm_labels_init(&labels, MM_LABELS_OF_VALUES, 10);
	read_field(&labels, 2);
	check(&labels, 0, "HOLE");
	check(&labels, 3, "UNWRITTEN");
	check(&labels, 63, "LARGEST");
	check(&labels, 64, "64");
	/* The value is not a combination of flags: neither 1 nor 2 has a label. */
	check(&labels, 2, "2");
	check(&labels, UINT64_MAX, "18446744073709551615");
	mm_labels_release(&labels);
}

int main(void)
{
	check_bits();
	check_values();
	return tap_status();
}
