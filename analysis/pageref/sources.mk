# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/pageref/pageref-io.c
lttng-mm-srcs += analysis/pageref/pageref-report.c
lttng-mm-srcs += analysis/pageref/pageref-schema.c
lttng-mm-srcs += analysis/pageref/pageref-state.c
lttng-mm-srcs += analysis/pageref/pageref.c
lttng-mm-srcs += analysis/pageref/subsystem.c
