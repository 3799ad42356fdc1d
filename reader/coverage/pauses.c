// SPDX-License-Identifier: LGPL-2.1-only
/* Reports pauses of the recording to a consumer, as losses of the paused streams. */
#include "reader/coverage/pauses.h"
#include "reader/events/source-base.h"

#include <stdlib.h>
#include <string.h>

static bool is_loss(const void *all, uint32_t number, const void *file)
{
	return !strcmp(((const struct mm_loss *)all)[number].stream, file);
}

/* Finds the loss records of the paused streams. The records exist before the first event. */
static int find_losses(struct mm_pauses *pauses)
{
	const struct mm_source *source = pauses->source;
	const struct mm_missing_list *list = source->missing;
	struct mm_hash by_stream;
	int ret = 0;

	pauses->losses = calloc(list->pause_count + 1, sizeof(*pauses->losses));
	if (!pauses->losses)
		return -1;
	mm_hash_init(&by_stream);
	for (size_t i = 0; i < source->loss_count && !ret; i++)
		ret = mm_hash_add(&by_stream,
				  mm_hash_of_string(&by_stream, source->losses[i].stream),
				  (uint32_t)i);
	for (size_t i = 0; i < list->pause_count && !ret; i++) {
		const char *file = list->pauses[i].file;
		uint32_t number = mm_hash_find(&by_stream, mm_hash_of_string(&by_stream, file),
					       source->losses, file, is_loss);

		pauses->losses[i] = number == MM_HASH_NONE ? SIZE_MAX : number;
	}
	mm_hash_release(&by_stream);
	return ret;
}

static void report(struct mm_pauses *pauses, size_t number)
{
	const struct mm_source_options *options = &pauses->source->options;
	const struct mm_pause *pause = &pauses->source->missing->pauses[number];
	struct mm_loss *loss;

	if (pauses->losses[number] == SIZE_MAX || pause->start_ns > options->end_ns ||
	    pause->end_ns < options->begin_ns)
		return;
	loss = &pauses->source->losses[pauses->losses[number]];
	/* The whole stream was already reported as missing, or has no time range (state dumps). */
	if (loss->missing || mm_loss_is_state(loss))
		return;
	loss->pauses += !pause->maybe;
	loss->uncertain = pause->maybe;
	loss->at_unknown_place = false;
	loss->lost_events = 0;
	loss->lost_until_ns = loss->lost_packets_until_ns = pause->end_ns;
	loss->paused = true;
	if (pauses->consumer->lost)
		pauses->consumer->lost(pauses->consumer->user, loss, pause->start_ns);
	loss->paused = false;
}

static int report_before(struct mm_pauses *pauses, int64_t time_ns, struct mm_error *err)
{
	const struct mm_missing_list *list = pauses->source->missing;

	if (pauses->next == list->pause_count || list->pauses[pauses->next].start_ns >= time_ns)
		return 0;
	if (!pauses->losses && find_losses(pauses))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	while (pauses->next < list->pause_count && list->pauses[pauses->next].start_ns < time_ns)
		report(pauses, pauses->next++);
	return 0;
}

static int take_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct mm_pauses *pauses = user;

	/* State dumps may be read before all other events, so they do not trigger the reports. */
	if (!event->type->is_state && report_before(pauses, event->time_ns, err))
		return -1;
	return pauses->consumer->event(pauses->consumer->user, event, err);
}

static int take_events(void *user, const struct mm_event_type *type, const struct mm_event *events,
		       size_t count, struct mm_error *err)
{
	const struct mm_missing_list *list;
	struct mm_pauses *pauses = user;
	size_t length;

	list = pauses->source->missing;
	for (size_t done = 0; done < count; done += length) {
		length = 1;
		if (!type->is_state && report_before(pauses, events[done].time_ns, err))
			return -1;
		while (done + length < count &&
		       (type->is_state || pauses->next == list->pause_count ||
			events[done + length].time_ns <= list->pauses[pauses->next].start_ns))
			length++;
		if (pauses->consumer->events(pauses->consumer->user, type, events + done, length,
					     err))
			return -1;
	}
	return 0;
}

static void take_loss(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct mm_pauses *pauses = user;

	pauses->consumer->lost(pauses->consumer->user, loss, begin_ns);
}

static int render(void *user, const struct mm_event *event, struct mm_text *text)
{
	struct mm_pauses *pauses = user;

	return pauses->consumer->render(pauses->consumer->user, event, text);
}

static int bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	struct mm_pauses *pauses = user;

	return pauses->consumer->bind(pauses->consumer->user, type, err);
}

static void take_damage(void *user, const char *message, bool truncated)
{
	struct mm_pauses *pauses = user;

	pauses->consumer->damaged(pauses->consumer->user, message, truncated);
}

const struct mm_handler *mm_pauses_begin(struct mm_pauses *pauses, struct mm_source *source,
					 const struct mm_handler *consumer)
{
	*pauses = (struct mm_pauses){ .source = source, .consumer = consumer };
	if (!source->missing->pause_count || source->options.only_state)
		return consumer;
	pauses->handler = (struct mm_handler){
		.user = pauses,
		.event = consumer->event ? take_event : NULL,
		.events = consumer->events ? take_events : NULL,
		.lost = consumer->lost ? take_loss : NULL,
		.render = consumer->render ? render : NULL,
		.bind = consumer->bind ? bind : NULL,
		.damaged = consumer->damaged ? take_damage : NULL,
	};
	return &pauses->handler;
}

int mm_pauses_end(struct mm_pauses *pauses, struct mm_error *err)
{
	return pauses->handler.user ? report_before(pauses, INT64_MAX, err) : 0;
}

void mm_pauses_release(struct mm_pauses *pauses)
{
	free(pauses->losses);
	*pauses = (struct mm_pauses){ NULL };
}
