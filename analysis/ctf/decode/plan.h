/* SPDX-License-Identifier: LGPL-2.1-only */
/* How the events of a stream class are decoded: made once, for the requested fields. */
#ifndef LTTNG_MM_DECODE_PLAN_H
#define LTTNG_MM_DECODE_PLAN_H

#include "analysis/ctf/decode/pick.h"
#include "analysis/ctf/model/model.h"
#include "analysis/ctf/packet/read.h"
#include "analysis/trace/source.h"

/*
 * A load takes 8 bytes from the event's body, shifts and masks them and extends the sign:
 *	v = (little-endian or big-endian 8 bytes at @byte) >> shift & mask;  v = (v ^ sign) - sign;
 * No branch is in it, and the plain classes of a stream do as many loads (unless one has very
 * many): the processor need not guess how many come. Loads that a class does not need have mask 0.
 */
struct ctf_load {
	uint32_t byte, shift;
	uint64_t mask, sign;
};

/* A static string of a plain class. */
struct ctf_text_load {
	uint32_t byte, length;
	unsigned int slot;
};

/* A step of a class that is not plain, over the body's fields in their order. */
enum ctf_step_kind {
	CTF_STEP_SKIP,	 /* aligns to @align, then passes over @bits of fixed size */
	CTF_STEP_SCALAR, /* reads @field, a scalar, into @slot (-1: nobody requests it) */
	CTF_STEP_FIELD,	 /* passes over @field, whatever it is */
	CTF_STEP_PICK,	 /* reads what @pick says of @field */
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
	CTF_FORM_PLAIN, /* byte-aligned, of fixed size: @loads and @texts */
	CTF_FORM_STEPS,
};

/*
 * The layout of a plain body. Alignments of up to 64 bits make it depend on where in 8 bytes the
 * body begins: then a class has one layout for each of the 8 phases, else one.
 */
struct ctf_layout {
	uint64_t bits; /* of the body, from its begin before any alignment */
	struct ctf_load *loads;
	struct ctf_text_load *texts;
};

struct ctf_class_plan {
	const struct ctf_event_class *class;
	enum ctf_form form;
	int matched; /* number of the request that the class's name falls under, or -1 */
	bool wanted; /* values are requested: by a request, or all of them */
	bool outer; /* the body refers to fields of packet header, packet context or event header */
	uint32_t phase_mask; /* plain: 7 with a layout for each phase, 0 with one */
	struct ctf_layout *layouts;
	unsigned int load_count, text_count;
	struct ctf_step *steps;
	size_t step_count;
	/* what is requested inside of fields, by field of the scopes: such a class has steps */
	struct ctf_pick *picks;
	size_t pick_count;
	enum mm_kind *kinds, *element_kinds;
	/* of the requested fields, or of their elements; NULL: there is none, or it is no scalar */
	const struct ctf_field **fields;
	/* .request is -1 where nobody requests the events, or the consumer refused them */
	struct mm_event_type type;
};

/*
 * What the shortest loop over events (quick.h) goes by. Its classes are plain and have one layout.
 * It does as much of each kind of work for all of them, so that nothing is to be guessed: loads,
 * the signs of those that have one, strings. What a class does not need of that is without effect.
 */
struct ctf_quick_sign {
	uint64_t sign; /* 0: none */
	uint32_t slot;
};

struct ctf_quick_text {
	/* where the string begins, from the body's begin; 0: there is none */
	uint32_t byte, length;
	uint32_t slot;
};

struct ctf_quick_class {
	uint64_t bytes; /* of the whole event, with the short or only header; or CTF_QUICK_NONE */
	const struct ctf_load *loads; /* NULL: nobody requests the event */
	const struct ctf_quick_sign *signs;
	const struct ctf_quick_text *texts;
	const struct ctf_class_plan *class;
	bool more; /* loads or signs that few of the stream's classes have */
};

/* More than any packet has: the class, or that there is none, takes a closer look. */
#define CTF_QUICK_NONE (UINT64_C(1) << 62)

enum ctf_quick_form {
	CTF_QUICK_BYTES,  /* loads begin at bytes and have no sign */
	CTF_QUICK_BITS,	  /* they have no sign, or it is looked after later */
	CTF_QUICK_SIGNED, /* anything */
};

/*
 * Classes by id: at least as many as LTTng's compact header has ids. The id that says that the
 * extended form of a header follows is none of the short form. Two more places follow. NULL: the
 * stream has no such events.
 */
struct ctf_quick {
	struct ctf_quick_class *classes;
	size_t class_count;
	enum ctf_quick_form form;
	unsigned int load_count, sign_count, text_count; /* of every wanted class */
	bool compact;					 /* the header is LTTng's compact one */
	struct ctf_quick_sign *signs;			 /* the classes' */
	struct ctf_quick_text *texts;
};

/* Of ids beyond the table; and of the class whose id is the escape, in the extended form. */
#define CTF_QUICK_UNKNOWN(quick) ((quick)->class_count)
#define CTF_QUICK_ESCAPE(quick) ((quick)->class_count + 1)

enum ctf_header_form {
	/* id and time at fixed places, little-endian, byte-aligned; either may be missing */
	CTF_HEADER_FLAT,
	CTF_HEADER_SPLIT,  /* LTTng's: a short form, or by the largest id an extended one */
	CTF_HEADER_FIELDS, /* anything else */
};

struct ctf_header_plan {
	enum ctf_header_form form;
	uint32_t align;		   /* bits; FLAT and SPLIT: at least 8 or the fields are bytes */
	uint32_t size;		   /* bytes of the short or only form */
	uint32_t id_byte, id_bits; /* 0 bits: the header has none */
	uint32_t time_byte, time_shift, time_bits;
	uint32_t long_size, long_id_byte, long_id_bits, long_time_byte, long_time_bits;
	uint64_t escape; /* SPLIT: the id that says that the extended form follows */
};

/* Decodes the events of one stream class. Constant once made; shared by threads. */
struct ctf_plan {
	const struct ctf_stream_class *stream_class;
	struct ctf_header_plan header;
	bool big_endian;		/* of the loads */
	unsigned int value_count;	/* at most so many values an event */
	struct ctf_class_plan *classes; /* in the order of stream_class->events */
	struct ctf_class_plan **by_id; /* for ids below by_id_count, NULL where there is no class */
	size_t by_id_count;
	struct ctf_quick quick;
	/*
	 * Nanoseconds are cycles + this when the frequency is 1 GHz; otherwise ctf_clock_to_ns().
	 */
	bool nanoseconds;
	int64_t offset_ns;
};

/* Whom the event classes of a plan are offered to. */
struct ctf_consumer {
	struct mm_source *source;
	const struct mm_handler *handler;
	struct mm_error *err; /* set where offering fails */
};

/*
 * @requests: as mm_source_run() takes them; NULL: every fixed-size scalar of every class is loaded
 * (what `verify` does), however many there are. @consumer may be NULL: then no class is offered to
 * anyone, and what a field must be does not matter. NULL when out of memory, and where offering
 * fails. Release with ctf_plan_destroy().
 */
struct ctf_plan *ctf_plan_create(const struct ctf_stream_class *class,
				 const struct mm_requests *requests,
				 const struct ctf_consumer *consumer);
void ctf_plan_destroy(struct ctf_plan *plan);

/* The class of events with that id, NULL when the metadata has none. */
static inline struct ctf_class_plan *ctf_plan_class(const struct ctf_plan *plan, uint64_t id)
{
	const struct ctf_event_class *class;

	if (id < plan->by_id_count)
		return plan->by_id[id];
	class = ctf_event_class_find(plan->stream_class, id);
	return class ? &plan->classes[class->index] : NULL;
}

#endif /* LTTNG_MM_DECODE_PLAN_H */
