# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/slab/decode/aliases.c
lttng-mm-srcs += analysis/slab/decode/caches.c
lttng-mm-srcs += analysis/slab/decode/events.c
lttng-mm-srcs += analysis/slab/decode/nodes.c
lttng-mm-srcs += analysis/slab/decode/paths.c
lttng-mm-srcs += analysis/slab/decode/sysinfo.c
lttng-mm-srcs += analysis/slab/decode/threads.c
