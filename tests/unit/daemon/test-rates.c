// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests rates, windows and promised windows for simulated buffer positions, and the buffer sizes
 * that a given window requires.
 */
#include <stdlib.h>
#include <string.h>

#include "lttng-session/daemon/server/status.h"
#include "lttng-session/status/rates.h"
#include "lttng-session/status/status.h"
#include "lttng-session/status/window.h"
#include "lttng-session/system/message.h"
#include "tests/tap.h"

#define SECOND UINT64_C(1000000000)

static const struct {
	const char *name;
	uint64_t before, after, interval_ns, expected;
} speeds[] = {
	{ "a second", 1000, 5000, SECOND, 4000 },
	{ "a quarter", 1000, 5000, SECOND / 4, 16000 },
	{ "nothing written", 5000, 5000, SECOND, 0 },
	{ "a position that wraps around", UINT64_MAX - 99, 900, SECOND, 1000 },
	{ "much", 0, UINT64_C(1) << 40, SECOND, UINT64_C(1) << 40 },
	{ "no interval", 0, 5000, 0, 0 },
};

static void test_speeds(void)
{
	for (size_t i = 0; i < sizeof(speeds) / sizeof(*speeds); i++)
		tap(rates_bytes_per_s(speeds[i].before, speeds[i].after, speeds[i].interval_ns) ==
			    speeds[i].expected,
		    "rate: %s", speeds[i].name);
}

/* Positions of a buffer at time 100, and the window that the buffer then covers. */
static const struct {
	const char *name;
	struct lttng_mm_freeze_position position;
	uint64_t started;
	int64_t window;
} windows[] = {
	{ "to the oldest packet that lasts",
	  { .active = 1, .enabled = 1, .first = 3, .lasting = 40 },
	  10,
	  60 },
	{ "nothing overwritten: to the start",
	  { .active = 1, .enabled = 1, .lasting = 40 },
	  10,
	  90 },
	{ "... which is not known: to the first packet",
	  { .active = 1, .enabled = 1, .lasting = 40 },
	  0,
	  60 },
	{ "no event yet: to the start", { .active = 1, .enabled = 1 }, 30, 70 },
	{ "... which is not known", { .active = 1, .enabled = 1 }, 0, RATES_UNLIMITED },
	{ "the next packet overwrites the first",
	  { .active = 1, .enabled = 1, .overwrites = 1, .lasting = 40 },
	  10,
	  60 },
	{ "as far as when the present packet was started",
	  { .active = 1, .enabled = 1, .first = 3, .oldest = 5, .lasting = 40, .latest = 85 },
	  0,
	  80 },
	{ "... but not beyond a start",
	  { .active = 1, .enabled = 1, .first = 3, .oldest = 5, .lasting = 40, .latest = 85 },
	  30,
	  60 },
	{ "a pause ends it", { .active = 1, .enabled = 1, .first = 3, .lasting = 40 }, 80, 20 },
	{ "cleared", { .active = 1, .enabled = 1, .first = 3 }, 10, 0 },
	{ "stopped", { .enabled = 1, .first = 3, .lasting = 40 }, 10, 0 },
	{ "disabled", { .active = 1, .first = 3, .lasting = 40 }, 10, 0 },
	{ "a packet that has just been started",
	  { .active = 1, .enabled = 1, .first = 3, .lasting = 101 },
	  10,
	  0 },
};

static void test_idle(void)
{
	static const struct {
		const char *what, *before, *after;
		int percent;
	} cases[] = {
		{ "an idle machine", "cpu  10 0 10 100 0 0 0 0 0 0", "cpu  12 0 13 195 0 0 0 0 0 0",
		  95 },
		{ "one that waits for a disk", "cpu 0 0 0 0 0 0 0 0 0 0",
		  "cpu 5 0 5 40 50 0 0 0 0 0", 90 },
		{ "a busy one", "cpu 0 0 0 0 0 0 0 0 0 0", "cpu 50 10 20 10 0 5 5 0 9 9", 10 },
		{ "no time has passed", "cpu 1 1 1 1 1 1 1 1 0 0", "cpu 1 1 1 1 1 1 1 1 0 0", -1 },
		{ "an idle time that decreases", "cpu 0 0 0 9 0 0 0 0 0 0",
		  "cpu 50 0 0 8 0 0 0 0 0 0", -1 },
		{ "no such line", "", "cpu 1 1 1 1 1 1 1 1 0 0", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int percent = window_idle_percent(cases[i].before, cases[i].after);

		tap(percent == cases[i].percent, "%s: %d %% of its processor time is unused",
		    cases[i].what, percent);
	}
}

static void test_windows(void)
{
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++)
		tap(rates_window_ns(&windows[i].position, windows[i].started, 100) ==
			    windows[i].window,
		    "window: %s", windows[i].name);
}

/* A recorder on two CPUs with a session of events and a session of state, and a foreign session. */
static const struct rates_session sessions[] = {
	{ .name = "lttng-mm-slab", .recorder = "lttng-mm", .channels = "ring", .promised_ns = 50 },
	{ .name = "lttng-mm-state",
	  .recorder = "lttng-mm",
	  .channels = "state",
	  .state = true,
	  .promised_ns = 50 },
	{ .name = "other" },
};

static struct lttng_mm_freeze_position all[5];
static struct positions made = { .channel_count = 3, .all = all };

static void make_positions(void)
{
	static const unsigned int channels[] = { 0, 0, 1, 1, 2 };

	for (unsigned int i = 0; i < 3; i++) {
		made.channels[i].session = i;
		made.channels[i].is.id = i;
		made.channels[i].is.uuid[0] = (unsigned char)i;
		made.channels[i].is.sets = 5;
		made.channels[i].is.set_bytes = 4096;
		made.channels[i].started = 10;
	}
	for (unsigned int i = 0; i < 5; i++)
		all[i] = (struct lttng_mm_freeze_position){ .channel = channels[i],
							    .cpu = i % 2,
							    .online = 1,
							    .active = 1,
							    .enabled = 1,
							    .written = 1000 * (i + 1),
							    .discarded = i,
							    .packet = 9,
							    .first = 2,
							    .lasting = 40 };
	made.taken.count = 5;
	made.taken.clock = 100;
	made.taken.monotonic_ns = SECOND;
}

/* Returns the value at a path such as "recorders.0.channels.1.window_ns" as text. */
static const char *at(const json_t *json, const char *path)
{
	static char text[64];
	char *copy = strdup(path), *rest = copy, *part;

	while (json && (part = strsep(&rest, ".")))
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(part))
					   : json_object_get(json, part);
	free(copy);
	if (!json || json_is_null(json))
		return json ? "null" : "missing";
	if (json_is_boolean(json))
		return json_is_true(json) ? "true" : "false";
	if (json_is_string(json))
		return json_string_value(json);
	snprintf(text, sizeof(text), "%g", json_number_value(json));
	return text;
}

static void check(const json_t *json, const char *path, const char *expected)
{
	const char *found = at(json, path);

	tap(!strcmp(found, expected), "%s: %s", path, expected);
	if (strcmp(found, expected) != 0)
		printf("# %s\n", found);
}

static void test_json(void)
{
	struct lttng_mm_freeze_position earlier[5];
	struct positions before = made;
	const double event_bytes[] = { 10, 0, 0 };
	json_t *json;

	memcpy(earlier, all, sizeof(earlier));
	before.all = earlier;
	before.taken.monotonic_ns = 0;
	for (unsigned int i = 0; i < 5; i++)
		earlier[i].written -= i == 2 || i == 3 ? 0 : 100;
	/* CPU 1 did not exist at the first measurement, and is offline now. */
	all[1].online = 0;
	json = rates_json(sessions, 3, &before, &made, event_bytes);
	check(json, "interval_ns", "1e+09");
	check(json, "recorders.0.recorder", "lttng-mm");
	check(json, "recorders.0.bytes_per_s", "200");
	check(json, "recorders.0.events_per_s", "20");
	check(json, "recorders.0.window_ns", "60");
	check(json, "recorders.0.window_holds", "true");
	check(json, "recorders.0.discarded_events", "6");
	check(json, "recorders.0.overwritten_packets", "8");
	check(json, "recorders.0.ring_bytes", "81920");
	check(json, "recorders.0.channels.0.channel", "ring");
	check(json, "recorders.0.channels.0.events_per_s", "20");
	check(json, "recorders.0.channels.0.cpus.1.online", "false");
	check(json, "recorders.0.channels.0.cpus.1.written_bytes", "2000");
	check(json, "recorders.0.channels.1.role", "state");
	check(json, "recorders.0.channels.1.events_per_s", "0");
	check(json, "recorders.1.recorder", "null");
	check(json, "recorders.1.window_promised_ns", "null");
	check(json, "recorders.1.channels.0.channel", "channel2");
	check(json, "recorders.1.channels.0.events_per_s", "null");
	check(json, "recorders.2", "missing");
	json_decref(json);

	before.taken.count = 1;
	json = rates_json(sessions, 3, &before, &made, NULL);
	check(json, "recorders.0.channels.0.cpus.0.bytes_per_s", "100");
	check(json, "recorders.0.channels.0.cpus.1.bytes_per_s", "null");
	check(json, "recorders.0.bytes_per_s", "null");
	json_decref(json);
	json = rates_json(sessions, 3, NULL, &made, NULL);
	check(json, "interval_ns", "null");
	check(json, "recorders.0.window_ns", "60");
	json_decref(json);
}

static unsigned int changes;
static bool last_holds;

static void on_change(const char *recorder, bool holds, int64_t promised_ns, int64_t window_ns)
{
	changes += !strcmp(recorder, "lttng-mm") && promised_ns == 50;
	last_holds = holds;
	(void)window_ns;
}

static void follow(json_t *known, const char *name, bool holds, unsigned int expected)
{
	json_t *json = rates_json(sessions, 3, NULL, &made, NULL);

	check(json, "recorders.0.window_holds", holds ? "true" : "false");
	status_follow_promises(known, json, on_change);
	tap(changes == expected && (!changes || last_holds == holds), "promise: %s", name);
	json_decref(json);
}

static void test_promises(void)
{
	json_t *known = json_object();

	follow(known, "it holds at first, which is not news", true, 0);
	all[1].lasting = 51;
	follow(known, "a CPU reaches less far back", false, 1);
	follow(known, "that is said once", false, 1);
	all[1].first = 0;
	all[1].overwrites = 1;
	follow(known, "it has overwritten nothing, but the next packet does", false, 1);
	all[1].overwrites = 0;
	follow(known, "it has overwritten nothing", true, 2);
	all[2].lasting = 99;
	follow(known, "state does not count", true, 2);
	all[0].active = 0;
	follow(known, "a session is stopped", false, 3);
	made.channel_count = 0;
	made.taken.count = 0;
	follow(known, "it is gone", false, 3);
	json_decref(known);
}

#define MIB UINT64_C(1048576)

static const struct {
	const char *name;
	uint64_t rate, count;
	int64_t window_s;
	uint64_t least, bytes; /* @bytes 0: too many */
} sizes[] = {
	{ "nothing", 0, 8, 30, 65536, 65536 },
	{ "little", 1000, 8, 30, 65536, 65536 },
	{ "nothing, of a small ring", 0, 8, 30, 4096, 4096 },
	{ "a small ring that is not enough", 1000, 8, 30, 4096, 8192 },
	/* 1.5 * 30 MiB must fit in 7 full sub-buffers. */
	{ "a MiB per second", MIB, 8, 30, 65536, 8 * MIB },
	{ "two sub-buffers", MIB, 2, 30, 65536, 64 * MIB },
	{ "exactly", 7 * MIB * 2, 8, 1, 65536, 4 * MIB },
	{ "too much", 1000 * MIB, 8, 30, 65536, 0 },
};

static void test_sizes(void)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct window_ring session = { .rate = sizes[i].rate,
					       .subbuf_count = sizes[i].count,
					       .least_bytes = sizes[i].least };
		bool chosen = window_choose(&session, sizes[i].window_s * (int64_t)SECOND);

		tap(chosen == (sizes[i].bytes > 0) &&
			    (!chosen || session.subbuf_bytes == sizes[i].bytes),
		    "size: %s: %llu", sizes[i].name, (unsigned long long)session.subbuf_bytes);
		tap(session.reach_ns >= sizes[i].window_s * (int64_t)SECOND || !chosen,
		    "... it reaches back that far");
	}
}

/* Tests how much free memory new sessions require while other sessions record. */
static void test_memory(void)
{
	const struct window_ring added[] = { { .subbuf_bytes = 1 << 20, .subbuf_count = 3 } };
	const struct budget_ring state = { 1 << 16, 7, true, false };
	static struct plan plan;
	/* @one: four sub-buffers of data, their copy, and a page */
	const uint64_t one = 2 * (4 << 20) + 4096, dump = 2 * (8 << 16) + 4096;

	tap(window_memory(added, 1, NULL, &plan, 2) == 2 * one, "memory: of new buffers");
	tap(window_memory(added, 1, &state, &plan, 2) == 2 * (one + dump),
	    "memory: of a new state session, too");
	plan.count = 1;
	plan.sessions[0] = (struct plan_session){ .rings = { { 1 << 20, 3 } },
						  .ring_count = 1,
						  .ring_bytes = 4 << 20 };
	tap(window_memory(added, 1, NULL, &plan, 2) == 2 * one + 2 * ((4 << 20) + 4096),
	    "memory: of a session that exists, the copy");
	plan.sessions[0].rings[1] = (struct budget_ring){ 4096, 7, true, false };
	plan.sessions[0].ring_count = 2;
	plan.sessions[0].ring_bytes += 8 * 4096;
	tap(window_memory(added, 1, NULL, &plan, 2) ==
		    2 * one + 2 * ((4 << 20) + 4096) + 2 * (8 * 4096 + 4096),
	    "memory: ... of each of its channels");
	plan.sessions[0].rings[0].subbuf_bytes = UINT64_MAX / 2;
	tap(window_memory(added, 1, NULL, &plan, 2) == UINT64_MAX, "memory: of any size");
}

/* Tests an answer about more CPUs than fit into a message. */
static void test_room(void)
{
	json_t *cpus = json_array(), *channel, *rates, *answer = json_object();

	for (int i = 0; i < 4096; i++)
		json_array_append_new(cpus, json_pack("{s:i}", "written_bytes", i));
	channel = json_pack("{s:s,s:o}", "session", "one", "cpus", cpus);
	rates = json_pack("{s:[{s:[o]}]}", "recorders", "channels", channel);
	serve_status_add_rates(answer, rates);
	check(answer, "rates.left_out", "cpus");
	check(answer, "rates.recorders.0.channels.0.session", "one");
	check(answer, "rates.recorders.0.channels.0.cpus", "missing");
	tap(json_dumpb(answer, NULL, 0, 0) < MESSAGE_BYTES_MAX, "it fits");
	json_decref(answer);
}

int main(void)
{
	make_positions();
	test_speeds();
	test_windows();
	test_idle();
	test_json();
	make_positions();
	all[1].online = 1;
	test_promises();
	test_sizes();
	test_memory();
	test_room();
	return tap_status();
}
