# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/fn/verify/verify.c
