# SPDX-License-Identifier: LGPL-2.1-only
# Prints what `lttng-mm report page-ref` must find in a trace without losses, computed page by page
# from babeltrace2's text, as lttng-mm-report-page-ref(1) defines the figures:
#
#   babeltrace2 --clock-cycles TRACE | awk -f page-ref-reference.awk
#
# With -v begin=N or -v end=N, prints the figures of the time range from or up to that clock value.
#
# Prints, in any order:
#
#   NAME LABELS VALUE                                metrics
#   file NAME TOUCHES PAGES MOST WRITTEN RESIDENT    rows of the table of mappings, in pages
#   process PID WORKING-SET MOST                     in bytes; null: not known
function field(name,   text) {
	if (!match($0, "[{,] " name " = [^,}]*"))
		return ""
	text = substr($0, RSTART, RLENGTH)
	sub(/^[^=]*= /, "", text)
	sub(/ +$/, "", text)
	return text
}
function label(name,   text) {
	text = field(name)
	gsub(/^\( "?|"? :.*$|"/, "", text)
	return text
}
# Returns the page number of a hexadecimal address.
function to_page(address,   value, i) {
	for (i = 3; i <= length(address); i++)
		value = value * 16 + index("0123456789ABCDEF", toupper(substr(address, i, 1))) - 1
	return int(value / 4096)
}
function interval_of(mm) { return (mm in passed) ? passed[mm] : rounds + 0 }
function add_touch(mm, page, write,   at, span) {
	at = interval_of(mm)
	if (!((mm, page) in touched)) {
		touched[mm, page] = 1
		pages[mm]++
		file_pages[object]++
		new++
	}
	if ((mm, page) in maybe) {
		delete maybe[mm, page]
		extra[mm]--
		certain++
	}
	if (write && !((mm, page) in written)) {
		written[mm, page] = 1
		all_written++
		file_written[object]++
	}
	last[mm, page] = at
	for (span = 0; span < 3; span++)
		if (!((span, first[span, at], mm, page) in seen)) {
			seen[span, first[span, at], mm, page] = 1
			window[span, first[span, at]]++
			if (!span)
				own[mm, at]++
		}
}
# Returns the mapping of a page: from the time range or, if it has none, the last earlier one.
function object_at(mm, page) {
	is_earlier = !((mm, page) in mapped)
	if (!is_earlier)
		return mapped[mm, page]
	return ((mm, page) in earlier) ? earlier[mm, page] : "unknown"
}
function subtract(object, mm, count) {
	file_extra[object, mm] -= count < file_extra[object, mm] ? count : file_extra[object, mm]
}
function start_round(now,   span) {
	start[++rounds] = now
	for (span = 0; span < 3; span++) {
		first[span, rounds] = first[span, rounds - 1]
		if (!first[span, rounds] || now - start[first[span, rounds]] >= length_of[span])
			first[span, rounds] = rounds
	}
}
function quantile(values, count, q,   rank) {
	rank = int(q * count)
	rank += rank < q * count
	return values[rank ? rank : 1] * 4096
}
function sort(values, count,   i, k, value) {
	for (i = 2; i <= count; i++) {
		value = values[i]
		for (k = i; k > 1 && values[k - 1] > value; k--)
			values[k] = values[k - 1]
		values[k] = value
	}
}
BEGIN {
	split("1e9 1e10", length_of, " ")
	length_of[0] = 0
	span_name[0] = "interval"; span_name[1] = "1s"; span_name[2] = "10s"
	age_name[1] = "10s"; age_name[2] = "1min"; age_name[3] = "10min"
	age[1] = 1e10; age[2] = 6e10; age[3] = 6e11
}
{
	now = substr($1, 2) + 0
	mm = field("mm")
	page = to_page(field("address"))
	count = field("pages")
	is_before = begin != "" && now < begin
	if (end != "" && now > end)
		exit
}
/ pageref_mm: / { pid[mm] = field("pid") }
/ pageref_mapping: / {
	name = field("name")
	gsub(/"/, "", name)
	if (name == "[vdso]")
		name = "anonymous"
	to = to_page(field("end"))
	for (i = to_page(field("start")); i < to; i++)
		if (is_before)
			earlier[mm, i] = name
		else
			mapped[mm, i] = name
}
# Finds the pages that are not marked when the range starts: touched since the last complete pass.
is_before && / pageref_(touch|around): / {
	count = $0 !~ / pageref_touch: / ? count : field("huge") + 0 ? 512 : 1
	if (count == 512 && $0 ~ / pageref_touch: /)
		page -= page % 512
	for (i = page; i < page + count; i++)
		unmarked[mm, i] = ++unmarked_count
}
is_before && / pageref_pass: / {
	if (field("end") == 0)
		marked_before[mm] = unmarked_count
	else if (mm in marked_before)
		marked[mm] = marked_before[mm]
}
is_before && / pageref_gone: / {
	if (label("cause") == "EXIT")
		ended_before[mm] = 1
	else
		for (i = page; i < page + count; i++)
			delete unmarked[mm, i]
}
is_before { next }
{
	if (began == "")
		began = now
	last_event = now
}
/ pageref_touch: / {
	object = object_at(mm, field("huge") + 0 ? page - page % 512 : page)
	was_earlier = is_earlier
	file_touches[object]++
	write = field("write") + 0
	new = certain = 0
	if (field("huge") + 0) {
		for (i = page - page % 512; i < page - page % 512 + 512; i++)
			add_touch(mm, i, write)
		huge[mm, page - page % 512] = 1
	} else {
		add_touch(mm, page, write)
	}
	if (was_earlier)
		late_certain[object, mm] += certain
	else
		subtract(object, mm, certain)
}
/ pageref_(around|unseen): / {
	unseen = $0 ~ / pageref_unseen: /
	for (i = page; i < page + count; i++)
		if (!((mm, i) in touched) && !((mm, i) in maybe)) {
			maybe[mm, i] = 1
			extra[mm]++
			object = object_at(mm, page)
			if (is_earlier)
				late_extra[object, mm]++
			else
				file_extra[object, mm]++
		}
	at = unseen ? before[mm] + 0 : interval_of(mm)
	missed[at] += count
	own_missed[mm, at] += count
	if (unseen)
		unseen_in[at] += count
	has_missed[mm] = 1
}
/ pageref_gone: / {
	if (label("cause") == "EXIT") {
		ended[mm] = 1
		next
	}
	for (i = page; i < page + count; i++) {
		delete touched[mm, i]
		delete written[mm, i]
		delete maybe[mm, i]
		if (label("cause") == "UNMAP")
			delete mapped[mm, i]
	}
}
/ pageref_pass: / && field("end") == 0 {
	before[mm] = interval_of(mm)
	if (!rounds || mm <= last_passed)
		start_round(now)
	last_passed = mm
	if (!(mm in passed) || rounds > before[mm] + 1)
		skipped[mm] = rounds - 1
	if (!(mm in passed))
		first_passed[mm] = rounds
	passed[mm] = rounds
}
END {
	end = last_event
	from = 0
	for (key in unmarked) {
		split(key, part, SUBSEP)
		mm = part[1]
		if ((mm in ended_before) || unmarked[key] <= marked[mm] + 0 || (key in touched) || (key in maybe))
			continue
		extra[mm]++
		late_unmarked[((key in earlier) ? earlier[key] : "unknown"), mm]++
	}
	for (mm in pid) {
		total += pages[mm]
		most += extra[mm]
		if ((mm in passed) && (!from || first_passed[mm] < from))
			from = first_passed[mm]
		if ((mm in passed) && passed[mm] > to_round)
			to_round = passed[mm]
	}
	print "pages", total + 0
	print "most_pages", total + most
	print "written_bytes", all_written * 4096
	for (key in huge)
		all_huge += 512
	print "huge_bytes", all_huge * 4096
	for (span = 0; span < 3; span++) {
		values = 0
		for (i = 1; i < to_round; i = next_round) {
			for (next_round = i; next_round <= rounds && first[span, next_round] == i; next_round++)
				;
			if (i < from || next_round > to_round)
				continue
			low[++values] = window[span, i] + 0
			high[values] = low[values]
			for (k = i; k < next_round; k++)
				high[values] += missed[k]
			if (high[values] > total + most)
				high[values] = total + most
			if (high[values] < low[values])
				high[values] = low[values]
		}
		sort(low, values)
		sort(high, values)
		for (k = 1; k <= 2; k++) {
			print "working_set_bytes", span_name[span], k == 1 ? "0.5" : "1", \
				values ? quantile(low, values, k / 2) : "null"
			print "most_working_set_bytes", span_name[span], k == 1 ? "0.5" : "1", \
				values ? quantile(high, values, k / 2) : "null"
		}
	}
	start[0] = began
	for (key in touched) {
		split(key, part, SUBSEP)
		mm = part[1]
		if (mm in ended)
			continue
		resident++
		file_resident[object_at(mm, part[2])]++
		at = last[key]
		for (k = 1; k <= 3; k++) {
			warm_until = at < skipped[mm] ? skipped[mm] : at
			perhaps[k] += start[at] <= end - age[k]
			sure[k] += (mm in passed) && warm_until + 1 <= passed[mm] && \
				warm_until + 2 <= rounds && start[warm_until + 2] <= end - age[k]
		}
	}
	for (at in unseen_in)
		for (k = 1; k <= 3; k++)
			if (at + 2 > rounds || start[at + 2] > end - age[k])
				subtracted[k] += unseen_in[at]
	print "resident_bytes", resident * 4096
	for (k = 1; k <= 3; k++) {
		if (end - began < age[k]) {
			print "most_cold_bytes", age_name[k], "null"
			print "cold_bytes", age_name[k], "null"
			continue
		}
		print "most_cold_bytes", age_name[k], perhaps[k] * 4096
		print "cold_bytes", age_name[k], (sure[k] > subtracted[k] ? sure[k] - subtracted[k] : 0) * 4096
	}
	for (key in late_extra)
		file_extra[key] += late_extra[key]
	for (key in late_certain) {
		split(key, part, SUBSEP)
		subtract(part[1], part[2], late_certain[key])
	}
	for (key in late_unmarked)
		file_extra[key] += late_unmarked[key]
	for (key in file_extra) {
		split(key, part, SUBSEP)
		file_most[part[1]] += file_extra[key]
	}
	for (name in file_touches)
		print "file", name, file_touches[name], file_pages[name] + 0, \
			file_pages[name] + file_most[name], file_written[name] + 0, file_resident[name] + 0
	for (mm in pid) {
		values = 0
		for (i = first_passed[mm]; i < passed[mm]; i++) {
			low[++values] = own[mm, i] + 0
			high[values] = low[values] + own_missed[mm, i]
		}
		sort(low, values)
		sort(high, values)
		if (pages[mm])
			print "process", pid[mm], values ? quantile(low, values, 0.5) : "null", \
				values ? quantile(high, values, 0.5) : "null"
	}
}
