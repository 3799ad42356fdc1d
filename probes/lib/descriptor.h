/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A provider whose events are described at run time: for functions, whose arguments are known only
 * when they are requested.
 */
#ifndef LTTNG_MM_PROBES_LIB_DESCRIPTOR_H
#define LTTNG_MM_PROBES_LIB_DESCRIPTOR_H

#include <linux/types.h>

struct lttng_kernel_enum_desc;
struct lttng_mm_made_class;
struct module;

/*
 * A field; the bits of an event are packed from low to high without padding, and strings and arrays
 * follow all numbers.
 */
struct lttng_mm_field_spec {
	const char *name;  /* letters, digits and underscores; unique within the event */
	unsigned int bits; /* 1 to 64; 0: a string or an array */
	bool is_signed;
	unsigned int base; /* 10 or 16; ignored for strings */
	/*
	 * Owned by the caller, made by lttng_mm_enum(), ascending and unique; NULL: a number
	 * without labels.
	 */
	const struct lttng_kernel_enum_desc *labels;
	unsigned int bytes; /* of an array of hexadecimal bytes; 0: none */
};

struct lttng_mm_event_spec {
	const char *name; /* PROVIDER_...; unique within the provider */
	/* Owned by the caller; LTTng attaches CALLBACK to it while the event is enabled. */
	const char *tracepoint;
	void *callback;
	const struct lttng_mm_field_spec *field;
	unsigned int field_count;
};

struct lttng_mm_provider;

/*
 * lttng_mm_provider_create - registers COUNT events with LTTng
 *
 * The specifications and their names are copied, except for what the caller owns. OWNER cannot be
 * unloaded while a session has one of the events. Returns an error pointer: -EINVAL for a record
 * that is larger than LTTNG_MM_RECORD_BYTES, has too many fields, numbers that do not end at a
 * byte boundary or extend over nine bytes, or arrays larger than LTTNG_MM_ARRAY_BYTES, for names,
 * bases and labels other than those above, and for two events of one name; the kernel's log then
 * says which event is refused and why. -EEXIST for an existing provider of that name.
 *
 * Context: process, no lock of LTTng held; sleeps.
 */
struct lttng_mm_provider *lttng_mm_provider_create(const char *name, struct module *owner,
						   const struct lttng_mm_event_spec *events,
						   unsigned int count);

/*
 * lttng_mm_provider_destroy - unregisters the events and frees their descriptions
 *
 * No session may use them: this is guaranteed in the owner's exit function.
 */
void lttng_mm_provider_destroy(struct lttng_mm_provider *provider);

/*
 * lttng_mm_provider_hide - unregisters the events, and keeps their descriptions
 *
 * Sessions that have them may continue to use them; no other session finds them.
 *
 * Context: process, no lock of LTTng held; sleeps.
 */
void lttng_mm_provider_hide(struct lttng_mm_provider *provider);

/* Registers the events of a hidden provider again. -EEXIST for an existing one of that name. */
int lttng_mm_provider_show(struct lttng_mm_provider *provider);

/* Returns the description of event INDEX, for lttng_mm_record_made(). */
const struct lttng_mm_made_class *lttng_mm_provider_class(const struct lttng_mm_provider *provider,
							  unsigned int index);

#endif /* LTTNG_MM_PROBES_LIB_DESCRIPTOR_H */
