// SPDX-License-Identifier: LGPL-2.1-only
/* Splits a command into words. */
#include <stdlib.h>
#include <string.h>

#include "lttng-session/daemon/triggers/command.h"
#include "util/text.h"

#define BLANKS " \t\n"

/*
 * Appends the quoted text to *@word. Returns the position after the closing quote, or NULL if there
 * is none.
 */
static const char *take_quoted(const char *at, char **word)
{
	char quote = *at++;

	for (; *at != quote; *(*word)++ = *at++) {
		if (quote == '"' && *at == '\\' && at[1] && strchr("\"\\$`", at[1]))
			at++;
		if (!*at)
			return NULL;
	}
	return at + 1;
}

/* Reads one word into @word, which has enough room. Returns like take_quoted(). */
static const char *take_word(const char *at, char *word)
{
	while (at && *at && !strchr(BLANKS, *at)) {
		if (*at == '\'' || *at == '"') {
			at = take_quoted(at, &word);
			continue;
		}
		if (*at == '\\' && !*++at)
			return NULL;
		*word++ = *at++;
	}
	*word = '\0';
	return at;
}

int command_split(const char *text, char ***words, size_t *count, struct mm_error *err)
{
	char *word = malloc(strlen(text) + 1);
	const char *at = text, *why = word ? NULL : "out of memory";

	*words = NULL;
	*count = 0;
	while (!why && *(at += strspn(at, BLANKS))) {
		at = take_word(at, word);
		if (!at)
			why = "the closing quote, or the character after a backslash, is missing";
		else if (mm_strings_add(words, count, word))
			why = "out of memory";
	}
	free(word);
	if (!why)
		return 0;
	mm_strings_release(*words, *count);
	*words = NULL;
	*count = 0;
	return mm_error_set(err, at ? MM_EXIT_ENVIRONMENT : MM_EXIT_BAD_INPUT, "%s: %s", text, why);
}

int command_check(const struct trigger *trigger, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	size_t count = 0;
	char **words;

	if (!trigger->run)
		return 0;
	if (command_split(trigger->run, &words, &count, &why))
		return trigger_error(trigger, err, why.code, "\"run\": %s", why.message);
	mm_strings_release(words, count);
	return count ? 0
		     : trigger_error(trigger, err, MM_EXIT_BAD_INPUT,
				     "\"run\": the command is empty");
}
