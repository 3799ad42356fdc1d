/* SPDX-License-Identifier: GPL-2.0-only */
/* Module information for all modules of this project. */
#ifndef LTTNG_MM_PROBES_LIB_MODULE_H
#define LTTNG_MM_PROBES_LIB_MODULE_H

#include <linux/module.h>
#include <linux/stringify.h>
#include <lttng/tracer.h>

/* The version is lttng-modules' version at build time. */
#define LTTNG_MM_MODULE(_description)                                                          \
	MODULE_LICENSE("GPL");                                                                 \
	MODULE_AUTHOR("lttng-mm");                                                             \
	MODULE_DESCRIPTION(_description);                                                      \
	MODULE_VERSION(__stringify(LTTNG_MODULES_MAJOR_VERSION) "." __stringify(               \
		LTTNG_MODULES_MINOR_VERSION) "." __stringify(LTTNG_MODULES_PATCHLEVEL_VERSION) \
			       LTTNG_MODULES_EXTRAVERSION)

#endif /* LTTNG_MM_PROBES_LIB_MODULE_H */
