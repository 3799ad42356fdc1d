// SPDX-License-Identifier: LGPL-2.1-only
/* --heat-map and --image: show a heat map in place of a report. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/pageref/heat-map.h"
#include "reader/report/render.h"

struct heat_listing {
	struct heat_map *map;
	const struct pageref_options *options;
	const struct mm_sysinfo *sysinfo;
	FILE *out;
};

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

static void destroy(void *user)
{
	struct heat_listing *listing = user;

	heat_map_destroy(listing->map);
	free(listing);
}

static void *create(const struct mm_report_options *options, const struct mm_sysinfo *sysinfo,
		    FILE *out)
{
	const struct pageref_options *given = MM_OPTIONS_OF(struct pageref_options, options);
	struct heat_listing *listing = malloc(sizeof(*listing));

	if (!listing)
		return NULL;
	*listing = (struct heat_listing){
		.map = heat_map_create(given->axis && !strcmp(given->axis, "touches")),
		.options = given,
		.sysinfo = sysinfo,
		.out = out,
	};
	if (listing->map)
		return listing;
	free(listing);
	return NULL;
}

static void request_ahead(void *user, unsigned int pass, struct mm_requests *requests)
{
	pageref_state_request_history(requests);
}

static int ahead(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct heat_listing *listing = user;

	return pageref_state_before(listing->map->state, event, true) ? out_of_memory(err) : 0;
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	pageref_state_request(requests, true);
}

static int on_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct heat_listing *listing = user;

	return heat_map_event(listing->map, event) ? out_of_memory(err) : 0;
}

static void lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct heat_listing *listing = user;

	pageref_state_lost(listing->map->state, loss, begin_ns);
}

/* Writes the picture to a new file, which is removed on failure. */
static int write_image(const struct heat_listing *listing, struct mm_error *err)
{
	const char *name = listing->options->image;
	const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int ret;

	if (!out) {
		mm_error_set(err, MM_EXIT_BAD_INPUT, "report page-ref: --image: %s: %s", name,
			     strerror(errno));
		if (fd >= 0) {
			close(fd);
			unlink(name);
		}
		return -1;
	}
	errno = ENOMEM;
	ret = heat_map_write_png(listing->map, &listing->options->report, out);
	if (ret)
		mm_error_set(err, errno == ENOMEM ? MM_EXIT_ENVIRONMENT : MM_EXIT_BAD_INPUT,
			     "report page-ref: --image: %s: cannot be written: %s", name,
			     strerror(errno));
	if (fclose(out) && !ret)
		ret = mm_error_set(err, MM_EXIT_BAD_INPUT,
				   "report page-ref: --image: %s: cannot be written: %s", name,
				   strerror(errno));
	if (ret)
		unlink(name);
	return ret;
}

static int finish(void *user, struct mm_error *err)
{
	struct heat_listing *listing = user;
	const struct pageref_options *options = listing->options;

	if (heat_map_finish(listing->map, listing->sysinfo))
		return out_of_memory(err);
	if (options->image && write_image(listing, err))
		return -1;
	if (options->heat_map && heat_map_print(listing->map, &options->report, listing->out,
						mm_render_width(listing->out)))
		return out_of_memory(err);
	return 0;
}

const struct mm_listing pageref_heat_listing = {
	.name = "heat map",
	.create = create,
	.destroy = destroy,
	.request_ahead = request_ahead,
	.ahead = ahead,
	.only_earlier = true,
	.request = request,
	.event = on_event,
	.lost = lost,
	.finish = finish,
};
