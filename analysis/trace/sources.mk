# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/trace/coverage.c
lttng-mm-srcs += analysis/trace/field-text.c
lttng-mm-srcs += analysis/trace/labels.c
lttng-mm-srcs += analysis/trace/loss-times.c
lttng-mm-srcs += analysis/trace/missing.c
lttng-mm-srcs += analysis/trace/request.c
lttng-mm-srcs += analysis/trace/source.c
