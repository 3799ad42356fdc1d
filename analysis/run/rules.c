// SPDX-License-Identifier: LGPL-2.1-only
/* Checks the events of a trace against the rules of a subsystem. */
#include "analysis/run/rules.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/run/passes.h"
#include "reader/coverage/suspects.h"
#include "reader/ctf/decode/event.h"
#include "reader/ctf/decode/source.h"
#include "reader/ctf/model/model.h"
#include "reader/open/open.h"

/*
 * Reads the trace as a whole, because each part of a split trace would count all state dumps. If
 * *@suspect is true, leaves out damaged packets. Otherwise, sets *@suspect if damaged packets were
 * read.
 */
static int read_trace(const struct mm_rules *rules, void *state, const char *path,
		      unsigned int jobs, bool *suspect, struct mm_error *err)
{
	struct mm_pass pass = { .request = rules->request,
				.state = state,
				.handler = { .user = state,
					     .event = rules->event,
					     .lost = rules->lost,
					     .bind = rules->bind },
				.first_fields = true };
	unsigned int count = rules->passes ? rules->passes : 1;
	struct mm_source **sources = calloc(count, sizeof(struct mm_source *));
	struct mm_source_options options;
	int ret = 0;

	if (!sources)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");

	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	options.jobs = jobs;
	options.check_packets = *suspect;
	for (; pass.number < count && !ret; pass.number++) {
		sources[pass.number] = mm_source_open(path, &options, err);
		ret = mm_pass_run(&pass, sources[pass.number], err);
		*suspect |= !ret && mm_source_is_suspect(sources[pass.number]);
	}
	/* Destroy the sources last, because they own event types that the state may use. */
	if (!ret)
		ret = rules->finish(state, err);
	for (unsigned int i = 0; i < count; i++)
		mm_source_destroy(sources[i]);
	free(sources);
	return ret;
}

int mm_rules_run(const struct mm_rules *rules, const char *path, unsigned int jobs, uint64_t limit,
		 mm_rules_finding_fn *finding, void *user, struct mm_rules_counts *counts,
		 struct mm_error *err)
{
	void *state = rules->create();
	bool suspect = false;
	int ret;

	*counts = (struct mm_rules_counts){ 0 };
	if (!state)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
	ret = read_trace(rules, state, path, jobs, &suspect, err);
	/*
	 * The rules have also checked events of damaged packets. Check again without these packets.
	 */
	if (!ret && suspect) {
		rules->destroy(state);
		state = rules->create();
		ret = state ? read_trace(rules, state, path, jobs, &suspect, err)
			    : mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
	}
	if (!ret)
		rules->report(state, limit, finding, user, counts);
	if (state)
		rules->destroy(state);
	return ret;
}

struct suspect_search {
	const struct mm_rules *rules;
	void *state;
	struct mm_suspects *suspects;
};

static void request_search(void *user, unsigned int pass, struct mm_requests *requests)
{
	const struct suspect_search *search = user;

	search->rules->request(search->state, pass, requests);
}

/* Adds a suspect packet. This function is not inlined, because nearly all events are intact. */
static __attribute__((noinline, cold)) int found(const struct suspect_search *search,
						 const struct mm_event *event, const char *what,
						 struct mm_error *err)
{
	struct mm_suspect suspect;
	struct ctf_event native;
	char named[512];

	if (!ctf_event_of(event, &native) || native.packet->file->sums)
		return 0;
	snprintf(named, sizeof(named), "%s: %s", event->type->name, what);
	suspect = (struct mm_suspect){ .file = native.packet->file->path,
				       .packet_at = native.packet->offset,
				       .at = native.at / 8,
				       .what = named };
	if (mm_suspects_add(search->suspects, &suspect))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	return 0;
}

static int search_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	const struct suspect_search *search = user;
	const char *what = search->rules->damaged(search->state, event);

	return what ? found(search, event, what, err) : 0;
}

/* Does the stream have events with rules, and at least one file without checksums? */
static bool concerns(const struct mm_requests *requests, const struct ctf_stream *stream)
{
	bool unchecked = false;

	for (size_t i = 0; i < stream->file_count; i++)
		unchecked |= !stream->files[i].sums;
	for (size_t i = 0; i < stream->class->event_count && unchecked; i++) {
		const struct ctf_event_class *event = stream->class->events[i];
		const struct ctf_field *payload = event->payload;

		if (event->name && payload && payload->member_count &&
		    mm_rules_concern(requests, event->name, payload->members[0].name))
			return true;
	}
	return false;
}

static bool has_concerned(const struct mm_rules *rules, struct mm_source *source,
			  struct mm_error *err)
{
	struct ctf_trace *const *traces;
	struct mm_requests requests;
	size_t count = 0;
	bool found = false;

	traces = mm_ctf_source_traces(source, &count, err);
	mm_requests_init(&requests);
	rules->request(NULL, 0, &requests);
	for (size_t i = 0; i < count && traces; i++)
		for (size_t j = 0; j < traces[i]->stream_count && !found; j++)
			found = concerns(&requests, &traces[i]->streams[j]);
	mm_requests_release(&requests);
	return found;
}

int mm_rules_suspects(const struct mm_rules *rules, const char *path,
		      const struct mm_source_options *options, struct mm_suspects *suspects,
		      struct mm_error *err)
{
	struct suspect_search search = { .rules = rules, .suspects = suspects };
	const struct mm_pass pass = { .request = request_search,
				      .state = &search,
				      .handler = { .user = &search, .event = search_event },
				      .first_fields = true };
	struct mm_source_options searching = *options;
	struct mm_error here = MM_ERROR_INIT;
	struct mm_source *source;

	if (!rules->damaged || mm_source_is_live(path))
		return 0;
	searching.reader = MM_READER_FAST;
	searching.by_packet = true;
	source = mm_source_open(path, &searching, &here);
	if (source && has_concerned(rules, source, &here)) {
		search.state = rules->create();
		if (search.state)
			mm_pass_run(&pass, source, &here);
		else
			mm_error_set(&here, MM_EXIT_ENVIRONMENT, "report: out of memory");
		rules->destroy(search.state);
	}
	mm_source_destroy(source);
	mm_suspects_sort(suspects);
	if (here.code != MM_EXIT_ENVIRONMENT)
		return 0;
	*err = here;
	return -1;
}
