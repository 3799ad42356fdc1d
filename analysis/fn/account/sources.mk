# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/fn/account/accounts.c
lttng-mm-srcs += analysis/fn/account/durations.c
lttng-mm-srcs += analysis/fn/account/failures.c
