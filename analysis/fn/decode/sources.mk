# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/fn/decode/classes.c
lttng-mm-srcs += analysis/fn/decode/labels.c
lttng-mm-srcs += analysis/fn/decode/states.c
lttng-mm-srcs += analysis/fn/decode/values.c
