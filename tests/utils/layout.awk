# SPDX-License-Identifier: LGPL-2.1-only
# Rewrites a trace's metadata for another kind of machine: fields of whole bytes after a plain event
# header. With big=1, the fields are big-endian; with narrow=1, they have at most 32 bits and are
# aligned to their size.

# Rounds the integer of a field, "integer { size = N; align = N; ...", up to whole bytes.
function whole(line,  bits, before, after) {
	if (!match(line, /size = [0-9]+; align = [0-9]+/))
		return line
	before = substr(line, 1, RSTART - 1)
	after = substr(line, RSTART + RLENGTH)
	bits = substr(line, RSTART + 7) + 0
	bits = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 || narrow ? 32 : 64
	return before "size = " bits "; align = " (narrow ? bits : 8) after
}

big { sub(/byte_order = le/, "byte_order = be") }
/^stream \{/ {
	print "struct event_header_plain {"
	print "\tinteger { size = 32; align = " (narrow ? 32 : 8) "; signed = false; } id;"
	print "\tinteger { size = 64; align = " (narrow ? 32 : 8) "; signed = false; map = clock.monotonic.value; } timestamp;"
	print "};"
}
{ sub(/event\.header := struct [a-z_]*/, "event.header := struct event_header_plain") }
/^event \{/ { fields = 1 }
{ print fields ? whole($0) : $0 }
