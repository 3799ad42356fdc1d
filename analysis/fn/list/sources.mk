# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/fn/list/call-list.c
lttng-mm-srcs += analysis/fn/list/folded.c
lttng-mm-srcs += analysis/fn/list/graph.c
lttng-mm-srcs += analysis/fn/list/order.c
