// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Mappings and memory accesses of the DAX workload. Each access adds its expected consequences to
 * the counters.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dax-scenarios.h"

#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif

void dax_fail(struct dax_run *run, const char *what)
{
	if (run->failed)
		return;
	run->failed = true;
	if (errno)
		snprintf(run->why, sizeof(run->why), "%s: %s", what, strerror(errno));
	else
		snprintf(run->why, sizeof(run->why), "%s", what);
}

void dax_skip(struct dax_run *run, const char *why)
{
	run->skipped = true;
	snprintf(run->why, sizeof(run->why), "%s", why);
}

char *dax_map(struct dax_run *run, size_t length, int flags, size_t offset, size_t shift)
{
	size_t room = length + shift + 3 * DAX_PMD;
	char *reserved, *base, *address;

	reserved = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (reserved == MAP_FAILED)
		goto failed;
	base = (char *)(((uintptr_t)reserved + 2 * DAX_PMD - 1) & ~(DAX_PMD - 1));
	address = mmap(base + shift, length, PROT_READ | PROT_WRITE, flags | MAP_FIXED, run->fd,
		       (off_t)offset);
	if (address == MAP_FAILED)
		goto failed;
	if (!run->address) {
		run->address = (uintptr_t)address;
		run->length = length;
	}
	return address;
failed:
	dax_fail(run, "mmap");
	return NULL;
}

char *dax_map_small(struct dax_run *run, size_t length, int flags, size_t offset)
{
	char *address = dax_map(run, length, flags, offset, 0);

	if (address && madvise(address, length, MADV_NOHUGEPAGE) < 0) {
		dax_fail(run, "madvise(MADV_NOHUGEPAGE)");
		return NULL;
	}
	return address;
}

static void expect_pte(struct dax_run *run, enum dax_outcome outcome, bool alone)
{
	uint64_t *n = run->counter;

	n[COUNT_PTE]++;
	n[COUNT_PTE_ALONE] += alone;
	switch (outcome) {
	case HOLE:
		n[COUNT_PTE_HOLE]++;
		n[COUNT_PTE_MAPPED]++;
		break;
	case MKWRITE:
		n[COUNT_PTE_MKWRITE]++;
		n[COUNT_PTE_MAPPED]++;
		break;
	case NEEDDSYNC:
		n[COUNT_PTE_NEEDDSYNC]++;
		n[COUNT_SYNC_INSERT]++;
		break;
	case COW:
		n[COUNT_PTE_COW]++;
		break;
	case SIGNAL:
		n[COUNT_PTE_SIGBUS]++;
		n[COUNT_SIGBUS]++;
		break;
	default:
		n[COUNT_PTE_MAPPED]++;
		break;
	}
}

void dax_expect(struct dax_run *run, enum dax_outcome pmd, enum dax_cause cause,
		enum dax_outcome pte)
{
	uint64_t *n = run->counter, times = 1;

	switch (pmd) {
	case NO_FAULT:
		times = 0;
		break;
	case MAPPED:
		n[COUNT_PMD_MAPPED]++;
		break;
	case HOLE:
		n[COUNT_PMD_MAPPED]++;
		n[COUNT_PMD_HOLE]++;
		break;
	case NEEDDSYNC:
		n[COUNT_PMD_NEEDDSYNC]++;
		n[COUNT_SYNC_INSERT]++;
		break;
	case SIGNAL:
		n[COUNT_PMD_SIGBUS]++;
		n[COUNT_SIGBUS]++;
		break;
	default:
		if (!run->kernel_access)
			times = run->world->fallbacks_per_access;
		n[COUNT_PMD_FALLBACK] += times;
		run->cause[cause] += times;
		if (pmd == HOLE_FALLBACK)
			n[COUNT_PMD_HOLE_FALLBACK] += times;
		break;
	}
	n[COUNT_PMD] += times;
	if (pte != NO_FAULT)
		expect_pte(run, pte, pmd == NO_FAULT);
}

static sigjmp_buf on_sigbus;

static void caught_sigbus(int number)
{
	(void)number;
	siglongjmp(on_sigbus, 1);
}

/* Reads or writes a byte. Returns whether that raised SIGBUS. */
static bool access_byte(char *address, bool write)
{
	struct sigaction action = { .sa_handler = caught_sigbus }, before;
	bool raised = false;

	sigaction(SIGBUS, &action, &before);
	if (sigsetjmp(on_sigbus, 1))
		raised = true;
	else if (write)
		*(volatile char *)address = 1;
	else
		(void)*(volatile char *)address;
	sigaction(SIGBUS, &before, NULL);
	return raised;
}

void dax_touch(struct dax_run *run, char *address, bool write, enum dax_outcome pmd,
	       enum dax_cause cause, enum dax_outcome pte)
{
	bool want = pmd == SIGNAL || pte == SIGNAL;

	if (!address || run->failed)
		return;
	dax_expect(run, pmd, cause, pte);
	if (access_byte(address, write) != want) {
		errno = 0;
		dax_fail(run, want ? "SIGBUS was expected and not raised" : "unexpected SIGBUS");
	}
}

void dax_sync(struct dax_run *run, char *address, size_t length, unsigned int entries)
{
	if (!address || run->failed)
		return;
	run->counter[COUNT_WRITEBACK_RANGE] += entries > 0;
	run->counter[COUNT_WRITEBACK_ONE] += entries;
	run->counter[COUNT_WRITEBACK_PAGES] += entries ? length / DAX_PAGE : 0;
	if (msync(address, length, MS_SYNC) < 0)
		dax_fail(run, "msync");
}
