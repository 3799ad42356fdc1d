# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += cli/regress/cmd-check.c
lttng-mm-srcs += cli/regress/cmd-diff.c
lttng-mm-srcs += cli/regress/cmd-gate.c
lttng-mm-srcs += cli/regress/cmd-metrics.c
lttng-mm-srcs += cli/regress/cmd-run.c
lttng-mm-srcs += cli/regress/run-command.c
