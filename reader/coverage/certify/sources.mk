# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += reader/coverage/certify/certify-check.c
lttng-mm-srcs += reader/coverage/certify/certify-facts.c
lttng-mm-srcs += reader/coverage/certify/certify-gaps.c
lttng-mm-srcs += reader/coverage/certify/certify-require.c
lttng-mm-srcs += reader/coverage/certify/certify-warn.c
lttng-mm-srcs += reader/coverage/certify/certify.c
