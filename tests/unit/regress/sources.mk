# SPDX-License-Identifier: LGPL-2.1-only
unit-tests += regress/base
unit-tests += regress/rules
unit-tests += regress/run-write
unit-tests += regress/verdict
