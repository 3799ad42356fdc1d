// SPDX-License-Identifier: LGPL-2.1-only
/* Requests the events of page references. */
#include <string.h>

#include "analysis/pageref/pageref-state.h"

/* The fields are in the order of the enumerations in pageref-requests.h. */
static const char *const place_fields[] = { "tid", "mm", "address", "huge", NULL };
static const char *const touch_fields[] = { "tid",  "mm",    "address", "huge",
					    "kind", "write", "user",	NULL };
static const char *const around_fields[] = { "mm", "address", "pages", NULL };
static const char *const gone_fields[] = { "mm", "address", "pages", "cause", NULL };
static const char *const pass_fields[] = { "mm", "end", "armed", "left_out", NULL };
static const char *const space_fields[] = { "mm", "pid", "name", NULL };
static const char *const mapping_fields[] = { "mm",	   "start", "end",  "pgoff", "dev_major",
					      "dev_minor", "ino",   "name", NULL };

static void request(struct mm_requests *requests, const char *event, const char *const *fields)
{
	mm_requests_add(requests, event);
	for (; *fields; fields++)
		mm_requests_add_field(requests, *fields,
				      strcmp(*fields, "name") ? MM_FIELD_INTEGER : MM_FIELD_STRING);
}

/* Adds the requests in the order of enum pageref_request. */
void pageref_state_request_history(struct mm_requests *requests)
{
	mm_threads_request(requests);
	request(requests, "pageref_mm", space_fields);
	request(requests, "pageref_mapping", mapping_fields);
	pageref_io_request_names(requests);
}

static void request_pages(struct mm_requests *requests, const char *const *touch)
{
	pageref_state_request_history(requests);
	request(requests, "pageref_touch", touch);
	request(requests, "pageref_touch_wide", touch);
	request(requests, "pageref_around", around_fields);
	request(requests, "pageref_pass", pass_fields);
	/* Older probes lack these fields. */
	mm_requests_add_field(requests, "skipped", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	mm_requests_add_field(requests, "missed_ends", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	mm_requests_add_field(requests, "sample", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	request(requests, "pageref_unseen", around_fields);
	request(requests, "pageref_gone", gone_fields);
}

void pageref_state_request_unmarked(struct mm_requests *requests)
{
	request_pages(requests, place_fields);
}

void pageref_state_request(struct mm_requests *requests, bool places_only)
{
	request_pages(requests, places_only ? place_fields : touch_fields);
	pageref_io_request(requests);
	request(requests, "pageref_statedump_mm", space_fields);
	request(requests, "pageref_statedump_mapping", mapping_fields);
}
