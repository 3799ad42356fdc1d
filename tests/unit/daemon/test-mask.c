// SPDX-License-Identifier: LGPL-2.1-only
/* Tests that kernel addresses are masked in every form in which the kernel prints them. */
#include "lttng-session/daemon/triggers/watch/mask.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static const struct {
	const char *text, *masked;
} cases[] = {
	{ "BUG: unable to handle page fault for address: ffff888003a1c000",
	  "BUG: unable to handle page fault for address: ***" },
	{ "RSP: 0018:ffffc900001b3e58 EFLAGS: 00010046", "RSP: 0018:*** EFLAGS: ***" },
	{ "RAX: 0000000000000000 RBX: ff11000100a3c000 RCX: 0000000000000001",
	  "RAX: *** RBX: *** RCX: ***" },
	{ "CR2: ffffffff81234567 CR3: 000000000a406000", "CR2: *** CR3: ***" },
	{ "RIP: 0010:do_exit+0x1a/0xb30", "RIP: 0010:do_exit+0x1a/0xb30" },
	{ "RIP: 0010:[<ffffffff81234567>]", "RIP: 0010:[<***>]" },
	{ " ? 0xffffffffc0a1b000", " ? 0x***" },
	{ "FFFF888003A1C000", "***" },
	{ "addr=0xffff888003a1c000UL", "addr=0x***UL" },
	{ "slide 81234567", "slide ***" },
	{ "%d: -2130706432, %ld: -131940395081728", "%d: -***, %ld: -***" },
	{ "%lu: 18446612682070712320", "%lu: ***" },
	{ "Code: 48 89 e5 <0f> 0b 31 c0", "Code: ***" },
	{ "Code: Unable to access opcode bytes at 0xffffffff81234567.",
	  "Code: Unable to access opcode bytes at 0x***." },
	{ "Object ffff888003a1c000: 00 c0 a1 03 80 88 ff ff  ........",
	  "Object ***: ***  ........" },
	{ "00000010: ffff 8880 03a1 c000", "***: ***" },
	{ "00000010: ffffffff 81234567", "***: *** ***" },
	{ "pc:ff:ff:88:80:03:a1:c0:00", "pc:***" },
	{ "nfs: \xff"
	  "ffff888003a1c000\xff",
	  "nfs: \xff***\xff" },
	{ "python3: page allocation failure: order:9, mode:0xcc0(GFP_KERNEL), nodemask=(null)",
	  "python3: page allocation failure: order:9, mode:0xcc0(GFP_KERNEL), nodemask=(null)" },
	{ "Out of memory: Killed process 4711 (tail) total-vm:123456789kB, anon-rss:12345678kB",
	  "Out of memory: Killed process 4711 (tail) total-vm:123456789kB, anon-rss:12345678kB" },
	{ "addr 0x12345678kB", "addr 0x***kB" },
	{ "1844661268207071232kB", "***kB" },
	{ "INFO: task dd:1234 blocked for more than 120 seconds.",
	  "INFO: task dd:1234 blocked for more than 120 seconds." },
	{ "[   12.345678] at 2026-11-28 12:34:56", "[   12.345678] at 2026-11-28 12:34:56" },
	{ "Modules linked in: ext4(E) lttng_tracer(OE) 0xffffffffc0a1b000",
	  "Modules linked in: ext4(E) lttng_tracer(OE) 0x***" },
	{ "", "" },
	{ "a", "a" },
};

static void check_cases(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];
		size_t length = strlen(cases[i].text);

		memcpy(text, cases[i].text, length);
		length = mask_addresses(text, length, false);
		tap(length == strlen(cases[i].masked) && !memcmp(text, cases[i].masked, length),
		    "<%s>: <%.*s>", cases[i].masked, (int)length, text);
	}
}

static void check_truncated(void)
{
	char text[] = "RSP: 0018:ffff88", whole[] = "RSP: 0018:ffff88";
	size_t length = mask_addresses(text, strlen(text), true);

	tap(!strncmp(text, "RSP: 0018:***", length), "a number that the end of the text truncates");
	tap(mask_addresses(whole, strlen(whole), false) == strlen("RSP: 0018:ffff88"),
	    "... and one that is short");
}

/* Masks random addresses in each form and in random text: no eight digits in a row may remain. */
static void check_random(void)
{
	static const char *const forms[] = { "%016" PRIx64,  "0x%" PRIx64,	 "%" PRIX64,
					     "%" PRIu64,     "0018:%016" PRIx64, "%" PRId64,
					     "x%" PRIx64 "y" };
	static const uint64_t bases[] = { 0xffff888000000000, 0xffffffff80000000,
					  0xffffffffc0000000, 0xff11000000000000,
					  0xffd2000000000000 };
	unsigned int wrong = 0;

	srandom(4711);
	for (int i = 0; i < 100000; i++) {
		uint64_t address =
			bases[(size_t)random() % 5] + ((uint64_t)random() << 8) % 0x3fffffff;
		char text[256], number[64];
		size_t length;

		/* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral) */
		snprintf(number, sizeof(number), forms[i % 7], address);
		snprintf(text, sizeof(text), "%.*s%s%.*s", (int)(random() % 5), ": (<", number,
			 (int)(random() % 5), ">) k");
		length = mask_addresses(text, strlen(text), random() % 2);
		text[length] = '\0';
		for (size_t at = 0; at < length; at++)
			wrong += strspn(text + at, "0123456789abcdefABCDEF") >= 8;
	}
	tap(!wrong, "no address is left in 100,000 texts: %u", wrong);
}

int main(void)
{
	check_cases();
	check_truncated();
	check_random();
	return tap_status();
}
