// SPDX-License-Identifier: LGPL-2.1-only
/* Accounts that are left out of the figures. */
#include "analysis/slab/listed.h"

#include <stdlib.h>

#include "analysis/slab/report/select.h"

/* slab_accounts.leaves_out of a second reading. */
static enum slab_left_out was_left_out(void *user, uint32_t number, const struct slab_op *op)
{
	const struct slab_state *state = user;

	(void)op;
	return number < state->unlisted_count ? state->unlisted[number] : SLAB_LISTED;
}

/* ... of the first. */
static enum slab_left_out is_recorder(void *user, uint32_t number, const struct slab_op *op)
{
	struct slab_state *state = user;

	(void)number;
	return mm_selection_of(&state->selection, op->key.tid, -1, op->time_ns, &state->selected) ==
			       MM_SELECTED_RECORDER
		       ? SLAB_RECORDER
		       : SLAB_LISTED;
}

void slab_listed_start(struct slab_state *state)
{
	struct slab_accounts *accounts = &state->tracker.pairing.accounts;

	accounts->user = state;
	if (state->unlisted)
		accounts->leaves_out = was_left_out;
	else if (state->selection.no_recorder)
		accounts->leaves_out = is_recorder;
	state->selection.boot_ns = state->boot_ns;
}

int slab_listed_again(const struct slab_state *state, const struct slab_options *options,
		      uint8_t **unlisted)
{
	const struct slab_accounts *accounts = state->results.accounts;
	uint32_t count = slab_accounts_count(accounts);
	bool differs = slab_filters_objects(options) != state->tracker.remote.of_listed;

	*unlisted = calloc(count, sizeof(**unlisted));
	if (!*unlisted)
		return -1;
	/* The account 0 is nobody. */
	for (uint32_t i = 1; i < count; i++) {
		(*unlisted)[i] =
			!options->report.include_recorder &&
					slab_recorder_is_account(state->results.recorder, i)
				? SLAB_RECORDER
			: slab_matches_account(&state->results, options, i) ? SLAB_LISTED
									    : SLAB_FILTERED;
		differs |= (*unlisted)[i] != accounts->unlisted[i];
	}
	if (differs)
		return 0;
	free(*unlisted);
	*unlisted = NULL;
	return 0;
}

void slab_listed_take(struct slab_state *state, uint8_t *unlisted, uint32_t count)
{
	state->unlisted = unlisted;
	state->unlisted_count = count;
}
