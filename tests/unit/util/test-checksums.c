// SPDX-License-Identifier: LGPL-2.1-only
/* Compares CRC32C with published values. Writes, reads and refuses files of checksums. */
#include "util/checksums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* Values from RFC 3720, B.4, and the check value of the algorithm. */
static void test_known(void)
{
	unsigned char bytes[32];

	tap(mm_crc32c(0, "123456789", 9) == 0xe3069283, "the check value of CRC32C");
	memset(bytes, 0, sizeof(bytes));
	tap(mm_crc32c(0, bytes, sizeof(bytes)) == 0x8a9136aa, "32 zeros");
	memset(bytes, 0xff, sizeof(bytes));
	tap(mm_crc32c(0, bytes, sizeof(bytes)) == 0x62a8ab43, "32 ones");
	for (unsigned char i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	tap(mm_crc32c(0, bytes, sizeof(bytes)) == 0x46dd794e, "ascending bytes");
	tap(mm_crc32c(0, bytes, 0) == 0, "no bytes");
	tap(mm_crc32c(mm_crc32c(0, bytes, 11), bytes + 11, 21) == 0x46dd794e, "in two parts");
}

static void test_zeros(void)
{
	static const unsigned char zeros[100000];
	static const size_t lengths[] = { 0, 1, 7, 4096, 65536, 99999 };
	bool same = true;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (uint32_t before = 0; before < 3; before++)
			same &= mm_crc32c_zeros(before * 77777777, lengths[i]) ==
				mm_crc32c(before * 77777777, zeros, lengths[i]);
	tap(same, "zeros that are not read have the checksum of those that are");
	tap(mm_crc32c_zeros(mm_crc32c_zeros(5, UINT64_C(1) << 40), 3) ==
		    mm_crc32c_zeros(5, (UINT64_C(1) << 40) + 3),
	    "a terabyte of zeros");
}

static char *write_text(bool of_memory, const uint64_t *bytes, size_t count, size_t *length)
{
	struct mm_checksums sums = { .of_memory = of_memory };
	char *text = NULL;
	FILE *file = open_memstream(&text, length);

	for (size_t i = 0; i < count; i++)
		mm_checksums_add(&sums, bytes[i], (uint32_t)(i * 0x1234567 + 1));
	tap(!mm_checksums_write(&sums, file), "%zu checksums are written", count);
	fclose(file);
	mm_checksums_release(&sums);
	return text;
}

static void test_round_trip(void)
{
	static const uint64_t bytes[] = { 4096, 1, UINT64_C(1) << 40, 1048576 };
	struct mm_checksums sums;
	size_t length;
	char *text = write_text(true, bytes, 4, &length);

	tap(mm_checksums_parse(&sums, text, length) == 1 && sums.count == 4 && sums.of_memory &&
		    sums.all[3].offset == 4097 + (UINT64_C(1) << 40) &&
		    sums.all[3].bytes == 1048576 && sums.all[2].crc == 2 * 0x1234567 + 1,
	    "... and read");
	mm_checksums_release(&sums);
	free(text);
	text = write_text(false, bytes, 0, &length);
	tap(mm_checksums_parse(&sums, text, length) == 1 && !sums.count && !sums.of_memory,
	    "a file without packets");
	tap(!strcmp(text, "lttng-mm checksums 1 file\nend 0 abffc53b\n"), "... is two lines: %s",
	    text);
	mm_checksums_release(&sums);
	free(text);
}

/* Changes each byte of the file, and truncates the file to each shorter length. */
static void test_damaged(void)
{
	static const uint64_t bytes[] = { 4096, 123, 1048576 };
	struct mm_checksums sums;
	unsigned int accepted = 0;
	size_t length;
	char *text = write_text(true, bytes, 3, &length);

	for (size_t i = 0; i < length; i++) {
		accepted += mm_checksums_parse(&sums, text, i) != 0;
		mm_checksums_release(&sums);
		for (unsigned int bit = 0; bit < 8; bit++) {
			text[i] ^= (char)(1 << bit);
			accepted += mm_checksums_parse(&sums, text, length) != 0;
			mm_checksums_release(&sums);
			text[i] ^= (char)(1 << bit);
		}
	}
	tap(!accepted, "a damaged file is refused: %u accepted", accepted);
	free(text);
}

static void test_refused(void)
{
	static const char *const texts[] = {
		"",
		"\n",
		"lttng-mm checksums 2 memory\nend 0 00000000\n",
		"lttng-mm checksums 1 memory",
		"lttng-mm checksums 1 memory\n18446744073709551615 00000000\n2 00000000\n",
		"lttng-mm checksums 1 memory\n-1 00000000\n",
		"lttng-mm checksums 1 memory\n0 00000000\n",
		"lttng-mm checksums 1 memory\n1 0000000\n",
	};
	struct mm_checksums sums;
	int error;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		tap(!mm_checksums_parse(&sums, texts[i], strlen(texts[i])), "text %zu is refused",
		    i);
		mm_checksums_release(&sums);
	}
	tap(!mm_checksums_load(&sums, "/nonexistent", "x", &error) && error == ENOENT, "no file");
	mm_checksums_release(&sums);
}

int main(void)
{
	test_known();
	test_zeros();
	test_round_trip();
	test_damaged();
	test_refused();
	return tap_status();
}
