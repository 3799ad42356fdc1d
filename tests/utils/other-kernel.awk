# SPDX-License-Identifier: LGPL-2.1-only
# Rewrites a trace's metadata for another kernel: event classes have other ids, their fields have
# the reverse order, and allocation flags have other bits. A string remains the last field. Events
# with arrays are unchanged, because the lengths are fields.

# Returns a line of an enumeration, `"LABEL" = BIT,`, with the next bit. The highest bit becomes the
# lowest.
function next_bit(line, bits,   value) {
	match(line, /= [0-9]+/)
	value = substr(line, RSTART + 2, RLENGTH - 2) * 2
	if (value >= 2 ^ bits)
		value = 1
	return substr(line, 1, RSTART + 1) sprintf("%.0f", value) substr(line, RSTART + RLENGTH)
}

# Renumbers the labels of @field, a field of several lines, if they are allocation flags.
function renumber(field,   lines, count, i, bits) {
	if (field !~ /"DIRECT_RECLAIM" =/)
		return field
	match(field, /size = [0-9]+/)
	bits = substr(field, RSTART + 7, RLENGTH - 7) + 0
	count = split(field, lines, "\n")
	field = ""
	for (i = 1; i < count; i++)
		field = field (lines[i] ~ /^\t\t\t".*" = [1-9]/ ? next_bit(lines[i], bits) : lines[i]) "\n"
	return field
}

/^\tid = [0-9]+;/ && in_event {
	match($0, /[0-9]+/)
	id = substr($0, RSTART, RLENGTH) + 0
	print "\tid = " (id % 2 ? id - 1 : id + 1) ";"
	next
}
/^event \{/ { in_event = 1 }
/^\tfields := struct \{/ {
	in_fields = 1
	fields = field = text = whole = ""
	print
	next
}
in_fields && /^\t\};/ {
	printf "%s", (whole ~ /\[/ ? whole : fields text)
	in_fields = 0
}
in_fields {
	field = field $0 "\n"
	whole = whole $0 "\n"
	if ($0 ~ /^\t\t[^\t].*;$/ || $0 ~ /^\t\t\} _/) {
		if ($0 ~ /^\t\tstring /)
			text = field
		else
			fields = renumber(field) fields
		field = ""
	}
	next
}
{ print }
