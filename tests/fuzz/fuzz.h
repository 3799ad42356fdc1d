/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the fuzz targets, their seeds and the plain program that runs them share. */
#ifndef LTTNG_MM_TESTS_FUZZ_FUZZ_H
#define LTTNG_MM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's name for it: reads one input, and ends the process when something is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Metadata texts in tests/fuzz/seeds, in the order of their numbers in an input of packets. */
#define FUZZ_SEEDS 6
extern const char *const fuzz_seed_names[FUZZ_SEEDS];

/* Such a text as it stands in a metadata file; release with free(). Ends the process on failure. */
char *fuzz_seed_read(size_t number, size_t *size);

/*
 * An input of packets: number of the metadata, flags, length of the index file in units of 8 bytes,
 * then the stream file, then the index file.
 */
#define FUZZ_HEAD 3
enum fuzz_flag {
	FUZZ_LINES = 1 << 0,  /* print as ftrace does, not as babeltrace2 does */
	FUZZ_WINDOW = 1 << 1, /* only a part of the time */
	FUZZ_INDEX = 1 << 2,  /* with an index file */
	FUZZ_VERIFY = 1 << 3, /* verify instead of printing */
	FUZZ_INFO = 1 << 4,   /* tell what is in it instead */
};

/*
 * Files of a snapshot by the first byte of an input for the system information, and a sound text of
 * each.
 */
#define FUZZ_FILES 10
extern const char *const fuzz_files[FUZZ_FILES];
extern const char *const fuzz_file_texts[FUZZ_FILES]; /* NULL: it is no text */

#endif /* LTTNG_MM_TESTS_FUZZ_FUZZ_H */
