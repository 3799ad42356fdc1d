# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/report/coverage.c
lttng-mm-srcs += analysis/report/fit.c
lttng-mm-srcs += analysis/report/json.c
lttng-mm-srcs += analysis/report/markdown.c
lttng-mm-srcs += analysis/report/report.c
lttng-mm-srcs += analysis/report/table.c
lttng-mm-srcs += analysis/report/text.c
