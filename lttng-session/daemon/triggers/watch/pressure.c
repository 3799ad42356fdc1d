// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Watches for pressure with the kernel's PSI triggers (Documentation/accounting/psi.rst). The
 * kernel measures the pressure ten times per window, and reports at most one match per window.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/daemon/triggers/watch/source.h"
#include "util/mounts.h"

#define NS_PER_US 1000

struct pressure_source {
	struct watch_ctx *watch;
	struct watched_trigger *watched;
	int fd;
};

static const char *level_of(const struct trigger *trigger)
{
	return trigger->full ? "full" : "some";
}

/*
 * Parses a line such as "some avg10=0.12 avg60=0.00 avg300=0.00 total=4711". The total is in
 * microseconds.
 */
static json_t *parse_line(const char *line)
{
	double avg10, avg60, avg300;
	uint64_t total;

	if (sscanf(line, "%*s avg10=%lf avg60=%lf avg300=%lf total=%" SCNu64, &avg10, &avg60,
		   &avg300, &total) != 4)
		return NULL;
	return json_pack("{s:f,s:f,s:f,s:I}", "avg10", avg10, "avg60", avg60, "avg300", avg300,
			 "total_us", (json_int_t)total);
}

static int on_pressure(sd_event_source *source, int fd, uint32_t events, void *user)
{
	const struct pressure_source *pressure = user;
	const struct trigger *trigger = pressure->watched->trigger;
	struct match match = { .cpu = -1 };
	char text[512];
	ssize_t length;

	/* EPOLLERR: the kernel has removed the PSI trigger. */
	if (events & EPOLLERR) {
		watch_fail(pressure->watch, pressure->watched,
			   TRIGGER_PRESSURE_FOLDER
			   "/%s: the kernel no longer measures this pressure",
			   trigger->resource);
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
		return 0;
	}
	length = pread(fd, text, sizeof(text) - 1, 0);
	if (length > 0) {
		char *line;

		text[length] = '\0';
		line = strstr(text, level_of(trigger));
		if (line) {
			match.text = line;
			match.length = strcspn(line, "\n");
			match.fields = parse_line(line);
		}
	}
	matches_add(pressure->watch->matches, trigger, &match);
	return 0;
}

static void explain(const struct pressure_source *pressure, const char *request, int error)
{
	const char *resource = pressure->watched->trigger->resource;

	if (error == ENOENT || error == EOPNOTSUPP)
		watch_fail(pressure->watch, pressure->watched,
			   TRIGGER_PRESSURE_FOLDER "/%s: " TRIGGER_NO_PRESSURE, resource);
	else if (*request)
		watch_fail(pressure->watch, pressure->watched,
			   TRIGGER_PRESSURE_FOLDER "/%s: the kernel refuses '%s': %s", resource,
			   request, strerror(error));
	else
		watch_fail(pressure->watch, pressure->watched, TRIGGER_PRESSURE_FOLDER "/%s: %s",
			   resource, strerror(error));
}

static int arm(struct pressure_source *pressure)
{
	const struct trigger *trigger = pressure->watched->trigger;
	char path[PATH_MAX], request[64] = "";

	if (mounts_path(path, sizeof(path), TRIGGER_PRESSURE_FOLDER "/%s", trigger->resource))
		errno = ENAMETOOLONG;
	pressure->fd = *path ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
	if (pressure->fd >= 0) {
		snprintf(request, sizeof(request), "%s %" PRId64 " %" PRId64, level_of(trigger),
			 trigger->stall_ns / NS_PER_US, trigger->window_ns / NS_PER_US);
		/* The written text must include its terminating NUL. */
		if (write(pressure->fd, request, strlen(request) + 1) >= 0)
			return 0;
	}
	explain(pressure, request, errno);
	if (pressure->fd >= 0)
		close(pressure->fd);
	return -1;
}

static void watch_one(struct watch_ctx *watch, struct watched_trigger *watched)
{
	struct pressure_source *pressure = calloc(1, sizeof(*pressure));

	if (!pressure) {
		watch_fail(watch, watched, "out of memory");
		return;
	}
	pressure->watch = watch;
	pressure->watched = watched;
	/* The kernel would accept "full" for the CPUs, but never report it. */
	if (watched->trigger->full && !strcmp(watched->trigger->resource, "cpu"))
		watch_fail(watch, watched, TRIGGER_NO_FULL_CPU);
	else if (!arm(pressure) && sd_event_add_io(watch->event, NULL, pressure->fd, EPOLLPRI,
						   on_pressure, pressure) >= 0)
		return;
	free(pressure);
}

void pressure_watch(struct watch_ctx *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->all[i].trigger->kind == TRIGGER_PRESSURE)
			watch_one(watch, &watch->all[i]);
}
