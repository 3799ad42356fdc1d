/* SPDX-License-Identifier: LGPL-2.1-only */
/* Declarations shared by the files that check and complete a model. */
#ifndef LTTNG_MM_CTF_MODEL_FINISH_H
#define LTTNG_MM_CTF_MODEL_FINISH_H

#include "reader/ctf/model/model.h"

/* A scope in the metadata. Messages name it, and it determines the valid roles. */
enum ctf_scope {
	CTF_SCOPE_HEADER,
	CTF_SCOPE_PACKET_CONTEXT,
	CTF_SCOPE_EVENT_HEADER,
	CTF_SCOPE_OTHER
};

struct ctf_finish {
	struct ctf_trace_class *trace;
	const char *where;
	struct mm_error *err;
	struct ctf_stream_class *stream; /* the current stream class; NULL: in the packet header */
	const struct ctf_event_class *event;
	enum ctf_scope scope;
	const char *part;
	const char *member; /* name of the innermost member that is or contains the field */
	/*
	 * Union-find forest of slots. All slots that one dependent field may use have the same
	 * root. @number: the final number of each root (-1: unassigned).
	 */
	int32_t *parent, *number;
	size_t slot_count;
	int32_t next;
};

/*
 * Sets the error and returns -1. Sample:
 * "trace: x/metadata: stream class 0, event class `a` (3), payload, field `n`: why; remedy".
 */
int ctf_finish_fail(struct ctf_finish *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int ctf_finish_no_memory(struct ctf_finish *f);

/*
 * Checks @root, including its roles in f->scope, and sets all derived members except references and
 * slots. @roles receives the roles that occur. After all trees, call ctf_finish_refs(), then
 * ctf_finish_slots().
 */
int ctf_finish_field(struct ctf_finish *f, struct ctf_field *root, uint32_t *roles);
int ctf_finish_refs(struct ctf_finish *f, struct ctf_field *root);
int ctf_finish_slots(struct ctf_finish *f, struct ctf_field *root);

/*
 * ctf_finish_choices() builds the table of a variant's options if it has many disjoint ranges. It
 * limits the number of a variant's ranges if they overlap, and of an optional field's ranges. Call
 * it after setting ref_signed. ctf_finish_labels() limits the number of ranges of labels if they
 * overlap or the field is a bitmap. Call it after joining equal labels.
 */
int ctf_finish_choices(struct ctf_finish *f, struct ctf_field *variant);
int ctf_finish_labels(struct ctf_finish *f, const struct ctf_field *field);

static inline bool ctf_is_unsigned(const struct ctf_field *field)
{
	return field->kind == CTF_UNSIGNED || field->kind == CTF_LEB_UNSIGNED;
}

static inline bool ctf_is_signed(const struct ctf_field *field)
{
	return field->kind == CTF_SIGNED || field->kind == CTF_LEB_SIGNED;
}

static inline bool ctf_has_length_ref(const struct ctf_field *field)
{
	return field->kind == CTF_DYNAMIC_STRING || field->kind == CTF_DYNAMIC_BLOB ||
	       field->kind == CTF_DYNAMIC_ARRAY;
}

static inline bool ctf_has_selector(const struct ctf_field *field)
{
	return field->kind == CTF_VARIANT || field->kind == CTF_OPTION;
}

/* Returns child @index: a member, or the element after all members; NULL: no more children. */
static inline struct ctf_field *ctf_child(const struct ctf_field *field, size_t index)
{
	if (index < field->member_count)
		return field->members[index].field;
	return index == field->member_count ? field->element : NULL;
}

static inline size_t ctf_child_count(const struct ctf_field *field)
{
	return field->member_count + (field->element != NULL);
}

static inline bool ctf_ranges_ordered(const struct ctf_range *ranges, size_t count, bool with_sign)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (with_sign ? ranges[i].lower.i > ranges[i].upper.i
			      : ranges[i].lower.u > ranges[i].upper.u)
			return false;
	return true;
}

#endif /* LTTNG_MM_CTF_MODEL_FINISH_H */
