// SPDX-License-Identifier: LGPL-2.1-only
/* Packets without checksums that contain an impossible event. */
#include "reader/coverage/suspects.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

static int compare(const void *left, const void *right)
{
	const struct mm_suspect *x = left, *y = right;
	int order = strcmp(x->file, y->file);

	return order ? order : (x->packet_at > y->packet_at) - (x->packet_at < y->packet_at);
}

int mm_suspects_add(struct mm_suspects *suspects, const struct mm_suspect *suspect)
{
	struct mm_suspect *grown, *made;

	if (suspects->count && !compare(&suspects->all[suspects->count - 1], suspect))
		return 0;
	grown = mm_array_grow(suspects->all, suspects->count, &suspects->room, sizeof(*grown));
	if (!grown)
		return -1;
	suspects->all = grown;
	made = &grown[suspects->count];
	*made = *suspect;
	made->file = strdup(suspect->file);
	made->what = strdup(suspect->what);
	if (made->file && made->what) {
		suspects->count++;
		return 0;
	}
	free(made->file);
	free(made->what);
	return -1;
}

void mm_suspects_sort(struct mm_suspects *suspects)
{
	if (suspects->count)
		qsort(suspects->all, suspects->count, sizeof(*suspects->all), compare);
}

const struct mm_suspect *mm_suspects_find(const struct mm_suspects *suspects, const char *file,
					  uint64_t packet_at)
{
	const struct mm_suspect wanted = { .file = (char *)file, .packet_at = packet_at };

	if (!suspects || !suspects->count)
		return NULL;
	return bsearch(&wanted, suspects->all, suspects->count, sizeof(*suspects->all), compare);
}

void mm_suspects_release(struct mm_suspects *suspects)
{
	for (size_t i = 0; i < suspects->count; i++) {
		free(suspects->all[i].file);
		free(suspects->all[i].what);
	}
	free(suspects->all);
	*suspects = (struct mm_suspects){ NULL };
}
