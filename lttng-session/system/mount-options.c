// SPDX-License-Identifier: LGPL-2.1-only
/* Withholds the values of mount options that may be secret. */
#include "lttng-session/system/mount-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that affect memory, the page cache, DAX, or the layout of files. */
const char *const mount_options_defaults[] = {
	"allocsize",
	"block_validity",
	"commit",
	"compress",
	"data",
	"data_err",
	"dax",
	"errors",
	"gid",
	"huge",
	"init_itable",
	"inode_readahead_blks",
	"jqfmt",
	"logbsize",
	"logbufs",
	"max_batch_time",
	"min_batch_time",
	"min_size",
	"mode",
	"mpol",
	"nr_blocks",
	"nr_inodes",
	"pagesize",
	"rsize",
	"size",
	"stripe",
	"sunit",
	"swidth",
	"uid",
	"vers",
	"wsize",
	NULL,
};

void mount_options_list(struct allow_list *list)
{
	allow_read(list, "mount-options", mount_options_defaults);
}

/*
 * Returns the length of the first option. A comma after a backslash, or within quotes, is a part of
 * the option's value.
 */
static size_t option_length(const char *options)
{
	bool quoted = false;
	size_t i;

	for (i = 0; options[i] && (quoted || options[i] != ','); i++) {
		if (options[i] == '"')
			quoted = !quoted;
		else if (options[i] == '\\' && options[i + 1])
			i++;
	}
	return i;
}

/* Can @name be an option's name? If not, it may be the rest of a value that contains a comma. */
static bool is_name(const char *name, size_t length)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

	return length > 0 && strspn(name, letters) >= length;
}

char *mount_options_without_secrets(const struct allow_list *list, const char *options)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (out && *options) {
		size_t length = option_length(options), name = strcspn(options, "=,");

		if (name > length)
			name = length;
		if (!is_name(options, name))
			fputs(ALLOW_WITHHELD, out);
		else if (name == length || allow_has(list, options, name))
			fprintf(out, "%.*s", (int)length, options);
		else
			fprintf(out, "%.*s=" ALLOW_WITHHELD, (int)name, options);
		options += length;
		if (*options == ',') {
			fputc(',', out);
			options++;
		}
	}
	if (out && fclose(out)) {
		free(text);
		text = NULL;
	}
	return text;
}
