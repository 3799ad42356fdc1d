/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decodes events of slab and page allocations to operations. */
#ifndef LTTNG_MM_SLAB_DECODE_EVENTS_H
#define LTTNG_MM_SLAB_DECODE_EVENTS_H

#include "analysis/slab/decode/caches.h"
#include "analysis/slab/decode/labels.h"
#include "analysis/slab/decode/op.h"
#include "reader/events/source.h"

/* Events in the order of their requests. The most frequent events come first. */
enum slab_event {
	SLAB_EVENT_KMALLOC,
	SLAB_EVENT_KFREE,
	SLAB_EVENT_KFREE_WIDE,
	SLAB_EVENT_CACHE_ALLOC,
	SLAB_EVENT_CACHE_ALLOC_WIDE,
	SLAB_EVENT_CACHE_FREE,
	SLAB_EVENT_CACHE_FREE_WIDE,
	SLAB_EVENT_KMALLOC_WIDE,
	SLAB_EVENT_KMALLOC_FAILED,
	SLAB_EVENT_CACHE_ALLOC_FAILED,
	SLAB_EVENT_FREE_BULK,
	SLAB_EVENT_ALLOC_BULK,
	SLAB_EVENT_KFREE_RCU,
	SLAB_EVENT_REALLOC,
	SLAB_EVENT_PAGE_ALLOC,
	SLAB_EVENT_PAGE_BULK,
	SLAB_EVENT_PAGE_FAILED,
	SLAB_EVENT_PAGE_FREE,
	SLAB_EVENT_PAGE_BATCHED,
	SLAB_EVENT_FORK,
	SLAB_EVENT_EXEC,
	SLAB_EVENT_EXIT,
	SLAB_EVENT_DUMP_CACHE,
	SLAB_EVENT_DUMP_ALIAS,
	SLAB_EVENT_DUMP_CODE,
	SLAB_EVENT_DUMP_PATH,
	SLAB_EVENT_DUMP_NODE,
	SLAB_EVENT_DUMP_CPU,
	SLAB_EVENT_DUMP_THREAD,
	SLAB_EVENT_DUMP_THREAD_LTTNG,
	SLAB_EVENTS,
	SLAB_EVENT_FREQUENT_LAST = SLAB_EVENT_CACHE_FREE_WIDE,
	SLAB_EVENT_STATE_FIRST = SLAB_EVENT_DUMP_CACHE,
};

/* Requests all events of enum slab_event, in its order. */
void slab_request(struct mm_requests *requests);
/* Requests the events of threads before the requested part of the trace. */
void slab_request_history(struct mm_requests *requests);
/*
 * Requests the addresses of allocations and frees after the requested part, which show that objects
 * are no longer live. The numbers of these requests follow those of the SLAB_HISTORY_THREADS
 * requests for threads.
 */
void slab_request_later(struct mm_requests *requests);
#define SLAB_HISTORY_THREADS 4

/* Is the last field of the event class a call stack? */
bool slab_event_has_stack(const struct mm_event_type *type);

/* Field numbers of events of objects. The fields after SLAB_FIELD_PTR differ between events. */
enum { SLAB_FIELD_TID, SLAB_FIELD_CODE, SLAB_FIELD_PTR, SLAB_FIELD_4, SLAB_FIELD_5, SLAB_FIELD_6 };

struct slab_decoder {
	struct slab_caches caches;
	struct slab_labels labels;
};

void slab_decoder_init(struct slab_decoder *decoder);
void slab_decoder_release(struct slab_decoder *decoder);
/*
 * Prepares a requested event class: reads its labels, and sets type->bound to its struct slab_form.
 * Returns 0, or -1 when out of memory.
 */
int slab_decoder_bind(struct slab_decoder *decoder, struct mm_event_type *type);

/* Fills @op from an event of an infrequent class. */
void slab_decode(struct slab_decoder *decoder, const struct mm_event *event, struct slab_op *op);
/* Reads the flags and the migrate type of a page allocation. */
void slab_decode_page_flags(const struct mm_event *event, uint32_t *gfp, uint32_t *migrate);
/* Returns the thread of a page event or a failed allocation. */
static inline uint32_t slab_decode_tid(const struct mm_event *event)
{
	return (uint32_t)event->fields[0].u;
}

/*
 * Reads a failed allocation. Sets *@key to code, kind (SLAB_KIND_NONE: kmalloc()) and flags.
 * Returns the bytes.
 */
uint64_t slab_decode_failed(struct slab_decoder *decoder, const struct mm_event *event,
			    struct mm_row *key);

/*
 * Numbers for decoding one class of frequent events. All these classes are decoded by the same code
 * with different numbers. A branch on the class would be slow, because the CPU could not predict
 * the class of the next event. The kind is @kind plus the masked field.
 */
struct slab_form {
	uint64_t kind_mask, req_mask, class_mask;
	uint32_t kind;
	struct slab_op_type op_type;
	uint8_t kind_at, req_at, class_at;
};

/* Returns the form of a class of frequent events; NULL for other classes. */
const struct slab_form *slab_form_of(const struct mm_event_type *type);

/* Hidden visibility avoids an indirect access through the global offset table. */
extern const __attribute__((visibility("hidden")))
uint16_t slab_class_bytes[LTTNG_MM_SLAB_SIZE_CLASS_COUNT];

/* Slow path of slab_decode_frequent(), for a cache number that does not fit in packed events. */
__attribute__((cold, noinline)) uint32_t slab_decode_far_kind(struct slab_decoder *decoder,
							      uint64_t number);

static inline uint32_t slab_clamp32(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static inline void slab_decode_common(const struct mm_event *event, struct slab_op *op)
{
	const union mm_scalar *f = event->fields;

	op->time_ns = event->time_ns;
	op->key.tid = (uint32_t)f[SLAB_FIELD_TID].u;
	op->key.code = (uint32_t)f[SLAB_FIELD_CODE].u;
	op->key.cpu = event->cpu < SLAB_CPU_MAX ? event->cpu : SLAB_CPU_MAX;
	/* The highest bit marks pages. */
	op->address = f[SLAB_FIELD_PTR].u & ~SLAB_ADDRESS_PAGE;
}

/* Fills @op from a frequent event. */
static inline void slab_decode_frequent(struct slab_decoder *decoder, const struct mm_event *event,
					const struct slab_form *form, struct slab_op *op)
{
	const union mm_scalar *f = event->fields;
	uint64_t kind = f[form->kind_at].u & form->kind_mask;

	slab_decode_common(event, op);
	/* Only wide events contain such large cache numbers. */
	op->key.kind = __builtin_expect(kind < SLAB_CACHES_NEAR, 1)
			       ? form->kind + (uint32_t)kind
			       : slab_decode_far_kind(decoder, kind);
	op->bytes_req = slab_clamp32(f[form->req_at].u & form->req_mask);
	op->bytes_alloc = slab_class_bytes[f[form->class_at].u & form->class_mask];
	op->op_type = form->op_type;
}

#endif /* LTTNG_MM_SLAB_DECODE_EVENTS_H */
