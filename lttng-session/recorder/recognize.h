/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Recognizes sessions that are not in the plan by their events, as those of the commands that
 * `record --dry-run` prints.
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

/* What the enabled kernel events of a session show. */
struct recognized {
	char profile[PROFILE_NAME_MAX]; /* which has the most events of those that are all in it */
	bool found;			/* ... there is one; otherwise @profile is "?" */
	bool events;			/* it has events */
	bool dumps;			/* ... of a state dump */
	bool state;			/* ... and no others */
	bool safe;			/* none reveals where KASLR placed the kernel */
};

/* Profiles that are malformed are left out. */
void recognizer_init(struct recognizer *recognizer);
void recognizer_release(struct recognizer *recognizer);

/* Asks the session daemon for the events of @session. */
void recognize(const struct recognizer *recognizer, const char *session,
	       struct recognized *recognized);

/* Does @session have the first state event of the profile ("?": of any)? */
bool recognize_state_of(const struct recognizer *recognizer, const char *session,
			const char *profile);

#endif /* LTTNG_MM_SESSION_RECOGNIZE_H */
