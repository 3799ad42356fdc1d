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
 * LTTng's context callstack-kernel: an array of return addresses, innermost first. They reveal
 * where KASLR placed the kernel.
 */
#define MM_CONTEXT_CALLSTACK "callstack_kernel"

enum mm_kind {
	MM_KIND_NONE, /* the event has no such field */
	MM_KIND_UNSIGNED,
	MM_KIND_SIGNED,
	MM_KIND_REAL,
	MM_KIND_STRING,
	MM_KIND_COMPOUND, /* structure, variant ...: text form only */
	MM_KIND_ARRAY,	  /* of scalars; only requested fields have this kind */
};

struct mm_span;

/* A requested field's value; which member holds it, the event's type says. */
union mm_scalar {
	uint64_t u;
	int64_t i;
	double r;
	const char *s;		    /* as recorded: hostile */
	const struct mm_span *span; /* never NULL */
};

/* Of longer arrays, the elements that follow are not delivered. */
#define MM_SPAN_MAX 4096u

/* The elements of an array or a sequence; valid as long as its event. */
struct mm_span {
	const union mm_scalar *values;
	uint64_t count;	   /* of @values */
	uint64_t recorded; /* more than @count where the array is longer than MM_SPAN_MAX */
	enum mm_kind kind; /* of each element: a scalar's */
};

/*
 * One field of one event as mm_event_field_at() finds it; valid until the event's handler returns.
 */
struct mm_value {
	enum mm_kind kind;
	unsigned int base; /* preferred display base of an integer: 2, 8, 10 or 16 */
	union {
		uint64_t u;
		int64_t i;
		double r;
		const char *s; /* as recorded: hostile; @length bytes, perhaps not terminated */
	};
	uint64_t length;
	const void *native; /* the source's own handle of the field */
};

struct mm_source;

/*
 * What the events of one class have in common. Its address is valid until the source is destroyed.
 */
struct mm_event_type {
	const char *name;
	void *bound; /* the consumer's own: mm_handler.bind() may set it */
	int request; /* number of the event request that it meets */
	unsigned int field_count;
	const enum mm_kind *kinds; /* of the requested fields, in the request's order */
	/* of the elements of those that are arrays, MM_KIND_NONE of the others */
	const enum mm_kind *element_kinds;
	bool is_state; /* the events are state dumps */
	struct mm_source *source;
	const void *native;
};

/* A label of an enumeration, for the values from @lower to @upper. */
struct mm_enum_label {
	const char *name; /* as recorded: hostile */
	bool is_signed;
	union {
		uint64_t u;
		int64_t i;
	} lower, upper;
};

/* One event; valid until the handler returns. */
struct mm_event {
	int64_t time_ns;   /* since the Epoch */
	uint64_t clock_ns; /* the trace clock's own value: for a kernel trace, time since boot */
	const union mm_scalar *fields; /* in the request's order; 0: MM_KIND_NONE */
	const struct mm_event_type *type;
	uint32_t cpu; /* MM_CPU_UNKNOWN if the trace does not state it */
	uint32_t text_length;
	const char *text; /* the text that the handler's render() made of it, not terminated */
	struct mm_source *source;
	const void *native;
};

/*
 * What one stream lost. A flight recorder's stream that starts late has lost nothing. A stream that
 * starts later or ends earlier than others does not show what happened on its CPU before or after.
 */
struct mm_loss {
	char *stream; /* for messages only: where it is; two streams may have one name */
	uint32_t cpu;
	uint64_t events_discarded;
	uint64_t packets_lost;
	/*
	 * packets without a discarded-event count: what was discarded up to their end is not known
	 */
	uint64_t packets_without_count;
	uint64_t packets_truncated; /* the file ends in them, as after a crash */
	uint64_t packets_damaged;   /* other damage: a part of them cannot be read */
	uint64_t pauses;	    /* times at which the stream was not recorded */
	/* nothing of the stream is present; @packets_lost is 0 where their number is not known */
	bool missing;
	bool maybe; /* ... if it ever existed: what it would explain is undetermined */
	/* the stream's start and end; INT64_MIN, INT64_MAX: not known */
	int64_t begin_ns, end_ns;
	/* by then the last reported loss had happened; INT64_MIN: no loss yet */
	int64_t lost_until_ns;
	/*
	 * Of the last reported loss: how many events were discarded, UINT64_MAX if their number is
	 * not known ...
	 */
	uint64_t lost_events;
	/* ... and until when packets are missing; INT64_MIN: none are */
	int64_t lost_packets_until_ns;
	/* the last reported loss is one only if events were discarded, which no count shows */
	bool uncertain;
	/* ... is of a time at which the stream was not recorded; @uncertain: may not have been */
	bool paused;
	/* ... is none: time goes backwards in the stream, so that nothing follows from its order */
	bool backward;
	/* ... is of packets that are missing at the stream's start or at its end */
	bool at_unknown_place;
	/*
	 * The last event before the first truncated or damaged packet, after which events may be
	 * missing; lost() reports that as well. INT64_MIN: there is none before it.
	 */
	int64_t damaged_since_ns; /* INT64_MAX: no packet is truncated or damaged */
	bool has_requested;	  /* the stream may have requested events, other than state dumps */
	bool has_subject;	  /* ... and that do more than name threads */
	bool affects_others;	  /* ... and on which the meaning of other events depends */
	/* ... that do more than name threads, and on which the meaning of no other event depends */
	bool has_counted;
	bool has_state_dumps; /* the stream may have requested state dumps */
};

static inline bool mm_loss_any(const struct mm_loss *loss)
{
	return loss->events_discarded || loss->packets_lost || loss->packets_without_count ||
	       loss->packets_truncated || loss->packets_damaged ||
	       (loss->missing && !loss->maybe) || loss->pauses;
}

/* May events of the stream be missing, as far as the source knows? */
static inline bool mm_loss_may_lack(const struct mm_loss *loss)
{
	return mm_loss_any(loss) || loss->missing || loss->damaged_since_ns != INT64_MAX;
}

/*
 * Are the stream's requested events nothing but state dumps? They hold for the whole trace,
 * whenever they were made: such a stream of a folder is read completely, whatever time range is
 * requested, and before all others. Its start, its end and its losses do not concern the time range
 * of the report.
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
	 * Optional, in place of event(): @count events of one class, at least 1, that follow each
	 * other in the order in which event() would receive them. It is faster where classes have
	 * separate streams, as state dumps do; where many streams are merged, most runs have one
	 * event, and event() is faster. With libbabeltrace2 all runs have one.
	 */
	int (*events)(void *user, const struct mm_event_type *type, const struct mm_event *events,
		      size_t count, struct mm_error *err);
	/*
	 * Events or packets were lost in @loss's stream, or cannot be read, between @begin_ns and
	 * its lost_until_ns.
	 */
	void (*lost)(void *user, const struct mm_loss *loss, int64_t begin_ns);
	/*
	 * Optional: appends a text to @text, which event() receives as event->text. It is called
	 * before event(), from any thread, concurrently: it must only read what @user points to.
	 */
	int (*render)(void *user, const struct mm_event *event, struct mm_text *text);
	/*
	 * Optional: called once for each event class that meets a request, before the first of its
	 * events is delivered; classes without events in the trace may be among them. It may set
	 * type->bound to what the consumer needs when it receives the events. Returns 0; 1 to
	 * refuse the class, so that none of its events is delivered; or -1 with @err set.
	 */
	int (*bind)(void *user, struct mm_event_type *type, struct mm_error *err);
	/*
	 * Optional: damage that was skipped; @message is not escaped. @truncated:
	 * the file ends early, which is a loss like others and no reason to distrust the rest.
	 */
	void (*damaged)(void *user, const char *message, bool truncated);
	/*
	 * Optional: something that is no damage, but that users must know, such as that packets are
	 * read in another order; @message is not escaped. Before the first event.
	 */
	void (*noted)(void *user, const char *message);
};

#define MM_JOBS_MAX 256

/* Which reader opens a trace. */
enum mm_reader { MM_READER_AUTO, MM_READER_FAST, MM_READER_BABELTRACE2 };

struct mm_suspects;

/* mm_source_options_init() selects all events, and as many threads as there are cores. */
struct mm_source_options {
	enum mm_reader reader;
	int64_t begin_ns, end_ns; /* only events in [begin, end]; INT64_MIN, INT64_MAX: all */
	/*
	 * How the two are to be understood, as users mean `--begin=22:14` or `--end=-10s`.
	 * mm_source_open() resolves them, and a reader whose trace is not in folders calls
	 * mm_source_options_resolve() when it knows the trace's first day.
	 */
	struct mm_time_base begin_base, end_base;
	/* As the user gave them: both in one, or each; NULL: not given. */
	const char *range_text, *begin_text, *end_text;
	/* The time range overlaps the trace, or need not: mm_source_open() does not check it. */
	bool range_checked;
	bool gmt; /* days are those of UTC, not of the local time zone */
	/* for the parser of times: all numbers are seconds since the Epoch, as in babeltrace2 */
	bool epoch_seconds;
	/* How much the times above are later than the trace's, for users who shift its clocks. */
	int64_t shift_ns;
	unsigned int jobs; /* threads, 1 to MM_JOBS_MAX */
	/*
	 * state dumps are delivered in time order and only in the requested time, as other events
	 */
	bool in_order;
	/*
	 * The fast reader decodes each packet that has no checksum twice: if something in it turns
	 * out to be wrong, none of its events is delivered. To be set if source->suspect is, by
	 * consumers that can start again, or else before.
	 */
	bool check_packets;
	/*
	 * The fast reader delivers no event of these packets, which count as damaged. NULL: none.
	 * They must outlive the run.
	 */
	const struct mm_suspects *suspects;
	/*
	 * The fast reader delivers one stream after the other, and all events of packets that reach
	 * into the time range: for consumers that look at each packet by itself.
	 */
	bool by_packet;
	/*
	 * State dumps are shown, too: the time of those that follow a snapshot's freeze is not
	 * outside the trace.
	 */
	bool with_state;
	bool only_state;     /* only streams with nothing but state dumps: mm_loss_is_state() */
	bool metadata_clock; /* use the clock of the metadata even if the wall clock was set */
	/*
	 * A live session ends when this is not 0: a signal handler may set it. NULL: only when the
	 * session ends itself.
	 */
	const volatile sig_atomic_t *stop;
};

/* What a kind of source provides; the functions below check and forward. */
struct mm_source_ops {
	int (*run)(struct mm_source *source, const struct mm_requests *requests,
		   const struct mm_handler *handler, struct mm_error *err);
	int (*field_at)(const struct mm_event *event, size_t index, const char **name,
			struct mm_value *value);
	int (*field_text)(const struct mm_event *event, const struct mm_value *value, char *dst,
			  size_t size);
	/* Optional: members of the contexts, as field_at() */
	int (*context_at)(const struct mm_event *event, size_t index, const char **name,
			  struct mm_value *value);
	const char *(*member_at)(const struct mm_event_type *type, size_t index);
	int (*label_at)(const struct mm_event_type *type, unsigned int field, size_t index,
			struct mm_enum_label *label);
	/*
	 * Optional: may events have a context of that name? Valid before the source has run, so
	 * that the field need not be requested of traces without it.
	 */
	bool (*may_have_context)(struct mm_source *source, const char *name);
	void (*destroy)(struct mm_source *source);
};

/* What identifies the trace in a folder. */
struct mm_trace_id {
	bool has_uuid, has_boot_id;
	uint8_t uuid[16];
	uint8_t boot_id[16]; /* the UUID of LTTng's clock */
};

struct mm_missing_list;

/* The times of a packet that lacks LTTng's count of discarded events. */
struct mm_uncounted {
	int64_t begin_ns, end_ns;
};

/*
 * What is read from a trace's folders, with any reader. The code that opens the trace provides the
 * functions.
 */
struct mm_folder_ops {
	/* Fills in source->ids, which are all zeros. Returns 0, or -1: out of memory. */
	int (*identify)(struct mm_source *source, struct mm_error *err);
	/* Sets source->clock_shift_ns. Returns 0, or -1: out of memory. */
	int (*read_clock)(struct mm_source *source);
	/* Makes source->missing. Returns 0, or -1 with @err set. */
	int (*find_missing)(struct mm_source *source, struct mm_error *err);
	void (*release_missing)(struct mm_missing_list *missing);
	/*
	 * For readers that do not compare packets with checksums: reads all packets of the
	 * requested time, and fails if one is damaged. Makes source->uncounted. Returns 0, or -1
	 * with @err set.
	 */
	int (*check_packets)(struct mm_source *source, const struct mm_requests *requests,
			     struct mm_error *err);
};

/* The part that all sources have in common: the first member of each source. */
struct mm_source {
	const struct mm_source_ops *ops;
	const struct mm_folder_ops *folder_ops; /* NULL: nothing is known of its folders */
	char *path;				/* as the user gave it */
	char **folders;				/* each holds one trace's metadata */
	size_t folder_count;
	char **orphans; /* stream files in folders without metadata */
	size_t orphan_count;
/* A phrase about these, for printf() with the path of one. */
#define MM_ORPHANS_REMEDY "stream files without their metadata, as %s; copy the file metadata too"
	struct mm_trace_id *ids;	 /* one for each folder, after mm_source_identify() */
	struct mm_missing_list *missing; /* after mm_missing_find() */
	char **event_names; /* event classes that the metadata declare, known after run() */
	size_t event_name_count;
	struct mm_hash event_name_by_hash;
	struct mm_loss *losses; /* one per stream, known after run() */
	size_t loss_count, loss_room;
	/*
	 * Increases with each stream's start that is noticed when its first packet is due between
	 * the events of others, as with libbabeltrace2.
	 */
	uint64_t starts_noticed;
	char **damage; /* what was skipped, not escaped, the first MM_DAMAGE_MAX */
	size_t damage_count, announced_count; /* the latter before the first event */
	char **notes;			      /* what the handler's noted() received, not escaped */
	size_t note_count;
	/* The clock of a stream goes backwards, so the order of its events is not known. */
	bool backward;
	uint64_t event_count; /* events read, requested or not */
	/*
	 * Of these, events of streams with nothing but state dumps: no time range excludes them.
	 * Known if there are several threads, or a time range.
	 */
	uint64_t state_event_count;
	/* of the machine that was traced, as the metadata have it: hostile; NULL: not known */
	char *kernel_release;
	bool kernels_differ; /* ... by trace: then it is NULL */
	/*
	 * Timestamps of a stream go backwards, or an event is outside its packet's time range: then
	 * reading a time range may find other events than reading all does. Set by the fast reader.
	 */
	bool disordered;
	/*
	 * Events of a packet have been delivered in which something turned out to be wrong later:
	 * they may be wrong, too. Set by the fast reader, unless options.check_packets.
	 */
	bool suspect;
	/* By start and end; for libbabeltrace2, which tells when a packet ends after its events. */
	struct mm_uncounted *uncounted;
	size_t uncounted_count, uncounted_room;
	/*
	 * All times are later by this than the metadata declares: the wall clock was set after
	 * LTTng had measured the offset of the trace's clock, as snapshot.json shows.
	 */
	int64_t clock_shift_ns;
	struct mm_source_options options;
};

void mm_source_options_init(struct mm_source_options *options);

/* Does @options select a part of the trace's time? */
static inline bool mm_source_options_windowed(const struct mm_source_options *options)
{
	return options->begin_ns != INT64_MIN || options->end_ns != INT64_MAX;
}

/* Makes @options select the whole trace. */
static inline void mm_source_options_select_all(struct mm_source_options *options)
{
	options->begin_ns = INT64_MIN;
	options->end_ns = INT64_MAX;
	options->begin_base = options->end_base = (struct mm_time_base){ MM_TIME_ABSOLUTE };
}

/* Converts times to timestamps; @span is the trace's. Returns 0, or -1 with @err set. */
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

/* Does the trace declare (not: contain) events of this name? Valid during and after run(). */
bool mm_source_declares(const struct mm_source *source, const char *event_name);
/* The same of any event whose name starts with @prefix. */
bool mm_source_declares_prefix(const struct mm_source *source, const char *prefix);

/*
 * May events have a context of that name? Also true if that is not known before they are read, and
 * for NULL.
 */
bool mm_source_may_have_context(struct mm_source *source, const char *name);

/* Payload field @index of @event. Returns 0, or -1 past the last one. */
int mm_event_field_at(const struct mm_event *event, size_t index, const char **name,
		      struct mm_value *value);

/*
 * The same for the members of the contexts: those of all events of the stream, and then those of
 * the event class.
 */
int mm_event_context_at(const struct mm_event *event, size_t index, const char **name,
			struct mm_value *value);

/*
 * The field as text: enumerations by label (several single bits joined by `|`), integers in their
 * base, structures as `{ a = 1, b = 2 }`; strings escaped for a terminal. Always terminated.
 */
void mm_event_field_text(const struct mm_event *event, const struct mm_value *value, char *dst,
			 size_t size);

/* The name of payload member @index of the events of a class; NULL past the last one. */
const char *mm_event_type_member_at(const struct mm_event_type *type, size_t index);

/*
 * Label @index of requested field @field (of its elements where it is an array), if that is an
 * enumeration; a label of several ranges is returned once for each. Returns 0, or -1 past the last
 * one.
 */
int mm_event_type_label_at(const struct mm_event_type *type, unsigned int field, size_t index,
			   struct mm_enum_label *label);

/* Fills in source->ids, from the metadata. Returns 0, or -1: out of memory. */
int mm_source_identify(struct mm_source *source, struct mm_error *err);

/*
 * For sources: offers the class to the consumer. type->request is the request that its name
 * matches, and its fields have their kinds; type->request becomes -1 if it does not meet the
 * request, or if the consumer refuses it. Returns 0, or -1 with @err set.
 */
int mm_source_bind(struct mm_source *source, const struct mm_requests *requests,
		   const struct mm_handler *handler, struct mm_event_type *type,
		   struct mm_error *err);

/* For sources: notes a declared event class. */
int mm_source_declare(struct mm_source *source, const char *event_name);
/*
 * For sources: notes the kernel release that a trace's metadata have. Returns 0, or -1: out of
 * memory.
 */
int mm_source_note_kernel(struct mm_source *source, const char *release);
/* For sources: keeps the line for reports, and calls @handler's damaged(). */
#define MM_DAMAGE_MAX 16
void mm_source_damage(struct mm_source *source, const struct mm_handler *handler,
		      const char *message, bool truncated);
/* For sources: keeps the note, and calls @handler's noted(). Returns 0, or -1: out of memory. */
int mm_source_note(struct mm_source *source, const struct mm_handler *handler, const char *message);
/*
 * For sources: makes the loss record of a stream that has none yet. The source must note which
 * stream it belongs to, as a stream's name does not identify it. Returns NULL when out of memory.
 * The array moves as it grows: keep the record's index.
 */
struct mm_loss *mm_source_add_loss(struct mm_source *source, const char *stream, uint32_t cpu);
/* For sources: notes in @loss that its stream may have events @event, of request @number. */
void mm_source_may_have(struct mm_loss *loss, const struct mm_requests *requests, int number,
			const char *event);

#endif /* LTTNG_MM_EVENTS_SOURCE_H */
