/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Identifies the profile of a session by its events. This is for sessions that are not in the plan,
 * for example sessions from the commands that `record --dry-run` prints.
 */
#ifndef LTTNG_MM_SESSION_RECOGNIZE_H
#define LTTNG_MM_SESSION_RECOGNIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "lttng-session/profile/profile.h"

/* All profiles that can be read. */
struct recognizer {
	struct profile **profiles;
	size_t count;
};

/* Properties of a session that follow from its enabled kernel events. */
struct recognized {
	/* the largest profile that the session records completely */
	char profile[PROFILE_NAME_MAX];
	bool found;  /* a profile was identified; if not, @profile is "?" */
	bool events; /* the session has any events */
	bool dumps;  /* the session has state-dump events */
	bool state;  /* the session has only state-dump events */
	bool safe;   /* no event can reveal the KASLR offset */
};

/* Loads all profiles. Ignores malformed files. */
void recognizer_init(struct recognizer *recognizer);
void recognizer_release(struct recognizer *recognizer);

/* Asks the session daemon for the events of @session, and identifies its profile. */
void recognize(const struct recognizer *recognizer, const char *session,
	       struct recognized *recognized);

/*
 * Does @session record a state event of @profile? If @profile is "?", checks the state events of
 * all profiles.
 */
bool recognize_state_of(const struct recognizer *recognizer, const char *session,
			const char *profile);

#endif /* LTTNG_MM_SESSION_RECOGNIZE_H */
