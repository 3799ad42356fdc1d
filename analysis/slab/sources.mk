# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/slab/omission.c
lttng-mm-srcs += analysis/slab/slab.c
lttng-mm-srcs += analysis/slab/subsystem.c
