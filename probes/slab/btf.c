// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the offsets of struct kmem_cache's members in the running kernel's BTF. No installed header
 * declares the struct, and a copy of its declaration would be wrong for other kernels.
 */

#include <linux/btf.h>
#include <linux/string.h>
#include <uapi/linux/btf.h>
#include <wrapper/kallsyms.h>
#include <probes/slab/slab.h>

struct btf_section {
	const u8 *at, *end;
	const char *strings;
	u32 strings_size;
};

/* Returns the number of bytes after a struct btf_type. Negative: the kind is unknown. */
static int extra_bytes(const struct btf_type *type)
{
	u32 count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return count * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return count * 3 * sizeof(u32);
	case BTF_KIND_FUNC_PROTO:
		return count * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return count * sizeof(struct btf_var_secinfo);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return -EINVAL;
	}
}

static bool is_named(const struct btf_section *types, u32 offset, const char *name)
{
	return offset < types->strings_size && !strcmp(types->strings + offset, name);
}

static const struct btf_type *find_struct(struct btf_section types, const char *name)
{
	while (types.at + sizeof(struct btf_type) <= types.end) {
		const struct btf_type *type = (const void *)types.at;
		int extra = extra_bytes(type);

		if (extra < 0 || extra > types.end - types.at - (int)sizeof(*type))
			return NULL;
		if (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT &&
		    is_named(&types, type->name_off, name))
			return type;
		types.at += sizeof(*type) + extra;
	}
	return NULL;
}

static int member_offset(const struct btf_section *types, const struct btf_type *type,
			 const char *name)
{
	const struct btf_member *member = (const void *)(type + 1);
	bool has_bitfields = BTF_INFO_KFLAG(type->info);

	for (u32 i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		u32 bits =
			has_bitfields ? BTF_MEMBER_BIT_OFFSET(member[i].offset) : member[i].offset;

		if (is_named(types, member[i].name_off, name))
			return bits / 8;
	}
	return -ENOENT;
}

int lttng_mm_btf_cache_layout(struct lttng_mm_cache_layout *layout)
{
	const u8 *start = (const void *)wrapper_kallsyms_lookup_name("__start_BTF");
	const u8 *stop = (const void *)wrapper_kallsyms_lookup_name("__stop_BTF");
	const struct btf_header *header = (const void *)start;
	const struct btf_type *type;
	struct btf_section types;

	if (!start || stop < start + sizeof(*header) || header->magic != BTF_MAGIC)
		return -ENOENT;
	types.at = start + header->hdr_len + header->type_off;
	types.end = types.at + header->type_len;
	types.strings = (const char *)start + header->hdr_len + header->str_off;
	types.strings_size = header->str_len;
	if (types.end > stop || (const u8 *)types.strings + types.strings_size > stop ||
	    !types.strings_size || types.strings[types.strings_size - 1])
		return -EINVAL;
	type = find_struct(types, "kmem_cache");
	if (!type)
		return -ENOENT;
	layout->name = member_offset(&types, type, "name");
	layout->object_size = member_offset(&types, type, "object_size");
	layout->size = member_offset(&types, type, "size");
	layout->align = member_offset(&types, type, "align");
	layout->flags = member_offset(&types, type, "flags");
	layout->list = member_offset(&types, type, "list");
	return 0;
}
