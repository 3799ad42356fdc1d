# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += cli/fn/cmd-fn.c
lttng-mm-srcs += cli/fn/fn-list.c
lttng-mm-srcs += cli/fn/fn-options.c
lttng-mm-srcs += cli/fn/fn-print.c
lttng-mm-srcs += cli/fn/fn-signature.c
lttng-mm-srcs += cli/fn/needed-functions.c
lttng-mm-srcs += cli/fn/record-fn.c
