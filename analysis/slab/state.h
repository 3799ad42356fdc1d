/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the slab analysis knows, from the first event to the report. */
#ifndef LTTNG_MM_SLAB_STATE_H
#define LTTNG_MM_SLAB_STATE_H

#include "analysis/slab/track/pairing.h"
#include "analysis/subsystem/analysis.h"
#include "analysis/sysinfo/call-sites.h"
#include "analysis/sysinfo/threads.h"

struct slab_state;
struct slab_recorder;

#define SLAB_NAME_BYTES 160 /* the probe's longest is 143 */
/* A thread's: /proc has longer ones of kworkers than a trace. */
#define SLAB_THREAD_BYTES 80
/* All the labels of GFP flags at once. */
#define SLAB_FLAGS_BYTES 320

/* A kind, and the CPU that an event came from. */
#define SLAB_CPU_SHIFT 21
#define SLAB_ON_CPU(kind, cpu) ((kind) | (cpu) << SLAB_CPU_SHIFT)
#define SLAB_KIND_OF(b) ((b) & ((1u << SLAB_CPU_SHIFT) - 1))
#define SLAB_KIND_ANY 0x1fffffu /* SLAB_KIND_OF() of SLAB_KIND_NONE */

/* Allocations and frees by a thread on a CPU, or in a section of memory, of one kind. */
struct slab_tally {
	struct mm_row row; /* as the table says */
	uint64_t allocs, frees, bytes_req, bytes_alloc;
	uint64_t live, live_alloc; /* filled in the end */
};

struct slab_count {
	struct mm_row row;
	uint64_t count;
};

/* A cache as the state dump tells of it. */
struct slab_cache {
	char *name;	/* hostile */
	char **aliases; /* other caches that the kernel merged into it; likewise */
	uint32_t alias_count;
	size_t alias_room;
	uint32_t object_size, size, align;
	bool known, alive, accounted;
};

/* Allocations of pages with the same flags and migrate type. */
struct slab_page_flags {
	struct mm_row row; /* flags; migrate type << 8 | order */
	uint64_t allocs;
	char gfp[SLAB_FLAGS_BYTES], migrate[24]; /* as the trace labels them */
};

/* Allocations that gave nothing. */
struct slab_failed {
	struct mm_row row; /* code, kind, flags */
	uint64_t count, bytes_most;
	char gfp[SLAB_FLAGS_BYTES]; /* as the trace labels them */
};

struct slab_path_state {
	uint8_t path;
	bool hooked;
	uint64_t missed;
	char label[24], function[48];
};

/* A range of a node's memory: there may be several. */
struct slab_node {
	int32_t node;
	uint64_t pfn_start, pfn_end;
};

#define SLAB_PLACES_MAX 65536u /* sections: 8 TiB; memory beyond is of a node that is not known */
#define SLAB_CPU_MAX 2046u

/* What is known of nodes and CPUs: only where there is more than one node. */
struct slab_places {
	int16_t sections[SLAB_PLACES_MAX]; /* indexes of nodes */
	int16_t cpus[SLAB_CPU_MAX + 1];
	struct mm_rows cross; /* by call site and kind: those on a CPU of another node */
	/*
	 * Allocations and frees: of objects, of pages; on the memory's node, another, one not
	 * known.
	 */
	uint64_t counts[2][2][3];
};

/* One of the allocations that waste most; equal ones of a call site are one row. */
struct slab_worst {
	uint32_t code, kind, bytes_req, bytes_alloc;
	uint64_t count;
	int64_t first_ns;
	uint64_t address;
	uint32_t tid, unused;
};

/* What slab_op.what can be. Of the first four, one bit says whether it frees, one whether pages. */
enum slab_operation {
	SLAB_OPERATION_ALLOC,
	SLAB_OPERATION_FREE,
	SLAB_OPERATION_ALLOC_PAGES,
	SLAB_OPERATION_FREE_PAGES,
	SLAB_OPERATION_REALLOC,
	SLAB_OPERATION_RCU,
};

#define SLAB_BATCH 1024u

/* What is read of so many events, to be acted on in one go. */
struct slab_batch {
	struct slab_op ops[SLAB_BATCH];
	unsigned int count;
};

#define SLAB_FEW_CPUS 32u

#define SLAB_WORST 100

struct slab_sample {
	int64_t time_ns;
	uint64_t live_req, live_alloc, cache_req, cache_alloc;
};

#define SLAB_SAMPLES 256
#define SLAB_PATHS_MAX 32
#define SLAB_NODES_MAX 1024
#define SLAB_RANGES_OF_NODES (2 * SLAB_NODES_MAX)
/*
 * 128 MiB: taken to be of one node, as memory sections mostly are. Of pages: so many page frames.
 */
#define SLAB_SECTION_SHIFT 27
#define SLAB_SECTION_PAGES_SHIFT 15
/* Bytes of pages are counted in pages of that size, and told in those of the trace. */
#define SLAB_PAGE_UNIT 4096u

/* Objects of a size class or a cache: now, and when they were most. */
struct slab_kind_live {
	uint64_t live, peak;
	uint32_t object_size, size; /* of a cache, once known */
};

#define SLAB_KINDS (SLAB_KIND_CACHE + SLAB_CACHES_MAX)

struct slab_live {
	uint64_t req, alloc;
};

struct slab_state {
	struct slab_pairing pairing;
	struct slab_op *next, *full; /* where the next event goes, and the end of the room */
	struct slab_batch *batch;    /* being filled: its count is set when it is passed on */
	struct slab_work *work;	     /* of the thread that acts on batches; NULL: there is none */
	bool was_short;		     /* without that thread: memory was short, and events went by */
	char apart[64]; /* from what another thread writes: lines of caches are not shared */
	/* Filled by slab_operate(), maybe on that thread: */
	struct mm_rows sections; /* tallies: section, kind */
	struct mm_rows matrix;	 /* allocating CPU, freeing CPU: with SLAB_FEW_CPUS or more */
	uint64_t few[SLAB_FEW_CPUS][SLAB_FEW_CPUS]; /* ... with fewer: moved there in the end */
	struct mm_rows cross_process;		    /* allocating thread, freeing thread */
	struct slab_places *places;   /* NULL: there is one node, or nothing is known */
	struct slab_kind_live *kinds; /* by kind: SLAB_KINDS of them, and one for all else */
	uint32_t sized_kinds;	      /* past the last of a cache whose size is known */
	struct slab_live now;	      /* of kmalloc(), and of caches whose size is known by now */
	struct slab_live peak;
	int64_t peak_ns;
	/*
	 * Up to then there were objects of caches whose sizes were not known yet; INT64_MAX: ...
	 * ever.
	 */
	int64_t unsized_until_ns;
	uint32_t late_caches; /* ... and whose sizes came later */
	bool places_late;     /* nodes became known after events that are counted by node */
	struct slab_sample samples[SLAB_SAMPLES];
	uint32_t sample_count;
	int64_t next_sample_ns, sample_ns;

	struct slab_worst worst[SLAB_WORST];
	uint32_t worst_count;
	uint32_t worst_least; /* what an allocation has to waste to be among them: 1 or more */

	int64_t first_ns, last_ns;
	int64_t boot_ns;       /* what the trace's clock counts from */
	uint64_t general_path; /* events that slab-usual.c left to slab-act.c */
	/* Filled as events come: */
	bool began;			/* an event other than of state was there */
	bool has_pages, has_bulk_pages; /* of page events: any; pages that were allocated in bulk */
	uint64_t batched;
	struct mm_rows page_flags;
	struct mm_threads thread_names;
	/* ... as they were before the part of the trace that is asked for */
	struct mm_threads earlier_thread_names;
	struct mm_rows failed;	   /* code, kind, flags */
	struct slab_cache *caches; /* by index */
	uint32_t cache_count;
	uint32_t *far_numbers; /* of the caches from index SLAB_CACHES_NEAR on */
	uint32_t far_count;
	size_t far_room;
	struct mm_hash far_by_number;
	bool far_dropped; /* there were more */
	bool far_failed;  /* out of memory */
	struct slab_path_state paths[SLAB_PATHS_MAX];
	uint32_t path_count;
	struct slab_node nodes[SLAB_RANGES_OF_NODES];
	uint32_t node_count;	 /* ranges */
	unsigned int page_shift; /* of the trace's pages; 0: not told */
	int32_t *cpu_nodes;	 /* SLAB_CPU_MAX of them; NULL: not told */
	struct mm_call_sites call_sites;

	/* After finish: */
	struct mm_rows threads;		/* tallies: thread, SLAB_ON_CPU(), whether the recorder's */
	struct mm_rows freers;		/* code, 0, whether the recorder's: frees there */
	struct slab_recorder *recorder; /* NULL: who recorded is not known */
	const struct mm_context *context;
	const struct mm_source *source;
	struct slab_coverage coverage;
	uint32_t unsized_caches; /* that the trace has objects of, and not the sizes */
	bool lossy;		 /* events are missing: lost, damaged or cut off */
	bool dump_lossy;	 /* ... some of the state dump, maybe */
	bool dump_absent;	 /* ... all of it: the state session's folder is gone */
};

/* slab-state.c */
struct slab_state *slab_state_create(void);
void slab_state_destroy(struct slab_state *state);
/*
 * The index of the cache of that number, made when new. 0: it has no number, or is one of more than
 * SLAB_CACHES_NEAR beyond the numbers that packed events hold. Only for the thread that reads.
 */
uint32_t slab_state_cache_index(struct slab_state *state, uint64_t number);
/* The number of the cache of that index. */
uint32_t slab_state_cache_number(const struct slab_state *state, uint32_t index);
/* The cache, made when new; NULL: out of memory. */
struct slab_cache *slab_state_cache(struct slab_state *state, uint32_t index);
/* @guess: where the call site's last one is in the list. */
void slab_state_worst(struct slab_state *state, const struct slab_op *op, uint32_t *guess);
void slab_state_sample(struct slab_state *state, int64_t now);

/* slab-usual.c: does what @batch says. -1: memory is short. */
int slab_operate(struct slab_state *state, struct slab_batch *batch);

/*
 * slab-work.c: batches are acted on at once, or on a thread of their own while the next ones are
 * filled. All return 0, or -1: memory is, or was, short.
 */
int slab_work_init(struct slab_state *state);
int slab_work_start(struct slab_state *state, bool thread);
/* state->batch is full; there will be another. */
int slab_work_pass(struct slab_state *state);
/* When it returns, all that was passed on and state->batch have been acted on. */
int slab_work_drain(struct slab_state *state);
void slab_work_stop(struct slab_state *state);

/* slab-dump.c: events of the state dump, by what their fields mean. */
int slab_dump_cache(struct slab_state *state, const struct mm_event *event);
int slab_dump_alias(struct slab_state *state, const struct mm_event *event);
int slab_dump_code(struct slab_state *state, const struct mm_event *event);
void slab_dump_path(struct slab_state *state, const struct mm_event *event);
/* An allocation that gave nothing, of @kind (SLAB_KIND_NONE: kmalloc()). */
int slab_state_failed(struct slab_state *state, const struct mm_event *event, uint32_t code,
		      uint32_t kind, uint32_t gfp, uint64_t bytes);
int slab_page_flags_label(struct slab_page_flags *flags, const struct mm_event *event);

/* slab-aliases.c. Another name of the cache. -1: memory is short. */
int slab_alias_add(struct slab_cache *cache, const char *name);
/* After the last event: adds those that the context knows, and sorts all. -1: memory is short. */
int slab_aliases_finish(struct slab_state *state);

/* slab-finish.c */
int slab_state_finish(struct slab_state *state, const struct mm_source *source);

/*
 * slab-recorder.c: what is the recorder's own. slab_recorder_finish() works it out when the pairing
 * has been judged, and returns -1 when memory is short; without it, and where nobody knows who
 * recorded, nothing is.
 */
int slab_recorder_finish(struct slab_state *state);
void slab_recorder_release(struct slab_state *state);
bool slab_recorder_is_account(const struct slab_state *state, uint32_t account);
/*
 * Is the recorder who did something as the thread at that time, and maybe more of the kind later?
 */
bool slab_recorder_did(const struct slab_state *state, uint32_t tid, int64_t first_ns);
/* Is all that the thread did the recorder's? */
bool slab_recorder_is_thread(const struct slab_state *state, uint32_t tid);

/*
 * slab-paths.c: @since: the first kernel that has it. 1: the trace is of such a kernel; 0: of an
 * older one; -1: not known.
 */
int slab_kernel_is_since(const struct slab_state *state, unsigned int major, unsigned int minor);
/* Does the state dump say of the path whether it is traced? */
bool slab_path_is_listed(const struct slab_state *state, uint8_t number);

/* slab-names.c: what things are called; @text is always terminated. */
void slab_name_code(const struct slab_state *state, uint32_t code, char *text, size_t size);
void slab_name_kind(const struct slab_state *state, uint32_t kind, char *text, size_t size);
/* ... and that it stands for others too: `vm_area_struct (+2)`, with their names if @all. */
void slab_name_kind_shown(const struct slab_state *state, uint32_t kind, bool all, char *text,
			  size_t size);
void slab_name_thread(const struct slab_state *state, uint32_t tid, char *text, size_t size);
/* Does what the thread does belong to interrupts? The idle thread's and ksoftirqd's does. */
bool slab_thread_is_interrupt(const struct slab_state *state, uint32_t tid);
/* slab_name_thread(), and whether that is interrupts. */
void slab_name_thread_shown(const struct slab_state *state, uint32_t tid, char *text, size_t size);
/* What the trace says of the last thread of that id; NULL: nothing. */
const struct mm_thread *slab_find_thread(const struct slab_state *state, uint32_t tid);
/* What it was called by the trace alone; NULL: not known. */
const char *slab_traced_name(const struct slab_state *state, uint32_t tid);
/* -1: not known. */
int32_t slab_thread_pid(const struct slab_state *state, uint32_t tid);
/* Are the sizes of the kind's objects not known? A cache's come with the state dump. */
bool slab_kind_is_unsized(const struct slab_state *state, uint32_t kind);
/* What an object of the kind takes and holds, where the kind alone tells; else 0. */
uint32_t slab_kind_size(const struct slab_state *state, uint32_t kind);
uint32_t slab_kind_object_size(const struct slab_state *state, uint32_t kind);

/*
 * slab-nodes.c. Events of the state dump; all that came before has been acted on. Each returns 0,
 * or -1: memory is short.
 */
#define SLAB_DUMP_PAGE_SIZE 3 /* that field of the node's event need not be there */
int slab_dump_node(struct slab_state *state, const struct mm_event *event);
int slab_dump_cpu(struct slab_state *state, const struct mm_event *event);
/*
 * @op, on an object that @owner allocated: is its memory of another node than the CPU? With places.
 */
int slab_nodes_tally(struct slab_state *state, const struct slab_op *op,
		     const union slab_accounting_key *owner);
void slab_nodes_release(struct slab_state *state);
/* The node of a section of memory, or of one of pages; -1: not known. */
int32_t slab_section_node(const struct slab_state *state, uint32_t section, bool pages);
/* Of a size that pages can have, a power of two; others are ignored. */
void slab_set_page_size(struct slab_state *state, uint64_t size);
/* Pages are 2^that times SLAB_PAGE_UNIT. */
unsigned int slab_page_scale(const struct slab_state *state);

/* slab-report.c */
int slab_report_fill(struct slab_state *state, const struct mm_report_options *options,
		     struct mm_report *report);

#endif /* LTTNG_MM_SLAB_STATE_H */
