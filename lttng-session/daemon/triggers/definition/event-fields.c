// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the fields of events from the metadata of a short session. */
#include "lttng-session/daemon/triggers/definition/event-fields.h"

#include <errno.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/profile/profile.h"
#include "lttng-session/system/session-daemon.h"
#include "lttng-session/system/folder.h"
#include "reader/ctf/metadata/metadata.h"

#define CHANNEL "check"
/*
 * Templates of session names, for root and for other users. They differ from the names of
 * recorders' sessions, "lttng-mm-...".
 */
#define SESSION "check-mm-XXXXXX"
#define USER_SESSION "check-user-XXXXXX"
#define PARENT "/tmp"
/* LTTng's minimum sizes are enough, because the session records nothing. */
#define SUBBUF_BYTES 4096
#define SUBBUF_COUNT 2

struct field_session {
	char folder[64];
	const char *name; /* name of the session, the last part of @folder */
	struct mm_error *err;
};

static int fail(struct field_session *session, const char *what, int code)
{
	return mm_error_set(session->err, MM_EXIT_ENVIRONMENT,
			    "the tracer cannot describe the event: %s: %s%s", what,
			    lttng_strerror(code), daemon_remedy(code));
}

static int create(struct field_session *session)
{
	struct lttng_session_descriptor *descriptor =
		lttng_session_descriptor_local_create(session->name, session->folder);
	enum lttng_error_code code;

	if (!descriptor)
		return fail(session, "session", -LTTNG_ERR_NOMEM);
#ifdef LTTNG_MM_HAVE_TRACE_FORMAT
	lttng_session_descriptor_set_trace_format(descriptor, LTTNG_TRACE_FORMAT_CTF_1_8);
#endif
	code = lttng_create_session_ext(descriptor);
	lttng_session_descriptor_destroy(descriptor);
	return code == LTTNG_OK ? 0 : fail(session, "session", -(int)code);
}

/* Adds the channel. The channel is disabled later, but the metadata still describes its events. */
static int add_channel(struct field_session *session, struct lttng_handle *handle,
		       struct lttng_domain *domain)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	int ret = -LTTNG_ERR_NOMEM;

	if (channel) {
		strcpy(channel->name, CHANNEL);
		channel->enabled = 1;
		channel->attr.overwrite = 0;
		channel->attr.subbuf_size = SUBBUF_BYTES;
		channel->attr.num_subbuf = SUBBUF_COUNT;
		channel->attr.output = LTTNG_EVENT_MMAP;
		ret = lttng_enable_channel(handle, channel);
	}
	lttng_channel_destroy(channel);
	return ret < 0 ? fail(session, "channel", ret) : 0;
}

static int add_event(struct field_session *session, struct lttng_handle *handle, const char *name)
{
	const size_t prefix = strlen(PROFILE_SYSCALL);
	bool call = !strncmp(name, PROFILE_SYSCALL, prefix);
	struct lttng_event *event = lttng_event_create();
	int ret = -LTTNG_ERR_NOMEM;

	if (event) {
		event->type = call ? LTTNG_EVENT_SYSCALL : LTTNG_EVENT_TRACEPOINT;
		event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
		snprintf(event->name, sizeof(event->name), "%s", call ? name + prefix : name);
		ret = lttng_enable_event(handle, event, CHANNEL);
	}
	lttng_event_destroy(event);
	/* The event may be enabled already, because two triggers may name the same event. */
	return ret < 0 && ret != -LTTNG_ERR_KERN_EVENT_EXIST ? fail(session, name, ret) : 0;
}

static int describe(struct field_session *session, const char *const *names, size_t count,
		    size_t required)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(session->name, &domain);
	int ret = handle ? 0 : fail(session, "session", -LTTNG_ERR_NOMEM), code;

	if (!ret)
		ret = add_channel(session, handle, &domain);
	for (size_t i = 0; i < count && !ret; i++) {
		ret = add_event(session, handle, names[i]);
		if (ret && i >= required) {
			mm_error_clear(session->err);
			ret = 0;
		}
	}
	if (!ret && (code = lttng_disable_channel(handle, CHANNEL)) < 0)
		ret = fail(session, "channel", code);
	lttng_destroy_handle(handle);
	if (!ret && (code = lttng_start_tracing(session->name)) < 0)
		ret = fail(session, "session", code);
	if (!ret && (code = lttng_stop_tracing(session->name)) < 0)
		ret = fail(session, "session", code);
	return ret;
}

/* Adds the metadata to the cache under the name of each event that it describes. */
static void keep(const char *path, const struct ctf_trace_class *trace, const char *const *names,
		 size_t count, struct field_cache *cache)
{
	const char **described = calloc(count, sizeof(*described));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t described_count = 0;
	char *data = NULL;
	struct stat st;

	for (size_t i = 0; described && i < count; i++)
		if (event_fields_find(trace, names[i], false))
			described[described_count++] = names[i];
	if (fd >= 0 && !fstat(fd, &st) && described_count)
		data = malloc((size_t)st.st_size);
	if (data && read(fd, data, (size_t)st.st_size) == st.st_size)
		field_cache_add(cache, described, described_count, data, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
	free(data);
	free(described);
}

static struct ctf_trace_class *read_metadata(struct field_session *session,
					     const char *const *names, size_t count,
					     struct field_cache *cache)
{
	char path[sizeof(session->folder) + sizeof("/kernel/metadata")];
	struct mm_error why = MM_ERROR_INIT;
	struct ctf_trace_class *trace;

	snprintf(path, sizeof(path), "%s/kernel", session->folder);
	trace = ctf_metadata_read(path, &why);
	if (!trace)
		mm_error_set(session->err, MM_EXIT_ENVIRONMENT,
			     "the tracer's description of the event cannot be read: %s",
			     why.message);
	snprintf(path, sizeof(path), "%s/kernel/metadata", session->folder);
	if (trace && cache)
		keep(path, trace, names, count, cache);
	return trace;
}

static void remove_folder(const char *path)
{
	int parent = open(PARENT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (parent < 0)
		return;
	folder_remove(parent, strrchr(path, '/') + 1);
	close(parent);
}

const struct ctf_event_class *event_fields_find(const struct ctf_trace_class *trace,
						const char *name, bool exit)
{
	const size_t call = strlen(PROFILE_SYSCALL);
	const char *prefix = "";
	size_t length;

	if (!strncmp(name, PROFILE_SYSCALL, call)) {
		prefix = exit ? "syscall_exit_" : "syscall_entry_";
		name += call;
	}
	length = strlen(prefix);
	for (size_t s = 0; s < trace->stream_count; s++) {
		const struct ctf_stream_class *stream = trace->streams[s];

		for (size_t i = 0; i < stream->event_count; i++)
			if (!strncmp(stream->events[i]->name, prefix, length) &&
			    !strcmp(stream->events[i]->name + length, name))
				return stream->events[i];
	}
	return NULL;
}

static int remove_left(int parent, const char *name, void *user)
{
	struct stat st;

	if (folder_is_randomized(name, SESSION) &&
	    !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && !st.st_uid && S_ISDIR(st.st_mode))
		folder_remove(parent, name);
	return 0;
}

void event_fields_sweep(void)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);
	int parent = open(PARENT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < count; i++)
		if (folder_is_randomized(sessions[i].name, SESSION))
			lttng_destroy_session(sessions[i].name);
	free(sessions);
	if (parent < 0)
		return;
	folder_each(parent, 0, remove_left, NULL);
	close(parent);
}

/*
 * Creates a folder with a name that event_fields_sweep() recognizes. Returns 0, or -1 with errno
 * set.
 */
static int make_folder(char *name)
{
	int parent = open(PARENT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int folder = parent < 0 ? -1 : folder_make_random(parent, name);
	int error = errno;

	if (folder >= 0)
		close(folder);
	if (parent >= 0)
		close(parent);
	errno = error;
	return folder < 0 ? -1 : 0;
}

struct ctf_trace_class *event_fields_read(const char *const *names, size_t count, size_t required,
					  struct field_cache *cache, struct mm_error *err)
{
	/* The session daemon writes to this process's folder with this process's rights. */
	struct field_session session = { .err = err };
	struct ctf_trace_class *trace = NULL;
	char *name;
	int ret;

	if (cache && cache->lock >= 0)
		event_fields_sweep();
	snprintf(session.folder, sizeof(session.folder), PARENT "/%s",
		 geteuid() ? USER_SESSION : SESSION);
	name = strrchr(session.folder, '/') + 1;
	session.name = name;
	if (make_folder(name)) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, PARENT ": %s", strerror(errno));
		return NULL;
	}
	ret = create(&session);
	if (!ret) {
		ret = describe(&session, names, count, required);
		/* This call waits until the metadata is written. */
		lttng_destroy_session(session.name);
	}
	if (!ret)
		trace = read_metadata(&session, names, count, cache);
	remove_folder(session.folder);
	return trace;
}
