// SPDX-License-Identifier: LGPL-2.1-only
/* Watches the progress of buffers without freezing them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lttng-session/freeze/buffers.h"
#include "lttng-session/freeze/freeze.h"

bool freeze_was_cleared(const struct lttng_mm_freeze_position *before,
			const struct lttng_mm_freeze_position *now, unsigned int subbufs)
{
	/*
	 * A writer overwrites packet N when it starts packet N + @subbufs. If the buffer is not
	 * full, but its first packet has advanced, the contents were cleared.
	 */
	return now->first > before->first && now->first + subbufs > now->packet + 1;
}

/*
 * Returns the buffer's position at the last freeze_look(), or NULL if its CPU was not online then.
 */
static const struct lttng_mm_freeze_position *find_seen(const struct freeze *freeze,
							const struct lttng_mm_freeze_position *now)
{
	for (unsigned int i = 0; i < freeze->seen_count; i++)
		if (freeze->seen[i].channel == now->channel && freeze->seen[i].cpu == now->cpu)
			return &freeze->seen[i];
	return NULL;
}

/* Reads the positions of all buffers. Returns an array, or NULL with errno set. */
static struct lttng_mm_freeze_position *look(const struct freeze *freeze,
					     struct lttng_mm_freeze_positions *looked)
{
	struct lttng_mm_freeze_position *all = NULL, *grown;

	*looked = (struct lttng_mm_freeze_positions){ .room = freeze->seen_count };
	do {
		if (looked->count > looked->room)
			looked->room = looked->count;
		grown = reallocarray(all, looked->room + 1, sizeof(*all));
		if (!grown)
			break;
		all = grown;
		looked->positions = (uintptr_t)all;
		if (ioctl(freeze->device, LTTNG_MM_FREEZE_POSITIONS, looked))
			break;
		/* If a CPU has come online, the array may be too small, so try again. */
		if (looked->count <= looked->room)
			return all;
	} while (true);
	free(all);
	return NULL;
}

static void add(const struct freeze *freeze, const struct lttng_mm_freeze_position *now,
		struct freeze_progress *progress)
{
	const struct lttng_mm_freeze_position *before = find_seen(freeze, now);
	const struct freeze_channel *channel = &freeze->channels[now->channel];
	struct freeze_progress *of = &progress[channel->session];

	of->active &= now->active && now->enabled;
	of->bytes += now->written;
	if (!before || now->written != before->written)
		CPU_SET(now->cpu, &of->moved_cpus);
	if (!before)
		return;
	of->compared = true;
	of->moved |= now->written != before->written;
	of->cleared |= freeze_was_cleared(before, now, channel->is.sets - 1);
}

int freeze_look(struct freeze *freeze, struct freeze_progress *progress)
{
	struct lttng_mm_freeze_positions looked;
	struct lttng_mm_freeze_position *all = look(freeze, &looked);

	if (!all)
		return -1;
	for (unsigned int i = 0; i < freeze->session_count; i++)
		progress[i] = (struct freeze_progress){ .active = true };
	for (unsigned int i = 0; i < looked.count; i++)
		if (all[i].channel < freeze->channel_count)
			add(freeze, &all[i], progress);
	free(freeze->seen);
	freeze->seen = all;
	freeze->seen_count = looked.count;
	return 0;
}
