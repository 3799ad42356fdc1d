/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shared by the files of pageref-stress. */
#ifndef LTTNG_MM_TESTS_PAGEREF_STRESS_H
#define LTTNG_MM_TESTS_PAGEREF_STRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PAGE = 4096, PAGES = 256, HUGE_PAGES = 512 };

/* If set, each worker stops after its current round. */
extern atomic_bool stop;
/* The program's arguments: the folder for files, and the memory cgroup for victims or NULL. */
extern const char *folder, *cgroup;

/* Reports wrong data if RIGHT is false. */
void expect(bool right, const char *what);
/* Maps anonymous pages. */
unsigned char *map(size_t pages);
/* Like map(), but aligned to 2 MiB. */
unsigned char *map_aligned(size_t pages);
/* Writes I + SEED to each page I from FROM up to TO (exclusive). */
void fill(volatile unsigned char *at, int from, int to, int seed);
/* Expects what fill() writes. */
void check(const volatile unsigned char *at, int from, int to, int seed, const char *what);
/* Expects that the child exits with 0. */
void check_child(pid_t child);
/* Opens a file of PAGES pages in the folder. Returns -1 on failure. */
int open_file(const char *name);

/*
 * Workers. Each returns its number of rounds, or a negative number if the kernel or this machine
 * lacks a feature.
 */
long reclaim_pages(void);
long discard_lazily(void);
long merge_pages(void);
long migrate_pages_to_nodes(void);
long collapse_pages(void);
long use_hugetlb(void);
long run_out_of_memory(void);
long use_io_uring(void);
long access_other_process(void);
long execute_programs(void);
long serve_userfaults(void);

/* Runs in a process that execute_programs() starts. Returns its exit status. */
int run_child(int seed);

#endif /* LTTNG_MM_TESTS_PAGEREF_STRESS_H */
