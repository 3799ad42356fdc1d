// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests how a vanished event is detected, with a simulated function module, list of modules and
 * session daemon.
 */
#include "lttng-session/daemon/triggers/watch/presence.h"

#include <lttng/lttng.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tests/unit/fn-device.h"

static char root[] = "/tmp/test-presence-XXXXXX";
/* The simulated session daemon: its event, the number of requests, and whether it hangs. */
static const char *listed = "";
static unsigned int asked;
static bool hangs;

struct lttng_handle *lttng_create_handle(const char *name, struct lttng_domain *domain)
{
	(void)name;
	(void)domain;
	return calloc(1, sizeof(struct lttng_handle));
}

void lttng_destroy_handle(struct lttng_handle *handle)
{
	free(handle);
}

int lttng_list_tracepoints(struct lttng_handle *handle, struct lttng_event **events)
{
	(void)handle;
	asked++;
	if (hangs)
		return -LTTNG_ERR_NO_SESSIOND;
	*events = calloc(1, sizeof(**events));
	snprintf((*events)->name, sizeof((*events)->name), "%s", listed);
	return 1;
}

int lttng_list_syscalls(struct lttng_event **events)
{
	*events = NULL;
	return 0;
}

static void set_modules(const char *text)
{
	FILE *file = fopen("proc/modules", "w");

	if (!file || fputs(text, file) == EOF || fclose(file))
		tap_bail("the list of modules cannot be written");
}

static enum presence_change look(struct presence *presence, const struct trigger *trigger,
				 char why[512])
{
	strcpy(why, "");
	return presence_look(presence, trigger, why, 512);
}

static void test_probe(void)
{
	struct trigger trigger = { .name = "t", .event = (char[]){ "slab_kfree" } };
	struct presence presence;
	char why[512];

	listed = "slab_kfree";
	set_modules("lttng_probe_slab 1 2 a, Live 0x0\nother 1 0 - Live 0x0\n");
	presence_init(&presence, &trigger);
	tap(look(&presence, &trigger, why) == PRESENCE_SAME && !asked, "nothing has changed");
	set_modules("lttng_probe_slab 1 3 a,b, Live 0x0\nother 1 1 - Live 0x0\n");
	tap(look(&presence, &trigger, why) == PRESENCE_SAME && !asked,
	    "numbers of users do not matter");
	set_modules("lttng_probe_slab 1 2 a, Live 0x0\n");
	tap(look(&presence, &trigger, why) == PRESENCE_SAME && asked == 1,
	    "another module was unloaded: the event is there");
	set_modules("");
	listed = "";
	hangs = true;
	tap(look(&presence, &trigger, why) == PRESENCE_SAME && !presence.gone,
	    "the session daemon does not answer: no change is reported");
	hangs = false;
	tap(look(&presence, &trigger, why) == PRESENCE_GONE &&
		    !strcmp(why,
			    "the event slab_kfree no longer exists: the module of its probe was unloaded; load it again"),
	    "the session daemon answers again: the event is gone: %s", why);
	tap(look(&presence, &trigger, why) == PRESENCE_SAME && presence.gone,
	    "a gone event is reported once");
	set_modules("lttng_probe_slab 1 2 a, Live 0x0\n");
	listed = "slab_kfree";
	tap(look(&presence, &trigger, why) == PRESENCE_BACK && !presence.gone, "the event is back");
}

static void set_function(const char *name)
{
	state_count = name ? 1 : 0;
	strcpy(states[0].name, name ? name : "");
	strcpy(states[0].spec, "open(flags) --caller");
}

/* Tests a function that is removed although LTTng still lists its events. */
static void test_function(void)
{
	struct trigger trigger = { .name = "t", .event = (char[]){ "fn_open_call" } };
	struct presence presence;
	char why[512];

	listed = trigger.event;
	set_function("open");
	presence_init(&presence, &trigger);
	asked = 0;
	tap(look(&presence, &trigger, why) == PRESENCE_SAME, "the function is there");
	set_function(NULL);
	trigger.spec = (char[]){ "open(flags) --caller" };
	tap(look(&presence, &trigger, why) == PRESENCE_GONE &&
		    !strcmp(why,
			    "the function open was removed; add it again: lttng-mm fn add 'open(flags) --caller'"),
	    "the function was removed: %s", why);
	set_function("other");
	tap(look(&presence, &trigger, why) == PRESENCE_SAME && presence.gone,
	    "another function was added: no change");
	set_function("open");
	tap(look(&presence, &trigger, why) == PRESENCE_BACK && !asked,
	    "the function was added again; the session daemon is not asked");
}

int main(void)
{
	if (!mkdtemp(root) || chdir(root))
		tap_bail("no folder to work in");
	tap_shell("mkdir %s/proc", root);
	setenv("LTTNG_MM_ROOT", root, 1);
	test_probe();
	test_function();
	tap_shell("rm -r %s", root);
	return tap_status();
}
