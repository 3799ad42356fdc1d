# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += cli/cmd-doctor.c
lttng-mm-srcs += cli/cmd-info.c
lttng-mm-srcs += cli/cmd-print.c
lttng-mm-srcs += cli/cmd-record.c
lttng-mm-srcs += cli/cmd-serve.c
lttng-mm-srcs += cli/cmd-snapshot.c
lttng-mm-srcs += cli/cmd-stop.c
lttng-mm-srcs += cli/cmd-verify.c
lttng-mm-srcs += cli/commands.c
lttng-mm-srcs += cli/print-options.c
lttng-mm-srcs += cli/record-window.c
lttng-mm-srcs += cli/snapshot-request.c
lttng-mm-srcs += cli/unload.c
# main() of the program that contains all commands.
all-srcs += cli/all.c
# The small program. It handles requests for snapshots, and runs lib/lttng-mm/lttng-mm otherwise.
program-srcs += cli/main.c
program-srcs += cli/snapshot-request.c
