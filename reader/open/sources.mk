# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += reader/open/open-folders.c
lttng-mm-srcs += reader/open/open.c
lttng-mm-srcs += reader/open/range.c
lttng-mm-srcs += reader/open/split.c
