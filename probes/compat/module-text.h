/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text and symbols of a module. Until Linux 6.3 they are in struct module_layout. Since 6.4, there
 * is one memory region per type.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_MODULE_TEXT_H
#define LTTNG_MM_PROBES_COMPAT_MODULE_TEXT_H

#include <linux/module.h>
#include <linux/rcupdate.h>
#include <lttng/kernel-version.h>

#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 4, 0))
static inline unsigned long lttng_mm_module_text(const struct module *mod)
{
	return (unsigned long)mod->mem[MOD_TEXT].base;
}

static inline unsigned long lttng_mm_module_text_size(const struct module *mod)
{
	return mod->mem[MOD_TEXT].size;
}

static inline unsigned long lttng_mm_module_init_text(const struct module *mod)
{
	return (unsigned long)mod->mem[MOD_INIT_TEXT].base;
}

static inline unsigned long lttng_mm_module_init_text_size(const struct module *mod)
{
	return mod->mem[MOD_INIT_TEXT].size;
}
#else
static inline unsigned long lttng_mm_module_text(const struct module *mod)
{
	return (unsigned long)mod->core_layout.base;
}

static inline unsigned long lttng_mm_module_text_size(const struct module *mod)
{
	return mod->core_layout.text_size;
}

static inline unsigned long lttng_mm_module_init_text(const struct module *mod)
{
	return (unsigned long)mod->init_layout.base;
}

static inline unsigned long lttng_mm_module_init_text_size(const struct module *mod)
{
	return mod->init_layout.text_size;
}
#endif

#ifdef CONFIG_KALLSYMS
/*
 * Returns a hash (64-bit FNV-1a) of the names and offsets of all symbols in SIZE bytes from START.
 * Returns 0 if there are no such symbols.
 *
 * Context: any. Loops over all symbols of the module.
 */
static inline u64 lttng_mm_hash_symbols(const struct mod_kallsyms *kallsyms, unsigned long start,
					unsigned long size)
{
	u64 hash = 0xcbf29ce484222325ULL;
	unsigned int count = 0;

	for (unsigned int i = 0; i < kallsyms->num_symtab; i++) {
		unsigned long offset = kallsyms->symtab[i].st_value - start;
		const char *name = kallsyms->strtab + kallsyms->symtab[i].st_name;

		if (offset >= size || !*name)
			continue;
		count++;
		for (unsigned int shift = 0; shift < 32; shift += 8)
			hash = (hash ^ (u8)(offset >> shift)) * 0x100000001b3ULL;
		do
			hash = (hash ^ (u8)*name) * 0x100000001b3ULL;
		while (*name++);
	}
	return count ? hash : 0;
}

/* Hashes the symbols of the module's text that remains until the module is unloaded. */
static inline u64 lttng_mm_module_text_symbols(const struct module *mod)
{
	return lttng_mm_hash_symbols(&mod->core_kallsyms, lttng_mm_module_text(mod),
				     lttng_mm_module_text_size(mod));
}

/* Hashes the symbols of the module's init text, which exists only while the module loads. */
static inline u64 lttng_mm_module_init_text_symbols(const struct module *mod)
{
	return lttng_mm_hash_symbols(rcu_dereference_raw(mod->kallsyms),
				     lttng_mm_module_init_text(mod),
				     lttng_mm_module_init_text_size(mod));
}
#else
static inline u64 lttng_mm_module_text_symbols(const struct module *mod)
{
	return 0;
}

static inline u64 lttng_mm_module_init_text_symbols(const struct module *mod)
{
	return 0;
}
#endif

#endif /* LTTNG_MM_PROBES_COMPAT_MODULE_TEXT_H */
