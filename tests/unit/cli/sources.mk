# SPDX-License-Identifier: LGPL-2.1-only
unit-tests += cli/fn-command
unit-tests += cli/nearest
unit-tests += cli/status-page-ref
unit-tests += cli/status-sentence
unit-tests += cli/subsystems
unit-tests += cli/transaction
