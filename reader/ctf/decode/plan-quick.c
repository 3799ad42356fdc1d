// SPDX-License-Identifier: LGPL-2.1-only
/* Makes the table of event classes for the fast path (quick.h). */
#include <limits.h>
#include <stdlib.h>

#include "reader/ctf/decode/plan-layout.h"
#include "reader/ctf/decode/quick.h"

/*
 * The fast path reads the id and the timestamp, 8 bytes each, before it checks for the end of the
 * packet. Only 16 bytes after the end are always readable, so both fields must start at this byte
 * of the header or earlier.
 */
#define HEADER_BYTE_MAX 8

static bool has_quick_header(const struct ctf_plan *plan)
{
	const struct ctf_header_plan *header = &plan->header;

	return header->form != CTF_HEADER_FIELDS && header->align == 8 && header->size &&
	       header->id_byte <= HEADER_BYTE_MAX && header->time_byte <= HEADER_BYTE_MAX;
}

static bool is_quick(const struct ctf_class_plan *class)
{
	return class->form == CTF_FORM_PLAIN && !class->phase_mask && !(class->layouts->bits & 7);
}

static bool any_quick(const struct ctf_plan *plan)
{
	for (size_t i = 0; i < plan->stream_class->event_count; i++)
		if (is_quick(&plan->classes[i]))
			return true;
	return false;
}

static bool is_compact(const struct ctf_header_plan *header)
{
	const struct ctf_quick_header compact = ctf_quick_header_compact();

	return header->form == CTF_HEADER_SPLIT &&
	       ctf_bits_mask(header->id_bits) == compact.id_mask &&
	       ctf_bits_mask(header->time_bits) == compact.time_mask &&
	       header->time_shift == compact.time_shift && header->size == compact.size;
}

static unsigned int count_signs(const struct ctf_class_plan *class, unsigned int loads)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < loads && i < class->load_count; i++)
		count += class->layouts->loads[i].sign != 0;
	return count;
}

static bool has_shifts(const struct ctf_class_plan *class)
{
	for (unsigned int i = 0; i < class->load_count; i++)
		if (class->layouts->loads[i].shift)
			return true;
	return false;
}

/*
 * Chooses the form of the loads. Finds the maximum numbers of sign extensions and of strings in a
 * class. The fast path does that many for each event.
 */
static void find_work(struct ctf_plan *plan)
{
	struct ctf_quick *quick = &plan->quick;
	unsigned int texts_min = UINT_MAX, requested = 0, with_signs = 0;
	bool shifts = false;

	for (size_t i = 0; i < plan->stream_class->event_count; i++) {
		const struct ctf_class_plan *class = &plan->classes[i];
		unsigned int signs;

		if (!class->requested || !is_quick(class))
			continue;
		signs = count_signs(class, quick->load_count);
		shifts |= has_shifts(class);
		requested++;
		with_signs += signs != 0;
		if (signs > quick->sign_count)
			quick->sign_count = signs;
		if (class->text_count > quick->text_count)
			quick->text_count = class->text_count;
		if (class->text_count < texts_min)
			texts_min = class->text_count;
	}
	/*
	 * A class with fewer strings is padded with empty strings. All these empty strings are
	 * stored in one additional value slot.
	 */
	if (texts_min < quick->text_count)
		plan->value_count++;
	quick->form = shifts ? CTF_QUICK_BITS : CTF_QUICK_BYTES;
	/*
	 * If few classes need sign extension, ctf_quick_more() extends the signs in their events.
	 * Otherwise, the fast path does so for all classes.
	 */
	if (4 * with_signs < requested)
		quick->sign_count = 0;
	if (2 * quick->sign_count > quick->load_count) {
		quick->sign_count = 0;
		quick->form = CTF_QUICK_SIGNED;
	}
}

static const struct ctf_quick_sign *fill_signs(struct ctf_quick *quick, size_t place,
					       const struct ctf_class_plan *class)
{
	struct ctf_quick_sign *to = &quick->signs[place * quick->sign_count];
	unsigned int made = 0;

	for (uint32_t i = 0; i < quick->load_count && made < quick->sign_count; i++)
		if (class->layouts->loads[i].sign)
			to[made++] = (struct ctf_quick_sign){ class->layouts->loads[i].sign, i };
	return to;
}

static const struct ctf_quick_text *fill_texts(const struct ctf_plan *plan, size_t place,
					       const struct ctf_class_plan *class)
{
	const struct ctf_quick *quick = &plan->quick;
	struct ctf_quick_text *to = &quick->texts[place * quick->text_count];

	for (unsigned int i = 0; i < quick->text_count; i++) {
		const struct ctf_text_load *text = &class->layouts->texts[i];

		to[i].slot = plan->value_count - 1;
		if (i >= class->text_count)
			continue;
		to[i].slot = text->slot;
		to[i].byte = text->byte;
		to[i].length = text->length < CTF_TEXT_MAX ? text->length : CTF_TEXT_MAX;
	}
	return to;
}

static void fill_class(struct ctf_plan *plan, size_t place, uint64_t id)
{
	const struct ctf_class_plan *class = id < plan->by_id_count ? plan->by_id[id] : NULL;
	struct ctf_quick_class *to = &plan->quick.classes[place];

	to->bytes = CTF_QUICK_NONE;
	if (!class || !is_quick(class))
		return;
	to->bytes = plan->header.size + class->layouts->bits / 8;
	to->class = class;
	if (!class->requested)
		return;
	to->loads = class->layouts->loads;
	to->signs = fill_signs(&plan->quick, place, class);
	to->texts = fill_texts(plan, place, class);
	to->more = class->load_count > plan->quick.load_count ||
		   (plan->quick.form != CTF_QUICK_SIGNED && !plan->quick.sign_count &&
		    count_signs(class, class->load_count));
}

int ctf_plan_quick(struct ctf_plan *plan, unsigned int load_count)
{
	struct ctf_quick *quick = &plan->quick;
	uint64_t escape = plan->header.escape;
	size_t count;

	if (!has_quick_header(plan) || plan->big_endian || !any_quick(plan))
		return 0;
	quick->compact = is_compact(&plan->header);
	count = quick->compact && plan->by_id_count <= escape ? escape + 1 : plan->by_id_count;
	quick->class_count = count;
	quick->load_count = load_count;
	find_work(plan);
	quick->classes = calloc(count + 2, sizeof(*quick->classes));
	quick->signs = calloc((count + 2) * quick->sign_count + 1, sizeof(*quick->signs));
	quick->texts = calloc((count + 2) * quick->text_count + 1, sizeof(*quick->texts));
	if (!quick->classes || !quick->signs || !quick->texts)
		return -1;
	for (size_t id = 0; id < count; id++)
		fill_class(plan, id, id);
	quick->classes[CTF_QUICK_UNKNOWN(quick)].bytes = CTF_QUICK_NONE;
	fill_class(plan, CTF_QUICK_ESCAPE(quick), escape);
	if (plan->header.form == CTF_HEADER_SPLIT && escape < count)
		quick->classes[escape].bytes = CTF_QUICK_NONE;
	return 0;
}
