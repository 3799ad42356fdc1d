/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Declarations shared by the fuzz targets, their seeds and the program that runs them without a
 * fuzzer.
 */
#ifndef LTTNG_MM_TESTS_FUZZ_FUZZ_H
#define LTTNG_MM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry point: reads one input, and ends the process on an error. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Metadata texts in tests/fuzz/seeds. An input of packets starts with the index of a text. */
#define FUZZ_SEEDS 6
extern const char *const fuzz_seed_names[FUZZ_SEEDS];

/*
 * Returns a metadata text in the form of a metadata file; release with free(). Ends the process on
 * failure.
 */
char *fuzz_seed_read(size_t number, size_t *size);

/*
 * An input for packets consists of: the number of the metadata, flags, the length of the index file
 * in units of 8 bytes, the stream file, and the index file.
 */
#define FUZZ_HEAD 3
enum fuzz_flag {
	FUZZ_LINES = 1 << 0,  /* print like ftrace instead of babeltrace2 */
	FUZZ_WINDOW = 1 << 1, /* only a time range */
	FUZZ_INDEX = 1 << 2,  /* with an index file */
	FUZZ_VERIFY = 1 << 3, /* verify instead of printing */
	FUZZ_INFO = 1 << 4,   /* info instead of printing */
};

/*
 * Files of a snapshot, with a valid text of each. The first byte of an input for the
 * system-information target selects the file.
 */
#define FUZZ_FILES 13
extern const char *const fuzz_files[FUZZ_FILES];
extern const char *const fuzz_file_texts[FUZZ_FILES]; /* NULL: not a text file */

/* The boot id of the plans. Plans of other boots are ignored. */
#define FUZZ_BOOT_ID "25210548-98b9-4ab3-a9de-7d865e4ad32c"

#endif /* LTTNG_MM_TESTS_FUZZ_FUZZ_H */
