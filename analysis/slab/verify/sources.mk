# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/slab/verify/rules.c
lttng-mm-srcs += analysis/slab/verify/verify.c
