// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the parser of profiles. Error messages must contain file, line and remedy. */
#include <stdlib.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "lttng-session/profile/event-names.h"
#include "lttng-session/profile/profile.h"
#include "tests/tap.h"

#define EVENT "[events]\nrecord = dax_*\n"

static const struct {
	const char *name, *text, *error;
} wrong[] = {
	{ "an unknown key", "[profile]\nmodul = x\n" EVENT,
	  "t.conf:2: unknown key 'modul' in [profile]; known: description, module, requires, attach-first" },
	{ "an unknown section", EVENT "[triggers]\non = x\n",
	  "t.conf:4: 'on' is in the unknown section [triggers]; known sections: [profile], [buffers], [events], [channel NAME], [contexts], [trigger NAME]" },
	{ "a key without a section", "record = dax_*\n",
	  "t.conf:1: 'record' is in the unknown section []" },
	{ "a misspelt event of ours",
	  "[events]\n# one\n\nrecord = dax_pmd_fault, dax_pmd_fallbock\n",
	  "t.conf:4: no event is named 'dax_pmd_fallbock'; similar names: dax_pmd_fallback, dax_pmd_fault" },
	{ "... on a continued line", "[events]\nrecord = dax_pmd_fault,\n  slab_kfre\n",
	  "t.conf:3: no event is named 'slab_kfre'; similar names: slab_kfree, " },
	{ "a pattern of ours without a match", "[events]\nrecord = slab_x*\n",
	  "t.conf:2: no event is named 'slab_x*'" },
	{ "an event with a quote", "[events]\nrecord = a';reboot;'\n",
	  "t.conf:2: 'a';reboot;'' is not the name of an event" },
	{ "an event twice", "[events]\nrecord = dax_*\nrecord = x, dax_*\n",
	  "t.conf:3: 'dax_*' is listed twice" },
	{ "a pattern for the state dump", EVENT "state = slab_statedump_*\n",
	  "t.conf:3: 'slab_statedump_*' is not an event of a state dump" },
	{ "another event for the state dump", EVENT "state = dax_pmd_fault\n",
	  "t.conf:3: 'dax_pmd_fault' is not an event of a state dump" },
	{ "no events", "[profile]\nmodule = x\n",
	  "the profile has no events; add the key record to [events]" },
	{ "nothing at all", "", "t.conf:1: the profile has no events" },
	{ "a size", "[buffers]\nsubbuf-size = 3M\n" EVENT,
	  "t.conf:2: subbuf-size: '3M' is not a power of two (at least 4k)" },
	{ "a small size", "[buffers]\nsubbuf-size = 2k\n" EVENT,
	  "t.conf:2: subbuf-size: '2k' is not" },
	{ "a number", "[buffers]\nnum-subbuf = 1\n" EVENT,
	  "t.conf:2: num-subbuf: '1' is not a power of two (at least 2)" },
	{ "a context", EVENT "[contexts]\nalways = prio\n",
	  "t.conf:4: 'prio' is not a context; known: callstack-kernel, procname, tid" },
	{ "a module with an option", "[profile]\nmodule = -r\n" EVENT,
	  "t.conf:2: '-r' is not the name of a kernel module" },
	{ "two modules", "[profile]\nmodule = a\nmodule = b\n" EVENT,
	  "t.conf:3: module is given twice" },
	{ "a requirement", "[profile]\nrequires = luck\n" EVENT,
	  "t.conf:2: requires: 'luck' is not known; known: dax-mount" },
	{ "neither yes nor no", "[profile]\nattach-first = 1\n" EVENT,
	  "t.conf:2: attach-first: '1' is neither yes nor no" },
	{ "no key", "[events]\nrecord dax_*\n[profile]\nx = y\n",
	  "t.conf:2: neither a section [NAME], nor KEY = VALUE" },
	{ "an open section", "[events\nrecord = dax_*\n", "t.conf:1: neither a section" },
	{ "the first of several errors", "[profile]\nx = y\nnonsense\n[z]\n",
	  "t.conf:2: unknown key 'x'" },
	{ "a trigger without a name", EVENT "[trigger]\non = x\n",
	  "t.conf:3: the trigger has no name; write [trigger NAME]" },
	{ "a trigger with a name that is a path", EVENT "[trigger ../x]\non = x\n",
	  "t.conf:3: '../x' is not a valid name for a trigger in a profile; use 1 to 40 letters" },
	{ "a trigger with a long name",
	  EVENT "[trigger a2345678901234567890123456789012345678901]\non = x\n",
	  "t.conf:3: 'a2345678901234567890123456789012345678901' is not a valid name" },
	{ "two triggers of one name", EVENT "[trigger a]\non = x\n[trigger a]\n",
	  "t.conf:5: there are two triggers 'a'; rename one of them" },
	{ "a trigger without a condition", EVENT "[trigger a]\nafter = 2s\n[trigger b]\non = x\n",
	  "t.conf:3: the trigger 'a' has no condition; add the key on" },
	{ "a trigger without a key", EVENT "[trigger a]\n",
	  "t.conf:3: the trigger 'a' has no condition" },
	{ "an unknown key of a trigger", EVENT "[trigger a]\non = x\nevery = 2s\n",
	  "t.conf:5: unknown key 'every' in [trigger a]; known: after, capture, cooldown, last, max, on, warm-up" },
	{ "a command", EVENT "[trigger a]\non = x\nrun = reboot\n",
	  "t.conf:5: run: a profile runs no commands; add a trigger with the same name (`lttng-mm trigger add a" },
	{ "a time without a unit", EVENT "[trigger a]\non = x\nafter = 2\n",
	  "t.conf:5: after: 2: not a duration" },
	{ "a maximum without a time", EVENT "[trigger a]\non = x\nmax = 20\n",
	  "t.conf:5: max: 20: not a number of snapshots per interval" },
	{ "an empty list of captures", EVENT "[trigger a]\non = x\ncapture = ,\n",
	  "t.conf:5: capture: a name is empty" },
	{ "two conditions", EVENT "[trigger a]\non = x\non = y\n",
	  "t.conf:5: on is given twice; remove one of them" },
	{ "two cooldowns, on a continued line", EVENT "[trigger a]\ncooldown = 1s\n 2s\n",
	  "t.conf:5: cooldown is given twice" },
	{ "an expression that libinih would truncate",
	  EVENT "[trigger a]\non = kernel-message a ;b\n",
	  "t.conf:4: on: a semicolon after a blank starts a comment; write [;]" },
	{ "an unknown key of a channel", EVENT "[channel rare]\nstate = x\n",
	  "t.conf:4: unknown key 'state' in [channel]; known: record, subbuf-size, num-subbuf, option" },
	{ "an unknown option of a channel", EVENT "[channel rare]\noption = x\nrecord = x\n",
	  "t.conf:4: option: 'x' is not known; known: file-io" },
	{ "a channel without a name", EVENT "[channel]\nrecord = x\n",
	  "t.conf:4: [channel ]: a channel needs a name of up to 31 lower-case letters" },
	{ "a channel with an odd name", EVENT "[channel Rare]\nrecord = x\n",
	  "t.conf:4: [channel Rare]: a channel needs a name" },
	{ "a channel with an option as name", EVENT "[channel -o]\nrecord = x\n",
	  "t.conf:4: [channel -o]: a channel needs a name" },
	{ "a channel with a long name",
	  EVENT "[channel aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\nrecord = x\n",
	  "a channel needs a name of up to 31" },
	{ "the channel of state dumps", EVENT "[channel state]\nrecord = x\n",
	  "t.conf:4: [channel state]: this name is reserved for state dumps" },
	{ "a channel with a size only", EVENT "[channel rare]\nnum-subbuf = 4\n",
	  "[channel rare] has no events; add the key record to it" },
	{ "the size of a channel", EVENT "[channel rare]\nnum-subbuf = 3\nrecord = x\n",
	  "t.conf:4: num-subbuf: '3' is not a power of two" },
	{ "events in a channel only", "[channel rare]\nrecord = x\n",
	  "the profile has no events; add the key record to [events]" },
	{ "channels without end",
	  EVENT "[channel a]\nrecord = a\n[channel b]\nrecord = b\n[channel c]\nrecord = c\n"
		"[channel d]\nrecord = d\n[channel e]\nrecord = e\n[channel f]\nrecord = f\n"
		"[channel g]\nrecord = g\n[channel h]\nrecord = h\n",
	  "t.conf:18: more than 8 channels" },
	{ "an event in two channels, by a pattern",
	  "[events]\nrecord = slab_kfree\nrecord = slab_kmalloc*\n[channel rare]\nrecord = slab_kmalloc_failed\n",
	  "t.conf:5: 'slab_kmalloc_failed' includes the event 'slab_kmalloc_failed', which [events] already includes by 'slab_kmalloc*' in line 3; LTTng would record it twice: list each event in one channel" },
	{ "... by a pattern in the later one",
	  "[events]\nrecord = x_open\n[channel rare]\nrecord = x_*\n",
	  "t.conf:4: 'x_*' includes the event 'x_open', which [events] already includes by 'x_open' in line 2" },
	{ "... by two patterns, of an event that exists",
	  "[channel b]\nrecord = slab_*_failed\n[events]\nrecord = page_*\n[channel a]\nrecord = slab_k*\n",
	  "t.conf:6: 'slab_k*' includes the event 'slab_kmalloc_failed', which [channel b] already includes" },
	{ "... of functions that may be added",
	  "[events]\nrecord = fn_*_entry\n[channel rare]\nrecord = fn_a_*\n",
	  "t.conf:4: 'fn_a_*' includes the event 'fn_a_*', which [events] already includes" },
	{ "... by its name", EVENT "[channel rare]\nrecord = x\n[channel other]\nrecord = y, x\n",
	  "t.conf:6: 'x' includes the event 'x', which [channel rare] already includes by 'x' in line 4" },
	{ "a control character", "[profile]\ndescription = \x1b[2J\n" EVENT,
	  "t.conf:2: a control character; profiles are text" },
};

static struct profile *parse(const char *text, size_t length, struct mm_error *err)
{
	FILE *in = tmpfile();
	struct profile *profile;

	if (!in || fwrite(text, 1, length, in) != length)
		tap_bail("no temporary file");
	rewind(in);
	profile = profile_parse(in, "t", "t.conf", err);
	fclose(in);
	return profile;
}

static void test_wrong(void)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct profile *profile = parse(wrong[i].text, strlen(wrong[i].text), &err);

		tap(!profile && err.code == MM_EXIT_BAD_INPUT &&
			    strstr(err.message, wrong[i].error) &&
			    !strncmp(err.message, "profile: t.conf:", 16),
		    "%s: %s", wrong[i].name, err.message);
		profile_destroy(profile);
	}
}

/* Tests inputs that are too large for the table. */
static void test_large(void)
{
	static char text[1 << 20];
	struct mm_error err = MM_ERROR_INIT;
	size_t length;

	length = (size_t)sprintf(text, "[events]\nrecord = ");
	memset(text + length, 'a', 300);
	tap(!parse(text, length + 300, &err) &&
		    strstr(err.message, "t.conf:2: a line of more than"),
	    "a long line: %s", err.message);
	mm_error_clear(&err);
	memset(text, '\n', sizeof(text));
	tap(!parse(text, sizeof(text), &err) && strstr(err.message, "a file of more than 64 KiB"),
	    "a large file: %s", err.message);
	mm_error_clear(&err);
	length = (size_t)sprintf(text, "[events]\n");
	for (int i = 0; i < 300; i++)
		length += (size_t)sprintf(text + length, "record = e%d\n", i);
	tap(!parse(text, length, &err) && strstr(err.message, "t.conf:258: more than 256 names"),
	    "a long list: %s", err.message);
	mm_error_clear(&err);
	tap(!parse("[events]\nrecord = dax_*\0x\n", 27, &err) &&
		    strstr(err.message, "t.conf:2: a control character"),
	    "a zero byte: %s", err.message);
}

static bool list_is(const struct profile_list *list, const char *names)
{
	char text[512] = "";

	for (size_t i = 0; i < list->count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", list->names[i]);
	return !strcmp(text, names) && !list->names[list->count];
}

static void test_right(void)
{
	static const char text[] =
		"\xef\xbb\xbf# A comment.\r\n[profile]\ndescription = my own ; not this\n"
		"module=lttng-probe-dax\nrequires = dax-mount\nattach-first = yes\n"
		"[buffers]\nsubbuf-size: 64k\nnum-subbuf = 4\n\n"
		"[events]\nrecord = dax_*,\n  sched_switch\n\tsyscall:openat\nrecord = x y,z\n"
		"state = lttng_statedump_process_state\n"
		"[contexts]\nalways = tid\ncallstack = callstack-kernel\n";
	struct mm_error err = MM_ERROR_INIT;
	struct profile *profile = parse(text, strlen(text), &err);

	tap(profile, "a profile with all keys: %s", err.message);
	if (!profile)
		return;
	tap(!strcmp(profile->description, "my own") &&
		    !strcmp(profile->module, "lttng-probe-dax") &&
		    profile->requirement == mm_requirement_find("dax-mount") &&
		    profile->attach_first,
	    "... its texts and switches");
	tap(profile->channels[0].subbuf_bytes == 64 << 10 && profile->channels[0].subbuf_count == 4,
	    "... its buffers");
	tap(list_is(&profile->channels[0].events, "dax_* sched_switch syscall:openat x y z ") &&
		    list_is(&profile->state_events, "lttng_statedump_process_state ") &&
		    list_is(&profile->contexts, "tid ") &&
		    list_is(&profile->callstack_contexts, "callstack-kernel "),
	    "... its lists");
	tap(profile->channels[0].events.lines[1] == 13 &&
		    profile->channels[0].events.lines[3] == 15,
	    "... with their line numbers: %u, %u", profile->channels[0].events.lines[1],
	    profile->channels[0].events.lines[3]);
	tap(profile_reveals_kaslr(profile), "... has foreign events, so it is not KASLR-safe");
	profile_destroy(profile);
	profile = parse(EVENT, strlen(EVENT), &err);
	tap(profile && !profile->module && profile->channels[0].subbuf_bytes == 1 << 20 &&
		    profile->channels[0].subbuf_count == 8 && !profile_reveals_kaslr(profile),
	    "defaults");
	profile_destroy(profile);
}

/* Tests the members of a trigger's definition, and the position of its condition. */
static void test_triggers(void)
{
	static const char text[] =
		EVENT "[trigger fallback]\n# why\non = dax_pmd_fault_done\n  if result & FALLBACK\n"
		      "after = 2s\ncooldown = 1m\nmax = 3/12h\nwarm-up = 0s\nlast = 30s\n"
		      "capture = address, pgoff\n\t$ctx.tid\ncapture=vtids[0],\n"
		      "[trigger line]\non = file /var/log/x a;[;] b\nmax = none\n";
	static const char expected[] =
		"{\"after_ns\":2000000000,\"captures\":[\"address\",\"pgoff\",\"$ctx.tid\",\"vtids[0]\"],"
		"\"cooldown_ns\":60000000000,\"last_ns\":30000000000,\"max\":3,\"max_ns\":43200000000000,"
		"\"name\":\"fallback\",\"on\":\"dax_pmd_fault_done if result & FALLBACK\",\"warm_up_ns\":0}";
	struct mm_error err = MM_ERROR_INIT;
	struct profile *profile = parse(text, strlen(text), &err);
	const struct profile_trigger *all = profile ? profile->triggers.all : NULL;
	char *first = NULL, *second = NULL;

	tap(profile && profile->triggers.count == 2 && profile->channels[0].events.count == 1,
	    "two triggers: %s", err.message);
	if (profile) {
		first = json_dumps(all[0].definition, JSON_COMPACT | JSON_SORT_KEYS);
		second = json_dumps(all[1].definition, JSON_COMPACT | JSON_SORT_KEYS);
		tap(!strcmp(first, expected), "... all options: %s", first);
		tap(!strcmp(second,
			    "{\"max_ns\":0,\"name\":\"line\",\"on\":\"file /var/log/x a;[;] b\"}"),
		    "... a semicolon that is no comment: %s", second);
		tap(all[0].line == 5 && all[1].line == 16,
		    "... the lines of their conditions: %u, %u", all[0].line, all[1].line);
	}
	free(first);
	free(second);
	profile_destroy(profile);
}

/* Tests channels: each has its sizes and events, in the order of the file. */
static void test_channels(void)
{
	static const char text[] =
		"[channel rare]\nrecord = slab_*_failed\n"
		"[buffers]\nsubbuf-size = 64k\n[events]\nrecord = slab_kfree*\n"
		"[channel 	other]\nsubbuf-size = 16k\nnum-subbuf = 2\nrecord = fn_a_exit, fn_*_entry\n"
		"[channel rare]\nrecord = timer_init\n[events]\nrecord = fn_b_exit\n";
	struct mm_error err = MM_ERROR_INIT;
	struct profile *profile = parse(text, strlen(text), &err);
	const struct profile_channel *channels = profile ? profile->channels : NULL;

	tap(profile && profile->channel_count == 3, "a profile of three channels: %s", err.message);
	if (!profile)
		return;
	tap(!*channels[0].name && channels[0].subbuf_bytes == 64 << 10 &&
		    channels[0].subbuf_count == 8 &&
		    list_is(&channels[0].events, "slab_kfree* fn_b_exit "),
	    "... the first one has the events of [events] and the sizes of [buffers]");
	tap(!strcmp(channels[1].name, "rare") && channels[1].subbuf_bytes == 4096 &&
		    channels[1].subbuf_count == 8 &&
		    list_is(&channels[1].events, "slab_*_failed timer_init "),
	    "... one with the default sizes, in two parts");
	tap(!strcmp(channels[2].name, "other") && channels[2].subbuf_bytes == 16 << 10 &&
		    channels[2].subbuf_count == 2,
	    "... one with its own sizes");
	tap(profile_reveals_kaslr(profile) && profile_has_functions(profile) &&
		    !profile_use_calls(profile, &err) &&
		    list_is(&channels[2].events, "fn_a_call fn_*_call ") &&
		    list_is(&channels[0].events, "slab_kfree* fn_b_call "),
	    "... the events of all channels are checked");
	profile_destroy(profile);
}

/* Tests channels that are recorded with --file-io only. */
static void test_file_io(void)
{
	static const char text[] = "[channel first]\noption = file-io\nrecord = a\n" EVENT
				   "[channel last]\nrecord = b\n";
	struct mm_error err = MM_ERROR_INIT;
	struct profile *profile = parse(text, strlen(text), &err);

	tap(profile && profile->channel_count == 3 && profile_has_file_io(profile),
	    "a channel for --file-io: %s", err.message);
	if (!profile)
		return;
	profile_leave_out_file_io(profile);
	tap(profile->channel_count == 2 && !profile_has_file_io(profile) &&
		    !strcmp(profile->channels[1].name, "last") &&
		    list_is(&profile->channels[1].events, "b "),
	    "... is left out, the others stay");
	profile_destroy(profile);
}

/* Tests --calls, which replaces entries and exits of functions by calls; other events stay. */
static void test_calls(void)
{
	static const struct {
		const char *list, *calls;
		bool functions;
	} cases[] = {
		{ "fn_*_entry,fn_*_exit", "fn_*_call ", true },
		{ "sched_switch,fn_*_exit,x_entry,fn_a_entry,fn_a_exit",
		  "sched_switch fn_*_call x_entry fn_a_call ", true },
		{ "fn_a_call,fn_a_entry,fn_exit", "fn_a_call fn_exit ", true },
		{ "dax_*,fnx_entry", "dax_* fnx_entry ", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct profile *profile = profile_of_events(cases[i].list, &err);

		tap(profile && profile_has_functions(profile) == cases[i].functions,
		    "functions, or none, in %s", cases[i].list);
		tap(profile && !profile_use_calls(profile, &err) &&
			    list_is(&profile->channels[0].events, cases[i].calls),
		    "... calls: %s", cases[i].calls);
		profile_destroy(profile);
	}
}

static const struct {
	const char *list, *events, *error;
	bool is_safe; /* the events contain no kernel address */
} lists[] = {
	{ "sched_switch,syscall:openat", "sched_switch syscall:openat ", NULL, false },
	{ "sched_switch,sched_waking", "sched_switch sched_waking ", NULL, true },
	{ "sched_*", "sched_* ", NULL, false },
	{ ",", NULL, "record: --events: ',' names no event", false },
	{ "a b'", NULL, "record: --events: 'b'' is not the name of an event", false },
	{ "syscall:", NULL, "record: --events: 'syscall:' is not the name of an event", false },
	{ "dax_pmd_falt", NULL,
	  "record: --events: no event is named 'dax_pmd_falt'; similar names: dax_pmd_fault, ",
	  false },
	{ "a,a", NULL, "'a' is listed twice", false },
};

static void test_events(void)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct profile *profile = profile_of_events(lists[i].list, &err);

		if (lists[i].events)
			tap(profile && list_is(&profile->channels[0].events, lists[i].events) &&
				    profile_reveals_kaslr(profile) == !lists[i].is_safe,
			    "--events=%s", lists[i].list);
		else
			tap(!profile && err.code == MM_EXIT_BAD_INPUT &&
				    strstr(err.message, lists[i].error),
			    "--events=%s: %s", lists[i].list, err.message);
		profile_destroy(profile);
	}
}

static const struct {
	const char *name, *nearest;
} misspelt[] = {
	{ "sched_swich", "sched_switch, sched_stat_wait, " },
	{ "syscall:opnat", "syscall:openat, syscall:open, " },
};

static void test_nearest(void)
{
	static char *names[] = { (char *)"irq_handler_entry", (char *)"sched_stat_wait",
				 (char *)"sched_switch", (char *)"syscall:open",
				 (char *)"syscall:openat" };
	const struct event_names known = { names, sizeof(names) / sizeof(names[0]) };
	char text[256];

	for (size_t i = 0; i < sizeof(misspelt) / sizeof(misspelt[0]); i++) {
		event_names_nearest(&known, misspelt[i].name, text, sizeof(text));
		tap(!strncmp(text, misspelt[i].nearest, strlen(misspelt[i].nearest)),
		    "nearest to %s: %s", misspelt[i].name, text);
	}
	event_names_nearest_event(&known, "dax_pmd_falut", text, sizeof(text));
	tap(!strncmp(text, "dax_pmd_fault, ", 15), "probes that are not loaded have events: %s",
	    text);
	tap(event_names_have(&known, "sched_switch") && event_names_have(&known, "sched_s*") &&
		    !event_names_have(&known, "sched_swit") && !event_names_have(&known, "x*"),
	    "names and patterns that are known");
}

int main(void)
{
	test_wrong();
	test_large();
	test_right();
	test_events();
	test_triggers();
	test_calls();
	test_channels();
	test_file_io();
	test_nearest();
	return tap_status();
}
