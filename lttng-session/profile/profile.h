/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Profiles: commented files that list the events to record.
 *
 * The profile NAME is the file NAME.conf in /etc/lttng-mm/profiles. If there is none, it is
 * NAME.conf in share/lttng-mm/profiles of the installation of the running program.
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
/* Maximum number of channels of a profile, including the first channel. (LTTng has no limit.) */
#define PROFILE_CHANNELS_MAX 8
#define PROFILE_CHANNEL_NAME_MAX 32

/*
 * Name of the profile that `record --events` creates for LTTng's own events. This profile has no
 * file.
 */
#define PROFILE_EVENTS "events"
/* Prefix of the name of a system call in a list of events. */
#define PROFILE_SYSCALL "syscall:"

struct event_names;
struct mm_requirement;

/* Names in the order of the file. @names is terminated by NULL. */
struct profile_list {
	char **names;
	unsigned int *lines; /* line number of each name in the file */
	size_t count;
};

/*
 * A channel has a ring buffer per CPU for some of the profile's events. Events in other channels do
 * not overwrite these events.
 */
struct profile_channel {
	char name[PROFILE_CHANNEL_NAME_MAX]; /* name; empty for the first channel */
	uint64_t subbuf_bytes;		     /* a power of two */
	uint64_t subbuf_count;		     /* number of sub-buffers per CPU, a power of two */
	bool file_io;			     /* the channel is recorded only with --file-io */
	/* names, patterns that LTTng accepts, and syscall:NAME */
	struct profile_list events;
};

struct profile {
	char name[PROFILE_NAME_MAX];
	char file[PATH_MAX]; /* path of the file, for messages; empty for PROFILE_EVENTS */
	char *description;   /* may be NULL */
	char *module;	     /* name of the probe module to load; may be NULL */
	/* requirement that the machine must meet; may be NULL */
	const struct mm_requirement *requirement;
	/* start a temporary session first, so that all events start at the same instant */
	bool attach_first;
	/* the first channel (sections [buffers] and [events]) always exists */
	struct profile_channel channels[PROFILE_CHANNELS_MAX];
	size_t channel_count;
	struct profile_list state_events; /* names of state-dump events; may be empty */
	struct profile_list contexts;	  /* names of contexts, as in lttng-add-context(1) */
	/* additional contexts for --callstack; if there are none, --callstack is refused */
	struct profile_list callstack_contexts;
	struct profile_triggers triggers;
};

/* Reads and checks the profile @name. Returns NULL with @err set if it is unknown or malformed. */
struct profile *profile_load(const char *name, struct mm_error *err);

/*
 * Reads a profile from an open file. Messages name the file @path. Refuses files larger than 64
 * KiB, and lines longer than 190 bytes. Returns NULL with @err set on failure.
 */
struct profile *profile_parse(FILE *in, const char *name, const char *path, struct mm_error *err);

/*
 * Creates the profile PROFILE_EVENTS with the events in @list, which are separated by commas.
 * Returns NULL with @err set on failure.
 */
struct profile *profile_of_events(const char *list, struct mm_error *err);

void profile_destroy(struct profile *profile);

/* Does a file of the profile @name exist? The file may be malformed. */
bool profile_exists(const char *name);

/*
 * Returns the names of all profiles, separated by commas, with the profiles of subsystems first.
 * Returns NULL when out of memory. Release the result with free().
 */
char *profile_names(void);

/*
 * Does @profile record events of other providers than this project's? Their fields may contain
 * addresses, which reveal the KASLR offset. The fields of functions that were added with --raw may
 * contain addresses, too; the caller must check for such functions.
 */
bool profile_reveals_kaslr(const struct profile *profile);

/*
 * Refuses events that two channels record, because LTTng would record them twice. @known are the
 * existing events. If two channels have patterns of functions, refuses patterns that can match the
 * same name, because functions may be added later. Returns 0, or -1 with @err set. The message
 * states the file, and the line of the second channel's entry.
 */
int profile_check_channels(const struct profile *profile, const struct event_names *known,
			   struct mm_error *err);

/* Does the profile record events of functions? */
bool profile_has_functions(const struct profile *profile);
/*
 * Replaces the entry and exit events of functions by their call events, fn_NAME_call. Returns 0, or
 * -1 with @err set when out of memory. After -1, the profile can only be destroyed.
 */
int profile_use_calls(struct profile *profile, struct mm_error *err);

/*
 * profile_has_file_io(): does the profile have channels that are recorded only with --file-io?
 * profile_leave_out_file_io() removes these channels.
 */
bool profile_has_file_io(const struct profile *profile);
void profile_leave_out_file_io(struct profile *profile);

/*
 * Parses a power of two that is at least @least. It may have a suffix k, M or G. Returns 0 for any
 * other text.
 */
uint64_t profile_parse_size(const char *text, uint64_t least);

#endif /* LTTNG_MM_SESSION_PROFILE_H */
