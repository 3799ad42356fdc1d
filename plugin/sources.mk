# SPDX-License-Identifier: LGPL-2.1-only
# Sources that only the babeltrace2 plugin contains, not the program lttng-mm.
plugin-srcs += plugin/plugin.c
plugin-srcs += plugin/upstream.c
