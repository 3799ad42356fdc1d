# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/fn/fn.c
lttng-mm-srcs += analysis/fn/subsystem.c
