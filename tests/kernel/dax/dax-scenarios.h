/* SPDX-License-Identifier: LGPL-2.1-only */
/* A scenario of the DAX workload, and the expected counters. */
#ifndef LTTNG_MM_TESTS_KERNEL_DAX_DAX_SCENARIOS_H
#define LTTNG_MM_TESTS_KERNEL_DAX_DAX_SCENARIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DAX_PAGE ((size_t)4096)
#define DAX_PMD ((size_t)2 << 20)
#define DAX_KERNEL(major, minor) (((major) << 8) | (minor))

/*
 * Causes of a fallback of a huge-page fault, in the order of the kernel's checks and with the names
 * of the report.
 */
enum dax_cause {
	CAUSE_MAPPING_MISALIGNED,
	CAUSE_PRIVATE_WRITE,
	CAUSE_STARTS_BEFORE_VMA,
	CAUSE_ENDS_AFTER_VMA,
	CAUSE_PAST_EOF,
	CAUSE_PTE_ENTRY,
	CAUSE_FS_ERROR,
	CAUSE_EXTENT_SHORT,
	CAUSE_HOLE_NO_ZERO_PAGE,
	CAUSE_EXTENT_MISALIGNED,
	CAUSES,
	CAUSE_NONE = CAUSES,
};

/*
 * The counters of one file. Each counts the events named on its line:
 *   pmd ... pte_alone    dax_pmd_fault, dax_pmd_fault_done, dax_pte_fault, dax_pte_fault_done
 *   pmd_hole, pte_hole   dax_pmd_load_hole, dax_load_hole; *_fallback the events of that name
 *   sync_insert          dax_insert_pfn_mkwrite
 *   writeback_*          dax_writeback_range, dax_writeback_one; pages: only in ranges that end
 *                        before the end of the file
 *   sigbus               signals that the program caught (no event)
 */
enum dax_counter {
	COUNT_PMD,
	COUNT_PMD_MAPPED,
	COUNT_PMD_NEEDDSYNC,
	COUNT_PMD_SIGBUS,
	COUNT_PMD_FALLBACK,
	COUNT_PMD_HOLE,
	COUNT_PMD_HOLE_FALLBACK,
	COUNT_PTE,
	COUNT_PTE_MAPPED,
	COUNT_PTE_MKWRITE,
	COUNT_PTE_COW,
	COUNT_PTE_NEEDDSYNC,
	COUNT_PTE_SIGBUS,
	COUNT_PTE_HOLE,
	COUNT_PTE_ALONE,
	COUNT_SYNC_INSERT,
	COUNT_WRITEBACK_RANGE,
	COUNT_WRITEBACK_ONE,
	COUNT_WRITEBACK_PAGES,
	COUNT_SIGBUS,
	COUNTERS,
};

/* The outcome of a fault at one level. */
enum dax_outcome {
	NO_FAULT, /* this level is not reached */
	MAPPED,
	HOLE,	       /* mapped to the zero page */
	NEEDDSYNC,     /* MAP_SYNC: mapped after an fsync */
	SIGNAL,	       /* SIGBUS */
	FALLBACK,      /* PMD level only */
	HOLE_FALLBACK, /* PMD level only: no huge zero page */
	COW,	       /* PTE level only: private copy */
	MKWRITE,       /* PTE level only: write-protect fault */
};

/* The filesystem and kernel under test. Read-only after look_around() has filled it. */
struct dax_world {
	char dir[256];
	char fstype[16];
	char kernel[80];
	unsigned int kernel_code; /* DAX_KERNEL(major, minor) */
	unsigned int major, minor;
	/*
	 * PMD faults per user access that falls back. ext4's DAX mappings have no ->map_pages, so
	 * since 6.6 the kernel handles page-table faults under mmap_lock only. The huge fault has
	 * already fallen back under the per-VMA lock, and is repeated.
	 */
	unsigned int fallbacks_per_access;
	bool per_vma_lock;
	bool is_ext4;
};

struct dax_scenario;

/* One execution of a scenario, in memory that parent and child share. */
struct dax_run {
	const struct dax_scenario *scenario;
	const struct dax_world *world;
	char path[512];
	int fd;
	uint64_t ino;
	pid_t pid;
	uint64_t address, length; /* place of the first mapping */
	uint64_t counter[COUNTERS];
	uint64_t cause[CAUSES];
	bool holds[CAUSES]; /* further causes, which the kernel checks later */
	bool skipped;	    /* the scenario was not possible here; @why has the reason */
	bool failed;
	bool kernel_access; /* the kernel touches the memory, not the program */
	char why[200];
};

struct dax_scenario {
	const char *name;
	const char *what;
	/* Creates the file with its layout; runs in the parent, before recording starts. */
	int (*setup)(struct dax_run *run);
	/* Accesses the memory; runs in a child process. */
	void (*provoke)(struct dax_run *run);
	/* Restores the system; runs in the parent even after a failure. May be NULL. */
	void (*teardown)(struct dax_run *run);
	bool racy; /* the outcome depends on scheduling: no exact counts */
	bool once; /* too heavy or too intrusive for --loop */
};

extern const struct dax_scenario dax_scenarios[];
extern const size_t dax_scenario_count;
extern const char *const dax_cause_names[CAUSES];
extern const char *const dax_counter_names[COUNTERS];

/* --- dax-touch.c: mappings and accesses with their consequences --- */

/*
 * Maps LENGTH bytes of the run's file from OFFSET, SHIFT bytes above a 2 MiB boundary, with the
 * flags FLAGS of mmap(). Nothing else is mapped within 2 MiB before or after. On failure, marks the
 * run and returns NULL.
 */
char *dax_map(struct dax_run *run, size_t length, int flags, size_t offset, size_t shift);

/* Like dax_map(), but refuses huge pages, so that each fault starts at the page-table level. */
char *dax_map_small(struct dax_run *run, size_t length, int flags, size_t offset);

/*
 * Accesses one byte, adds the expected consequences to the run's counters, and checks whether
 * SIGBUS was raised.
 */
void dax_touch(struct dax_run *run, char *address, bool write, enum dax_outcome pmd,
	       enum dax_cause cause, enum dax_outcome pte);

/* Adds the consequences of one fault to the counters, without causing the fault. */
void dax_expect(struct dax_run *run, enum dax_outcome pmd, enum dax_cause cause,
		enum dax_outcome pte);

/* Calls msync(MS_SYNC), which must write back ENTRIES page cache entries (0: no writeback). */
void dax_sync(struct dax_run *run, char *address, size_t length, unsigned int entries);

void dax_fail(struct dax_run *run, const char *what);
void dax_skip(struct dax_run *run, const char *why);

/* --- dax-layout.c: files of a known layout --- */

int dax_make_sparse(struct dax_run *run, size_t size);
/*
 * Makes a file of written extents. Each 2 MiB of the file are aligned on the device. Returns 0, or
 * -1 with run->why.
 */
int dax_make_written(struct dax_run *run, size_t size);
/* Like dax_make_written(), but with a single extent. @size is a multiple of DAX_PMD. */
int dax_make_one_extent(struct dax_run *run, size_t size);
int dax_make_unwritten(struct dax_run *run, size_t size);
/* Are the 2 MiB from POS a single extent whose alignment to 2 MiB on the device is ALIGNED? */
bool dax_extent_is(struct dax_run *run, size_t pos, bool aligned);

#endif /* LTTNG_MM_TESTS_KERNEL_DAX_DAX_SCENARIOS_H */
