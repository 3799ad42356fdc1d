# SPDX-License-Identifier: LGPL-2.1-only
# What is in the babeltrace2 plugin and not in lttng-mm.
plugin-srcs += analysis/bt2/bt2-plugin.c
plugin-srcs += analysis/bt2/bt2-upstream.c
