// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Adds functions again with other fields while a session uses the earlier events of the functions.
 * The session daemon is simulated: functions in this file replace LTTng's.
 */
#include <lttng/lttng.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/fn/history.h"
#include "lttng-session/fn/sessions.h"
#include "tests/tap.h"
#include "tests/unit/machine.h"

/* The only session, and the only rule of its channel. */
static const char *rule;
static uint64_t created_s;
static bool is_dead;
static struct lttng_handle handle;

int lttng_session_daemon_alive(void)
{
	return !is_dead;
}

int lttng_list_sessions(struct lttng_session **sessions)
{
	*sessions = calloc(1, sizeof(**sessions));
	strcpy((*sessions)->name, "mine");
	return 1;
}

enum lttng_error_code lttng_session_get_creation_time(const struct lttng_session *session,
						      uint64_t *time)
{
	(void)session;
	*time = created_s;
	return LTTNG_OK;
}

struct lttng_handle *lttng_create_handle(const char *session, struct lttng_domain *domain)
{
	(void)session;
	(void)domain;
	return &handle;
}

void lttng_destroy_handle(struct lttng_handle *destroyed)
{
	(void)destroyed;
}

int lttng_list_channels(struct lttng_handle *of, struct lttng_channel **channels)
{
	(void)of;
	*channels = calloc(1, sizeof(**channels));
	strcpy((*channels)->name, "ring");
	return 1;
}

int lttng_list_events(struct lttng_handle *of, const char *channel, struct lttng_event **events)
{
	(void)of;
	(void)channel;
	*events = calloc(1, sizeof(**events));
	(*events)->type = LTTNG_EVENT_TRACEPOINT;
	snprintf((*events)->name, sizeof((*events)->name), "%s", rule);
	return 1;
}

/* Returns a function whose only field has @bits bits. The bits distinguish its definitions. */
static const struct fn_function *function_of(const char *name, unsigned int bits)
{
	static struct fn_function function;

	memset(&function, 0, sizeof(function));
	snprintf(function.name, sizeof(function.name), "%s", name);
	strcpy(function.symbol, "f");
	snprintf(function.spec, sizeof(function.spec), "f(a:u%u)", bits);
	function.count = 1;
	strcpy(function.fields[0].name, "a");
	function.fields[0].wire.labels = LTTNG_MM_FN_NONE;
	function.fields[0].wire.bits = function.fields[0].wire.mask_bits = (unsigned char)bits;
	function.fields[0].wire.bytes = (unsigned char)(bits / 8);
	return &function;
}

static void test_sessions(void)
{
	static const struct {
		const char *rule;
		bool found;
	} cases[] = {
		{ "fn_one_entry", true },  { "fn_one_exit", true }, { "fn_one_call", true },
		{ "fn_*", true },	   { "*", true },	    { "fn_one_*", true },
		{ "fn_one_enter", false }, { "fn_one", false },	    { "fn_other_entry", false },
		{ "slab_*", false },
	};
	char session[FN_SESSION_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rule = cases[i].rule;
		tap(fn_sessions_find("one", 0, session, sizeof(session)) == cases[i].found,
		    "a session with %s", rule);
	}
}

static void test_history(void)
{
	static struct fn_function function;
	struct mm_error err = MM_ERROR_INIT;

	rule = "fn_*";
	created_s = 1000;
	tap(!fn_history_check(function_of("one", 8), 1, &err), "a name that was never used");
	fn_history_add(function_of("one", 8), 1);
	fn_history_add(function_of("two", 8), 1);
	fn_history_remove((const char *const[]){ "one" }, 1);
	function = *function_of("one", 8);
	strcpy(function.spec, "f(a)");
	tap(!fn_history_check(&function, 1, &err), "the same function again, by another SPEC");
	tap(fn_history_check(function_of("one", 16), 1, &err) && err.code == MM_EXIT_ENVIRONMENT &&
		    strstr(err.message, "the session mine still uses events"),
	    "other fields are refused: %s", err.message);
	rule = "fn_two_*";
	tap(!fn_history_check(function_of("one", 16), 1, NULL),
	    "... unless no session uses its events");
	rule = "fn_*";
	created_s = (uint64_t)INT64_MAX;
	tap(!fn_history_check(function_of("one", 16), 1, NULL),
	    "... or the session was created after the removal");
	tap(fn_history_check(function_of("two", 16), 1, NULL),
	    "... but a function that was not removed is refused");
	created_s = 1000;
	is_dead = true;
	tap(!fn_history_check(function_of("one", 16), 1, NULL), "... or there is no daemon");
	is_dead = false;
	fn_history_add(function_of("one", 16), 1);
	tap(!fn_history_check(function_of("one", 16), 1, NULL) &&
		    fn_history_check(function_of("one", 8), 1, NULL),
	    "the last definition counts");
	tap(fn_history_check(function_of("two", 32), 1, NULL), "others are kept");
}

static int reveals(const char *first, const char *second)
{
	return fn_history_reveals((const char *const[]){ first, second }, 2);
}

/* Functions that recorded kernel addresses must be remembered until the next boot. */
static void test_reveals(void)
{
	static struct fn_function function;

	tap(reveals("one", "two") == 0, "functions without addresses");
	tap(reveals("one", "three") == -1, "nothing is known of a name that was never used");
	function = *function_of("three", 64);
	strcpy(function.spec, "f(a:ptr) --raw");
	fn_history_prepare(&function, 1);
	tap(reveals("one", "three") == 1, "a function that is to be added with --raw");
	tap(!fn_history_check(function_of("three", 64), 1, NULL),
	    "... another definition is allowed before it is added");
	fn_history_add(&function, 1);
	tap(reveals("one", "three") == 1, "... and the first one was recorded");
	fn_history_remove((const char *const[]){ "three", "nowhere" }, 2);
	fn_history_add(function_of("three", 64), 1);
	tap(reveals("three", "two") == 1,
	    "... and buffers may still contain its events after a change");
	function = *function_of("four", 64);
	strcpy(function.spec, "f(a:bytes[8])");
	fn_history_prepare(&function, 1);
	tap(reveals("one", "four") == 1 && reveals("unknown", "four") == 1,
	    "a function that records bytes of memory");
	tap(fn_history_reveals(NULL, 0) == 0, "no function");
}

/*
 * A history file that other users can write must be ignored. Without a history, no function is
 * refused.
 */
static void test_untrusted(void)
{
	if (chmod(machine_path("run/lttng-mm"), 0777))
		tap_bail("chmod");
	tap(!fn_history_check(function_of("two", 32), 1, NULL),
	    "a file that other users can write is not read");
	chmod(machine_path("run/lttng-mm"), 0755);
	machine_write("run/lttng-mm/functions", "two\n\nx y z\none 12 0 \ntwo 1 0 0");
	tap(fn_history_check(function_of("two", 32), 1, NULL), "malformed lines are skipped");
	tap(reveals("two", "two") == 0 && reveals("one", "two") == 1, "a line without REVEALS");
}

int main(void)
{
	static const char *const folders[] = { "run", NULL };

	machine_create(folders);
	test_sessions();
	test_history();
	test_reveals();
	test_untrusted();
	machine_remove();
	return tap_status();
}
