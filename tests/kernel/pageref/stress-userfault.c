// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A worker that uses userfaultfd for its memory. A thread provides the missing pages by copying or
 * moving them. The worker also write-protects the pages.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "pageref-stress.h"

/* Since Linux 6.8. */
#ifndef UFFD_FEATURE_MOVE
#define UFFD_FEATURE_MOVE (1 << 16)
struct uffdio_move {
	uint64_t dst, src, len, mode;
	int64_t move;
};
#define UFFDIO_MOVE _IOWR(UFFDIO, 0x05, struct uffdio_move)
#endif

static int faults;
static bool can_move;
static unsigned char *target, *source;
static long moved, copied, released;

static void protect(uint64_t start, uint64_t bytes, uint64_t mode)
{
	struct uffdio_writeprotect range = { .range = { start, bytes }, .mode = mode };

	expect(!ioctl(faults, UFFDIO_WRITEPROTECT, &range), "UFFDIO_WRITEPROTECT");
}

/* Provides a missing page: the page at the same position of the source. */
static void provide(uint64_t page)
{
	uint64_t from = page - (uintptr_t)target + (uintptr_t)source;
	struct uffdio_move move = { .dst = page, .src = from, .len = PAGE };
	struct uffdio_copy copy = { .dst = page, .src = from, .len = PAGE };

	if (can_move && !ioctl(faults, UFFDIO_MOVE, &move)) {
		moved++;
		return;
	}
	expect(!ioctl(faults, UFFDIO_COPY, &copy), "UFFDIO_COPY");
	copied++;
}

static void *serve(void *unused)
{
	struct uffd_msg message;

	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		uint64_t page = message.arg.pagefault.address & ~(PAGE - 1ULL);

		if (message.event != UFFD_EVENT_PAGEFAULT)
			continue;
		if (message.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP) {
			protect(page, PAGE, 0);
			released++;
		} else {
			provide(page);
		}
	}
	return unused;
}

/* Returns the features of the kernel's userfaultfd, or 0. */
static uint64_t features(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (ioctl(fd, UFFDIO_API, &api))
		api.features = 0;
	close(fd);
	return api.features;
}

static bool register_target(void)
{
	uint64_t wanted = UFFD_FEATURE_PAGEFAULT_FLAG_WP;
	struct uffdio_register range = {
		.range = { (uintptr_t)target, PAGES * PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_api api = { .api = UFFD_API };

	can_move = features() & UFFD_FEATURE_MOVE;
	if (can_move)
		wanted |= UFFD_FEATURE_MOVE;
	api.features = wanted;
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	return faults >= 0 && !ioctl(faults, UFFDIO_API, &api) &&
	       !ioctl(faults, UFFDIO_REGISTER, &range);
}

long serve_userfaults(void)
{
	pthread_t thread;
	long rounds = 0;

	target = map(PAGES);
	source = map(PAGES);
	/* A page that a child shares cannot be moved. */
	madvise(source, PAGES * PAGE, MADV_DONTFORK);
	madvise(target, PAGES * PAGE, MADV_DONTFORK);
	if (!register_target() || pthread_create(&thread, NULL, serve, NULL))
		return -1;
	for (; !stop; rounds++) {
		fill(source, 0, PAGES, (int)rounds);
		madvise(target, PAGES * PAGE, MADV_DONTNEED);
		check(target, 0, PAGES, (int)rounds, "pages provided by userfaultfd");
		protect((uintptr_t)target, PAGES * PAGE, UFFDIO_WRITEPROTECT_MODE_WP);
		check(target, 0, PAGES, (int)rounds, "write-protected pages");
		fill(target, 0, PAGES / 2, (int)rounds + 1);
		check(target, 0, PAGES / 2, (int)rounds + 1, "released pages");
		protect((uintptr_t)target, PAGES * PAGE, 0);
		check(target, PAGES / 2, PAGES, (int)rounds, "protected pages");
	}
	printf("moved %ld, copied %ld, released %ld\n", moved, copied, released);
	return released && (moved || !can_move) ? rounds : -1;
}
