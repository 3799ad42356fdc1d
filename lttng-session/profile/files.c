// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the files of profiles. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "lttng-session/profile/profile.h"
#include "util/mounts.h"
#include "util/nearest.h"
#include "util/text.h"

#define OWN "/etc/lttng-mm/profiles"
#define INSTALLED "share/lttng-mm/profiles"
#define SUFFIX ".conf"
#define FILES_MAX 256

/*
 * Writes the folder of the installed profiles, PREFIX/share/lttng-mm/profiles. PREFIX comes from
 * the path of the running program, PREFIX/lib/lttng-mm/lttng-mm. Test programs have other names.
 * For them, the path is taken as PREFIX/bin/NAME. Returns false if PREFIX is unknown.
 */
static bool installed(char *path, size_t size)
{
	static const char own[] = "/lib/lttng-mm/lttng-mm";
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const ssize_t rest = length - (ssize_t)strlen(own);
	const bool is_own = rest >= 0 && !memcmp(program + rest, own, strlen(own));
	char *slash;

	for (int i = 0; i < (is_own ? 3 : 2) && length > 0; i++) {
		program[length] = '\0';
		slash = strrchr(program, '/');
		length = slash ? slash - program : 0;
	}
	if (length < 0)
		return false;
	return snprintf(path, size, "%.*s/" INSTALLED, (int)length, program) < (int)size;
}

/*
 * Writes the path of profile folder @number to @path. Folder 0 has precedence. Returns false if the
 * path is unknown.
 */
static bool folder(size_t number, char *path, size_t size)
{
	if (!number)
		return !mounts_path(path, size, OWN);
	return installed(path, size);
}

#define FOLDERS 2

static bool is_name(const char *name, size_t length)
{
	return length && length < PROFILE_NAME_MAX &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") >= length && *name != '-';
}

/*
 * Opens the regular file @path. With @own, refuses a file that another user could have written,
 * because root may use the file. (Installed profiles need no check, because they are as safe as the
 * installed program.) Returns NULL with errno set; ENOENT if the file does not exist.
 */
static FILE *open_file(const char *path, bool own)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *file;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st)) {
		close(fd);
		return NULL;
	}
	if (!S_ISREG(st.st_mode) ||
	    (own && !geteuid() && (st.st_uid || (st.st_mode & (S_IWGRP | S_IWOTH))))) {
		close(fd);
		errno = S_ISREG(st.st_mode) ? EPERM : EINVAL;
		return NULL;
	}
	file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

static struct profile *refuse_file(const char *path, struct mm_error *err)
{
	if (errno == EPERM)
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"profile: %s: users other than root can change it; run: chown root FILE && chmod go-w FILE",
			path);
	else
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "profile: %s: %s", path,
			     errno == EINVAL ? "not a regular file" : strerror(errno));
	return NULL;
}

static struct profile *refuse_name(const char *name, struct mm_error *err)
{
	char *known = profile_names(), *words = known ? strdup(known) : NULL, *rest = NULL;
	struct mm_nearest nearest = { .wanted = name };
	char text[MM_NEAREST_TEXT];

	for (char *word = strtok_r(words, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		mm_nearest_offer(&nearest, word);
	mm_nearest_hint(&nearest, text, sizeof(text));
	mm_error_set(err, MM_EXIT_BAD_INPUT, "record: unknown profile '%s'%s%sknown: %s", name,
		     text, *text ? " " : "; ",
		     known && *known ? known : "none, because the profiles are not installed");
	free(words);
	free(known);
	return NULL;
}

/*
 * Opens the file of the profile @name in the first folder that has one, and writes its path to
 * @path. Returns NULL with errno set; ENOENT if there is no such file.
 */
static FILE *find_file(const char *name, char *path, size_t size)
{
	bool valid = is_name(name, strlen(name)) && strcmp(name, PROFILE_EVENTS) != 0;

	for (size_t i = 0; i < FOLDERS && valid; i++) {
		size_t length;
		FILE *file;

		if (!folder(i, path, size))
			continue;
		length = strlen(path);
		if (snprintf(path + length, size - length, "/%s" SUFFIX, name) >=
		    (int)(size - length))
			continue;
		file = open_file(path, !i);
		if (file || (errno != ENOENT && errno != ENOTDIR))
			return file;
	}
	errno = ENOENT;
	return NULL;
}

struct profile *profile_load(const char *name, struct mm_error *err)
{
	char path[PATH_MAX];
	FILE *file = find_file(name, path, sizeof(path));
	struct profile *profile;

	if (!file)
		return errno == ENOENT ? refuse_name(name, err) : refuse_file(path, err);
	profile = profile_parse(file, name, path, err);
	fclose(file);
	return profile;
}

bool profile_exists(const char *name)
{
	char path[PATH_MAX];
	FILE *file = find_file(name, path, sizeof(path));

	if (file)
		fclose(file);
	return file || errno != ENOENT;
}

static bool is_listed(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static int add_folder(const char *path, char ***names, size_t *count)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int ret = 0;

	while (dir && !ret && *count < FILES_MAX && (entry = readdir(dir))) {
		char name[PROFILE_NAME_MAX];
		size_t length = strlen(entry->d_name);

		if (length <= strlen(SUFFIX))
			continue;
		length -= strlen(SUFFIX);
		if (strcmp(entry->d_name + length, SUFFIX) != 0 || !is_name(entry->d_name, length))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)length, entry->d_name);
		if (!is_listed(*names, *count, name) && strcmp(name, PROFILE_EVENTS) != 0)
			ret = mm_strings_add(names, count, name);
	}
	if (dir)
		closedir(dir);
	return ret;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *join(char *const *names, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < count; i++)
		fprintf(out, "%s%s", i ? ", " : "", names[i]);
	if (!out || !fclose(out))
		return text;
	free(text);
	return NULL;
}

char *profile_names(void)
{
	char **found = NULL, **names = NULL, path[PATH_MAX], *text = NULL;
	size_t found_count = 0, count = 0;
	int failed = 0;

	for (size_t i = 0; i < FOLDERS; i++)
		if (folder(i, path, sizeof(path)))
			failed |= add_folder(path, &found, &found_count);
	for (size_t i = 0; mm_subsystems[i]; i++)
		if (mm_subsystems[i]->profile &&
		    is_listed(found, found_count, mm_subsystems[i]->profile))
			failed |= mm_strings_add(&names, &count, mm_subsystems[i]->profile);
	if (found)
		qsort(found, found_count, sizeof(*found), compare);
	for (size_t i = 0; found && i < found_count; i++)
		if (!is_listed(names, count, found[i]))
			failed |= mm_strings_add(&names, &count, found[i]);
	if (!failed)
		text = join(names, count);
	mm_strings_release(names, count);
	mm_strings_release(found, found_count);
	return text;
}
