/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Profiles: commented files that list the events to record.
 *
 * A profile NAME is the file NAME.conf in /etc/lttng-mm/profiles, or else in
 * share/lttng-mm/profiles of the running program's installation.
 */
#ifndef LTTNG_MM_SESSION_PROFILE_H
#define LTTNG_MM_SESSION_PROFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lttng-session/profile/triggers.h"
#include "util/error.h"

#define PROFILE_NAME_MAX 32
/* Maximum number of events or contexts in one list of a profile. */
#define PROFILE_LIST_MAX 256
/* Maximum number of channels per profile, including the first. (LTTng has no limit.) */
#define PROFILE_CHANNELS_MAX 8
#define PROFILE_CHANNEL_NAME_MAX 32

/* The profile of LTTng's own events on the command line. It has no file. */
#define PROFILE_EVENTS "events"
/* Prefix of system calls in a list of events. */
#define PROFILE_SYSCALL "syscall:"

struct event_names;
struct mm_requirement;

/* Names in the order of the file; @names ends with NULL. */
struct profile_list {
	char **names;
	unsigned int *lines; /* line number of each name in the file */
	size_t count;
};

/*
 * A channel: a ring buffer per CPU for some of the events. Other channels cannot overwrite its
 * events.
 */
struct profile_channel {
	char name[PROFILE_CHANNEL_NAME_MAX]; /* empty for the first channel */
	uint64_t subbuf_bytes;		     /* a power of two */
	uint64_t subbuf_count;		     /* per CPU, a power of two */
	bool file_io;			     /* recorded with --file-io only */
	/* names, patterns that LTTng accepts, and syscall:NAME */
	struct profile_list events;
};

struct profile {
	char name[PROFILE_NAME_MAX];
	char file[PATH_MAX];			  /* path, for messages; empty for PROFILE_EVENTS */
	char *description;			  /* may be NULL */
	char *module;				  /* the probe to load; may be NULL */
	const struct mm_requirement *requirement; /* what the machine must have; may be NULL */
	bool attach_first;			  /* start a temporary session first */
	/* the first channel (sections [buffers] and [events]) always exists */
	struct profile_channel channels[PROFILE_CHANNELS_MAX];
	size_t channel_count;
	struct profile_list state_events; /* names of state-dump events; may be empty */
	struct profile_list contexts;	  /* names as in lttng-add-context(1) */
	/* further contexts for --callstack; if empty, that option is refused */
	struct profile_list callstack_contexts;
	struct profile_triggers triggers;
};

/* Reads and checks a profile. Returns NULL with @err set if it is unknown or malformed. */
struct profile *profile_load(const char *name, struct mm_error *err);

/*
 * Reads a profile from an open file; @path is for messages. Refuses files above 64 KiB, and lines
 * of more than 190 bytes.
 */
struct profile *profile_parse(FILE *in, const char *name, const char *path, struct mm_error *err);

/*
 * Creates the profile PROFILE_EVENTS with the comma-separated events in @list. Returns NULL with
 * @err set on failure.
 */
struct profile *profile_of_events(const char *list, struct mm_error *err);

void profile_destroy(struct profile *profile);

/* Does a file of the profile @name exist? It may be malformed. */
bool profile_exists(const char *name);

/*
 * Returns the names of all profiles, separated by commas; profiles of subsystems come first. NULL
 * when out of memory. Release with free().
 */
char *profile_names(void);

/*
 * Does @profile record events of other providers? Their fields may contain addresses, which reveal
 * the KASLR offset. The caller must check for functions added with --raw, because their fields may
 * contain addresses, too.
 */
bool profile_reveals_kaslr(const struct profile *profile);

/*
 * Refuses events that two channels record: LTTng would record them twice. @known: the existing
 * events. Patterns of functions must not be able to match one name, because functions may be added
 * later. Returns 0, or -1 with @err set to file and line of the second occurrence.
 */
int profile_check_channels(const struct profile *profile, const struct event_names *known,
			   struct mm_error *err);

/* Does the profile record function events? */
bool profile_has_functions(const struct profile *profile);
/*
 * Replaces the entries and exits of functions by their calls, fn_NAME_call. Returns 0; or -1 with
 * @err set when out of memory, and the profile can then only be destroyed.
 */
int profile_use_calls(struct profile *profile, struct mm_error *err);

/* Does the profile have a channel that is recorded with --file-io only? Removes such channels. */
bool profile_has_file_io(const struct profile *profile);
void profile_leave_out_file_io(struct profile *profile);

/*
 * Parses a power of two, @least or more, with an optional suffix k, M or G. Returns 0 for any other
 * text.
 */
uint64_t profile_parse_size(const char *text, uint64_t least);

#endif /* LTTNG_MM_SESSION_PROFILE_H */
