# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += cli/status/cmd-status.c
lttng-mm-srcs += cli/status/status-functions.c
lttng-mm-srcs += cli/status/status-json.c
lttng-mm-srcs += cli/status/status-openmetrics.c
lttng-mm-srcs += cli/status/status-repairs.c
lttng-mm-srcs += cli/status/status-sentence.c
lttng-mm-srcs += cli/status/status-text.c
