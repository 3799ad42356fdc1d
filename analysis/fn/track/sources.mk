# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/fn/track/outer.c
lttng-mm-srcs += analysis/fn/track/pairing.c
lttng-mm-srcs += analysis/fn/track/stacks.c
