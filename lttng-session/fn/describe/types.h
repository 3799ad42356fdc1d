/* SPDX-License-Identifier: LGPL-2.1-only */
/* The types of the kernel and of its modules: BTF, read with libbpf. */
#ifndef LTTNG_MM_FN_DESCRIBE_TYPES_H
#define LTTNG_MM_FN_DESCRIBE_TYPES_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/fn/describe/spec.h"
#include "util/error.h"
#include "util/hash.h"

/* The types of the kernel, or of one module, which refer to those of the kernel. */
struct fn_btf {
	struct btf *btf;
	char module[FN_MODULE_MAX]; /* empty: the kernel */
	struct mm_hash index;	    /* numbers of @functions by name */
	uint32_t *functions; /* ids of what has the kind BTF_KIND_FUNC, the kernel's excepted */
	size_t count;
	uint32_t gfp_bits;	/* the enumeration of the bits of gfp_t; 0: none */
	uint32_t fault_reasons; /* enum vm_fault_reason; 0: none */
};

struct fn_types;

/*
 * Opens the types of @file, an ELF file or raw BTF of a kernel or a module; NULL: those of the
 * running kernel. Returns NULL with @err set. Close with fn_types_close().
 */
struct fn_types *fn_types_open(const char *file, struct mm_error *err);
/* Takes over @btf, as that of a kernel. */
struct fn_types *fn_types_adopt(struct btf *btf);
void fn_types_close(struct fn_types *types);

/* The types that were opened. */
const struct fn_btf *fn_types_kernel(const struct fn_types *types);

/* The types of a loaded module; empty: the kernel's. Returns NULL if there are none. */
const struct fn_btf *fn_types_of(struct fn_types *types, const char *module);

/* The id of the function, or 0. */
uint32_t fn_btf_function(const struct fn_btf *btf, const char *name);

/*
 * Writes the names of functions that may be meant by @name to @text, as mm_nearest_hint() does.
 * Returns @text.
 */
const char *fn_btf_hint(const struct fn_btf *btf, const char *name, char *text, size_t size);

/* The type without typedefs and qualifiers, or NULL; @id, if not NULL, is set to its id. */
const struct btf_type *fn_btf_plain(const struct fn_btf *btf, uint32_t type, uint32_t *id);

/* Has a typedef on the way to the plain type that name (NULL: any)? */
bool fn_btf_has_typedef(const struct fn_btf *btf, uint32_t type, const char *name);

/* Never NULL. */
const char *fn_btf_name(const struct fn_btf *btf, const struct btf_type *type);
const char *fn_btf_string(const struct fn_btf *btf, uint32_t offset);

/* The bytes of an object of the type, or -1 if that is not known. */
int64_t fn_btf_size(const struct fn_btf *btf, uint32_t type);

/* The type of that name, without its pointers; 0: there is none. */
uint32_t fn_btf_find(const struct fn_btf *btf, const struct fn_named_type *name);

#endif /* LTTNG_MM_FN_DESCRIBE_TYPES_H */
