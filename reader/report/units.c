// SPDX-License-Identifier: LGPL-2.1-only
/* Formats numbers with their units. */
#include "reader/report/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/plural.h"

bool mm_unit_is_measure(const char *unit)
{
	return !strcmp(unit, MM_UNIT_NS) || !strcmp(unit, MM_UNIT_BYTES);
}

void mm_render_ns(char *text, size_t size, double ns)
{
	if (ns < 1e3)
		snprintf(text, size, "%.0f ns", ns);
	else if (ns < 1e6)
		snprintf(text, size, "%.1f us", ns / 1e3);
	else if (ns < 1e9)
		snprintf(text, size, "%.1f ms", ns / 1e6);
	else
		snprintf(text, size, "%.2f s", ns / 1e9);
}

static void format_bytes(char *text, size_t size, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;

	while ((bytes >= 1024 || bytes <= -1024) && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

static double number_of(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_REAL     ? cell->r
	       : cell->kind == MM_CELL_SIGNED ? (double)cell->i
					      : (double)cell->u;
}

/*
 * Returns the number of decimals. A rate (per second) has three significant digits, or all digits
 * before the point if these are more. Other numbers have two decimals.
 */
static int decimals(double number, const char *unit)
{
	size_t length = strlen(unit);

	if (length < 2 || strcmp(unit + length - 2, "/s") || number < 9.995)
		return 2;
	return number < 99.95 ? 1 : 0;
}

void mm_render_number(char *text, size_t size, const struct mm_cell *cell, enum mm_value_kind kind,
		      const char *unit)
{
	if (cell->kind == MM_CELL_LIST)
		snprintf(text, size, "%" PRIu64 " name%s", cell->u, mm_plural_s(cell->u));
	else if (cell->kind == MM_CELL_EMPTY)
		snprintf(text, size, "-");
	else if (cell->kind == MM_CELL_BOOLEAN)
		snprintf(text, size, "%s", cell->u ? "yes" : "no");
	else if (!strcmp(unit, MM_UNIT_NS))
		mm_render_ns(text, size, number_of(cell));
	else if (!strcmp(unit, MM_UNIT_BYTES))
		format_bytes(text, size, number_of(cell));
	else if (kind == MM_VALUE_HEX)
		snprintf(text, size, "0x%" PRIx64, cell->u);
	else if (cell->kind == MM_CELL_REAL)
		snprintf(text, size, "%.*f", decimals(cell->r, unit), cell->r);
	else if (cell->kind == MM_CELL_SIGNED)
		snprintf(text, size, "%" PRId64, cell->i);
	else
		snprintf(text, size, "%" PRIu64, cell->u);
}
