/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A provider with events that are described at run time. The function probe needs this, because the
 * arguments of a function are known only when root adds it.
 */
#ifndef LTTNG_MM_PROBES_LIB_DESCRIPTOR_H
#define LTTNG_MM_PROBES_LIB_DESCRIPTOR_H

#include <linux/types.h>

struct lttng_kernel_enum_desc;
struct lttng_mm_made_class;
struct module;

/*
 * A field. Numbers are packed from low to high bits without padding. Strings and arrays follow all
 * numbers.
 */
struct lttng_mm_field_spec {
	const char *name;  /* letters, digits and underscores; unique within the event */
	unsigned int bits; /* width of a number (1 to 64); 0: a string or an array */
	bool is_signed;
	unsigned int base; /* number base: 10 or 16; ignored for strings */
	/*
	 * Made by lttng_mm_enum() and owned by the caller. Its values ascend, and its labels are
	 * unique. NULL: a number without labels.
	 */
	const struct lttng_kernel_enum_desc *labels;
	unsigned int bytes; /* length of an array of hexadecimal bytes; 0: not an array */
};

struct lttng_mm_event_spec {
	const char *name; /* PROVIDER_...; unique within the provider */
	/*
	 * Owned by the caller. While the event is enabled, LTTng attaches CALLBACK to this
	 * tracepoint.
	 */
	const char *tracepoint;
	void *callback;
	const struct lttng_mm_field_spec *field;
	unsigned int field_count;
};

struct lttng_mm_provider;

/*
 * lttng_mm_provider_create - registers COUNT events with LTTng
 *
 * Copies the specifications and names, except for members that the caller owns. OWNER cannot be
 * unloaded while a session uses one of the events. Returns an error pointer:
 *
 *   -EINVAL  a record exceeds LTTNG_MM_RECORD_BYTES or has too many fields; numbers do not end at a
 *            byte boundary, or one extends over nine bytes; an array exceeds LTTNG_MM_ARRAY_BYTES;
 *            a name, base or label is invalid; two events have the same name. The kernel log names
 *            the event and the flaw.
 *   -EEXIST  a provider with this name exists
 *   -ENOMEM
 *
 * Context: process, no lock of LTTng held; sleeps.
 */
struct lttng_mm_provider *lttng_mm_provider_create(const char *name, struct module *owner,
						   const struct lttng_mm_event_spec *events,
						   unsigned int count);

/*
 * lttng_mm_provider_destroy - unregisters the events and frees their descriptions
 *
 * No session may use the events. This is true in the owner's exit function, because a session that
 * uses an event holds a reference to the module.
 */
void lttng_mm_provider_destroy(struct lttng_mm_provider *provider);

/*
 * lttng_mm_provider_hide - unregisters the events but keeps their descriptions
 *
 * Sessions with the events continue. Other sessions do not find the events.
 *
 * Context: process, no lock of LTTng held. Sleeps.
 */
void lttng_mm_provider_hide(struct lttng_mm_provider *provider);

/*
 * Registers the events of a hidden provider again. Returns -EEXIST if another provider has this
 * name.
 */
int lttng_mm_provider_show(struct lttng_mm_provider *provider);

/* Returns the description of event INDEX for lttng_mm_record_made(). */
const struct lttng_mm_made_class *lttng_mm_provider_class(const struct lttng_mm_provider *provider,
							  unsigned int index);

#endif /* LTTNG_MM_PROBES_LIB_DESCRIPTOR_H */
