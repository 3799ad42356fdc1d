# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += reader/picture/canvas.c
lttng-mm-srcs += reader/picture/font.c
