# SPDX-License-Identifier: LGPL-2.1-only
# Makes many events of functions, for make-trace:
#
#   awk -v what=metadata [-v functions=N] -f make-fn-load.awk METADATA >TSDL   with N functions' events
#   awk -v events=N [-v functions=N] -f make-fn-load.awk >SCRIPT               calls three levels deep
#
# METADATA is tests/metadata/fn-calls.tsdl. Only the part before its events is used.
function field(bits, signed, base, name) {
	return sprintf("\t\tinteger { size = %d; align = 1; signed = %d; encoding = none; base = %d; } _%s;\n", bits, signed, base, name)
}
function event(name, fields) {
	printf "event {\n\tname = \"%s\";\n\tid = %d;\n\tstream_id = 0;\n\tfields := struct {\n%s\t};\n};\n", name, id++, fields
}
BEGIN {
	if (!functions)
		functions = 50
	if (what != "metadata")
		exit
}
/^event \{/ { exit }
{
	# There are more classes than fit in the compact header.
	sub(/event.header := struct event_header_compact/, "event.header := struct event_header_large")
	print
}
END {
	if (what == "metadata") {
		for (i = 0; i < functions; i++) {
			event("fn_function" i "_entry", field(24, 0, 10, "tid") field(64, 0, 16, "file") field(64, 0, 10, "count") field(32, 1, 10, "flags"))
			event("fn_function" i "_exit", field(24, 0, 10, "tid") field(64, 1, 10, "ret"))
		}
		exit
	}
	srand(1)
	for (n = 0; n < events;) {
		if (n % 20000 == 0)
			print "cpu", cpu = (n / 20000) % 4
		tid = 100 + cpu * 8 + int(rand() * 8)
		depth = 1 + int(rand() * 3)
		for (i = 0; i < depth; i++) {
			called[i] = int(rand() * functions)
			now[cpu] += 20 + int(rand() * 500)
			printf "%d fn_function%d_entry tid=%d file=0x%x count=%d flags=%d\n", 1000 + now[cpu], called[i], tid, n % 977, n % 4096, -(n % 7)
		}
		while (i--) {
			now[cpu] += 50 + int(rand() * rand() * 20000)
			printf "%d fn_function%d_exit tid=%d ret=%d\n", 1000 + now[cpu], called[i], tid, n % 50 ? n % 4096 : -11
		}
		n += 2 * depth
	}
}
