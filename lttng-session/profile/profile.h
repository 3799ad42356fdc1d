/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Profiles: what a recorder records, as commented files.
 *
 * A profile NAME is the file NAME.conf in /etc/lttng-mm/profiles, or else in the folder
 * share/lttng-mm/profiles of the installation that the running program belongs to.
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
/* Events or contexts in one list of a profile. */
#define PROFILE_LIST_MAX 256
/* Of a profile, the first one included; LTTng itself has no limit. */
#define PROFILE_CHANNELS_MAX 8
#define PROFILE_CHANNEL_NAME_MAX 32

/* The profile of LTTng's own events that are named on the command line; it has no file. */
#define PROFILE_EVENTS "events"
/* What precedes the name of a system call in a list of events. */
#define PROFILE_SYSCALL "syscall:"

struct event_names;
struct mm_requirement;

/* Names in the order of the file; @names ends with NULL. */
struct profile_list {
	char **names;
	unsigned int *lines; /* of the file that each name is in */
	size_t count;
};

/*
 * Events that have a ring buffer of their own on each CPU, which those of other channels cannot
 * overwrite.
 */
struct profile_channel {
	char name[PROFILE_CHANNEL_NAME_MAX]; /* empty: the first one */
	uint64_t subbuf_bytes;		     /* a power of two */
	uint64_t subbuf_count;		     /* per CPU, a power of two */
	struct profile_list events;	     /* names, patterns that LTTng accepts, syscall:NAME */
};

struct profile {
	char name[PROFILE_NAME_MAX];
	char file[PATH_MAX];			  /* for messages; empty for PROFILE_EVENTS */
	char *description;			  /* or NULL */
	char *module;				  /* the probe to load; NULL: none */
	const struct mm_requirement *requirement; /* of the machine; NULL: none */
	bool attach_first;			  /* a temporary session is started first */
	/* The first one is that of the sections [buffers] and [events]; there is always one. */
	struct profile_channel channels[PROFILE_CHANNELS_MAX];
	size_t channel_count;
	struct profile_list state_events;	/* names of the state dump; may be empty */
	struct profile_list contexts;		/* as lttng-add-context(1) names them */
	struct profile_list callstack_contexts; /* further ones of --callstack; empty: refused */
	struct profile_triggers triggers;
};

/* Reads and checks the profile @name. NULL with @err set: unknown, or malformed. */
struct profile *profile_load(const char *name, struct mm_error *err);

/*
 * The same for an open file, which messages name @path. Bytes beyond 64 KiB, and lines of more than
 * 190 bytes, are refused.
 */
struct profile *profile_parse(FILE *in, const char *name, const char *path, struct mm_error *err);

/*
 * The profile PROFILE_EVENTS of the events in @list, separated by commas. NULL with @err set.
 */
struct profile *profile_of_events(const char *list, struct mm_error *err);

void profile_destroy(struct profile *profile);

/* Is there a file of the profile @name? It may be malformed. */
bool profile_exists(const char *name);

/*
 * The names of all profiles, separated by commas: those of the subsystems first. Release with
 * free(). NULL: out of memory.
 */
char *profile_names(void);

/*
 * Does @profile have events of others than this project, whose fields may contain addresses that
 * reveal where KASLR placed the kernel? Functions that were added with --raw do so, too, which the
 * caller must know.
 */
bool profile_reveals_kaslr(const struct profile *profile);

/*
 * Refuses events that are in two channels, which LTTng would record twice: @known are the events
 * that exist. Patterns of functions, which are added later, must not have a name in common. Returns
 * 0, or -1 with @err set, to the file and the line of the second one.
 */
int profile_check_channels(const struct profile *profile, const struct event_names *known,
			   struct mm_error *err);

/* Does it record calls of functions? */
bool profile_has_functions(const struct profile *profile);
/*
 * Replaces the entries and exits of functions by their calls, fn_NAME_call. Returns 0, or -1 with
 * @err set: out of memory; then the profile can only be destroyed.
 */
int profile_use_calls(struct profile *profile, struct mm_error *err);

/* Parses a power of two of at least @least, with suffix k, M or G. Returns 0 if it is not one. */
uint64_t profile_parse_size(const char *text, uint64_t least);

#endif /* LTTNG_MM_SESSION_PROFILE_H */
