// SPDX-License-Identifier: LGPL-2.1-only
/* Creates the streams that messages belong to: declared events, requests and loss records. */
#include "reader/bt2/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/bt2/events-private.h"
#include "reader/bt2/layout.h"
#include "reader/bt2/table.h"
#include "reader/coverage/missing.h"
#include "reader/events/source-base.h"

/* Does the structure @class, which may be NULL, have call stacks of user space? */
static bool has_user_stacks(const bt_field_class *class)
{
	return class &&
	       bt_field_class_structure_borrow_member_by_name_const(class, MM_CONTEXT_USER_STACK);
}

int mm_bt2_class_declare(const bt_stream_class *class, uint64_t from, struct mm_source *source)
{
	source->declares_user_stacks |= has_user_stacks(
		bt_stream_class_borrow_event_common_context_field_class_const(class));
	for (uint64_t i = from; i < bt_stream_class_get_event_class_count(class); i++) {
		const bt_event_class *event =
			bt_stream_class_borrow_event_class_by_index_const(class, i);
		const char *name = bt_event_class_get_name(event);

		source->declares_user_stacks |= has_user_stacks(
			bt_event_class_borrow_specific_context_field_class_const(event));

		if (name && mm_source_declare(source, name))
			return -1;
	}
	return 0;
}

/*
 * Declares the event classes that were added to the stream class since the last call. The class
 * outlives its streams, so the address of the class can be a key of events->declared.
 */
int mm_bt2_stream_declare(struct mm_bt2_events *events, const bt_stream *stream)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	uint64_t count = bt_stream_class_get_event_class_count(class);
	uint64_t *declared = mm_bt2_table_find(&events->declared, class);

	if (!declared) {
		declared = calloc(1, sizeof(*declared));
		if (!declared || mm_bt2_table_add(&events->declared, class, declared)) {
			free(declared);
			return -1;
		}
	}
	if (mm_bt2_class_declare(class, *declared, events->source))
		return -1;
	*declared = count;
	return 0;
}

/*
 * Finds the loss record of a state stream that was read before the graph ran. State streams are
 * files, so their names are unique.
 */
static const struct mm_loss *find_counted(const struct mm_bt2_events *events, const char *name)
{
	for (size_t i = 0; name && events->counted && i < events->counted->loss_count; i++) {
		const struct mm_loss *loss = &events->counted->losses[i];

		if (mm_loss_is_state(loss) && !strcmp(loss->stream, name))
			return loss;
	}
	return NULL;
}

/* Finds a stream's loss record, which may have been created before the stream arrived. */
struct mm_loss *mm_bt2_loss_find(const struct mm_bt2_events *events, const char *name)
{
	for (size_t i = 0; i < events->source->loss_count; i++)
		if (!strcmp(events->source->losses[i].stream, name))
			return &events->source->losses[i];
	return NULL;
}

/*
 * Creates a loss record. A stream without a name gets a name made from its id. This name may not be
 * unique, because streams of different traces and stream classes may have equal ids.
 */
static struct mm_loss *new_loss(struct mm_bt2_events *events, const bt_stream *native)
{
	const char *name = bt_stream_get_name(native);
	char synthetic[64];

	if (!name) {
		snprintf(synthetic, sizeof(synthetic), "stream %" PRIu64, bt_stream_get_id(native));
		name = synthetic;
	}
	if (find_counted(events, bt_stream_get_name(native)))
		return mm_bt2_loss_find(events, name);
	return mm_source_add_loss(events->source, name, MM_CPU_UNKNOWN);
}

static void note_requests(const struct mm_requests *requests, const bt_stream_class *class,
			  struct mm_loss *loss)
{
	for (uint64_t i = 0; i < bt_stream_class_get_event_class_count(class); i++) {
		const char *name = bt_event_class_get_name(
			bt_stream_class_borrow_event_class_by_index_const(class, i));

		int request = name ? mm_requests_find(requests, name) : -1;

		if (request >= 0)
			mm_source_may_have(loss, requests, request, name);
	}
}

bool mm_bt2_class_is_state(const bt_stream_class *class, const struct mm_requests *requests)
{
	struct mm_loss loss = { 0 };

	note_requests(requests, class, &loss);
	return mm_loss_is_state(&loss);
}

/*
 * Sets stream->counted if the stream was read before this graph ran. The losses of such a stream
 * are already known.
 */
void mm_bt2_stream_skip_counted(const struct mm_bt2_events *events, struct mm_bt2_stream *stream)
{
	const struct mm_loss *counted = find_counted(events, bt_stream_get_name(stream->native));

	stream->counted = counted;
	stream->counted_until_ns = counted ? counted->end_ns : INT64_MIN;
}

static const char *environment(const bt_stream *native, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(
		bt_stream_borrow_trace_const(native), name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

static bool is_lttng(const bt_stream *native)
{
	const char *tracer = environment(native, "tracer_name");

	return !strcmp(tracer, "lttng-modules") || !strcmp(tracer, "lttng-ust");
}

/*
 * Gets the kernel release from the trace's environment. (Filters in the graph pass the environment
 * on.)
 */
static int note_kernel(const struct mm_bt2_events *events, const bt_stream *native)
{
	const char *release = environment(native, "kernel_release");

	return *release ? mm_source_note_kernel(events->source, release) : 0;
}

/* Finds a stream's missing packets by the name of its file. */
void mm_bt2_stream_find_missing(const struct mm_bt2_events *events, struct mm_bt2_stream *stream)
{
	const char *name = bt_stream_get_name(stream->native);
	const struct mm_missing *missing = name ? mm_missing_of(events->source, name) : NULL;

	if (missing && !missing->complete_stream)
		stream->missing = missing;
}

struct mm_bt2_stream *mm_bt2_stream_create(struct mm_bt2_events *events, const bt_stream *native)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(native);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(class);
	struct mm_bt2_stream *stream = calloc(1, sizeof(*stream));
	struct mm_loss *loss = stream ? new_loss(events, native) : NULL;

	if (!loss || mm_bt2_stream_declare(events, native) || note_kernel(events, native) ||
	    mm_bt2_table_add(&events->streams, native, stream)) {
		free(stream);
		return NULL;
	}
	note_requests(events->requests, class, loss);
	loss->has_requested |= loss->has_state_dumps && events->source->options.in_order;
	bt_stream_get_ref(native);
	stream->native = native;
	mm_bt2_stream_find_missing(events, stream);
	stream->loss = (size_t)(loss - events->source->losses);
	stream->frequency = clock ? bt_clock_class_get_frequency(clock) : 0;
	stream->cpu = MM_CPU_UNKNOWN;
	stream->last_ns = INT64_MIN;
	mm_bt2_stream_skip_counted(events, stream);
	stream->lttng = is_lttng(native);
	if (bt_stream_class_supports_packets(class))
		stream->has_cpu = mm_bt2_member_find(
			bt_stream_class_borrow_packet_context_field_class_const(class), "cpu_id",
			&stream->cpu_index);
	if (!events->first)
		events->first = stream;
	return stream;
}

/*
 * Reports the packets that are missing at the start of streams. The order of the streams does not
 * matter, because all these reports are about the time before the first event.
 */
static void report_missing_starts(struct mm_bt2_events *events)
{
	for (size_t i = 0; i < events->streams.room; i++) {
		const struct mm_bt2_stream *stream = events->streams.entries[i].value;

		if (stream && stream->missing)
			mm_missing_report_start(events->source, stream->missing,
						&events->source->losses[stream->loss],
						events->handler);
	}
}

/*
 * Converts times of day, which refer to the day of the trace's first timestamp. State streams are
 * read first, but other streams may start earlier. Therefore waits for the first timestamp of a
 * stream that is not a state stream.
 */
enum mm_bt2_status mm_bt2_note_time(struct mm_bt2_events *events,
				    const struct mm_bt2_stream *stream, int64_t ns,
				    struct mm_error *err)
{
	struct mm_time_span span = { 0 };

	if (events->resolved)
		return MM_BT2_OK;
	if (ns < events->first_ns)
		events->first_ns = ns;
	if (stream && mm_loss_is_state(&events->source->losses[stream->loss]))
		return MM_BT2_OK;
	span.first_ns = events->first_ns;
	events->resolved = true;
	if (mm_source_options_resolve(&events->source->options, &span, err))
		return MM_BT2_FAILED;
	report_missing_starts(events);
	return MM_BT2_OK;
}
