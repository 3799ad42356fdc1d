/* SPDX-License-Identifier: LGPL-2.1-only */
/* A source opens a trace and delivers its events, in time order over all streams, to a consumer. */
#ifndef LTTNG_MM_EVENTS_SOURCE_H
#define LTTNG_MM_EVENTS_SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/events/request.h"
#include "util/error.h"
#include "util/hash.h"
#include "util/text.h"
#include "util/time.h"

#define MM_CPU_UNKNOWN UINT32_MAX

/*
 * LTTng's context callstack-kernel: an array of return addresses, innermost first. The addresses
 * reveal the KASLR offset of the kernel.
 */
#define MM_CONTEXT_CALLSTACK "callstack_kernel"
#define MM_CONTEXT_USER_STACK "callstack_user"

enum mm_kind {
	MM_KIND_NONE, /* the event has no such field */
	MM_KIND_UNSIGNED,
	MM_KIND_SIGNED,
	MM_KIND_REAL,
	MM_KIND_STRING,
	MM_KIND_COMPOUND, /* a structure, variant etc., which is available only as text */
	MM_KIND_ARRAY,	  /* an array of scalars, which is available only as a requested field */
};

struct mm_span;

/* The value of a requested field; mm_event_type.kinds says which member is valid. */
union mm_scalar {
	uint64_t u;
	int64_t i;
	double r;
	const char *s;		    /* untrusted, not escaped */
	const struct mm_span *span; /* never NULL */
};

/* Arrays are truncated to this number of elements. */
#define MM_SPAN_MAX 4096u

/* The elements of an array or a sequence; valid as long as the event. */
struct mm_span {
	const union mm_scalar *values;
	uint64_t count;
	uint64_t recorded; /* length of the array in the trace; may be more than @count */
	enum mm_kind kind; /* kind of each element; always a scalar */
};

/*
 * One field of an event, as found by mm_event_field_at(). It is valid until the event's handler
 * returns.
 */
struct mm_value {
	enum mm_kind kind;
	unsigned int base; /* preferred display base of an integer: 2, 8, 10 or 16 */
	union {
		uint64_t u;
		int64_t i;
		double r;
		const char *s; /* untrusted; @length bytes, possibly not terminated */
	};
	uint64_t length;
	const void *native; /* the source's own handle of the field */
};

struct mm_source;

/* An event class. Its address remains valid until the source is destroyed. */
struct mm_event_type {
	const char *name;
	void *bound; /* the consumer's data, set by mm_handler.bind() */
	int request; /* number of the request that the class matches */
	unsigned int field_count;
	const enum mm_kind *kinds; /* kinds of the requested fields, in the request's order */
	/* kinds of the elements of requested arrays; MM_KIND_NONE if a field is not an array */
	const enum mm_kind *element_kinds;
	bool is_state; /* the events are state dumps */
	struct mm_source *source;
	const void *native;
};

/* A label of an enumeration, for the values from @lower to @upper. */
struct mm_enum_label {
	const char *name; /* untrusted, not escaped */
	bool is_signed;
	union {
		uint64_t u;
		int64_t i;
	} lower, upper;
};

/* One event. It is valid until the handler returns. */
struct mm_event {
	int64_t time_ns;   /* since the Epoch */
	uint64_t clock_ns; /* value of the trace clock; in a kernel trace, time since boot */
	const union mm_scalar *fields; /* in the request's order; 0 for MM_KIND_NONE */
	const struct mm_event_type *type;
	uint32_t cpu; /* MM_CPU_UNKNOWN if the trace does not state it */
	uint32_t text_length;
	const char *text; /* result of the handler's render(), not terminated */
	struct mm_source *source;
	const void *native;
};

/*
 * The losses of one stream. A flight recorder overwrites its oldest events, so the late start of a
 * stream is not a loss. Still, events of its CPU before its start and after its end are unknown.
 *
 * Counters describe the whole stream so far. The members from @lost_until_ns to @at_unknown_place
 * describe the loss that lost() receives.
 */
struct mm_loss {
	char *stream; /* path for messages; not unique */
	uint32_t cpu;
	uint64_t events_discarded;
	uint64_t packets_lost;
	/*
	 * packets without a discarded-event count; events may have been discarded up to the end of
	 * such a packet
	 */
	uint64_t packets_without_count;
	/* the file ends within these packets, for example after a crash */
	uint64_t packets_truncated;
	uint64_t packets_damaged; /* packets damaged in any way other than truncation */
	uint64_t pauses;	  /* number of times that recording was paused */
	/* the whole stream is missing; @packets_lost is 0 if its number of packets is unknown */
	bool missing;
	bool maybe; /* with @missing: the stream may never have existed */
	/* the stream's start and end; INT64_MIN, INT64_MAX: unknown */
	int64_t begin_ns, end_ns;
	/* end of the loss; INT64_MIN: no loss yet */
	int64_t lost_until_ns;
	uint64_t lost_events; /* discarded events; UINT64_MAX: unknown number */
	/* end of the missing packets; INT64_MIN: none are missing */
	int64_t lost_packets_until_ns;
	/*
	 * It is uncertain whether events were discarded, because the packets have no count. With
	 * @paused: it is uncertain whether there was a pause.
	 */
	bool uncertain;
	bool paused; /* the loss is a pause in the recording of the stream */
	/* not a loss: time goes backwards, so the order of the stream's events is unknown */
	bool backward;
	bool at_unknown_place; /* packets are missing at the start or the end of the stream */
	/*
	 * Time of the last event before the first truncated or damaged packet. Events may be
	 * missing after this time; lost() reports this loss, too. INT64_MIN: no event precedes it.
	 */
	int64_t damaged_since_ns; /* INT64_MAX: no packet is truncated or damaged */
	/*
	 * The kinds of requested events that the stream may have. Only @has_state_dumps refers to
	 * state dumps.
	 */
	bool has_requested;  /* any requested event except state dumps */
	bool has_subject;    /* events that do more than name threads */
	bool affects_others; /* events that other events depend on */
	/* events that do more than name threads, and on which no other event depends */
	bool has_counted;
	bool has_state_dumps;
};

static inline bool mm_loss_any(const struct mm_loss *loss)
{
	return loss->events_discarded || loss->packets_lost || loss->packets_without_count ||
	       loss->packets_truncated || loss->packets_damaged ||
	       (loss->missing && !loss->maybe) || loss->pauses;
}

/* May events of the stream be missing? */
static inline bool mm_loss_may_lack(const struct mm_loss *loss)
{
	return mm_loss_any(loss) || loss->missing || loss->damaged_since_ns != INT64_MAX;
}

/*
 * Are state dumps the only requested events of the stream? State dumps are valid for the whole
 * trace. Except in a live session, such a stream is read first and completely, even if only a time
 * range is requested. Its start, end and losses do not limit the report's time range.
 */
static inline bool mm_loss_is_state(const struct mm_loss *loss)
{
	return loss->has_state_dumps && !loss->has_requested;
}

/* How a source delivers events to a consumer. */
struct mm_handler {
	void *user;
	int (*event)(void *user, const struct mm_event *event, struct mm_error *err);
	/*
	 * Optional, replaces event(). Receives @count (at least 1) consecutive events of one class.
	 * This is faster if classes have separate streams, as state dumps do. If many streams are
	 * merged, most calls would receive one event, and event() is faster. With libbabeltrace2,
	 * each call receives one event.
	 */
	int (*events)(void *user, const struct mm_event_type *type, const struct mm_event *events,
		      size_t count, struct mm_error *err);
	/*
	 * Events or packets of the stream were lost, or cannot be read, between @begin_ns and
	 * @loss->lost_until_ns.
	 */
	void (*lost)(void *user, const struct mm_loss *loss, int64_t begin_ns);
	/*
	 * Optional: appends the event's text to @text; event() receives it as event->text. Runs
	 * before event(), on several threads at once, so it must not modify the object at @user.
	 */
	int (*render)(void *user, const struct mm_event *event, struct mm_text *text);
	/*
	 * Optional: called once per event class that meets a request, before the class's first
	 * event. (The trace may have no events of the class.) May set type->bound for event().
	 * Returns 0; 1 to refuse all events of the class; or -1 with @err set.
	 */
	int (*bind)(void *user, struct mm_event_type *type, struct mm_error *err);
	/*
	 * Optional: reports damage that was skipped; @message is not escaped. If @truncated is
	 * true, the file only ends early: events are lost, but the remaining events are intact.
	 */
	void (*damaged)(void *user, const char *message, bool truncated);
	/*
	 * Optional: reports other facts that users must know (packets were reordered, for example);
	 * @message is not escaped. Called before the first event.
	 */
	void (*noted)(void *user, const char *message);
};

#define MM_JOBS_MAX 256

/* The reader that opens a trace. */
enum mm_reader { MM_READER_AUTO, MM_READER_FAST, MM_READER_BABELTRACE2 };

struct mm_suspects;

/* Initialize with mm_source_options_init(): all events, one thread per core. */
struct mm_source_options {
	enum mm_reader reader;
	int64_t begin_ns, end_ns; /* only events in [begin, end]; INT64_MIN, INT64_MAX: all */
	/*
	 * @begin_ns and @end_ns are relative to these bases, for times like `--begin=22:14` or
	 * `--end=-10s`. mm_source_open() makes the times absolute. A reader of a live session or
	 * graph calls mm_source_options_resolve() once it knows the time of the first event.
	 */
	struct mm_time_base begin_base, end_base;
	/* the options as the user typed them: --timerange, --begin, --end; NULL: not given */
	const char *range_text, *begin_text, *end_text;
	/* mm_source_open() need not check that the time range overlaps the trace */
	bool range_checked;
	bool gmt; /* use UTC instead of the local time zone */
	/* a number in a time option is always in seconds since the Epoch, as in babeltrace2 */
	bool epoch_seconds;
	/* offset of the times in options from the trace's clock (--clock-offset) */
	int64_t shift_ns;
	unsigned int jobs; /* threads, 1 to MM_JOBS_MAX */
	/* treat state dumps like other events: in time order, and only in the time range */
	bool in_order;
	/*
	 * The fast reader decodes each packet without a checksum twice, and delivers no event of a
	 * damaged packet. A consumer that can be restarted runs without this option first. If
	 * mm_source_is_suspect() is true after the run, the consumer runs again with this option.
	 * Other consumers run once, with this option.
	 */
	bool check_packets;
	/* packets to treat as damaged (fast reader only); may be NULL; must outlive the run */
	const struct mm_suspects *suspects;
	/*
	 * Deliver one stream after another, with all events of packets that overlap the time range
	 * (fast reader only). This is for consumers that examine single packets.
	 */
	bool by_packet;
	/*
	 * The consumer shows state dumps to the user. Accept a time range after a snapshot's
	 * freeze, even though such a range contains only state dumps.
	 */
	bool with_state;
	bool only_state;     /* read only streams of state dumps (mm_loss_is_state()) */
	bool metadata_clock; /* ignore that the wall clock was set during the recording */
	/* A signal handler sets this to end a live session. NULL: read until the session ends. */
	const volatile sig_atomic_t *stop;
};

/* The identity of the trace in a folder. */
struct mm_trace_id {
	bool has_uuid, has_boot_id;
	uint8_t uuid[16];
	uint8_t boot_id[16]; /* the UUID of LTTng's clock */
};

struct mm_missing_list;

void mm_source_options_init(struct mm_source_options *options);

/* Does @options select a part of the trace's time? */
static inline bool mm_source_options_windowed(const struct mm_source_options *options)
{
	return options->begin_ns != INT64_MIN || options->end_ns != INT64_MAX;
}

/* Changes @options to select the whole trace. */
static inline void mm_source_options_select_all(struct mm_source_options *options)
{
	options->begin_ns = INT64_MIN;
	options->end_ns = INT64_MAX;
	options->begin_base = options->end_base = (struct mm_time_base){ MM_TIME_ABSOLUTE };
}

/* Converts times to timestamps. @span: time range of the trace. Returns 0, or -1 with @err set. */
int mm_source_options_resolve(struct mm_source_options *options, const struct mm_time_span *span,
			      struct mm_error *err);

/* Releases a source that was opened with reader/open/open.h; accepts NULL. */
void mm_source_destroy(struct mm_source *source);

/*
 * Delivers every requested event to @handler. @requests must outlive the run. Returns 0, or -1 with
 * @err set. A source can run only once.
 */
int mm_source_run(struct mm_source *source, const struct mm_requests *requests,
		  const struct mm_handler *handler, struct mm_error *err);

/*
 * Does the trace declare events of this name? (They need not occur.) Valid during and after run().
 */
bool mm_source_declares(const struct mm_source *source, const char *event_name);
/* Does the trace declare an event whose name starts with @prefix? Valid during and after run(). */
bool mm_source_declares_prefix(const struct mm_source *source, const char *prefix);

/* Does the trace declare call stacks of user space? Valid during and after run(). */
bool mm_source_declares_user_stacks(const struct mm_source *source);

/*
 * Can events have a context field of that name? Returns true if this is unknown: if @source is
 * NULL, or if all events would have to be read.
 */
bool mm_source_may_have_context(struct mm_source *source, const char *name);

/* Gets payload field @index of @event. Returns 0, or -1 after the last field. */
int mm_event_field_at(const struct mm_event *event, size_t index, const char **name,
		      struct mm_value *value);

/*
 * Gets context field @index: first the stream's fields, then the event class's. Returns 0, or -1
 * after the last field.
 */
int mm_event_context_at(const struct mm_event *event, size_t index, const char **name,
			struct mm_value *value);

/*
 * Writes a field as text. Enumerations are labels (several bits are joined by `|`), integers are in
 * their base, structures are `{ a = 1, b = 2 }`, and strings are escaped for a terminal. The text
 * is always terminated.
 */
void mm_event_field_text(const struct mm_event *event, const struct mm_value *value, char *dst,
			 size_t size);

/* Returns the name of payload member @index of the class; NULL after the last member. */
const char *mm_event_type_member_at(const struct mm_event_type *type, size_t index);

/*
 * Gets label @index of requested field @field (or of an array's elements). A label with several
 * ranges is returned once per range. Returns 0; or -1 after the last label, or if the field is not
 * an enumeration.
 */
int mm_event_type_label_at(const struct mm_event_type *type, unsigned int field, size_t index,
			   struct mm_enum_label *label);

/* Finds the identity of each trace, from the metadata. Returns 0, or -1: out of memory. */
int mm_source_identify(struct mm_source *source, struct mm_error *err);

/*
 * Properties of the source. Strings and records belong to the source. For functions ending in _at,
 * the index must be below the count that the preceding function returns.
 */
const struct mm_source_options *mm_source_options(const struct mm_source *source);
/* Replaces the options of a source that has not run. */
void mm_source_set_options(struct mm_source *source, const struct mm_source_options *options);
/* The path that the user gave, for messages. */
const char *mm_source_path(const struct mm_source *source);

/* Folders that have a trace's metadata. */
size_t mm_source_folder_count(const struct mm_source *source);
const char *mm_source_folder_at(const struct mm_source *source, size_t index);
const char *const *mm_source_folders(const struct mm_source *source);
/* The identity of the trace in the folder. Call mm_source_identify() first. */
const struct mm_trace_id *mm_source_id_at(const struct mm_source *source, size_t index);

/* Stream files in folders without metadata. */
size_t mm_source_orphan_count(const struct mm_source *source);
const char *mm_source_orphan_at(const struct mm_source *source, size_t index);
/* A phrase about orphans, for printf() with the path of an orphan. */
#define MM_ORPHANS_REMEDY \
	"stream files without their metadata, such as %s; copy the file `metadata`, too"

/* Streams and packets that the trace lacks; NULL before mm_missing_find(). */
const struct mm_missing_list *mm_source_missing(const struct mm_source *source);

/*
 * Correction in ns for all times of the trace. Not 0 if the wall clock was set during the
 * recording.
 */
int64_t mm_source_clock_shift_ns(const struct mm_source *source);

/* The properties below are known after mm_source_run(). */

/* The traced machine's kernel release, unescaped; NULL if it is unknown or differs by trace. */
const char *mm_source_kernel_release(const struct mm_source *source);
bool mm_source_kernels_differ(const struct mm_source *source);

/* Names of the event classes that the metadata declare. */
size_t mm_source_event_name_count(const struct mm_source *source);
const char *mm_source_event_name_at(const struct mm_source *source, size_t index);

/* One record per stream, even if the stream lost nothing. */
size_t mm_source_loss_count(const struct mm_source *source);
const struct mm_loss *mm_source_loss_at(const struct mm_source *source, size_t index);
const struct mm_loss *mm_source_losses(const struct mm_source *source);

/* Descriptions of damage that was skipped, unescaped; at most MM_DAMAGE_MAX. */
#define MM_DAMAGE_MAX 16
size_t mm_source_damage_count(const struct mm_source *source);
const char *mm_source_damage_at(const struct mm_source *source, size_t index);
/* Number of damage descriptions that were added before the first event. */
size_t mm_source_announced_count(const struct mm_source *source);
/* The messages that the handler's noted() received, unescaped. */
size_t mm_source_note_count(const struct mm_source *source);
const char *mm_source_note_at(const struct mm_source *source, size_t index);

/* Number of events that were read, requested or not. */
uint64_t mm_source_event_count(const struct mm_source *source);
/* Adds @count to the number of events: another source has read these events instead. */
void mm_source_add_events(struct mm_source *source, uint64_t count);
/*
 * Number of events in streams that have only state dumps. Such streams are read even outside the
 * time range. Without a time range, libbabeltrace2's reader may count only the requested events.
 */
uint64_t mm_source_state_event_count(const struct mm_source *source);

/*
 * Returns a number that increases when a new stream starts after events of other streams (only with
 * libbabeltrace2). May be called during the run.
 */
uint64_t mm_source_starts_noticed(const struct mm_source *source);

/* Does the clock of a stream go backwards, so that the order of its events is unknown? */
bool mm_source_is_backward(const struct mm_source *source);
/*
 * Do timestamps of a stream go backwards, or is an event outside its packet's time range? If so,
 * reading a time range may miss events in the range. Only the fast reader finds this out.
 */
bool mm_source_is_disordered(const struct mm_source *source);
/*
 * Were events delivered before their packet turned out to be damaged? Such events may be wrong.
 * Only the fast reader finds this out. With options.check_packets, no such events are delivered,
 * and the result has no meaning.
 */
bool mm_source_is_suspect(const struct mm_source *source);

/*
 * Adds the event count and the time ranges of @later and its streams to @source. Does not count the
 * events of state dumps again, because both sources have read them. Does not add the loss counters.
 * Both sources must have run, on adjacent time ranges of one trace. Returns 0, or -1 if the two
 * sources have different streams.
 */
int mm_source_join(struct mm_source *source, const struct mm_source *later);

#endif /* LTTNG_MM_EVENTS_SOURCE_H */
