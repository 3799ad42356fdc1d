# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += cli/report/cmd-report.c
lttng-mm-srcs += cli/report/report-options.c
