# SPDX-License-Identifier: LGPL-2.1-only
# Adds LTTng's context callstack-kernel, as LTTng declares it, to the events of a trace's metadata.

{ print }
/^\tpacket\.context := / {
	print "\tevent.context := struct {"
	print "\t\tuint32_t __callstack_kernel_length;"
	print "\t\tinteger { size = 64; align = 8; signed = false; base = 16; } _callstack_kernel[ __callstack_kernel_length ];"
	print "\t};"
}
