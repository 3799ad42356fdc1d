/* SPDX-License-Identifier: LGPL-2.1-only */
/* The labels of enumerations and flags, from BTF. */
#ifndef LTTNG_MM_FN_DESCRIBE_LABELS_H
#define LTTNG_MM_FN_DESCRIBE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/fn/describe/types.h"

/* `enum vm_fault_reason`: 1 VM_FAULT_OOM, 2 VM_FAULT_SIGBUS, ... */
struct fn_enum_label {
	int64_t value;
	char *name;
};

/* Labels ascend; their values and names are unique. */
struct fn_enum_labels {
	size_t count;
	struct fn_enum_label labels[LTTNG_MM_FN_LABELS];
};

/*
 * Reads the labels of the enumeration @type for values of @bits, as far as they have such values.
 * Of flags, masks of several bits are left out, and bits without a name are `bitN`. Release with
 * fn_labels_release(). Returns 0, or -1 when out of memory.
 */
int fn_labels_read(const struct fn_btf *btf, uint32_t type, unsigned int bits, bool is_signed,
		   struct fn_enum_labels *labels);
void fn_labels_release(struct fn_enum_labels *labels);

/* The bits of `enum vm_fault_reason` that are errors, or 0. */
uint64_t fn_labels_fault_errors(const struct fn_btf *btf);

#endif /* LTTNG_MM_FN_DESCRIBE_LABELS_H */
