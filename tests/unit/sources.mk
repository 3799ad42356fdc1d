# SPDX-License-Identifier: LGPL-2.1-only
# Unit tests, one sorted item per line.
unit-tests += ctf-json
unit-tests += ctf-map
unit-tests += ctf-merge
unit-tests += ctf-model
unit-tests += ctf-packet
unit-tests += ctf-plan
unit-tests += ctf-read
unit-tests += ctf-seek
unit-tests += ctf-traces
unit-tests += ctf-tsdl
unit-tests += ctf-tsdl-errors
unit-tests += dax-cause
unit-tests += dax-pairing
unit-tests += dax-parts
unit-tests += escape
unit-tests += time
