/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Requests of the device that turns kernel functions into events. The module and the program both
 * include this file. It therefore uses plain C types and includes no header.
 *
 * A function NAME gets the provider fn_NAME with three events. The requested fields are numbers and
 * texts (strings and byte arrays):
 *
 *   fn_NAME_entry  tid, [caller], numbers, [unread], texts
 *   fn_NAME_exit   tid, [caller], [unread], [ret]
 *   fn_NAME_call   tid, [caller], numbers, [unread], [ret], duration_ns, texts
 *
 * The fields in brackets are optional: caller exists if it is requested, ret if the function
 * returns a value, and unread if reading a field or the result can fail. unread has one bit per
 * field, in the order of the request, and then one bit for ret. The label of a bit is the name of
 * its field. If a value could not be read, it is 0 or empty; a byte array then has only zeros.
 */
#ifndef LTTNG_MM_WIRE_FN_H
#define LTTNG_MM_WIRE_FN_H

#define LTTNG_MM_FN_DEVICE "lttng-mm-fn"

/* Widths of the fields common to all events. Thread IDs are below 2^22. */
#define LTTNG_MM_FN_TID_BITS 24
#define LTTNG_MM_FN_CALLER_BITS 32
#define LTTNG_MM_FN_DURATION_BITS 64

/* Limits. */
#define LTTNG_MM_FN_FUNCTIONS 2048 /* including removed functions that are still in use */
#define LTTNG_MM_FN_FIELDS 24	   /* fields of one function, without the result */
#define LTTNG_MM_FN_STEPS 6	   /* pointers that one field dereferences */
#define LTTNG_MM_FN_ARGUMENTS 16
/* all numbers of a record, including tid, caller, unread, ret and duration_ns */
#define LTTNG_MM_FN_NUMBER_BYTES 128
#define LTTNG_MM_FN_TEXT_MAX 256	  /* one string with its NUL, or one byte array */
#define LTTNG_MM_FN_TEXTS_MAX 768	  /* all strings and byte arrays of a record */
#define LTTNG_MM_FN_OFFSET_MAX (16 << 20) /* offset of a member, in either direction */
#define LTTNG_MM_FN_NAME_MAX 128	  /* NAME with its NUL */
#define LTTNG_MM_FN_SPEC_MAX 4096
#define LTTNG_MM_FN_LABELS 256 /* labels of one enumeration */
#define LTTNG_MM_FN_REQUEST_BYTES (16 << 20)

/*
 * Functions that are called to write a record. Recording them would recurse, so the module refuses
 * them. The program ignores them when it matches a pattern.
 */
#define LTTNG_MM_FN_WRITER_CALLS                                                          \
	"copy_from_kernel_nofault", "copy_from_kernel_nofault_allowed", "irq_work_queue", \
		"ktime_get_mono_fast_ns", "memchr", "objpool_push", "siphash_1u64",       \
		"strncpy_from_user"

/* Index or offset that means: no string, no field, or no labels. */
#define LTTNG_MM_FN_NONE (~0u)

enum lttng_mm_fn_kind {
	LTTNG_MM_FN_UNSIGNED,
	LTTNG_MM_FN_SIGNED,
	LTTNG_MM_FN_HEX,	 /* unsigned, printed in hexadecimal */
	LTTNG_MM_FN_POINTER,	 /* 64 bits, encoded as in pointer.h */
	LTTNG_MM_FN_STRING,	 /* in kernel memory, terminated by a NUL */
	LTTNG_MM_FN_USER_STRING, /* in the thread's user memory */
	LTTNG_MM_FN_BYTES,	 /* in kernel memory: an array of @max bytes */
	LTTNG_MM_FN_KINDS,
};

/* Flags of a field. */
#define LTTNG_MM_FN_RAW 1u /* record the value unchanged, even if it is an address */
/* a text within a structure: the last step only adds the offset, and does not load a pointer */
#define LTTNG_MM_FN_IN_PLACE 2u

/* Value of @source for the function's result. Arguments are numbered from 0. */
#define LTTNG_MM_FN_RESULT 255

/*
 * One field. The value is computed from the argument or result @source in steps. Each step adds an
 * offset to the value and loads the next value from the resulting address. It loads @bytes in the
 * last step of a number, and eight bytes otherwise. The value of a text is the address of the text.
 * With LTTNG_MM_FN_IN_PLACE, the last step only adds the offset.
 *
 *   path->dentry->d_inode: two steps; each adds the offset of a member and loads from there
 *
 * A number is shifted right by @shift, and its low @mask_bits bits are recorded in a field of @bits
 * bits. For a bit field, @mask_bits can be less than @bits.
 */
struct lttng_mm_fn_field {
	unsigned int name;   /* string: letters, digits, underscores */
	unsigned int labels; /* index of an enumeration, or LTTNG_MM_FN_NONE */
	unsigned char kind;
	unsigned char source;
	unsigned char bytes; /* 1, 2, 4 or 8; 0 for a text */
	unsigned char shift;
	unsigned char mask_bits; /* width of the value: 1 to 8 * @bytes - @shift */
	unsigned char bits;	 /* width of the field: 8, 16, 32 or 64, at least @mask_bits */
	unsigned char steps;
	unsigned char flags;
	/*
	 * Maximum bytes of a string, with its NUL (at least 2), or length of a byte array (at least
	 * 1). At most LTTNG_MM_FN_TEXT_MAX.
	 */
	unsigned int max;
	int offset[LTTNG_MM_FN_STEPS];
	unsigned int reserved; /* always 0; aligns the parts of a request to eight bytes */
};

/* Flags of a function. */
#define LTTNG_MM_FN_CALLER 1u /* the events contain the caller's call-site number */
/* fn_NAME_call fires only if the result is an error: see @error_mask */
#define LTTNG_MM_FN_ERRORS 2u

struct lttng_mm_fn_function {
	unsigned int name;   /* string: NAME */
	unsigned int symbol; /* string: the kernel's symbol */
	unsigned int module; /* string: the module that defines @symbol, or LTTNG_MM_FN_NONE */
	unsigned int spec;   /* string: the user's SPEC, for listing only */
	unsigned int first;  /* index of its first field; the others follow */
	unsigned int count;
	/* index of a field with source LTTNG_MM_FN_RESULT, or LTTNG_MM_FN_NONE */
	unsigned int result;
	/* string: record only during calls of this symbol in the same thread */
	unsigned int inside;
	unsigned int flags;
	/* stop recording above this number of calls per second; 0: no limit */
	unsigned int max_rate;
	/* fn_NAME_call fires only for calls of at least this duration */
	unsigned long long slower_ns;
	/*
	 * Results that count as errors for LTTNG_MM_FN_ERRORS. 0: negative results, or for unsigned
	 * 64-bit types, values from -4095 to -1. Other values: results with at least one bit of
	 * this mask.
	 */
	unsigned long long error_mask;
};

/*
 * An enumeration. Its labels have ascending values and unique names. In an enumeration of flags,
 * each value is a single bit or 0.
 */
struct lttng_mm_fn_labels {
	unsigned int first; /* index of its first label; the others follow */
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
 * Adds all functions of a request, or fails and adds nothing. Memory at @at consists of the
 * functions, fields, enumerations, labels and NUL-terminated strings, in this order and without
 * gaps. Strings are referred to by their offset from the first string.
 */
struct lttng_mm_fn_add {
	unsigned long long at; /* address of the request's memory */
	unsigned int functions, fields, enumerations, labels, string_bytes;
	/* out, on failure: the error, the function, and its field or LTTNG_MM_FN_NONE */
	unsigned int error; /* enum lttng_mm_fn_error */
	unsigned int function, field;
};

enum lttng_mm_fn_error {
	LTTNG_MM_FN_OK,
	LTTNG_MM_FN_BAD_REQUEST, /* invalid sizes, indices or flags */
	/* too long, or contains characters other than letters, digits and underscores */
	LTTNG_MM_FN_BAD_NAME,
	LTTNG_MM_FN_BAD_FIELD,	/* invalid numbers in a field */
	LTTNG_MM_FN_BAD_LABELS, /* labels not ascending, or not unique */
	/* two fields of a function, or two functions of the request, have the same name */
	LTTNG_MM_FN_TWO_OF_A_NAME,
	LTTNG_MM_FN_TOO_LARGE,	   /* more bytes of numbers or texts than a record may have */
	LTTNG_MM_FN_EXISTS,	   /* a function with this name was added before */
	LTTNG_MM_FN_NO_SYMBOL,	   /* the kernel has no such symbol */
	LTTNG_MM_FN_NOT_TRACEABLE, /* the kernel cannot hook the function */
	LTTNG_MM_FN_OWN_PATH,	   /* the tracer itself calls the function */
	LTTNG_MM_FN_TOO_MANY,	   /* more than LTTNG_MM_FN_FUNCTIONS */
	LTTNG_MM_FN_NO_MEMORY,
	LTTNG_MM_FN_NO_INSIDE, /* the kernel cannot hook the symbol of @inside */
	/* ftrace could hook the function, but the module uses kprobes, and kprobes cannot */
	LTTNG_MM_FN_EXCLUDED,
};

/* Removes a function. When the request returns, its events are no longer recorded. */
struct lttng_mm_fn_remove {
	char name[LTTNG_MM_FN_NAME_MAX];
};

/* Bits of @state. */
#define LTTNG_MM_FN_STATE_HOOKED 1u  /* a started session or a trigger uses one of the events */
#define LTTNG_MM_FN_STATE_ABSENT 2u  /* the function's module is not loaded */
#define LTTNG_MM_FN_STATE_STOPPED 4u /* the function exceeded its maximum rate */
#define LTTNG_MM_FN_STATE_FAILED 8u  /* the kernel refused the hook; see @error */

/* State of one function. Functions are numbered in the order in which they were added. */
struct lttng_mm_fn_state {
	/* in: the function's number, from 0; the request fails with -ENOENT after the last one */
	unsigned int index;
	unsigned int state;
	int error;		 /* error of the last attempt to hook; 0: none */
	unsigned int group;	 /* functions of one @group share a count of misses; 0: none */
	unsigned long long hits; /* calls since the function was added */
	/* calls missed by the group, by earlier groups of the function, and by @inside's hook */
	unsigned long long misses;
	/* CLOCK_BOOTTIME when the function exceeded its maximum rate; 0: never */
	unsigned long long stopped_ns;
	char name[LTTNG_MM_FN_NAME_MAX];
	char symbol[LTTNG_MM_FN_NAME_MAX];
	char module[64];
	char spec[LTTNG_MM_FN_SPEC_MAX];
};

/* Request number as built by _IOWR('L', NUMBER, TYPE); see LTTNG_MM_FREEZE_REQUEST(). */
#define LTTNG_MM_FN_REQUEST(number, type) \
	(3u << 30 | (unsigned int)sizeof(type) << 16 | 'L' << 8 | (number))
#define LTTNG_MM_FN_ADD LTTNG_MM_FN_REQUEST(0x50, struct lttng_mm_fn_add)
#define LTTNG_MM_FN_REMOVE LTTNG_MM_FN_REQUEST(0x51, struct lttng_mm_fn_remove)
#define LTTNG_MM_FN_STATE LTTNG_MM_FN_REQUEST(0x52, struct lttng_mm_fn_state)

#endif /* LTTNG_MM_WIRE_FN_H */
