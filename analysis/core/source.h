/* SPDX-License-Identifier: LGPL-2.1-only */
/* A source opens a trace and hands its events, in time order over all streams, to a consumer. */
#ifndef LTTNG_MM_CORE_SOURCE_H
#define LTTNG_MM_CORE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/core/error.h"

#define MM_CPU_UNKNOWN UINT32_MAX

enum mm_kind {
	MM_KIND_NONE,		/* the event has no such field */
	MM_KIND_UNSIGNED,
	MM_KIND_SIGNED,
	MM_KIND_REAL,
	MM_KIND_STRING,
	MM_KIND_COMPOUND,	/* structure, array, variant ...: text form only */
};

/* One field of one event; valid until the event's handler returns. */
struct mm_value {
	enum mm_kind kind;
	unsigned int base;	/* preferred display base of an integer: 2, 8, 10 or 16 */
	union {
		uint64_t u;
		int64_t i;
		double r;
		const char *s;	/* as recorded: hostile */
	};
	const void *native;	/* the source's own handle of the field */
};

/* An event and the fields that a consumer wants of it. Tables of these end with a NULL name. */
struct mm_want {
	const char *event;		/* name, or "*" for every event not named before */
	const char *const *fields;	/* ends with NULL; "$ctx.NAME" is a context field */
};

#define MM_WANT_FIELDS_MAX 24

struct mm_source;

/* One event; valid until the handler returns. */
struct mm_event {
	int64_t time_ns;	/* since the Epoch */
	uint64_t clock_ns;	/* the trace clock's own value: for a kernel trace, time since boot */
	uint32_t cpu;		/* MM_CPU_UNKNOWN where the trace doesn't say */
	int want;		/* index into the wants, -1: not wanted */
	const char *name;
	const struct mm_value *fields;	/* in the want's order */
	struct mm_source *source;
	const void *native;
};

/* What one stream lost. A flight recorder's stream that starts late has lost nothing. */
struct mm_loss {
	char stream[128];
	uint32_t cpu;
	uint64_t events_discarded;
	uint64_t packets_lost;
	bool truncated;
};

/* What is told to a consumer besides events. */
struct mm_handler {
	void *user;
	int (*event)(void *user, const struct mm_event *event, struct mm_error *err);
	/* Events or packets were lost in @loss's stream, some time between @begin_ns and now. */
	void (*lost)(void *user, const struct mm_loss *loss, int64_t begin_ns);
};

/* What a kind of source provides; the functions below check and forward. */
struct mm_source_ops {
	int (*run)(struct mm_source *source, const struct mm_want *wants,
		   const struct mm_handler *handler, struct mm_error *err);
	int (*field_at)(const struct mm_event *event, size_t index, const char **name,
			struct mm_value *value);
	int (*field_text)(const struct mm_event *event, const struct mm_value *value, char *dst,
			  size_t size);
	void (*destroy)(struct mm_source *source);
};

/* The part all sources have in common; a source embeds it first. */
struct mm_source {
	const struct mm_source_ops *ops;
	char *path;		/* as the user gave it */
	char **folders;		/* each holds one trace's metadata */
	size_t folder_count;
	char **event_names;	/* event classes that the metadata declare, known after run() */
	size_t event_name_count;
	struct mm_loss *losses;	/* one per stream, known after run() */
	size_t loss_count;
	uint64_t event_count;
};

/*
 * Opens the trace in folder @path: the CTF folders in it, however deep. NULL and @err set when there
 * is none. Release with mm_source_destroy(), which takes NULL.
 */
struct mm_source *mm_source_open(const char *path, struct mm_error *err);
void mm_source_destroy(struct mm_source *source);

/* Hands every wanted event to @handler. Returns 0, or -1 with @err set; works once per source. */
int mm_source_run(struct mm_source *source, const struct mm_want *wants,
		  const struct mm_handler *handler, struct mm_error *err);

/* Does the trace declare (not: contain) events of this name? Valid during and after run(). */
bool mm_source_declares(const struct mm_source *source, const char *event_name);

/* Payload field @index of @event. Returns 0, or -1 past the last one. */
int mm_event_field_at(const struct mm_event *event, size_t index, const char **name,
		      struct mm_value *value);

/*
 * The field as text: enumerations by label (several single bits joined by `|`), integers in their
 * base, structures as `{ a = 1, b = 2 }`; strings escaped for a terminal. Always terminated.
 */
void mm_event_field_text(const struct mm_event *event, const struct mm_value *value, char *dst,
			 size_t size);

/* For sources: note a declared event class; the loss record of a stream, made when new. */
int mm_source_declare(struct mm_source *source, const char *event_name);
struct mm_loss *mm_source_loss(struct mm_source *source, const char *stream, uint32_t cpu);
/* For sources: the want that @event_name falls under, or -1. */
int mm_want_find(const struct mm_want *wants, const char *event_name);

#endif /* LTTNG_MM_CORE_SOURCE_H */
