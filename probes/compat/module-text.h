/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a module's text is: struct module_layout until Linux 6.3, one memory region a kind since
 * 6.4.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_MODULE_TEXT_H
#define LTTNG_MM_PROBES_COMPAT_MODULE_TEXT_H

#include <linux/module.h>
#include <lttng/kernel-version.h>

#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6,4,0))
static inline unsigned long mm_module_text(const struct module *mod)
{
	return (unsigned long)mod->mem[MOD_TEXT].base;
}

static inline unsigned long mm_module_text_size(const struct module *mod)
{
	return mod->mem[MOD_TEXT].size;
}

static inline unsigned long mm_module_init_text(const struct module *mod)
{
	return (unsigned long)mod->mem[MOD_INIT_TEXT].base;
}

static inline unsigned long mm_module_init_text_size(const struct module *mod)
{
	return mod->mem[MOD_INIT_TEXT].size;
}
#else
static inline unsigned long mm_module_text(const struct module *mod)
{
	return (unsigned long)mod->core_layout.base;
}

static inline unsigned long mm_module_text_size(const struct module *mod)
{
	return mod->core_layout.text_size;
}

static inline unsigned long mm_module_init_text(const struct module *mod)
{
	return (unsigned long)mod->init_layout.base;
}

static inline unsigned long mm_module_init_text_size(const struct module *mod)
{
	return mod->init_layout.text_size;
}
#endif

#endif /* LTTNG_MM_PROBES_COMPAT_MODULE_TEXT_H */
