/* SPDX-License-Identifier: LGPL-2.1-only */
/* Listings of function calls: what --graph and --folded print in place of a report. */
#ifndef LTTNG_MM_FN_LIST_LIST_H
#define LTTNG_MM_FN_LIST_LIST_H

#include <stdio.h>

#include "analysis/fn/list/order.h"
#include "analysis/fn/options.h"
#include "analysis/fn/track/pairing.h"
#include "analysis/subsystem/analysis.h"
#include "reader/sysinfo/threads.h"

extern const struct mm_listing fn_graph_listing, fn_folded_listing;

/* How often a thread was switched out and in is kept, the last times only. */
#define FN_SWITCHES 64u

/* A thread of a listing, which is found by its key. */
struct fn_list_thread {
	struct mm_row row;
	uint32_t number; /* of its last event, as item->thread; MM_HASH_NONE: there was none */
	uint64_t last;	 /* handle of its last item; FN_LIST_NO_ITEM: it is no start */
	int64_t last_ns; /* ... and its time */
	/* Time off the CPU until it was switched in, for the last of these. */
	int64_t in_ns[FN_SWITCHES];
	uint64_t off_ns[FN_SWITCHES];
	uint64_t switches;
	int64_t out_ns; /* it is off the CPU since; INT64_MIN: it is not */
	/* Of what was released: calls that run, and (folded) the node of the innermost one. */
	uint32_t depth, node;
};

struct fn_list {
	struct fn_classes classes;
	struct fn_pairing pairing;
	struct mm_threads threads;
	/* What is known of threads at the end, read ahead; not of a live session. */
	struct mm_threads names;
	bool has_names, names_ready;
	struct mm_rows by_key;
	struct fn_order order;
	const struct mm_sysinfo *sysinfo;
	FILE *out;
	bool by_task, by_pid, counts_calls;
	uint32_t pid;
	/* NULL: all threads, or of a live session those that --pid selects as far as is known */
	const struct mm_selection *selection;
	struct mm_selected_last selected;
	uint64_t left_out; /* calls of the recorder's own processes */
	bool has_switches;
	bool failed;   /* out of memory where that could not be returned */
	uint64_t late; /* calls whose start could not be listed in order */
	void *sink;    /* the listing's own */
};

/* The parts of a listing that both have. @release receives items in order. */
struct fn_list *fn_list_create(const struct fn_option_values *options,
			       const struct mm_sysinfo *sysinfo, FILE *out,
			       fn_list_release_fn *release);
void fn_list_destroy(struct fn_list *list);
/* Members of the listings. */
void fn_list_select(void *user, const struct mm_selection *selection);
uint64_t fn_list_left_out(const void *user);
int fn_list_ahead(void *user, const struct mm_event *event, struct mm_error *err);
void fn_list_request(void *user, unsigned int pass, struct mm_requests *requests);
int fn_list_bind(void *user, struct mm_event_type *type, struct mm_error *err);
int fn_list_event(void *user, const struct mm_event *event, struct mm_error *err);
void fn_list_lost(void *user, const struct mm_loss *loss, int64_t begin_ns);
/* Releases what is left. Returns 0, or -1 with @err set. */
int fn_list_finish(struct fn_list *list, struct mm_error *err);

/* The name of a thread that is not idle, by item->thread. NULL: not known. Hostile. */
const char *fn_list_comm(const struct fn_list *list, uint32_t thread, uint32_t tid);

/* NULL: out of memory. */
struct fn_list_thread *fn_list_thread(struct fn_list *list, uint32_t key);

#endif /* LTTNG_MM_FN_LIST_LIST_H */
