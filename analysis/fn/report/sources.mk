# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/fn/report/added.c
lttng-mm-srcs += analysis/fn/report/comparison.c
lttng-mm-srcs += analysis/fn/report/findings.c
lttng-mm-srcs += analysis/fn/report/report.c
lttng-mm-srcs += analysis/fn/report/schema.c
lttng-mm-srcs += analysis/fn/report/slow-call.c
