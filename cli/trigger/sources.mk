# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += cli/trigger/cmd-trigger.c
lttng-mm-srcs += cli/trigger/record-triggers.c
lttng-mm-srcs += cli/trigger/trigger-options.c
