# SPDX-License-Identifier: LGPL-2.1-only
# Reads a Kbuild file and prints the requirements of each probe in it, one per line:
#   <probe> config CONFIG_X      the option must be set
#   <probe> file include/...     the file must be in the kernel's headers
#   <probe> version -            a condition on the kernel version
function push(text) { stack[++depth] = text }

function print_conditions(probe, i, name, value) {
	for (i = 1; i <= depth; i++) {
		if (stack[i] == "else")
			continue
		if (match(stack[i], /CONFIG_[A-Z0-9_]+/) && stack[i] !~ /wildcard/) {
			print probe, "config", substr(stack[i], RSTART, RLENGTH)
		} else if (match(stack[i], /wildcard \$\([a-z0-9_]+\)/)) {
			name = substr(stack[i], RSTART + 11, RLENGTH - 12)
			value = files[name]
			if (value != "")
				print probe, "file", value
		}
	}
	if (in_shell)
		print probe, "version", "-"
}

# Dependencies have the form: name = $(srctree)/path
/^[ \t]*[a-z0-9_]+ *= *\$\(srctree\)\// {
	value = $0
	sub(/^[^=]*= *\$\(srctree\)\//, "", value)
	sub(/ .*/, "", value)
	files[$1] = value
}
/^[ \t]*#/ { next }
/^[ \t]*(ifneq|ifeq|ifdef)/ { push($0) }
/^[ \t]*else/ { stack[depth] = "else" }
/^[ \t]*endif/ { depth-- }
{
	if ($0 ~ /\$\(shell/)
		in_shell = 1
	line = $0
	if (line ~ /obj-|echo/ && match(line, /lttng-probe-[a-z0-9-]+\.o/)) {
		probe = substr(line, RSTART + 12, RLENGTH - 14)
		print_conditions(probe)
	}
	if ($0 !~ /\\$/)
		in_shell = 0
}
