# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/slab/decode/aliases.c
lttng-mm-srcs += analysis/slab/decode/events.c
lttng-mm-srcs += analysis/slab/decode/state-dump.c
