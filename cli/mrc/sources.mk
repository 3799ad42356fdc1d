# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += cli/mrc/cmd-export.c
lttng-mm-srcs += cli/mrc/cmd-mrc.c
