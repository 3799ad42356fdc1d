// SPDX-License-Identifier: LGPL-2.1-only
// What ctf_trace_class_finish() derives and refuses; clocks; event classes by id.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/model/model.h"
#include "tests/tap.h"

/* ---- clocks ---- */

static void test_clocks(void)
{
	static const struct {
		uint64_t frequency;
		int64_t offset_s;
		uint64_t offset_cycles, value;
		bool ok;
		int64_t ns;
	} cases[] = {
		{ 1000000000, 0, 0, 5, true, 5 },
		{ 1000000000, 1351530929, 945824323, 4, true, 1351530929945824327 },
		{ 1000000000, -5, 7, 3, true, -4999999990 },
		{ 1000, 1, 999, 1, true, 2000000000 },
		/* Each part is rounded towards zero separately: 333333333 + 666666666. */
		{ 3, 0, 1, 2, true, 999999999 },
		/* Computed with a double, as in babeltrace2: the last digits are not exact. */
		{ 2000000000, 0, 0, 9007199254740995, true, 4503599627370498 },
		{ 1, 0, 0, 9223372036, true, 9223372036000000000 },
		{ 1, 0, 0, 9223372037, false, 0 },
		{ 1, 0, 0, UINT64_MAX, false, 0 },
		{ 1000000000, 0, 0, INT64_MAX - 1, true, INT64_MAX - 1 },
		{ 1000000000, 0, 0, INT64_MAX, false, 0 },
		{ 1000000000, 1, 0, INT64_MAX - 1, false, 0 },
		{ 1000000000, -1, 0, INT64_MAX - 1, true, INT64_MAX - 1000000001 },
		{ 1000000000, 9223372034, 0, 0, true, 9223372034000000000 },
		{ 1000000000, 9223372035, 0, 0, false, 0 },
		{ 1000000000, -9223372036, 0, 0, true, -9223372036000000000 },
		{ 1000000000, -9223372037, 0, 0, false, 0 },
		{ 1000000000, INT64_MIN, 0, 0, false, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ctf_clock clock = { .frequency = cases[i].frequency,
					   .offset_s = cases[i].offset_s,
					   .offset_cycles = cases[i].offset_cycles };
		int64_t ns = 0;
		int ret = ctf_clock_to_ns(&clock, cases[i].value, &ns);

		tap(cases[i].ok ? !ret && ns == cases[i].ns : ret == -1,
		    "%" PRIu64 " Hz, %" PRId64 " s + %" PRIu64 ", value %" PRIu64 ": %" PRId64,
		    cases[i].frequency, cases[i].offset_s, cases[i].offset_cycles, cases[i].value,
		    ns);
	}
}

/* ---- trees ---- */

static struct ctf_field *number(enum ctf_kind kind, uint32_t size, uint32_t align)
{
	struct ctf_field *field = ctf_field_create(kind);

	field->size = size;
	field->align = align;
	return field;
}

static struct ctf_field *array(enum ctf_kind kind, uint64_t length, struct ctf_field *element)
{
	struct ctf_field *field = ctf_field_create(kind);

	field->length = length;
	field->element = element;
	return field;
}

static struct ctf_field *add(struct ctf_field *compound, const char *name, struct ctf_field *field)
{
	ctf_field_add_member(compound, name, field);
	return field;
}

static struct ctf_range range(int64_t lower, int64_t upper)
{
	return (struct ctf_range){ .lower.i = lower, .upper.i = upper };
}

/* A model with one stream class, one event class and any payload. */
struct model_sample {
	struct ctf_trace_class *trace;
	struct ctf_stream_class *stream;
	struct ctf_event_class *event;
	struct ctf_field *payload;
	struct mm_error err;
};

static struct model_sample make_sample(void)
{
	struct model_sample s = { .trace = ctf_trace_class_create(), .err = MM_ERROR_INIT };

	s.stream = ctf_trace_class_add_stream(s.trace, 0);
	s.event = ctf_stream_class_add_event(s.stream, 0, "e");
	s.payload = s.event->payload = ctf_field_create(CTF_STRUCT);
	return s;
}

/*
 * Finishes and destroys the sample. Test @title passes if the sample is refused with @message or,
 * if @message is NULL, is accepted.
 */
static void finish(struct model_sample *s, const char *title, const char *message)
{
	int ret = ctf_trace_class_finish(s->trace, "m", &s->err);

	tap(message ? ret == -1 && strstr(s->err.message, message) : !ret, "%s: %s", title,
	    s->err.message);
	ctf_trace_class_destroy(s->trace);
}

static void test_layout(void)
{
	struct model_sample s = make_sample();
	struct ctf_field *p = s.payload, *inner = ctf_field_create(CTF_STRUCT), *a, *b, *c, *d, *e;

	add(p, "x", number(CTF_UNSIGNED, 3, 1));
	add(inner, "y", number(CTF_SIGNED, 12, 32));
	add(inner, "z", ctf_field_create(CTF_STATIC_BLOB))->length = 3;
	a = add(p, "a", array(CTF_STATIC_ARRAY, 3, inner));
	b = add(p, "b", array(CTF_STATIC_ARRAY, 0, number(CTF_UNSIGNED, 8, 64)));
	c = add(p, "c", ctf_field_create(CTF_STRING));
	d = add(p, "d", array(CTF_STATIC_ARRAY, 2, ctf_field_create(CTF_LEB_UNSIGNED)));
	e = add(p, "e", array(CTF_STATIC_ARRAY, UINT64_MAX, number(CTF_UNSIGNED, 8, 8)));
	tap(!ctf_trace_class_finish(s.trace, "m", &s.err), "layouts: %s", s.err.message);
	tap(inner->align == 32 && inner->fixed && inner->fixed_bits == 40 && inner->depth == 2,
	    "a structure has its members' alignment, and padding between them");
	tap(a->align == 32 && a->fixed && a->fixed_bits == 64 + 64 + 40 && a->min_bits == 168,
	    "an array pads between elements, not after the last");
	tap(b->align == 64 && b->fixed && !b->fixed_bits, "an empty array has an alignment");
	tap(c->align == 8 && !c->fixed && c->min_bits == 8, "a string is aligned to a byte");
	tap(d->align == 8 && !d->fixed && d->min_bits == 16,
	    "the minimum size of two LEB128 numbers");
	tap(!e->fixed && e->min_bits == UINT64_MAX,
	    "a field larger than any packet has no fixed size");
	tap(p->align == 64 && !p->fixed && p->depth == 4 && p->min_bits == UINT64_MAX,
	    "the payload has the sum of these");
	ctf_trace_class_destroy(s.trace);
}

static void test_selectors(void)
{
	struct model_sample s = make_sample();
	struct ctf_field *p = s.payload, *v = ctf_field_create(CTF_VARIANT);
	struct ctf_field *one = number(CTF_SIGNED, 8, 8), *two = number(CTF_SIGNED, 8, 64);
	struct ctf_field *three = number(CTF_SIGNED, 8, 8), *w, *o, *last;

	add(p, "one", one);
	add(p, "two", two);
	add(p, "three", three);
	last = add(p, "n", number(CTF_UNSIGNED, 8, 8));
	add(v, "big", number(CTF_UNSIGNED, 64, 64));
	add(v, "small", number(CTF_UNSIGNED, 16, 8));
	ctf_field_add_ref(v, one);
	ctf_field_add_ref(v, two);
	ctf_member_add_range(&v->members[0], range(-3, 5));
	w = ctf_field_copy(v);
	ctf_field_add_ref(w, two);
	ctf_field_add_ref(w, three);
	add(p, "v", v);
	add(p, "w", w);
	o = array(CTF_OPTION, 0, array(CTF_DYNAMIC_ARRAY, 0, number(CTF_UNSIGNED, 8, 8)));
	ctf_field_add_range(o, range(1, 2));
	ctf_field_add_ref(o, last);
	ctf_field_add_ref(o->element, last);
	add(p, "o", o);
	tap(!ctf_trace_class_finish(s.trace, "m", &s.err), "selectors: %s", s.err.message);
	tap(v->align == 1 && o->align == 1 && p->align == 64,
	    "variants and options have no alignment");
	tap(v->min_bits == 16 && !v->fixed && !o->min_bits, "the minimum over the options");
	tap(s.trace->slot_count == 2 && one->keep_slot == two->keep_slot &&
		    two->keep_slot == three->keep_slot && v->ref_slot == one->keep_slot &&
		    w->ref_slot == one->keep_slot,
	    "selectors that share a field share a slot");
	tap(last->keep_slot != one->keep_slot && o->ref_slot == last->keep_slot &&
		    o->element->ref_slot == last->keep_slot,
	    "another selector has another slot, for all fields that need it");
	tap(v->ref_signed && !o->ref_signed, "selectors have their signedness");
	tap(one->keeps && p->keeps && !v->keeps && v->members[1].field->keep_slot == -1,
	    "scopes without slots are known");
	ctf_trace_class_destroy(s.trace);
}

/* Returns a structure with a length and an array of that many bytes. */
static struct ctf_field *counted(void)
{
	struct ctf_field *s = ctf_field_create(CTF_STRUCT);
	struct ctf_field *n = add(s, "n", number(CTF_UNSIGNED, 8, 8));

	ctf_field_add_ref(add(s, "a", array(CTF_DYNAMIC_ARRAY, 0, number(CTF_UNSIGNED, 8, 8))), n);
	return s;
}

static int32_t slot_of(const struct ctf_field *counted_field)
{
	return counted_field->members[0].field->keep_slot;
}

static void test_slots(void)
{
	struct ctf_trace_class *trace = ctf_trace_class_create();
	struct ctf_stream_class *a = ctf_trace_class_add_stream(trace, 1);
	struct ctf_stream_class *b = ctf_trace_class_add_stream(trace, 2);
	struct ctf_event_class *e = ctf_stream_class_add_event(a, 0, "e");
	struct ctf_event_class *f = ctf_stream_class_add_event(a, 1, "f");
	struct mm_error err = MM_ERROR_INIT;

	trace->packet_header = counted();
	trace->packet_header->members[0].field->roles = CTF_ROLE_STREAM_CLASS_ID;
	a->event_header = counted();
	a->event_header->members[0].field->roles = CTF_ROLE_EVENT_CLASS_ID;
	b->packet_context = counted();
	e->payload = counted();
	f->specific_context = counted();
	f->payload = counted();
	tap(!ctf_trace_class_finish(trace, "m", &err), "slots: %s", err.message);
	tap(slot_of(trace->packet_header) == 0 && slot_of(a->event_header) == 1 &&
		    slot_of(b->packet_context) == 1 && slot_of(e->payload) == 2 &&
		    slot_of(f->specific_context) == 2 && slot_of(f->payload) == 3,
	    "classes that never occur together share slots");
	tap(trace->slot_count == 4, "%zu slots in all", trace->slot_count);
	tap(trace->roles == CTF_ROLE_STREAM_CLASS_ID && a->roles == CTF_ROLE_EVENT_CLASS_ID,
	    "roles are summed up");
	ctf_trace_class_destroy(trace);
}

static void test_roles(void)
{
	struct model_sample s = make_sample();
	struct ctf_field *t, *u, *header = ctf_field_create(CTF_STRUCT);

	s.stream->event_header = header;
	t = add(header, "t", number(CTF_UNSIGNED, 8, 8));
	t->roles = CTF_ROLE_TIME | CTF_ROLE_EVENT_CLASS_ID;
	u = add(s.payload, "u", number(CTF_SIGNED, 8, 8));
	u->roles = CTF_ROLE_PACKET_SIZE;
	tap(!ctf_trace_class_finish(s.trace, "m", &s.err), "roles: %s", s.err.message);
	tap(t->roles == CTF_ROLE_EVENT_CLASS_ID, "without a clock nothing is a timestamp");
	tap(!u->roles, "a payload has no roles");
	ctf_trace_class_destroy(s.trace);
}

static void test_mappings(void)
{
	struct ctf_field *e = number(CTF_SIGNED, 8, 8), *copy;
	struct model_sample s = make_sample();

	add(s.payload, "e", e);
	ctf_field_add_mapping(e, "b", range(1, 1));
	ctf_field_add_mapping(e, "a", range(-2, 2));
	ctf_field_add_mapping(e, "a", range(3, 3));
	ctf_field_add_mapping(e, "b", range(4, 4));
	ctf_field_add_mapping(e, "c", range(5, 5));
	ctf_field_add_mapping(e, "b", range(6, 6));
	copy = add(s.payload, "copy", ctf_field_copy(e));
	ctf_field_add_mapping(copy, "d", range(7, 7));
	tap(!ctf_trace_class_finish(s.trace, "m", &s.err), "mappings: %s", s.err.message);
	tap(e->mapping_count == 3 && !strcmp(e->mappings[0].label, "b") &&
		    !strcmp(e->mappings[1].label, "a") && !strcmp(e->mappings[2].label, "c"),
	    "equal labels are merged at the place of the first");
	tap(e->mappings[0].range_count == 3 && e->mappings[0].ranges[2].lower.i == 6 &&
		    e->mappings[1].range_count == 2 && e->mappings[1].ranges[0].lower.i == -2,
	    "with all their ranges in order");
	tap(copy->mapping_count == 4 && !strcmp(copy->mappings[3].label, "d"),
	    "a copy has separate mappings");
	ctf_trace_class_destroy(s.trace);
}

static void test_ids(void)
{
	struct ctf_trace_class *trace = ctf_trace_class_create();
	struct ctf_stream_class *stream = ctf_trace_class_add_stream(trace, 0);
	struct mm_error err = MM_ERROR_INIT;
	unsigned int i, wrong = 0;

	stream->event_header = ctf_field_create(CTF_STRUCT);
	add(stream->event_header, "id", number(CTF_UNSIGNED, 64, 8))->roles =
		CTF_ROLE_EVENT_CLASS_ID;
	for (i = 0; i < 1000; i++)
		ctf_stream_class_add_event(stream, (uint64_t)i * i * i << 20, "e");
	tap(!ctf_trace_class_finish(trace, "m", &err), "a thousand event classes: %s", err.message);
	for (i = 0; i < 1000; i++)
		wrong += ctf_event_class_find(stream, (uint64_t)i * i * i << 20) !=
				 stream->events[i] ||
			 ctf_event_class_find(stream, ((uint64_t)i * i * i << 20) + 1) != NULL;
	tap(!wrong, "each is found by its id, and nothing else");
	ctf_trace_class_destroy(trace);
}

/* ---- invalid models ---- */

static void test_refused(void)
{
	struct ctf_field *deep;
	struct model_sample s;
	int i;

	s = make_sample();
	add(s.payload, "a", number(CTF_UNSIGNED, 65, 1));
	finish(&s, "65 bits", "stream class 0, event class `e` (0), payload, field `a`: 65 bits");
	s = make_sample();
	add(s.payload, "a", number(CTF_FLOAT, 24, 1));
	finish(&s, "a float of 24 bits", "a floating-point number of 24 bits");
	s = make_sample();
	add(s.payload, "a", number(CTF_UNSIGNED, 8, 12));
	finish(&s, "an alignment of 12", "an alignment of 12 bits");
	s = make_sample();
	ctf_stream_class_add_event(s.stream, 0, "f");
	finish(&s, "an id twice", "event class `f` (0), metadata: another event class has this id");
	s = make_sample();
	ctf_stream_class_add_event(s.stream, 1, "f");
	finish(&s, "events without ids", "no event header field selects one");
	s = make_sample();
	ctf_trace_class_add_stream(s.trace, 1);
	finish(&s, "streams without ids", "no packet header field selects one");
	s = make_sample();
	ctf_trace_class_add_stream(s.trace, 0);
	finish(&s, "a stream id twice", "two stream classes have the id 0");
	s = make_sample();
	ctf_trace_class_add_clock(s.trace);
	finish(&s, "a clock without frequency", "a frequency of 0");
	s = make_sample();
	add(s.payload, "a", array(CTF_DYNAMIC_ARRAY, 0, number(CTF_UNSIGNED, 8, 8)));
	finish(&s, "an array without a length", "field `a`: no field with its length");
	s = make_sample();
	add(s.payload, "a", array(CTF_STATIC_ARRAY, 1 << 17, ctf_field_create(CTF_STRUCT)));
	finish(&s, "131072 empty structures", "too many elements of size 0");
	s = make_sample();
	add(s.payload, "a",
	    array(CTF_STATIC_ARRAY, 1 << 10,
		  array(CTF_STATIC_ARRAY, 1 << 10, ctf_field_create(CTF_STRUCT))));
	finish(&s, "2^20 empty structures", "too many elements of size 0");
	s = make_sample();
	ctf_field_add_mapping(add(s.payload, "a", number(CTF_UNSIGNED, 8, 8)), "x", range(2, 1));
	finish(&s, "a range that ends too early", "the range of `x` ends before it starts");
	s = make_sample();
	ctf_field_add_mapping(add(s.payload, "a", number(CTF_UNSIGNED, 8, 8)), "x", range(2, -1));
	finish(&s, "a range up to 2^64 - 1 is not an error", NULL);
	s = make_sample();
	s.stream->event_header = ctf_field_create(CTF_STRUCT);
	add(s.stream->event_header, "id", number(CTF_SIGNED, 8, 8))->roles =
		CTF_ROLE_EVENT_CLASS_ID;
	finish(&s, "an id with a sign",
	       "event header, field `id`: its role requires an unsigned integer");
	s = make_sample();
	for (i = 2, deep = s.payload; i < CTF_DEPTH_MAX; i++)
		deep = add(deep, "s", ctf_field_create(CTF_STRUCT));
	add(deep, "a", number(CTF_UNSIGNED, 8, 8));
	finish(&s, "64 levels are not an error", NULL);
	s = make_sample();
	for (i = 1, deep = s.payload; i < CTF_DEPTH_MAX; i++)
		deep = add(deep, "s", ctf_field_create(CTF_STRUCT));
	add(deep, "a", number(CTF_UNSIGNED, 8, 8));
	finish(&s, "65 levels", "nested deeper than 64 levels");
}

int main(void)
{
	test_clocks();
	test_layout();
	test_selectors();
	test_slots();
	test_roles();
	test_mappings();
	test_ids();
	test_refused();
	return tap_status();
}
