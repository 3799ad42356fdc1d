/* SPDX-License-Identifier: LGPL-2.1-only */
/* BTF of the kernel and its modules, read with libbpf. */
#ifndef LTTNG_MM_FN_DESCRIBE_TYPES_H
#define LTTNG_MM_FN_DESCRIBE_TYPES_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/fn/describe/spec.h"
#include "util/error.h"
#include "util/hash.h"

/* BTF of the kernel or of one module. A module's types refer to types of the kernel. */
struct fn_btf {
	struct btf *btf;
	char module[FN_MODULE_MAX]; /* empty: the kernel */
	struct mm_hash index;	    /* maps a function's name to its index in @functions */
	/* BTF ids of all functions; for a module, without the kernel's functions */
	uint32_t *functions;
	size_t count;
	uint32_t gfp_bits;	/* id of the enumeration of gfp_t's bit numbers; 0: none */
	uint32_t fault_reasons; /* id of enum vm_fault_reason; 0: none */
};

struct fn_types;

/*
 * Opens the BTF in @file, which is an ELF file, or raw BTF of a kernel or module. If @file is NULL,
 * opens the BTF of the running kernel. Close it with fn_types_close(). Returns NULL with @err set
 * on failure.
 */
struct fn_types *fn_types_open(const char *file, struct mm_error *err);
/* Uses @btf as the kernel's BTF and takes ownership of it. Returns NULL when out of memory. */
struct fn_types *fn_types_adopt(struct btf *btf);
void fn_types_close(struct fn_types *types);

/* Returns the BTF that fn_types_open() opened or fn_types_adopt() adopted. */
const struct fn_btf *fn_types_kernel(const struct fn_types *types);

/* Returns the BTF of a loaded module (empty: the kernel), or NULL if the module has no BTF. */
const struct fn_btf *fn_types_of(struct fn_types *types, const char *module);

/* Returns the BTF id of the function @name, or 0. */
uint32_t fn_btf_function(const struct fn_btf *btf, const char *name);

/* Like mm_nearest_hint(), writes a hint to @text: functions with similar names. Returns @text. */
const char *fn_btf_hint(const struct fn_btf *btf, const char *name, char *text, size_t size);

/*
 * Returns the type without typedefs and qualifiers, or NULL. If @id is not NULL, sets *@id to the
 * BTF id of the returned type.
 */
const struct btf_type *fn_btf_plain(const struct fn_btf *btf, uint32_t type, uint32_t *id);

/*
 * Is @type a typedef with the name @name, directly or through other typedefs and qualifiers? If
 * @name is NULL, any typedef counts.
 */
bool fn_btf_has_typedef(const struct fn_btf *btf, uint32_t type, const char *name);

/* Return a string owned by @btf. The string is empty if there is no name, and never NULL. */
const char *fn_btf_name(const struct fn_btf *btf, const struct btf_type *type);
const char *fn_btf_string(const struct fn_btf *btf, uint32_t offset);

/* Returns the size of the type in bytes, or -1 if it is unknown. */
int64_t fn_btf_size(const struct fn_btf *btf, uint32_t type);

/* Returns the BTF id of the type @name, ignoring its asterisks, or 0. */
uint32_t fn_btf_find(const struct fn_btf *btf, const struct fn_named_type *name);

#endif /* LTTNG_MM_FN_DESCRIBE_TYPES_H */
