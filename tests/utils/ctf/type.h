/* SPDX-License-Identifier: LGPL-2.1-only */
/* Random traces: types, metadata and values. */
#ifndef LTTNG_MM_TESTS_UTILS_CTF_TYPE_H
#define LTTNG_MM_TESTS_UTILS_CTF_TYPE_H

#include "tests/utils/ctf/write.h"

enum mk_kind {
	MK_INT, /* including enumerations */
	MK_FLOAT,
	MK_BOOL, /* MK_BOOL to MK_LEB: only in CTF 2 */
	MK_BITS,
	MK_BITMAP,
	MK_LEB,
	MK_STRING,
	MK_STATIC_STRING, /* TSDL: an array of integers with an encoding */
	MK_DYNAMIC_STRING,
	MK_STATIC_BLOB,	 /* CTF 2 */
	MK_DYNAMIC_BLOB, /* CTF 2 */
	MK_ARRAY,
	MK_SEQUENCE,
	MK_STRUCT,
	MK_VARIANT,
	MK_OPTION, /* CTF 2 */
};

enum mk_scope {
	MK_PACKET_HEADER,
	MK_PACKET_CONTEXT,
	MK_EVENT_HEADER,
	MK_COMMON_CONTEXT,
	MK_SPECIFIC_CONTEXT,
	MK_PAYLOAD,
};

/* The role of a field for the reader. The writer sets the values of fields with roles. */
enum mk_role {
	MK_NO_ROLE,
	MK_MAGIC,
	MK_UUID,
	MK_STREAM_CLASS_ID,
	MK_STREAM_ID,
	MK_PACKET_SIZE,
	MK_CONTENT_SIZE,
	MK_BEGIN,
	MK_END,
	MK_DISCARDED,
	MK_SEQ,
	MK_CPU,
	MK_EVENT_ID,
	MK_EVENT_CHOICE, /* LTTng's headers: the id, or the escape value */
	MK_EVENT_TIME,
	MK_ROLE_COUNT,
};

enum mk_encoding { MK_UTF8, MK_UTF16LE, MK_UTF16BE, MK_UTF32LE, MK_UTF32BE };

/* Both ends are included. They are in two's complement if the integer is signed. */
struct mk_range {
	uint64_t lower, upper;
};

struct mk_label {
	const char *name;
	struct mk_range range;
};

struct mk_type;

struct mk_member {
	const char *name;
	struct mk_type *type;
	struct mk_range range; /* variants: values of the selector that select this member */
};

#define MK_MEMBERS_MAX 16

/* Allocated in an arena. */
struct mk_type {
	enum mk_kind kind;
	unsigned int bits, align; /* @align of structures and arrays: the declared minimum */
	bool is_signed, big, is_enum, has_clock;
	bool reversed; /* CTF 2: the bit order does not match the byte order */
	unsigned int base;
	enum mk_encoding encoding;
	bool text; /* TSDL: an integer with an encoding */
	uint64_t length;
	struct mk_member members[MK_MEMBERS_MAX];
	struct mk_label labels[MK_MEMBERS_MAX];
	unsigned int member_count, label_count;
	struct mk_type *element, *ref;
	enum mk_role role;

	/* The position of the type. */
	struct mk_type *parent;
	const char *name; /* name as a member */
	enum mk_scope scope;

	/* Valid values of a field to which other fields refer. */
	bool is_length; /* at most `limit` */
	uint64_t limit;
	bool is_selector; /* one of the labels' ranges */

	/* The last written value. */
	uint64_t value, at;
};

struct mk_arena {
	void **blocks;
	size_t count, room;
};

void *mk_alloc(struct mk_arena *arena, size_t size);
const char *mk_strdup(struct mk_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void mk_arena_free(struct mk_arena *arena);

#define MK_TARGETS_MAX 64

/* The state of the generator. */
struct mk_gen {
	struct mk_arena *arena;
	struct mk_random *random;
	bool ctf2;
	bool big;	    /* the trace's byte order */
	bool packed_big;    /* the order of fields that are not byte-aligned */
	bool natural;	    /* integers of whole bytes are aligned as on a 32-bit machine */
	bool lttng_names;   /* TSDL: all names start with an underscore */
	unsigned int names; /* counter for unique names */
	enum mk_scope scope;
	/* Fields to which later fields may refer. */
	struct mk_type *targets[MK_TARGETS_MAX];
	unsigned int target_count;
	/* Values of @target_count at the start of the outermost variant and innermost structure. */
	unsigned int variant_base, structure_base;
	bool in_variant;
	unsigned int budget; /* number of fields that may still be added */
};

struct mk_type *mk_type_new(struct mk_gen *gen, enum mk_kind kind);
/* Adds a member; a NULL @name is generated. */
void mk_add_member(struct mk_gen *gen, struct mk_type *compound, const char *name,
		   struct mk_type *type);
/* Creates an unsigned integer. @bits 0: any size of at least 8. */
struct mk_type *mk_unsigned(struct mk_gen *gen, unsigned int bits, enum mk_role role);
/* Adds a field of a random type. */
void mk_add_random(struct mk_gen *gen, struct mk_type *structure, unsigned int depth);
/* Creates a structure of up to @fields fields, as the root of gen->scope. */
struct mk_type *mk_root(struct mk_gen *gen);
void mk_add_fields(struct mk_gen *gen, struct mk_type *structure, unsigned int fields);
unsigned int mk_type_align(const struct mk_type *type);

struct mk_clock {
	const char *name, *description;
	uint64_t frequency, offset_cycles, precision;
	int64_t offset_s;
	bool has_uuid, absolute, has_precision;
	uint8_t uuid[MK_UUID_BYTES];
};

struct mk_event_class {
	uint64_t id;
	const char *name;
	const char *uri;
	int log_level; /* -1: none */
	struct mk_type *context, *payload;
};

#define MK_EVENTS_MAX 40
#define MK_STREAMS_MAX 4

struct mk_stream_class {
	uint64_t id;
	struct mk_type *packet_context, *event_header, *common_context;
	struct mk_event_class events[MK_EVENTS_MAX];
	unsigned int event_count;
	uint64_t event_id_max;
	struct mk_clock *clock;
};

struct mk_env {
	const char *name, *string; /* string NULL: a number */
	int64_t number;
};

struct mk_trace {
	bool ctf2, big, has_uuid;
	uint8_t uuid[MK_UUID_BYTES];
	struct mk_type *packet_header;
	struct mk_clock clocks[2];
	unsigned int clock_count;
	struct mk_stream_class streams[MK_STREAMS_MAX];
	unsigned int stream_count;
	struct mk_env env[8];
	unsigned int env_count;
};

/* Write the metadata in TSDL or JSON. @random selects among equivalent forms. */
void mk_tsdl(struct mk_buffer *text, const struct mk_trace *trace, struct mk_random *random);
void mk_json(struct mk_buffer *text, const struct mk_trace *trace, struct mk_random *random);
/* Writes "xxxxxxxx-xxxx-..." (37 bytes). */
void mk_uuid_text(char *text, const uint8_t *uuid);

/* A packet that is being written; positions are in bits from its start. */
struct mk_out {
	struct mk_buffer *buffer;
	uint64_t at;
	struct mk_random *random;
	const uint8_t *uuid;
	uint64_t roles[MK_ROLE_COUNT]; /* values of fields with roles */
};

void mk_write_value(struct mk_out *out, struct mk_type *type);
/* Replaces the last written value of @type. */
void mk_rewrite(struct mk_out *out, const struct mk_type *type, uint64_t value);
/* Returns the first field with @role in the structure, or NULL. */
struct mk_type *mk_find_role(struct mk_type *type, enum mk_role role);

struct mk_random_options {
	const char *folder;
	uint64_t seed, events; /* @events: limit per packet */
	int format;	       /* 1 or 2; 0: selected by the seed */
	/*
	 * @untimed omits the timestamps of packets; babeltrace2 2.1 aborts on such traces. @wide
	 * alone gives the same trace with these timestamps. Both options make event timestamps 64
	 * bits wide.
	 */
	bool wide, untimed;
	bool clockless;
	bool index;    /* with LTTng's index files; else selected by the seed */
	bool absolute; /* clocks count from the Epoch, for use with other traces */
};

void mk_random_trace(const struct mk_random_options *options);

#endif /* LTTNG_MM_TESTS_UTILS_CTF_TYPE_H */
