/* SPDX-License-Identifier: LGPL-2.1-only */
/* The model of a trace's metadata: clocks, stream classes, event classes and field classes. */
#ifndef LTTNG_MM_CTF_MODEL_MODEL_H
#define LTTNG_MM_CTF_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Maximum size of a metadata file. */
#define CTF_METADATA_MAX (256u << 20)

/*
 * The model represents both CTF 1.8 and CTF 2. A parser builds a model with the functions of this
 * file, and calls ctf_trace_class_finish() once. The finished model is constant and may be shared
 * between threads.
 */
enum ctf_kind {
	CTF_UNSIGNED, /* fixed-length integers of 1 to 64 bits, including enumerations */
	CTF_SIGNED,
	CTF_BOOL,
	CTF_BITMAP,	  /* fixed-length bit array, with or without flags */
	CTF_FLOAT,	  /* 16, 32 or 64 bits, IEEE 754 */
	CTF_LEB_UNSIGNED, /* variable-length integers, including enumerations */
	CTF_LEB_SIGNED,
	CTF_STRING,	   /* ends with a null code point */
	CTF_STATIC_STRING, /* fixed number of bytes; ends at a null code point, if any */
	CTF_DYNAMIC_STRING,
	CTF_STATIC_BLOB,
	CTF_DYNAMIC_BLOB,
	CTF_STATIC_ARRAY,
	CTF_DYNAMIC_ARRAY,
	CTF_STRUCT,
	CTF_VARIANT,
	CTF_OPTION,
};

/* Does a field of this kind consist of whole, aligned bytes? */
bool ctf_kind_is_bytes(enum ctf_kind kind);

enum ctf_encoding { CTF_UTF8, CTF_UTF16LE, CTF_UTF16BE, CTF_UTF32LE, CTF_UTF32BE };

/* The meaning of a field for the reader. A field may have several roles. */
enum ctf_role {
	CTF_ROLE_MAGIC = 1 << 0, /* packet header */
	CTF_ROLE_UUID = 1 << 1,	 /* a static BLOB of 16 bytes; TSDL's array is converted */
	CTF_ROLE_STREAM_CLASS_ID = 1 << 2,
	CTF_ROLE_STREAM_ID = 1 << 3,
	CTF_ROLE_PACKET_SIZE = 1 << 4, /* packet context; sizes in bits */
	CTF_ROLE_CONTENT_SIZE = 1 << 5,
	/* start timestamp of the packet; in an event header: timestamp of the event */
	CTF_ROLE_TIME = 1 << 6,
	CTF_ROLE_PACKET_END_TIME = 1 << 7,
	CTF_ROLE_DISCARDED = 1 << 8,
	CTF_ROLE_PACKET_SEQ = 1 << 9,
	CTF_ROLE_EVENT_CLASS_ID = 1 << 10,
	/* packet context; identified by the name `cpu_id`, because CTF has no such role */
	CTF_ROLE_CPU_ID = 1 << 11,
};

/* The values from lower to upper, inclusive. They have the signedness of the selecting integer. */
struct ctf_range {
	union {
		int64_t i;
		uint64_t u;
	} lower, upper;
};

/*
 * A label with its ranges. For an enumeration, the ranges are values, with the enumeration's
 * signedness. For a flag of a bit map, they are bit numbers. A repeated label becomes one mapping
 * with several ranges, at the place of its first occurrence.
 */
struct ctf_mapping {
	char *label;
	struct ctf_range *ranges;
	size_t range_count;
};

struct ctf_field;

/*
 * A member of a structure, or an option of a variant. An option is selected if the value of the
 * selector is in @ranges.
 */
struct ctf_member {
	/* name to display, without TSDL's leading underscore; NULL: an option without a name */
	char *name;
	struct ctf_field *field;
	struct ctf_range *ranges;
	size_t range_count;
};

/*
 * Values of the selector from @lower to @upper select option @member. For a signed selector, the
 * sign bit of each value is inverted, so that unsigned comparisons give the right order.
 */
struct ctf_choice {
	uint64_t lower, upper;
	uint32_t member;
};

struct ctf_clock;

struct ctf_field {
	enum ctf_kind kind;
	/*
	 * In bits; a power of two. ctf_trace_class_finish() raises it to the alignment of the
	 * content (structures and arrays) or to 8 (strings, BLOBs and LEB128). Variants and
	 * options: always 1.
	 */
	uint32_t align;
	uint32_t size;	/* bits of a fixed-length field, else 0 */
	uint32_t roles; /* CTF_ROLE_* */
	bool big_endian;
	bool reversed_bits; /* CTF 2: bit order differs from byte order */
	bool is_enum;
	/* every label stands for 0 or a single bit, so a value without a label is a set of bits */
	bool is_flags;
	uint8_t base; /* preferred display base: 2, 8, 10 or 16 */
	enum ctf_encoding encoding;
	uint64_t length;	      /* static strings and BLOBs: bytes; static arrays: elements */
	struct ctf_mapping *mappings; /* enumerations, bit maps */
	size_t mapping_count;
	struct ctf_member *members; /* structures, variants */
	size_t member_count;
	struct ctf_field *element; /* the element of an array, or the content of an option */
	/*
	 * An option is present if its Boolean selector is true or its integer selector is in a
	 * range.
	 */
	struct ctf_range *ranges;
	size_t range_count;
	char *media_type;	       /* BLOBs, may be NULL */
	const struct ctf_clock *clock; /* the clock of an integer, may be NULL */

	/*
	 * The field with the length of a dynamic string or BLOB (in bytes) or of an array (in
	 * elements). For a variant or option, the field is the selector. A path through a variant
	 * leads to several fields; the field decoded last is valid. Set by the parser.
	 */
	struct ctf_field **refs;
	size_t ref_count;

	/*
	 * The parsers use @path and @is_character until refs are set. ctf_field_copy() copies both.
	 *
	 * @path: the path of the length or selector as written (owned; NULL in a finished model).
	 * @is_character: a TSDL integer with an encoding. An array of such integers is a string.
	 */
	char *path;
	bool is_character;

	/* Set by ctf_trace_class_finish(). */
	/* slot for the value if other fields refer to it; otherwise -1 */
	int32_t keep_slot;
	int32_t ref_slot; /* slot of the length or selector, or -1 */
	bool has_roles;	  /* this field or a field in it has a role */
	/*
	 * this field or a field in it has a keep_slot, so code that skips the field must store the
	 * value in this slot
	 */
	bool keeps;
	struct ctf_choice *choices; /* options of a variant with many options, sorted; else NULL */
	size_t choice_count;
	bool ref_signed; /* the selector is a signed integer */
	/*
	 * The size of the field is always @fixed_bits if its start is aligned. This requires that
	 * its size is constant, and that no inner field has a larger alignment.
	 */
	bool fixed;
	uint64_t fixed_bits;
	uint64_t min_bits; /* minimum size without alignment */
	uint32_t depth;	   /* nesting depth, 1 for a scalar; at most CTF_DEPTH_MAX */
};

#define CTF_DEPTH_MAX 64

/*
 * Limit on two products: the number of fields of a common context times the number of event
 * classes, and the number of fields of the packet header times the number of stream classes.
 */
#define CTF_SHARED_MAX (1u << 20)

/*
 * Limit on ranges that are searched linearly: overlapping labels or options, flags, and ranges of
 * an option.
 */
#define CTF_RANGES_MAX 4096u

struct ctf_clock {
	char *name; /* may be NULL in CTF 2 */
	char *description;
	uint64_t frequency;	/* cycles per second, not 0 */
	int64_t offset_s;	/* time of the clock value 0, relative to the origin */
	uint64_t offset_cycles; /* less than a second */
	uint64_t precision;
	bool has_precision;
	bool absolute; /* the origin is the Unix epoch */
	bool has_uuid;
	uint8_t uuid[16];
	/* CTF 2: identity and origin; NULL if absent */
	char *name_space, *uid, *origin_name_space, *origin_name, *origin_uid;
	char *id; /* the id that field classes and stream classes use to refer to the clock */
};

struct ctf_stream_class;

struct ctf_event_class {
	uint64_t id;
	size_t index; /* index in the stream class; set by ctf_stream_class_add_event() */
	char *name;   /* never NULL; empty if the metadata has none */
	bool has_name;
	bool has_log_level;
	int64_t log_level;    /* CTF 1.8's numeric `loglevel` */
	char *log_level_name; /* CTF 2's log level, or NULL */
	char *emf_uri;
	struct ctf_field *specific_context, *payload; /* structures or NULL */
	struct ctf_stream_class *stream_class;
};

struct ctf_stream_class {
	uint64_t id;
	char *name; /* CTF 2, may be NULL */
	char *name_space, *uid;
	struct ctf_field *packet_context, *event_header, *common_context; /* structures or NULL */
	const struct ctf_clock *clock; /* the default clock; NULL: events have no timestamps */
	struct ctf_event_class **events;
	size_t event_count, event_room;
	struct ctf_trace_class *trace;
	size_t index; /* index in the trace class; set by ctf_trace_class_add_stream() */
	/*
	 * Open-addressing hash table from ids to indexes + 1 in @events, for
	 * ctf_event_class_find(). A random seed prevents chosen collisions.
	 */
	uint32_t *by_id;
	size_t by_id_mask;
	uint64_t by_id_seed;
	/*
	 * Slots below packet_slots belong to the packet header and packet context. Slots below
	 * outer_slots belong to these or to the event header.
	 */
	size_t packet_slots, outer_slots;
	/* Roles in packet context and event header; set by ctf_trace_class_finish(). */
	uint32_t roles;
};

enum ctf_env_kind { CTF_ENV_STRING, CTF_ENV_SIGNED, CTF_ENV_OTHER };

/* An entry of the environment; the metadata's order is kept. Strings are untrusted. */
struct ctf_env {
	char *name;
	enum ctf_env_kind kind;
	char *s; /* CTF_ENV_OTHER (CTF 2: nested, real, true...): as JSON text */
	int64_t i;
};

struct ctf_trace_class {
	int major, minor;
	bool big_endian; /* TSDL's byte_order */
	bool has_uuid;
	uint8_t uuid[16];		 /* from TSDL's trace block, or CTF 2's preamble */
	char *name, *name_space, *uid;	 /* from CTF 2's trace class; NULL if not given */
	struct ctf_field *packet_header; /* a structure or NULL */
	struct ctf_clock **clocks;
	size_t clock_count;
	struct ctf_stream_class **streams;
	size_t stream_count;
	uint32_t *stream_by_id; /* indexes into streams, sorted by stream class id; set by finish */
	struct ctf_env *env;
	size_t env_count;
	size_t slot_count; /* number of values that a decoder must keep; set by finish */
	uint32_t roles;	   /* roles in the packet header; set by finish */
};

/* All constructors return NULL when out of memory. Strings and arrays are owned by the model. */
struct ctf_trace_class *ctf_trace_class_create(void);
void ctf_trace_class_destroy(struct ctf_trace_class *trace);

/* Creates a field with alignment 1 and base 10; everything else is 0. */
struct ctf_field *ctf_field_create(enum ctf_kind kind);
void ctf_field_destroy(struct ctf_field *field);
/*
 * Returns a deep copy, because each use of a named field class needs a tree of its own. Does not
 * copy refs; resolve them after adding the tree to the model.
 */
struct ctf_field *ctf_field_copy(const struct ctf_field *field);

/*
 * If a function takes a @field, it takes ownership, and destroys @field on failure. Strings are
 * copied. Returns 0, or -1 when out of memory.
 */
int ctf_field_add_member(struct ctf_field *compound, const char *name, struct ctf_field *field);
int ctf_member_add_range(struct ctf_member *member, struct ctf_range range);
int ctf_field_add_range(struct ctf_field *option, struct ctf_range range);
/* Adds @range to the last mapping if its label equals @label, else to a new mapping. */
int ctf_field_add_mapping(struct ctf_field *field, const char *label, struct ctf_range range);
int ctf_field_add_ref(struct ctf_field *dependent, struct ctf_field *target);

struct ctf_clock *ctf_trace_class_add_clock(struct ctf_trace_class *trace);
struct ctf_stream_class *ctf_trace_class_add_stream(struct ctf_trace_class *trace, uint64_t id);
struct ctf_event_class *ctf_stream_class_add_event(struct ctf_stream_class *stream, uint64_t id,
						   const char *name);
int ctf_trace_class_add_env(struct ctf_trace_class *trace, const char *name, enum ctf_env_kind kind,
			    const char *s, int64_t i);

static inline size_t ctf_id_hash(const struct ctf_stream_class *stream, uint64_t id)
{
	unsigned __int128 product =
		(unsigned __int128)(id ^ stream->by_id_seed) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t mixed = (uint64_t)product ^ (uint64_t)(product >> 64) ^ stream->by_id_seed;

	return (mixed ^ mixed >> 32) * UINT64_C(0xbf58476d1ce4e5b9) >> 32;
}

/*
 * Checks the model: sizes, alignments, unique ids, depth, the type of referenced fields, roles, and
 * so on. Sets alignments of compound fields, slots, fixed sizes and id tables. Returns 0, or -1
 * with @err set. @where is the metadata file, for messages.
 */
int ctf_trace_class_finish(struct ctf_trace_class *trace, const char *where, struct mm_error *err);

struct ctf_stream_class *ctf_stream_class_find(const struct ctf_trace_class *trace, uint64_t id);
const struct ctf_event_class *ctf_event_class_find(const struct ctf_stream_class *stream,
						   uint64_t id);
/* Finds a member of a structure; NULL if there is none. @index may be NULL. */
const struct ctf_field *ctf_field_find(const struct ctf_field *structure, const char *name,
				       size_t *index);
/*
 * Does any event class have a field @name in its specific context or in the common context? @name
 * lacks TSDL's leading underscore.
 */
bool ctf_trace_class_has_context(const struct ctf_trace_class *trace, const char *name);
const struct ctf_env *ctf_env_find(const struct ctf_trace_class *trace, const char *name);

/*
 * Converts @value cycles to nanoseconds since the clock's origin. Rounds like babeltrace2: scales
 * offset and value separately, rounds both towards zero, and adds them. If a cycle is not a
 * nanosecond, scales in floating point. Returns 0, or -1 if the result does not fit in an int64_t.
 */
int ctf_clock_to_ns(const struct ctf_clock *clock, uint64_t value, int64_t *ns);

/* Adds @ns to all times of the clock, with the precision of a cycle. */
void ctf_clock_shift(struct ctf_clock *clock, int64_t ns);

#endif /* LTTNG_MM_CTF_MODEL_MODEL_H */
