/* SPDX-License-Identifier: LGPL-2.1-only */
/* Listings of function calls, printed by --graph and --folded in place of a report. */
#ifndef LTTNG_MM_FN_LIST_CALL_LIST_H
#define LTTNG_MM_FN_LIST_CALL_LIST_H

#include <stdio.h>

#include "analysis/fn/list/order.h"
#include "analysis/fn/options.h"
#include "analysis/fn/track/pairing.h"
#include "analysis/subsystem/analysis.h"
#include "reader/sysinfo/threads.h"

extern const struct mm_listing fn_graph_listing, fn_folded_listing;

/* Number of recent switches to store per thread. */
#define FN_SWITCHES 64u

/* A thread of a listing. It is found by its key (fn_thread_key()). */
struct fn_list_thread {
	struct mm_row row;
	uint32_t number; /* number of the thread at its last event; MM_HASH_NONE: no event yet */
	uint64_t last;	 /* handle of the last item if it is a start; otherwise FN_LIST_NO_ITEM */
	int64_t last_ns; /* time of the thread's last item */
	/*
	 * last switches to the thread: time of each switch, and total time off the CPU until the
	 * switch
	 */
	int64_t in_ns[FN_SWITCHES];
	uint64_t off_ns[FN_SWITCHES];
	uint64_t switches;
	int64_t out_ns; /* time of the last switch out; INT64_MIN: the thread runs */
	/* state at the last released item: number of open calls, and current stack (--folded) */
	uint32_t depth, node;
};

struct fn_list {
	struct fn_classes classes;
	struct fn_pairing pairing;
	struct mm_threads threads;
	/* names of threads in the whole trace, read in advance; not used in a live session */
	struct mm_threads names;
	bool has_names, names_ready;
	struct mm_rows by_key;
	struct fn_order order;
	const struct mm_sysinfo *sysinfo;
	FILE *out;
	bool by_task, by_pid, counts_calls;
	uint32_t pid;
	/*
	 * The selected threads; NULL: all. In a live session with --pid, the events so far select
	 * the threads instead.
	 */
	const struct mm_selection *selection;
	struct mm_selected_last selected;
	uint64_t left_out; /* calls of the recorder's own processes */
	bool has_switches;
	bool failed; /* out of memory in a function that cannot return an error */
	/* calls without a start item, because they started before the last released item */
	uint64_t late;
	void *sink; /* state of the graph, or of the folded stacks */
};

/* Creates a listing; @release receives items sorted by time. Returns NULL when out of memory. */
struct fn_list *fn_list_create(const struct fn_option_values *options,
			       const struct mm_sysinfo *sysinfo, FILE *out,
			       fn_list_release_fn *release);
void fn_list_destroy(struct fn_list *list);
/* Members of struct mm_listing. */
void fn_list_select(void *user, const struct mm_selection *selection);
uint64_t fn_list_left_out(const void *user);
int fn_list_ahead(void *user, const struct mm_event *event, struct mm_error *err);
void fn_list_request(void *user, unsigned int pass, struct mm_requests *requests);
int fn_list_bind(void *user, struct mm_event_type *type, struct mm_error *err);
int fn_list_event(void *user, const struct mm_event *event, struct mm_error *err);
void fn_list_lost(void *user, const struct mm_loss *loss, int64_t begin_ns);
/* Releases the remaining items. Returns 0, or -1 with @err set. */
int fn_list_finish(struct fn_list *list, struct mm_error *err);

/*
 * Returns the name of thread @thread (an item->thread), which is untrusted, or NULL if the name is
 * not known. Must not be called for idle threads.
 */
const char *fn_list_comm(const struct fn_list *list, uint32_t thread, uint32_t tid);

/* Finds or adds the thread of @key. Returns NULL when out of memory. */
struct fn_list_thread *fn_list_thread(struct fn_list *list, uint32_t key);

#endif /* LTTNG_MM_FN_LIST_CALL_LIST_H */
