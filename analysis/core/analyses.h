/* SPDX-License-Identifier: LGPL-2.1-only */
/* The list of analyses, of which the registry and the babeltrace2 plugin are made. */
#ifndef LTTNG_MM_CORE_ANALYSES_H
#define LTTNG_MM_CORE_ANALYSES_H

/* X(IDENTIFIER, NAME): `mm_IDENTIFIER_analysis` and what users call it. One line each. */
#define MM_ANALYSES(X) \
	X(dax, "dax") \
	X(slab, "slab")

#endif /* LTTNG_MM_CORE_ANALYSES_H */
