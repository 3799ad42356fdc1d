// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints the records of a file in libCacheSim's format oracleGeneral, one per line: time, object,
 * size and index of the object's next record.
 *
 *   read-oracle FILE
 *
 * Written from libCacheSim's documentation (FAQ.md, "how to read OracleGeneral trace"): a record
 * is struct { uint32_t real_time; uint64_t obj_id; uint32_t obj_size; int64_t next_access_vtime; }
 * of 24 bytes. Shares no code with the program.
 */
#include <inttypes.h>
#include <stdio.h>

#define RECORD_BYTES 24

/* Reads a little-endian number. */
static uint64_t number(const unsigned char *bytes, int count)
{
	uint64_t value = 0;

	while (count--)
		value = value << 8 | bytes[count];
	return value;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	unsigned char record[RECORD_BYTES];
	size_t length;

	if (!file) {
		fprintf(stderr, "Usage: read-oracle FILE\n");
		return 2;
	}
	while ((length = fread(record, 1, RECORD_BYTES, file)) == RECORD_BYTES)
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n", number(record, 4),
		       number(record + 4, 8), number(record + 12, 4),
		       (int64_t)number(record + 16, 8));
	fclose(file);
	return length ? 1 : 0;
}
