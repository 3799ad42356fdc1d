/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VM flags. A flag that the kernel or its configuration lacks is defined as 0. On every kernel, the
 * flags are macros, so #ifndef can find them.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_VM_FLAGS_H
#define LTTNG_MM_PROBES_COMPAT_VM_FLAGS_H

#include <linux/mm.h>

#ifndef VM_UFFD_MISSING /* 0 without an MMU */
#define VM_UFFD_MISSING 0
#endif
#ifndef VM_PKEY_BIT0 /* needs CONFIG_ARCH_HAS_PKEYS */
#define VM_PKEY_BIT0 0
#define VM_PKEY_BIT1 0
#define VM_PKEY_BIT2 0
#endif
#ifndef VM_PKEY_BIT3
#define VM_PKEY_BIT3 0
#endif
#ifndef VM_SHADOW_STACK /* since 6.6 */
#define VM_SHADOW_STACK 0
#endif
#ifndef VM_ALLOW_ANY_UNCACHED /* since 6.9 */
#define VM_ALLOW_ANY_UNCACHED 0
#endif
#ifndef VM_SEALED /* since 6.10 */
#define VM_SEALED 0
#endif
#ifndef VM_DROPPABLE /* since 6.11 */
#define VM_DROPPABLE 0
#endif
#ifndef VM_MAYBE_GUARD /* added after 6.12 and before 7.2 */
#define VM_MAYBE_GUARD 0
#endif

#endif /* LTTNG_MM_PROBES_COMPAT_VM_FLAGS_H */
