/* SPDX-License-Identifier: LGPL-2.1-only */
/* Labels of the fields of slab events. */
#ifndef LTTNG_MM_SLAB_DECODE_LABELS_H
#define LTTNG_MM_SLAB_DECODE_LABELS_H

#include "reader/events/labels.h"

/* Room for all labels of GFP flags. */
#define SLAB_FLAGS_BYTES 320

struct slab_labels {
	struct mm_labels gfp, migrate, path;
};

#endif /* LTTNG_MM_SLAB_DECODE_LABELS_H */
