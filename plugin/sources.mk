# SPDX-License-Identifier: LGPL-2.1-only
# Sources of the babeltrace2 plugin that lttng-mm does not contain.
plugin-srcs += plugin/plugin.c
plugin-srcs += plugin/upstream.c
