// SPDX-License-Identifier: LGPL-2.1-only
/* Sends COUNT rounds of events to the user-space tracer, from two threads. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "ust-events-tp.h"

static int count;

static void *send(void *user)
{
	static const char *const texts[] = { "",
					     "plain",
					     "quote \" and \\",
					     "line\nbreak\ttab",
					     "gr\xc3\xbc\xc3\x9f",
					     "\x01\x1b[31m\x7f" };
	int16_t values[8];

	for (int n = 0; n < count; n++) {
		for (int i = 0; i < 8; i++)
			values[i] = (int16_t)(n * 37 - i * 1000);
		lttng_ust_tracepoint(reader, scalars, n - count / 2, n / 7.0 - 3, texts[n % 6]);
		lttng_ust_tracepoint(reader, arrays, values, (unsigned int)n % 8, "eight by");
		lttng_ust_tracepoint(reader, empty);
	}
	return user;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	count = argc > 1 ? atoi(argv[1]) : 1000;
	if (pthread_create(&thread, NULL, send, NULL))
		return 1;
	send(NULL);
	pthread_join(thread, NULL);
	printf("%d events\n", 2 * 3 * count);
	return 0;
}
