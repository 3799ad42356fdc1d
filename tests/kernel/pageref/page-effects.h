/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shared by the files of page-effects. */
#ifndef LTTNG_MM_TESTS_PAGE_EFFECTS_H
#define LTTNG_MM_TESTS_PAGE_EFFECTS_H

enum { PAGE = 4096, PAGES = 64, HUGE_PAGES = 512 };

/* Maps anonymous pages without huge pages. A mapping of 512 pages or more is aligned to 2 MiB. */
char *map_pages(int pages);
/* Writes every STEP-th page from FIRST up to LAST (exclusive). Page I then contains I + 1. */
void write_pages(volatile char *at, int first, int last, int step);
void read_pages(const volatile char *at, int first, int last);
/* Returns how many pages contain what write_pages() writes. */
int right_pages(const volatile char *at, int first, int last);

/* Prints what userfaultfd reports. */
void userfaults(void);

#endif /* LTTNG_MM_TESTS_PAGE_EFFECTS_H */
