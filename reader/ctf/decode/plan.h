/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decoding plans of stream classes, made once for the requested fields. */
#ifndef LTTNG_MM_CTF_DECODE_PLAN_H
#define LTTNG_MM_CTF_DECODE_PLAN_H

#include "reader/ctf/decode/pick.h"
#include "reader/ctf/model/model.h"
#include "reader/ctf/packet/read.h"
#include "reader/events/source.h"

/*
 * A load takes 8 bytes from the event's body, shifts and masks them and extends the sign:
 *	v = (little-endian or big-endian 8 bytes at @byte) >> shift & mask;
 *	v = (v ^ sign) - sign;
 * A load has no branch. All plain classes of a stream, except classes with very many loads, do the
 * same number of loads, so that the loop count is predictable. Padding loads have mask 0.
 */
struct ctf_load {
	uint32_t byte, shift;
	uint64_t mask, sign;
};

/* A string of fixed size in a plain class. */
struct ctf_text_load {
	uint32_t byte, length;
	unsigned int slot;
};

/* A step of a class that is not plain. Steps visit the body's fields in order. */
enum ctf_step_kind {
	CTF_STEP_SKIP,	 /* aligns to @align, then skips @bits */
	CTF_STEP_SCALAR, /* reads @field, a scalar, into @slot (-1: not requested) */
	CTF_STEP_FIELD,	 /* skips @field, which may be of any class */
	CTF_STEP_PICK,	 /* reads the requested values in @field, by @pick */
};

struct ctf_step {
	enum ctf_step_kind kind;
	uint32_t align;
	uint64_t bits;
	const struct ctf_field *field;
	int slot;
	const struct ctf_pick *pick;
};

enum ctf_form {
	CTF_FORM_PLAIN, /* byte-aligned and of fixed size; decoded by @loads and @texts */
	CTF_FORM_STEPS,
};

/*
 * Layout of a plain body. The alignment of fields (up to 64 bits) makes the layout depend on the
 * phase: the start of the body modulo 8 bytes. A class with such fields has one layout per phase.
 */
struct ctf_layout {
	uint64_t bits; /* size of the body, including the alignment at its start */
	struct ctf_load *loads;
	struct ctf_text_load *texts;
};

struct ctf_class_plan {
	const struct ctf_event_class *class;
	enum ctf_form form;
	int matched;	/* index of the request that matches the class's name, or -1 */
	bool requested; /* events of the class are requested */
	/*
	 * the body's lengths or selectors are fields of the packet header, packet context or event
	 * header
	 */
	bool outer;
	/* plain body: 7 if each phase has a layout, 0 if there is one layout */
	uint32_t phase_mask;
	struct ctf_layout *layouts;
	unsigned int load_count, text_count;
	struct ctf_step *steps;
	size_t step_count;
	/* requested fields inside members of the scopes; a class with @picks is decoded in steps */
	struct ctf_pick *picks;
	size_t pick_count;
	enum mm_kind *kinds, *element_kinds;
	/* per requested field: class of the scalar, or of the array's elements; else NULL */
	const struct ctf_field **fields;
	/* .request is -1 if the events are not requested, or the consumer refused them */
	struct mm_event_type type;
};

/*
 * Data of the fast path (quick.h) for plain classes with one layout. For every class, the fast path
 * does the same number of loads, sign extensions and string copies. The CPU can then predict its
 * loops. Unneeded operations have no effect.
 */
struct ctf_quick_sign {
	uint64_t sign; /* 0: none */
	uint32_t slot;
};

struct ctf_quick_text {
	/* offset of the string from the start of the body; length 0: none */
	uint32_t byte, length;
	uint32_t slot;
};

struct ctf_quick_class {
	/* size of an event whose header has the short (or only) form; or CTF_QUICK_NONE */
	uint64_t bytes;
	const struct ctf_load *loads; /* NULL: the event is not requested */
	const struct ctf_quick_sign *signs;
	const struct ctf_quick_text *texts;
	const struct ctf_class_plan *class;
	bool more; /* the class has more loads or signs than the fast path does for each event */
};

/*
 * An event size larger than any packet, for classes that the fast path cannot decode. With this
 * size, ctf_quick_head() finds that the event does not fit in the packet, and returns NULL.
 */
#define CTF_QUICK_NONE (UINT64_C(1) << 62)

enum ctf_quick_form {
	CTF_QUICK_BYTES,  /* loads start at bytes; signs are extended separately */
	CTF_QUICK_BITS,	  /* loads start at any bit; signs are extended separately */
	CTF_QUICK_SIGNED, /* loads start at any bit and extend the sign */
};

/*
 * The table @classes is indexed by event id. It has an entry for each id of LTTng's compact header;
 * the id that announces the extended header has an entry with the size CTF_QUICK_NONE. Two
 * additional entries follow (see below). @classes is NULL if no event of the stream can take the
 * fast path.
 */
struct ctf_quick {
	struct ctf_quick_class *classes;
	size_t class_count;
	enum ctf_quick_form form;
	unsigned int load_count, sign_count, text_count; /* done for every requested class */
	bool compact;					 /* LTTng's compact header */
	struct ctf_quick_sign *signs;
	struct ctf_quick_text *texts;
};

/*
 * The two additional entries. The first one is for ids beyond the table. The second one is for the
 * class whose id is the escape value; events of that class always have the extended header.
 */
#define CTF_QUICK_UNKNOWN(quick) ((quick)->class_count)
#define CTF_QUICK_ESCAPE(quick) ((quick)->class_count + 1)

enum ctf_header_form {
	/* little-endian id and timestamp at fixed positions, byte-aligned; or only one of them */
	CTF_HEADER_FLAT,
	CTF_HEADER_SPLIT,  /* LTTng: short form, or extended form if the id is the escape value */
	CTF_HEADER_FIELDS, /* anything else */
};

struct ctf_header_plan {
	enum ctf_header_form form;
	uint32_t align;		   /* in bits; at least 8 for FLAT and SPLIT if there is a header */
	uint32_t size;		   /* bytes of the short (or only) form */
	uint32_t id_byte, id_bits; /* 0 bits: no id */
	uint32_t time_byte, time_shift, time_bits;
	uint32_t long_size, long_id_byte, long_id_bits, long_time_byte, long_time_bits;
	/* SPLIT: the id that announces the extended form; FLAT without an id field: the only id */
	uint64_t escape;
};

/* The plan for one stream class. It does not change after its creation, so threads can share it. */
struct ctf_plan {
	const struct ctf_stream_class *stream_class;
	struct ctf_header_plan header;
	bool big_endian;		/* byte order of the loads */
	unsigned int value_count;	/* maximum number of values of an event */
	struct ctf_class_plan *classes; /* in the order of stream_class->events */
	struct ctf_class_plan **by_id; /* for ids below by_id_count; NULL where there is no class */
	size_t by_id_count;
	struct ctf_quick quick;
	/*
	 * With a clock of 1 GHz, a timestamp is cycles + @offset_ns; otherwise use
	 * ctf_clock_to_ns().
	 */
	bool nanoseconds;
	int64_t offset_ns;
};

/* The consumer to which a new plan offers its event classes (mm_handler.bind()). */
struct ctf_consumer {
	struct mm_source *source;
	const struct mm_handler *handler;
	struct mm_error *err; /* set if offering a class fails */
};

/*
 * Creates the plan of @class. Loads the fields that @requests names; if @requests is NULL, loads
 * every scalar of fixed size, as `verify` requires. Offers the event classes to @consumer; if
 * @consumer is NULL, does not check the kinds of fields. Returns NULL when out of memory or if the
 * consumer fails. Release with ctf_plan_destroy().
 */
struct ctf_plan *ctf_plan_create(const struct ctf_stream_class *class,
				 const struct mm_requests *requests,
				 const struct ctf_consumer *consumer);
void ctf_plan_destroy(struct ctf_plan *plan);

/* Returns the class of events with the given id; NULL if the metadata declare no such class. */
static inline struct ctf_class_plan *ctf_plan_class(const struct ctf_plan *plan, uint64_t id)
{
	const struct ctf_event_class *class;

	if (id < plan->by_id_count)
		return plan->by_id[id];
	class = ctf_event_class_find(plan->stream_class, id);
	return class ? &plan->classes[class->index] : NULL;
}

#endif /* LTTNG_MM_CTF_DECODE_PLAN_H */
