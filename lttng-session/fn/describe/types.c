// SPDX-License-Identifier: LGPL-2.1-only
/* Opens BTF and finds types in it. */
#include "lttng-session/fn/describe/types.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/mounts.h"
#include "util/nearest.h"

/*
 * Maximum number of typedefs and qualifiers to follow from a type, and maximum number of dimensions
 * of an array.
 */
#define CHAIN_MAX 64

struct fn_types {
	struct fn_btf *kernel;
	/* if @kernel is a module's BTF: the running kernel's BTF, to which it refers; else NULL */
	struct btf *base;
	struct fn_btf **modules;
	size_t count, room;
};

static int be_quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

const char *fn_btf_string(const struct fn_btf *btf, uint32_t offset)
{
	const char *string = btf__str_by_offset(btf->btf, offset);

	return string ? string : "";
}

const char *fn_btf_name(const struct fn_btf *btf, const struct btf_type *type)
{
	return type ? fn_btf_string(btf, type->name_off) : "";
}

static bool same_name(const void *array, uint32_t number, const void *wanted)
{
	const struct fn_btf *btf = array;
	const struct btf_type *type = btf__type_by_id(btf->btf, btf->functions[number]);

	return !strcmp(fn_btf_name(btf, type), wanted);
}

uint32_t fn_btf_function(const struct fn_btf *btf, const char *name)
{
	uint32_t number = mm_hash_find(&btf->index, mm_hash_of_string(&btf->index, name), btf, name,
				       same_name);

	return number == MM_HASH_NONE ? 0 : btf->functions[number];
}

const char *fn_btf_hint(const struct fn_btf *btf, const char *name, char *text, size_t size)
{
	struct mm_nearest nearest = { .wanted = name };

	for (size_t i = 0; i < btf->count; i++)
		mm_nearest_offer(&nearest,
				 fn_btf_name(btf, btf__type_by_id(btf->btf, btf->functions[i])));
	return mm_nearest_hint(&nearest, text, size);
}

/*
 * Is this the anonymous enumeration of the bit numbers of gfp_t, which kernels have since Linux
 * 6.10?
 */
static bool has_gfp_bits(const struct fn_btf *btf, const struct btf_type *type)
{
	static const char prefix[] = "___GFP_", suffix[] = "_BIT";
	const char *name;
	size_t length;

	if (!btf_is_enum(type) || type->name_off || !btf_vlen(type))
		return false;
	name = fn_btf_string(btf, btf_enum(type)->name_off);
	length = strlen(name);
	return !strncmp(name, prefix, strlen(prefix)) && length > strlen(suffix) &&
	       !strcmp(name + length - strlen(suffix), suffix);
}

/*
 * Indexes the functions, and finds the enumeration types whose ids struct fn_btf stores. Returns 0,
 * or -1 when out of memory.
 */
static int index_types(struct fn_btf *btf)
{
	const struct btf *base = btf__base_btf(btf->btf);
	uint32_t first = base ? btf__type_cnt(base) : 1, end = btf__type_cnt(btf->btf);
	size_t room = 0;

	mm_hash_init(&btf->index);
	for (uint32_t id = first; id < end; id++) {
		const struct btf_type *type = btf__type_by_id(btf->btf, id);
		const char *name = fn_btf_name(btf, type);
		uint32_t *functions;

		if (has_gfp_bits(btf, type))
			btf->gfp_bits = id;
		if (btf_is_enum(type) && !strcmp(name, "vm_fault_reason"))
			btf->fault_reasons = id;
		/* If several functions have the same name, index only the first. */
		if (!btf_is_func(type) || !*name || fn_btf_function(btf, name))
			continue;
		functions = mm_array_grow(btf->functions, btf->count, &room, sizeof(*functions));
		if (!functions)
			return -1;
		btf->functions = functions;
		functions[btf->count] = id;
		if (mm_hash_add(&btf->index, mm_hash_of_string(&btf->index, name),
				(uint32_t)btf->count))
			return -1;
		btf->count++;
	}
	return 0;
}

static void destroy(struct fn_btf *btf)
{
	if (!btf)
		return;
	mm_hash_release(&btf->index);
	free(btf->functions);
	btf__free(btf->btf);
	free(btf);
}

/*
 * Returns an object for @btf, the BTF of @module, and takes ownership of @btf. Returns NULL when
 * out of memory.
 */
static struct fn_btf *adopt(struct btf *btf, const char *module, const struct fn_btf *kernel)
{
	struct fn_btf *adopted = calloc(1, sizeof(*adopted));

	if (!adopted) {
		btf__free(btf);
		return NULL;
	}
	adopted->btf = btf;
	adopted->gfp_bits = kernel ? kernel->gfp_bits : 0;
	adopted->fault_reasons = kernel ? kernel->fault_reasons : 0;
	strncpy(adopted->module, module, sizeof(adopted->module) - 1);
	if (!index_types(adopted))
		return adopted;
	destroy(adopted);
	return NULL;
}

struct fn_types *fn_types_adopt(struct btf *btf)
{
	struct fn_types *types = calloc(1, sizeof(*types));
	struct fn_btf *kernel = adopt(btf, "", NULL);

	if (types && kernel) {
		types->kernel = kernel;
		return types;
	}
	destroy(kernel);
	free(types);
	return NULL;
}

/*
 * Can @btf be used alone? The BTF of a module cannot, because it refers to types and names in the
 * kernel's BTF.
 */
static bool is_complete(const struct btf *btf)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = btf__str_by_offset(btf, type->name_off);

		if (!name || (btf_is_int(type) && !*name))
			return false;
		if ((btf_is_ptr(type) || btf_is_func(type) || btf_is_mod(type)) &&
		    type->type >= btf__type_cnt(btf))
			return false;
	}
	return btf__type_cnt(btf) > 1;
}

/* Reads the BTF of the running kernel. Returns NULL with errno set on failure. */
static struct btf *read_running(void)
{
	char path[4096];

	if (!mounts_path(path, sizeof(path), "/sys/kernel/btf/vmlinux"))
		return btf__parse(path, NULL);
	errno = ENAMETOOLONG;
	return NULL;
}

/*
 * Reads @file. If it contains a module's BTF, sets *@base to the running kernel's BTF. Returns NULL
 * with errno set on failure.
 */
static struct btf *read_file(const char *file, struct btf **base)
{
	struct btf *btf = btf__parse(file, NULL);

	if (btf && is_complete(btf))
		return btf;
	if (!btf && (errno == ENOENT || errno == EACCES))
		return NULL;
	btf__free(btf);
	*base = read_running();
	return *base ? btf__parse_split(file, *base) : NULL;
}

static const char *reason(int error)
{
	/* Error numbers of libbpf start at 4000. */
	return error == EINVAL || error == ENODATA || error == EPROTO || error >= 4000
		       ? "it has no valid BTF"
		       : strerror(error);
}

struct fn_types *fn_types_open(const char *file, struct mm_error *err)
{
	struct btf *base = NULL, *btf;
	struct fn_types *types;

	libbpf_set_print(be_quiet);
	btf = file ? read_file(file, &base) : read_running();
	if (!btf && file)
		mm_error_set(err, MM_EXIT_BAD_INPUT, "fn: --btf: %s: %s", file, reason(errno));
	else if (!btf)
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"fn: /sys/kernel/btf/vmlinux: %s; boot a kernel with CONFIG_DEBUG_INFO_BTF, or give the types by hand, as in 'foo(a:u32) : s32'",
			reason(errno));
	types = btf ? fn_types_adopt(btf) : NULL;
	if (types)
		types->base = base;
	else
		btf__free(base);
	if (btf && !types)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	return types;
}

void fn_types_close(struct fn_types *types)
{
	if (!types)
		return;
	/* Free the modules' BTF before the kernel's BTF, to which it refers. */
	for (size_t i = 0; i < types->count; i++)
		destroy(types->modules[i]);
	free(types->modules);
	destroy(types->kernel);
	btf__free(types->base);
	free(types);
}

const struct fn_btf *fn_types_kernel(const struct fn_types *types)
{
	return types->kernel;
}

/*
 * Loads the BTF of a module. If the module has no BTF, returns an object without @btf. Returns NULL
 * when out of memory.
 */
static struct fn_btf *load_module(const struct fn_types *types, const char *module)
{
	struct btf *btf = NULL;
	struct fn_btf *none;
	char path[4096];

	if (!mounts_path(path, sizeof(path), "/sys/kernel/btf/%s", module))
		btf = btf__parse_split(path, types->kernel->btf);
	if (btf)
		return adopt(btf, module, types->kernel);
	none = calloc(1, sizeof(*none));
	if (none)
		strncpy(none->module, module, sizeof(none->module) - 1);
	return none;
}

const struct fn_btf *fn_types_of(struct fn_types *types, const char *module)
{
	struct fn_btf **modules;

	if (!*module || !strcmp(module, "vmlinux"))
		return types->kernel;
	for (size_t i = 0; i < types->count; i++)
		if (!strcmp(types->modules[i]->module, module))
			return types->modules[i]->btf ? types->modules[i] : NULL;
	modules = mm_array_grow(types->modules, types->count, &types->room, sizeof(*modules));
	if (!modules)
		return NULL;
	types->modules = modules;
	modules[types->count] = load_module(types, module);
	if (!modules[types->count])
		return NULL;
	types->count++;
	return modules[types->count - 1]->btf ? modules[types->count - 1] : NULL;
}

const struct btf_type *fn_btf_plain(const struct fn_btf *btf, uint32_t type, uint32_t *id)
{
	for (unsigned int i = 0; i < CHAIN_MAX; i++) {
		const struct btf_type *found = btf__type_by_id(btf->btf, type);

		if (id)
			*id = type;
		if (!found ||
		    !(btf_is_mod(found) || btf_is_typedef(found) || btf_is_type_tag(found)))
			return found;
		type = found->type;
	}
	return NULL;
}

bool fn_btf_has_typedef(const struct fn_btf *btf, uint32_t type, const char *name)
{
	for (unsigned int i = 0; i < CHAIN_MAX; i++) {
		const struct btf_type *found = btf__type_by_id(btf->btf, type);

		if (!found ||
		    !(btf_is_mod(found) || btf_is_typedef(found) || btf_is_type_tag(found)))
			return false;
		if (btf_is_typedef(found) && (!name || !strcmp(fn_btf_name(btf, found), name)))
			return true;
		type = found->type;
	}
	return false;
}

int64_t fn_btf_size(const struct fn_btf *btf, uint32_t type)
{
	uint64_t count = 1;

	for (unsigned int i = 0; i < CHAIN_MAX; i++) {
		const struct btf_type *plain = fn_btf_plain(btf, type, NULL);

		if (!plain)
			return -1;
		if (btf_is_ptr(plain))
			return (int64_t)(8 * count);
		if (btf_is_int(plain) || btf_is_any_enum(plain) || btf_is_composite(plain) ||
		    btf_is_float(plain))
			return (int64_t)(count * plain->size);
		if (!btf_is_array(plain))
			return -1;
		/* The product would overflow, but no real object is that large. */
		if (count && btf_array(plain)->nelems > (UINT64_C(1) << 40) / count)
			return -1;
		count *= btf_array(plain)->nelems;
		type = btf_array(plain)->type;
	}
	return -1;
}

static bool matches(const struct btf_type *type, enum fn_tag tag)
{
	switch (tag) {
	case FN_TAG_STRUCT:
		return btf_is_struct(type);
	case FN_TAG_UNION:
		return btf_is_union(type);
	case FN_TAG_ENUM:
		return btf_is_any_enum(type);
	default:
		return btf_is_typedef(type) || btf_is_int(type);
	}
}

uint32_t fn_btf_find(const struct fn_btf *btf, const struct fn_named_type *name)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf->btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf->btf, id);

		if (matches(type, name->tag) && !strcmp(fn_btf_name(btf, type), name->name))
			return id;
	}
	return 0;
}
