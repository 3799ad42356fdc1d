// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints how many KiB of a CPU's ftrace ring buffer consist of pages with events from START to END:
 * ftrace-window TRACE_PIPE_RAW START END. The times are in nanoseconds of ftrace's clock. Fails if
 * the oldest event in the buffer is later than START. Consumes the whole buffer; nobody may write
 * to the buffer meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A page starts with the time of its first event and its number of bytes. */
enum { PAGE_BYTES = 4096, HEADER_BYTES = 16 };

/* The requested window, and counts of the pages that were read. */
struct page_window {
	uint64_t start, end, last; /* @last: the time of the last page */
	unsigned long read, inside;
};

/*
 * Handles a page that starts at @time. The previous page ends at @time, and counts if it overlaps
 * the window. Returns false if the first page starts after the start of the window: then earlier
 * events have been overwritten.
 */
static bool take_page(struct page_window *window, uint64_t time)
{
	if (!window->read++ && time > window->start)
		return false;
	if (window->read > 1 && window->last <= window->end && time > window->start)
		window->inside++;
	window->last = time;
	return true;
}

int main(int argc, char **argv)
{
	struct page_window window = { 0 };
	char page[PAGE_BYTES];
	uint64_t time;
	ssize_t got;
	int fd;

	if (argc != 4) {
		fprintf(stderr, "usage: ftrace-window TRACE_PIPE_RAW START END\n");
		return 2;
	}
	window.start = strtoull(argv[2], NULL, 10);
	window.end = strtoull(argv[3], NULL, 10);
	fd = open(argv[1], O_RDONLY | O_NONBLOCK);
	while ((got = fd < 0 ? -1 : read(fd, page, sizeof(page))) >= HEADER_BYTES) {
		memcpy(&time, page, sizeof(time));
		if (!take_page(&window, time)) {
			fprintf(stderr,
				"ftrace-window: %s: starts %" PRIu64 " ns after the window\n",
				argv[1], time - window.start);
			return 1;
		}
	}
	if (got < 0 && errno != EAGAIN) {
		fprintf(stderr, "ftrace-window: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	if (!window.read || window.last < window.end) {
		fprintf(stderr, "ftrace-window: %s: %lu pages do not reach the end of the window\n",
			argv[1], window.read);
		return 1;
	}
	printf("%lu\n", window.inside * PAGE_BYTES / 1024);
	close(fd);
	return 0;
}
