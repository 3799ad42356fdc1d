/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The requests of the device by which functions of the kernel become events. Module and program
 * both include this file, so it uses plain C types, and there are no headers in it.
 *
 * A function NAME has the provider fn_NAME with three events. The arguments are what the request's
 * fields say, numbers before texts, which are strings and arrays of bytes:
 *
 *   fn_NAME_entry  tid, [caller], numbers, [unread], texts
 *   fn_NAME_exit   tid, [caller], [unread], [ret]
 *   fn_NAME_call   tid, [caller], numbers, [unread], [ret], duration_ns, texts
 *
 * caller is there if requested, ret unless the function returns nothing, and unread if a field or
 * the result may be unread: a bit for each field, in the order of the request, and one for ret
 * after them, with their names as labels. What was not read is 0 or empty; of bytes, all are 0.
 */
#ifndef LTTNG_MM_WIRE_FN_H
#define LTTNG_MM_WIRE_FN_H

#define LTTNG_MM_FN_DEVICE "lttng-mm-fn"

/* Widths of fields that all events have. Thread ids are below 2^22. */
#define LTTNG_MM_FN_TID_BITS 24
#define LTTNG_MM_FN_CALLER_BITS 32
#define LTTNG_MM_FN_DURATION_BITS 64

/* Limits. */
#define LTTNG_MM_FN_FUNCTIONS 2048 /* known to the module, removed ones in use included */
#define LTTNG_MM_FN_FIELDS 24	   /* of one function, the result not counted */
#define LTTNG_MM_FN_STEPS 6	   /* pointers that one field follows */
#define LTTNG_MM_FN_ARGUMENTS 16
#define LTTNG_MM_FN_NUMBER_BYTES 128	  /* of all numbers of a record, tid and others included */
#define LTTNG_MM_FN_TEXT_MAX 256	  /* of a string, its NUL included, or an array of bytes */
#define LTTNG_MM_FN_TEXTS_MAX 768	  /* of all strings and arrays of a record */
#define LTTNG_MM_FN_OFFSET_MAX (16 << 20) /* of a member, in either direction */
#define LTTNG_MM_FN_NAME_MAX 128	  /* NAME, its NUL included */
#define LTTNG_MM_FN_SPEC_MAX 4096
#define LTTNG_MM_FN_LABELS 256 /* of one enumeration */
#define LTTNG_MM_FN_REQUEST_BYTES (16 << 20)

/*
 * Functions that writing a record calls, which would be recorded for each of their own records: the
 * module refuses them, and the program leaves them out of patterns.
 */
#define LTTNG_MM_FN_WRITER_CALLS                                                          \
	"copy_from_kernel_nofault", "copy_from_kernel_nofault_allowed", "irq_work_queue", \
		"ktime_get_mono_fast_ns", "memchr", "objpool_push", "siphash_1u64",       \
		"strncpy_from_user"

/* No string, no field, no labels. */
#define LTTNG_MM_FN_NONE (~0u)

enum lttng_mm_fn_kind {
	LTTNG_MM_FN_UNSIGNED,
	LTTNG_MM_FN_SIGNED,
	LTTNG_MM_FN_HEX,	 /* unsigned, printed with base 16 */
	LTTNG_MM_FN_POINTER,	 /* 64 bits, encoded as in pointer.h */
	LTTNG_MM_FN_STRING,	 /* in the kernel's memory, ended by a NUL */
	LTTNG_MM_FN_USER_STRING, /* in the thread's memory */
	LTTNG_MM_FN_BYTES,	 /* in the kernel's memory: an array of @max bytes */
	LTTNG_MM_FN_KINDS,
};

/* Flags of a field. */
#define LTTNG_MM_FN_RAW 1u	/* the value is recorded unchanged, even if it is an address */
#define LTTNG_MM_FN_IN_PLACE 2u /* a text is at the last offset, which is added and not followed */

/* The source of a result. Arguments have their numbers from 0. */
#define LTTNG_MM_FN_RESULT 255

/*
 * A field. Its value starts as that of the source. Each step adds an offset and loads from there:
 * all but the last load eight bytes, the last loads @bytes. A text is at the address that
 * results; with LTTNG_MM_FN_IN_PLACE the last step does not load.
 *
 * A number is shifted right by @shift, and its @bits low bits are recorded. @bits is a multiple of
 * 8 and at most 8 * @bytes, unless the number is a bit field: then @mask_bits of it are kept.
 */
struct lttng_mm_fn_field {
	unsigned int name;   /* string: letters, digits, underscores */
	unsigned int labels; /* number of an enumeration, or LTTNG_MM_FN_NONE */
	unsigned char kind;
	unsigned char source;
	unsigned char bytes; /* 1, 2, 4 or 8; of texts 0 */
	unsigned char shift;
	unsigned char mask_bits; /* 1 to 8 * @bytes - @shift: bits of the value */
	unsigned char bits;	 /* 8, 16, 32 or 64, not below @mask_bits: bits of the field */
	unsigned char steps;
	unsigned char flags;
	/* To LTTNG_MM_FN_TEXT_MAX: of a string, bytes with its NUL, from 2; of bytes, from 1. */
	unsigned int max;
	int offset[LTTNG_MM_FN_STEPS];
	unsigned int reserved; /* 0; all of a request is aligned to eight bytes */
};

/* Flags of a function. */
#define LTTNG_MM_FN_CALLER 1u /* events have the caller's call-site number */
#define LTTNG_MM_FN_ERRORS 2u /* fn_NAME_call only if the result is an error: see @error_mask */

struct lttng_mm_fn_function {
	unsigned int name;   /* string: NAME */
	unsigned int symbol; /* string: of the kernel */
	unsigned int module; /* string: the module that has it, or LTTNG_MM_FN_NONE */
	unsigned int spec;   /* string: what the user wrote; it is only listed */
	unsigned int first;  /* its fields follow each other from this one */
	unsigned int count;
	unsigned int result; /* a field whose source is LTTNG_MM_FN_RESULT, or LTTNG_MM_FN_NONE */
	unsigned int
		inside; /* string: record only during a call of this symbol in the same thread */
	unsigned int flags;
	unsigned int max_rate; /* calls per second after which it is no longer recorded; 0: none */
	unsigned long long slower_ns; /* fn_NAME_call only if it took at least that */
	/*
	 * With LTTNG_MM_FN_ERRORS: 0: negative results are errors, of unsigned 64-bit types those
	 * from -4095 on; otherwise results that have one of these bits are.
	 */
	unsigned long long error_mask;
};

/* An enumeration. Its labels ascend and are unique; those of flags are single bits, and 0. */
struct lttng_mm_fn_labels {
	unsigned int first; /* its labels follow each other from this one */
	unsigned int count; /* 1 to LTTNG_MM_FN_LABELS */
	unsigned int is_signed;
	unsigned int reserved; /* 0 */
};

struct lttng_mm_fn_label {
	long long value;
	unsigned int name;     /* string */
	unsigned int reserved; /* 0 */
};

/*
 * Adds functions: all, or none. At @at are, in this order and without gaps, the functions, the
 * fields, the enumerations, their labels, and the strings, each ended by a NUL. A string is named
 * by its offset from the first.
 */
struct lttng_mm_fn_add {
	unsigned long long at; /* address */
	unsigned int functions, fields, enumerations, labels, string_bytes;
	/* out, if it fails: what is wrong, the function, and its field or LTTNG_MM_FN_NONE */
	unsigned int error; /* enum lttng_mm_fn_error */
	unsigned int function, field;
};

enum lttng_mm_fn_error {
	LTTNG_MM_FN_OK,
	LTTNG_MM_FN_BAD_REQUEST,   /* sizes, indices or flags that are not valid */
	LTTNG_MM_FN_BAD_NAME,	   /* not letters, digits and underscores, or too long */
	LTTNG_MM_FN_BAD_FIELD,	   /* its numbers are not valid */
	LTTNG_MM_FN_BAD_LABELS,	   /* the labels do not ascend, or one occurs twice */
	LTTNG_MM_FN_TWO_OF_A_NAME, /* fields of one name, or functions of one name in the request */
	LTTNG_MM_FN_TOO_LARGE,	   /* more bytes of numbers or texts than a record can have */
	LTTNG_MM_FN_EXISTS,	   /* a function of this name has been added */
	LTTNG_MM_FN_NO_SYMBOL,	   /* the kernel has no such symbol */
	LTTNG_MM_FN_NOT_TRACEABLE, /* the kernel cannot hook it */
	LTTNG_MM_FN_OWN_PATH,	   /* the tracer itself calls it */
	LTTNG_MM_FN_TOO_MANY,	   /* more than LTTNG_MM_FN_FUNCTIONS */
	LTTNG_MM_FN_NO_MEMORY,
	LTTNG_MM_FN_NO_INSIDE, /* the symbol of @inside cannot be hooked */
	LTTNG_MM_FN_EXCLUDED,  /* ftrace could hook it; kprobes, which do on this kernel, cannot */
};

/* Removes a function: its events are no longer recorded when the request returns. */
struct lttng_mm_fn_remove {
	char name[LTTNG_MM_FN_NAME_MAX];
};

/* Bits of @state. */
#define LTTNG_MM_FN_STATE_HOOKED 1u  /* a started session or a trigger has one of its events */
#define LTTNG_MM_FN_STATE_ABSENT 2u  /* the module that has it is not loaded */
#define LTTNG_MM_FN_STATE_STOPPED 4u /* called more often than its maximum rate */
#define LTTNG_MM_FN_STATE_FAILED 8u  /* the kernel refused the hook; see @error */

/* A function, in the order in which they were added. */
struct lttng_mm_fn_state {
	unsigned int index; /* in: its number from 0; -ENOENT after the last */
	unsigned int state;
	int error;		   /* of the kernel, when it was to be hooked; 0: none */
	unsigned int group;	   /* functions of one number share their count of misses */
	unsigned long long hits;   /* calls since it was added */
	unsigned long long misses; /* calls that the kernel counts as not hooked, of the group */
	unsigned long long stopped_ns; /* CLOCK_BOOTTIME when its rate became too high; 0: never */
	char name[LTTNG_MM_FN_NAME_MAX];
	char symbol[LTTNG_MM_FN_NAME_MAX];
	char module[64];
	char spec[LTTNG_MM_FN_SPEC_MAX];
};

/* As _IOWR('L', NUMBER, TYPE); see LTTNG_MM_FREEZE_REQUEST(). */
#define LTTNG_MM_FN_REQUEST(number, type) \
	(3u << 30 | (unsigned int)sizeof(type) << 16 | 'L' << 8 | (number))
#define LTTNG_MM_FN_ADD LTTNG_MM_FN_REQUEST(0x50, struct lttng_mm_fn_add)
#define LTTNG_MM_FN_REMOVE LTTNG_MM_FN_REQUEST(0x51, struct lttng_mm_fn_remove)
#define LTTNG_MM_FN_STATE LTTNG_MM_FN_REQUEST(0x52, struct lttng_mm_fn_state)

#endif /* LTTNG_MM_WIRE_FN_H */
