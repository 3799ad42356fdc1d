// SPDX-License-Identifier: LGPL-2.1-only
/* Marks must not change the faults that userfaultfd reports: missing and write-protected pages. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "page-effects.h"
#include "steps.h"

struct userfault {
	int fd;
	char *at;
	atomic_int missing, protected;
};

static void protect(struct userfault *from, uint64_t start, uint64_t bytes, uint64_t mode)
{
	struct uffdio_writeprotect range = { .range = { start, bytes }, .mode = mode };

	if (ioctl(from->fd, UFFDIO_WRITEPROTECT, &range))
		die("UFFDIO_WRITEPROTECT");
}

/* Fills missing pages with the expected contents, and unprotects write-protected pages. */
static void *serve(void *data)
{
	static char contents[PAGE] __attribute__((aligned(4096)));
	struct userfault *from = data;
	struct uffd_msg message;

	while (read(from->fd, &message, sizeof(message)) == sizeof(message)) {
		uint64_t page = message.arg.pagefault.address & ~(PAGE - 1ULL);
		struct uffdio_copy copy = {
			.dst = page,
			.src = (uintptr_t)contents,
			.len = PAGE,
		};

		if (message.event != UFFD_EVENT_PAGEFAULT)
			continue;
		if (message.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP) {
			from->protected ++;
			protect(from, page, PAGE, 0);
			continue;
		}
		from->missing++;
		contents[0] = (char)((page - (uintptr_t)from->at) / PAGE + 1);
		if (ioctl(from->fd, UFFDIO_COPY, &copy))
			die("UFFDIO_COPY");
	}
	return NULL;
}

static void start(struct userfault *from, uint64_t mode, pthread_t *thread)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = mode == UFFDIO_REGISTER_MODE_WP ? UFFD_FEATURE_PAGEFAULT_FLAG_WP : 0,
	};
	struct uffdio_register range = {
		.range = { (uintptr_t)from->at, PAGES * PAGE },
		.mode = mode,
	};

	from->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (from->fd < 0 || ioctl(from->fd, UFFDIO_API, &api) ||
	    ioctl(from->fd, UFFDIO_REGISTER, &range) || pthread_create(thread, NULL, serve, from))
		die("userfaultfd");
}

static void stop(struct userfault *from, pthread_t thread)
{
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	close(from->fd);
}

static void missing(void)
{
	struct userfault from = { .at = map_pages(PAGES) };
	pthread_t thread;

	start(&from, UFFDIO_REGISTER_MODE_MISSING, &thread);
	read_pages(from.at, 0, PAGES / 2);
	arm("userfaultfd, present pages");
	printf("userfaultfd: missing: %d\n", from.missing);
	read_pages(from.at, 0, PAGES / 2);
	printf("userfaultfd: missing, touched again: %d\n", from.missing);
	arm("userfaultfd, discarded pages");
	madvise(from.at, PAGES / 4 * PAGE, MADV_DONTNEED);
	printf("userfaultfd: right pages: %d\n", right_pages(from.at, 0, PAGES));
	printf("userfaultfd: missing, after MADV_DONTNEED: %d\n", from.missing);
	stop(&from, thread);
}

static void write_protected(void)
{
	struct userfault from = { .at = map_pages(PAGES) };
	uint64_t start_of = (uintptr_t)from.at;
	pthread_t thread;

	write_pages(from.at, 0, PAGES, 1);
	start(&from, UFFDIO_REGISTER_MODE_WP, &thread);
	arm("userfaultfd, pages to protect");
	protect(&from, start_of, PAGES * PAGE, UFFDIO_WRITEPROTECT_MODE_WP);
	read_pages(from.at, 0, PAGES);
	printf("userfaultfd: protected, after reads: %d\n", from.protected);
	arm("userfaultfd, protected pages");
	write_pages(from.at, 0, PAGES, 2);
	printf("userfaultfd: protected, after writes: %d\n", from.protected);
	arm("userfaultfd, written pages");
	write_pages(from.at, 0, PAGES, 2);
	printf("userfaultfd: protected, after more writes: %d\n", from.protected);
	protect(&from, start_of, PAGES / 2 * PAGE, 0);
	write_pages(from.at, 0, PAGES, 1);
	printf("userfaultfd: protected, half released: %d\n", from.protected);
	printf("userfaultfd: protected: right pages: %d\n", right_pages(from.at, 0, PAGES));
	stop(&from, thread);
}

void userfaults(void)
{
	missing();
	write_protected();
}
