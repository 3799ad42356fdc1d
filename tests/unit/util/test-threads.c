// SPDX-License-Identifier: LGPL-2.1-only
/* Worker threads: how many run, and which signals they receive. */
#include "util/threads.h"

#include <signal.h>
#include <stdatomic.h>

#include "tests/tap.h"

#define MOST 8

static atomic_uint runs, blocked, open_signals;

static void *look(void *user)
{
	sigset_t mask;

	atomic_fetch_add(&runs, 1);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1 &&
	    sigismember(&mask, SIGUSR1) == 1)
		atomic_fetch_add(&blocked, 1);
	if (!sigismember(&mask, SIGBUS) && !sigismember(&mask, SIGSEGV))
		atomic_fetch_add(&open_signals, 1);
	*(int *)user = 1;
	return NULL;
}

int main(void)
{
	pthread_t threads[MOST];
	sigset_t before, after;
	bool same = true;
	int seen = 0;

	sigemptyset(&before);
	sigaddset(&before, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (unsigned int count = 0; count <= MOST; count++) {
		atomic_store(&runs, 0);
		tap(mm_threads_start(threads, count, look, &seen) == count, "%u are started",
		    count);
		mm_threads_join(threads, count);
		tap(atomic_load(&runs) == count, "%u have run when they are joined", count);
	}
	tap(seen, "each receives its own argument");
	tap(atomic_load(&blocked) == MOST * (MOST + 1) / 2, "signals from outside are blocked");
	tap(atomic_load(&open_signals) == MOST * (MOST + 1) / 2,
	    "signals that their own accesses cause are not");
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int i = 1; i < 32; i++)
		same &= sigismember(&before, i) == sigismember(&after, i);
	tap(same, "the mask of the thread that starts them is unchanged");
	return tap_status();
}
