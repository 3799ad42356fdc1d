// SPDX-License-Identifier: LGPL-2.1-only
/* Decides which accounts the figures omit. */
#include "analysis/slab/omission.h"

#include <stdlib.h>

#include "analysis/slab/report/select.h"

/* slab_accounts.omit for the second reading: uses the result of slab_omission_find(). */
static enum slab_omission stored_omission(void *user, uint32_t number, const struct slab_op *op)
{
	const struct slab_state *state = user;

	(void)op;
	return number < state->omission_count ? state->omissions[number] : SLAB_COUNTED;
}

/* slab_accounts.omit for the first reading: omits the recorder. */
static enum slab_omission is_recorder(void *user, uint32_t number, const struct slab_op *op)
{
	struct slab_state *state = user;

	(void)number;
	return mm_selection_of(&state->selection, op->key.tid, -1, op->time_ns, &state->selected) ==
			       MM_SELECTED_RECORDER
		       ? SLAB_OMITTED_RECORDER
		       : SLAB_COUNTED;
}

void slab_omission_start(struct slab_state *state)
{
	struct slab_accounts *accounts = &state->tracker.pairing.accounts;

	accounts->user = state;
	if (state->omissions)
		accounts->omit = stored_omission;
	else if (state->selection.no_recorder)
		accounts->omit = is_recorder;
	state->selection.boot_ns = state->boot_ns;
}

int slab_omission_find(const struct slab_state *state, const struct slab_options *options,
		       uint8_t **omissions)
{
	const struct slab_accounts *accounts = state->results.accounts;
	uint32_t count = slab_accounts_count(accounts);
	bool differs = slab_filters_objects(options) != state->tracker.remote.counted_only;

	*omissions = calloc(count, sizeof(**omissions));
	if (!*omissions)
		return -1;
	/* Account 0 collects operations beyond the maximum, and belongs to no thread. */
	for (uint32_t i = 1; i < count; i++) {
		(*omissions)[i] =
			!options->report.include_recorder &&
					slab_recorder_is_account(state->results.recorder, i)
				? SLAB_OMITTED_RECORDER
			: slab_matches_account(&state->results, options, i)
				? SLAB_COUNTED
				: SLAB_OMITTED_BY_FILTER;
		differs |= (*omissions)[i] != accounts->omissions[i];
	}
	if (differs)
		return 0;
	free(*omissions);
	*omissions = NULL;
	return 0;
}

void slab_omission_set(struct slab_state *state, uint8_t *omissions, uint32_t count)
{
	state->omissions = omissions;
	state->omission_count = count;
}
