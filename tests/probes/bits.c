// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests in user space how the probe library reads fields of a record (probes/lib/bits.h): fields of
 * every width at every bit, in records of all lengths. The memory before and after the page of a
 * record is inaccessible.
 */
#include "tests/probes/kernel.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/tap.h"

/* Made by tests/analysis/probe-bits.sh from the library's header, without #include lines. */
#include "probe-bits.h"

enum { RECORD_BYTES = 64 };

/* Returns the value of a field, computed bit by bit. */
static u64 expected(const u8 *bytes, unsigned int at, unsigned int bits, bool is_signed)
{
	u64 value = 0;

	for (unsigned int i = 0; i < bits; i++)
		value |= (u64)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	if (is_signed && value >> (bits - 1) & 1)
		for (unsigned int i = bits; i < 64; i++)
			value |= UINT64_C(1) << i;
	return value;
}

/* Reads every field of a record of @len bytes. Returns the number of wrong values. */
static unsigned int wrong_fields(const u8 *bytes, size_t len, bool is_signed)
{
	unsigned int wrong = 0;

	for (unsigned int at = 0; at < 8 * len; at++)
		for (unsigned int bits = 1; bits <= 64 && at + bits <= 8 * len; bits++)
			wrong += lttng_mm_read_bits(bytes, len, at, bits, is_signed) !=
				 expected(bytes, at, bits, is_signed);
	return wrong;
}

/* Returns the start of a page between two inaccessible pages. */
static u8 *lone_page(size_t size)
{
	u8 *pages = mmap(NULL, 3 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + size, size, PROT_READ | PROT_WRITE))
		exit(2);
	return pages + size;
}

int main(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	u8 *page = lone_page(size);
	u32 random = 1;

	for (size_t i = 0; i < size; i++) {
		random = random * 1103515245 + 12345;
		page[i] = (u8)(random >> 16);
	}
	for (size_t len = 1; len <= RECORD_BYTES; len++) {
		unsigned int wrong = 0;

		for (int is_signed = 0; is_signed < 2; is_signed++) {
			wrong += wrong_fields(page, len, is_signed);
			wrong += wrong_fields(page + size - len, len, is_signed);
		}
		tap(!wrong, "every field of a record of %zu bytes (%u wrong)", len, wrong);
	}
	return tap_status();
}
