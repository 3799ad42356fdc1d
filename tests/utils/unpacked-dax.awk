# SPDX-License-Identifier: LGPL-2.1-only
# Rewrites the metadata of DAX events to an unpacked layout with a context: fields of 8 to 64 bits
# after a plain event header, signed thread ids, no wide variants, names of processes in the context
# procname and no events that name threads. Adds other_event, of another probe.

# Rounds the integer of a field, "integer { size = N; align = N; ...", up to whole bytes.
function whole(line,  bits, before, after) {
	if (!match(line, /size = [0-9]+; align = [0-9]+/))
		return line
	before = substr(line, 1, RSTART - 1)
	after = substr(line, RSTART + RLENGTH)
	bits = substr(line, RSTART + 7) + 0
	bits = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64
	if (line ~ / _(tid|pid);$/)
		sub(/signed = 0/, "signed = 1", after)
	return before "size = " bits "; align = 8" after
}

/^stream \{/ {
	print "struct event_header_plain {"
	print "\tinteger { size = 32; align = 8; signed = false; } id;"
	print "\tinteger { size = 64; align = 8; signed = false; map = clock.monotonic.value; } timestamp;"
	print "};"
}
/^\tevent\.header := / {
	print "\tevent.header := struct event_header_plain;"
	print "\tevent.context := struct {"
	print "\t\tinteger { size = 8; align = 8; signed = false; encoding = UTF8; } procname[16];"
	print "\t};"
	next
}
/^event \{/ { event = $0; next }
!event { print; next }
{ event = event "\n" whole($0) }
/^\};/ {
	if (event ~ /name = "dax_/ && event !~ /name = "dax_[a-z_]*_wide"/) {
		# Removes the flag that packing separates from the other flags.
		sub(/\n\t\tenum : integer \{[^{}]*\} \{[^{}]*\} _vm_flag_63;/, "", event)
		sub(/id = [0-9]+;/, "id = " id++ ";", event)
		print event
	}
	event = ""
}
END {
	print "event {\n\tname = \"other_event\";\n\tid = " id ";\n\tstream_id = 0;"
	print "\tfields := struct {\n\t\tinteger { size = 32; align = 8; signed = 1; } _tid;\n\t};\n};"
}
