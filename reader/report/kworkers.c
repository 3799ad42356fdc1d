// SPDX-License-Identifier: LGPL-2.1-only
/* Parses names of the kernel's worker threads; see format_worker_id() in kernel/workqueue.c. */
#include "reader/report/kworkers.h"

#include <stdio.h>
#include <string.h>

#define DIGITS "0123456789"

bool mm_kworker_pool(const char *comm, char *text, size_t size)
{
	static const char prefix[] = "kworker/";
	const char *pool = comm + sizeof(prefix) - 1, *digits, *worker;
	size_t length;
	bool high;

	snprintf(text, size, "%s", comm);
	if (strncmp(comm, prefix, sizeof(prefix) - 1) != 0)
		return false;
	/* The pool is unbound (kworker/u8:) or belongs to a CPU (kworker/0:). */
	digits = pool + (*pool == 'u');
	length = strspn(digits, DIGITS);
	worker = digits + length;
	if (!length || *worker != ':' || !strspn(worker + 1, DIGITS))
		return false;
	length = (size_t)(worker - comm);
	worker += 1 + strspn(worker + 1, DIGITS);
	high = *worker == 'H';
	/* The kernel appends the name of the current (+) or last (-) workqueue. */
	if (worker[high] && worker[high] != '-' && worker[high] != '+')
		return false;
	snprintf(text, size, "%.*s%s", (int)length, comm, high ? "H" : "");
	return true;
}
