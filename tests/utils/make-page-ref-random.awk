# SPDX-License-Identifier: LGPL-2.1-only
# Prints the script of a random trace of page references, for make-trace: awk -v seed=N
# Three address spaces touch pages of four page tables for about two minutes. Times are unique. With
# an even seed, no page is unseen, and few pages are touched late, so the others are cold.
function random(n) { return int(rand() * n) }
function emit(text) { printf "%.0f %s\n", now += 1000 + random(90000) * 1000, text }
# mawk prints at most 32 bits in hexadecimal.
function address(page) { return sprintf("0x%x%04x000", int(page / 65536), page % 65536) }
function page() {
	if (seed % 2 == 0 && i > 800)
		return first + random(20)
	return random(4) ? first + random(40) + 512 * random(4) : first + random(2048)
}
# All mappings have names, because babeltrace2 2.0 prints the previous string for an empty one.
function map(mm,   start, object) {
	start = first + random(2000)
	object = random(5)
	emit("pageref_mapping mm=" mm " start=" address(start) " end=" address(start + 1 + random(random(2) ? 30 : 900)) \
		" pgoff=" random(100) (object < 3 ? " dev_major=8 dev_minor=1 ino=" 50 + object " name=file" object \
			: object == 3 ? " name=[heap]" : " name=[vdso]"))
}
# Returns a run of at most @most pages of one page table.
function run(most,   at, left) {
	at = page()
	left = 512 - at % 512
	return "address=" address(at) " pages=" 1 + random(most < left ? most : left)
}
function round(mm) {
	for (mm = 1; mm <= 3; mm++) {
		if (ended[mm] || !random(12))
			continue
		emit("pageref_pass mm=" mm)
		for (; seed % 2 && passed[mm] && !random(4);)
			emit("pageref_unseen mm=" mm " " run(random(2) ? 10 : 512))
		emit("pageref_pass mm=" mm " end=1 armed=" random(100) " left_out=" random(3))
		passed[mm] = 1
	}
}
BEGIN {
	srand(seed)
	first = 512 * (3 + random(1000000))
	print "cpu 0"
	for (mm = 1; mm <= 3; mm++) {
		emit("pageref_mm mm=" mm " pid=" 100 + mm " name=p" mm)
		map(mm)
		map(mm)
	}
	for (i = 0; i < 2500; i++) {
		mm = 1 + random(3)
		what = random(100)
		if (what < 8)
			round()
		else if (what < 9 && !random(2))
			now += random(20) * 1000000000
		else if (ended[mm])
			continue
		else if (what < 75)
			emit("pageref_touch tid=" 200 + random(4) " mm=" mm " address=" address(page()) " kind=" \
				(random(2) ? "ARMED" : "DEMAND") " write=" random(2) " user=1")
		else if (what < 80 && (seed % 2 || i < 800))
			emit("pageref_touch tid=200 mm=" mm " address=" address(page()) " huge=1 write=" random(2) " user=1")
		else if (what < 90)
			emit("pageref_around tid=200 mm=" mm " " run(random(3) ? 16 : 512))
		else if (what < 94)
			map(mm)
		else if (random(150) || mm == 1)
			emit("pageref_gone mm=" mm " address=" address(page()) " pages=" 1 + random(random(2) ? 5 : 700) \
				" cause=" (random(2) ? "UNMAP" : "DISCARD"))
		else {
			emit("pageref_gone mm=" mm " address=0 pages=17592186044415 cause=EXIT")
			ended[mm] = 1
		}
	}
}
