# SPDX-License-Identifier: LGPL-2.1-only
# What is in the babeltrace2 plugin and not in lttng-mm.
plugin-srcs += plugin/plugin.c
plugin-srcs += plugin/upstream.c
