/* SPDX-License-Identifier: LGPL-2.1-only */
/* Labels for the values of enumerations and flags, from BTF. */
#ifndef LTTNG_MM_FN_DESCRIBE_LABELS_H
#define LTTNG_MM_FN_DESCRIBE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/fn/describe/types.h"

/* A label: a value and its name, such as 1 and "VM_FAULT_OOM" in `enum vm_fault_reason`. */
struct fn_enum_label {
	int64_t value;
	char *name;
};

/* Labels in ascending order of their values. Values and names are unique. */
struct fn_enum_labels {
	size_t count;
	struct fn_enum_label labels[LTTNG_MM_FN_LABELS];
};

/*
 * Reads the labels of the enumeration @type. Omits values that do not fit in @bits. If the values
 * are flags, omits masks of several bits, and labels a bit without a name as `bitN`. Release
 * @labels with fn_labels_release(). Returns 0, or -1 when out of memory.
 */
int fn_labels_read(const struct fn_btf *btf, uint32_t type, unsigned int bits, bool is_signed,
		   struct fn_enum_labels *labels);
void fn_labels_release(struct fn_enum_labels *labels);

/* Returns the mask of the error bits in `enum vm_fault_reason`, or 0 if BTF lacks them. */
uint64_t fn_labels_fault_errors(const struct fn_btf *btf);

#endif /* LTTNG_MM_FN_DESCRIBE_LABELS_H */
