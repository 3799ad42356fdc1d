# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/slab/account/accounts.c
lttng-mm-srcs += analysis/slab/account/cross-node.c
lttng-mm-srcs += analysis/slab/account/live.c
lttng-mm-srcs += analysis/slab/account/remote.c
lttng-mm-srcs += analysis/slab/account/requests.c
lttng-mm-srcs += analysis/slab/account/tallies.c
lttng-mm-srcs += analysis/slab/account/waste.c
