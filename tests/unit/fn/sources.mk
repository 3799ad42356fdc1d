# SPDX-License-Identifier: LGPL-2.1-only
unit-tests += fn/fn-fields
unit-tests += fn/fn-history
unit-tests += fn/fn-list-entry
unit-tests += fn/fn-request
unit-tests += fn/fn-set
unit-tests += fn/fn-signature
unit-tests += fn/fn-spec
