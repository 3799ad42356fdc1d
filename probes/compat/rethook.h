/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Return hooks of single calls. The kernel exports no function of <linux/rethook.h>, and a compiler
 * may have omitted their ENDBR instructions. Call them through static calls, which are direct calls
 * in the machine code.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_RETHOOK_H
#define LTTNG_MM_PROBES_COMPAT_RETHOOK_H

#include <linux/rethook.h>
#include <linux/slab.h>
#include <lttng/kernel-version.h>

/* Since Linux 6.7 rethook_alloc() allocates the nodes. Before, the caller adds them. */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 7, 0))
#define LTTNG_MM_RETHOOK_NODES
#endif

/* Since Linux 6.6 a handler also receives the return address. */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 6, 0))
#define LTTNG_MM_RETHOOK_HANDLER(_name, _node, _regs)                                             \
	_name(struct rethook_node *_node, void *unused_data, unsigned long unused_return_address, \
	      struct pt_regs *_regs)
#else
#define LTTNG_MM_RETHOOK_HANDLER(_name, _node, _regs) \
	_name(struct rethook_node *_node, void *unused_data, struct pt_regs *_regs)
#endif

#endif /* LTTNG_MM_PROBES_COMPAT_RETHOOK_H */
