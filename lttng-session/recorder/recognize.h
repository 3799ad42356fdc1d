/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Identifies profiles of sessions outside the plan by their events. Example: sessions made with the
 * commands of `record --dry-run`.
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

/* Properties of a session, according to its enabled kernel events. */
struct recognized {
	/* of the profiles that the session records completely, the one with the most events */
	char profile[PROFILE_NAME_MAX];
	bool found;  /* a profile was recognized; if not, @profile is "?" */
	bool events; /* the session has events */
	bool dumps;  /* the session has state-dump events */
	bool state;  /* the session has only state-dump events */
	bool safe;   /* no event reveals the KASLR offset */
};

/* Loads the profiles; ignores malformed files. */
void recognizer_init(struct recognizer *recognizer);
void recognizer_release(struct recognizer *recognizer);

/* Gets the events of @session from the session daemon, and identifies its profile. */
void recognize(const struct recognizer *recognizer, const char *session,
	       struct recognized *recognized);

/* Does @session have a state event of the profile ("?": of any profile)? */
bool recognize_state_of(const struct recognizer *recognizer, const char *session,
			const char *profile);

#endif /* LTTNG_MM_SESSION_RECOGNIZE_H */
