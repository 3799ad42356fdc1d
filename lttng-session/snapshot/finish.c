// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes a snapshot with its system information and snapshot.json. Publishes the folder atomically
 * when it is complete.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reader/coverage/certify/certify.h"
#include "lttng-session/snapshot/notes.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/recorder/repairs.h"
#include "lttng-session/snapshot/json.h"
#include "lttng-session/snapshot/retention.h"
#include "lttng-session/snapshot/work.h"
#include "util/checksums.h"
#include "util/duration.h"

/*
 * Adds a note that states why @file is missing. In @why, replaces paths below the descriptor @made
 * by paths below @path.
 */
static void note_gap(struct snapshot_notes *notes, const char *why, const char *file, int made,
		     const char *path)
{
	char prefix[64], opened[64];
	const char *at;

	snprintf(prefix, sizeof(prefix), "snapshot: sysinfo/%s: ", file);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", made);
	if (!strncmp(why, prefix, strlen(prefix)))
		why += strlen(prefix);
	at = strstr(why, opened);
	if (at)
		snapshot_note(notes, true, "snapshot: %s: sysinfo/%s is missing: %.*s%s%s", path,
			      file, (int)(at - why), why, path, at + strlen(opened));
	else
		snapshot_note(notes, true, "snapshot: %s: sysinfo/%s is missing: %s", path, file,
			      why);
}

static void note_sysinfo(const struct sysinfo_gaps *gaps, int made, const char *path,
			 struct snapshot_notes *notes)
{
	if (gaps->kaslr == SYSINFO_KASLR_REVEALED)
		snapshot_note(notes, false, "%s", SYSINFO_KASLR_NOTE);
	for (size_t i = 0; i < gaps->count; i++)
		note_gap(notes, gaps->all[i].err.message, gaps->all[i].file, made, path);
}

/* Writes the frozen traces to @made, or moves the session daemon's traces there. */
static int write_traces(struct snapshot *snapshot, int made, struct mm_error *err)
{
	if (!snapshot->ring)
		return snapshot_collect_rings(snapshot, made, snapshot->name,
					      sizeof(snapshot->name), err) ||
				       snapshot_collect_states(snapshot, made, err)
			       ? -1
			       : 0;
	if (snapshot_write_frozen(snapshot, made, err))
		return -1;
	return snapshot->state ? 0 : snapshot_collect_states(snapshot, made, err);
}

/* Sets the same clock offset in all traces, unless the freeze has already done so. */
static void use_one_clock(struct snapshot *snapshot, int made, struct snapshot_notes *notes)
{
	struct mm_error why = MM_ERROR_INIT;

	if (snapshot->ring && (snapshot->state || !snapshot->states.count))
		return;
	if (snapshot->rings.count + snapshot->states.count < 2 || !snapshot_unify_clocks(made))
		return;
	mm_error_set(
		&why, MM_EXIT_ENVIRONMENT,
		"snapshot: %s: the clock offsets in the metadata of the traces cannot be made equal",
		snapshot->request.session);
	snapshot_remark(
		snapshot, notes, &why,
		"The clock offsets of the traces differ: times in different traces are off by microseconds, or by more if the clock was set between the starts of their sessions.");
}

/* Returns the time of the request on the traces' clock, or INT64_MIN if it is unknown. */
static int64_t find_requested(const struct snapshot *snapshot, const struct snapshot_window *window)
{
	if (snapshot->ring)
		return snapshot_frozen_request(snapshot);
	return window->has_clock ? window->zero_ns + snapshot->request.requested.monotonic_ns
				 : INT64_MIN;
}

/*
 * Reads the traces' clock and the wall clock at the same instant: at the freeze, or now if there
 * was no freeze.
 */
static void find_clock(const struct snapshot *snapshot, const struct snapshot_window *window,
		       struct snapshot_clock *clock)
{
	int64_t monotonic_ns;

	*clock = (struct snapshot_clock){ .trace_ns = INT64_MIN };
	if (snapshot->ring) {
		snapshot_frozen_clock(snapshot, clock);
	} else if (window->has_clock) {
		snapshot_clocks(&monotonic_ns, &clock->realtime_ns);
		clock->trace_ns = window->zero_ns + monotonic_ns;
	}
}

static int64_t wall_shift_ns(const struct snapshot_clock *clock)
{
	return clock->trace_ns == INT64_MIN ? 0 : clock->realtime_ns - clock->trace_ns;
}

/* Adds a note if the buffers did not reach back to the start of the requested time range. */
static void note_window(const struct snapshot *snapshot, const struct snapshot_window *window,
			int64_t requested_ns, struct snapshot_notes *notes)
{
	const struct snapshot_request *request = &snapshot->request;
	char held[MM_DURATION_TEXT], wanted[MM_DURATION_TEXT];
	int64_t covered_ns = requested_ns - window->start_ns;

	if (!window->known || requested_ns == INT64_MIN)
		return;
	if (request->after_ns > 0 && covered_ns < 0) {
		mm_duration_format(held, sizeof(held), -covered_ns);
		mm_duration_format(wanted, sizeof(wanted), request->after_ns);
		snapshot_note(
			notes, true,
			"snapshot: --after: the buffers are too small to hold the %s after the request: complete coverage of all CPUs starts only %s after the request; record with larger buffers",
			wanted, held);
	} else if (request->last_ns >= 0 && covered_ns < request->last_ns) {
		mm_duration_format(held, sizeof(held), covered_ns < 0 ? 0 : covered_ns);
		mm_duration_format(wanted, sizeof(wanted), request->last_ns);
		snapshot_note(
			notes, true,
			"snapshot: --last: the buffers do not reach back %s: complete coverage of all CPUs starts %s before the request; record with larger buffers",
			wanted, held);
	}
}

/* Stores the verdict of the certificate and its first reason. */
static void note_verdict(const struct mm_certificate *certificate, struct snapshot_result *result)
{
	result->complete = certificate->verdict == MM_VERDICT_COMPLETE;
	if (!result->complete)
		mm_error_set(&result->why, MM_EXIT_INCOMPLETE, "%s: %s",
			     mm_verdict_name(certificate->verdict),
			     certificate->why_count ? certificate->why[0] : "no reason is known");
}

/*
 * Adds a note that states why there is no certificate. Makes the paths in @why relative to the
 * snapshot by removing @folder.
 */
static void note_uncertified(const struct mm_error *why, const char *folder,
			     struct snapshot_notes *notes)
{
	const char *reason = why->code == MM_EXIT_INCOMPLETE ? "out of memory" : why->message;
	const char *at = strstr(reason, folder);

	snapshot_note(
		notes, true,
		"snapshot: the coverage of the snapshot cannot be certified, so " MM_SNAPSHOT_FILE
		" has no certificate: %.*s%s",
		at ? (int)(at - reason) : 0, reason, at ? at + strlen(folder) + 1 : reason);
}

/*
 * Derives the coverage certificate of the traces in @made. If all streams cover a common interval,
 * sets the start of @window to the interval's start. This may be earlier than all packets, because
 * a stream without events covers more time than its packets. Returns a new reference, or NULL if
 * the coverage cannot be certified.
 */
static json_t *certify_snapshot(const struct snapshot *snapshot, int made, int64_t requested_ns,
				const struct snapshot_clock *clock, struct snapshot_window *window,
				struct snapshot_result *result, struct snapshot_notes *notes)
{
	json_t *facts = snapshot_facts(snapshot), *json = NULL;
	struct mm_certificate certificate;
	char folder[64];

	snprintf(folder, sizeof(folder), "/proc/self/fd/%d", made);
	result->complete = false;
	mm_certificate_init(&certificate);
	if (!facts) {
		mm_error_set(&result->why, MM_EXIT_ENVIRONMENT, "out of memory");
	} else if (!certify(folder, facts, requested_ns, wall_shift_ns(clock), &certificate,
			    &result->why)) {
		note_verdict(&certificate, result);
		if (certificate.has_shared)
			window->start_ns = certificate.shared_start_ns;
		json = mm_certificate_to_json(&certificate);
	}
	mm_certificate_release(&certificate);
	json_decref(facts);
	if (!json)
		note_uncertified(&result->why, folder, notes);
	return json;
}

static bool has_session(const struct snapshot_sessions *sessions, const char *name)
{
	for (size_t i = 0; i < sessions->count; i++)
		if (!strcmp(sessions->all[i].name, name))
			return true;
	return false;
}

/* Returns an array of the recorder daemon's repairs of the snapshot's sessions, a new reference. */
static json_t *find_repairs(const struct snapshot *snapshot)
{
	json_t *all = repairs_read(), *found = json_array(), *repair;
	size_t i;

	json_array_foreach(all, i, repair)
	{
		const char *name = json_string_value(json_object_get(repair, "session"));

		if (name &&
		    (has_session(&snapshot->rings, name) || has_session(&snapshot->states, name)))
			json_array_append(found, repair);
	}
	json_decref(all);
	return found;
}

/* Writes the checksums. After this call, readers verify each packet that they read. */
static int write_sums(struct snapshot *snapshot, int made, bool *complete,
		      struct snapshot_notes *notes, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;

	if (snapshot_write_checksums(snapshot, made, complete, err))
		return -1;
	if (*complete)
		return 0;
	mm_error_set(&why, MM_EXIT_ENVIRONMENT,
		     "snapshot: %s: some files of the session daemon cannot be read",
		     snapshot->request.session);
	snapshot_remark(
		snapshot, notes, &why,
		"Some checksums could not be computed: the files without them are not checked for damage inside packets.");
	return 0;
}

/*
 * Returns the checksum of sysinfo/traces.json. That file contains the checksums of the other system
 * information, so readers can detect a file of another snapshot. Returns a new reference, or NULL
 * if there is no traces.json.
 */
static json_t *sum_sysinfo(int made)
{
	char text[16];
	uint32_t crc;

	if (mm_crc32c_file(made, "sysinfo/traces.json", &crc))
		return NULL;
	snprintf(text, sizeof(text), "%08" PRIx32, crc);
	return json_pack("{s:s}", "traces.json", text);
}

/* Writes the checksums, derives the certificate from the packets, and writes snapshot.json. */
static int write_json(struct snapshot *snapshot, int made, struct snapshot_window *window,
		      struct snapshot_result *result, struct snapshot_notes *notes,
		      struct mm_error *err)
{
	struct snapshot_times frozen;
	struct snapshot_facts facts = {
		.request = &snapshot->request,
		.requested_trace_ns = find_requested(snapshot, window),
		.filters = snapshot->filters,
		.repairs = find_repairs(snapshot),
		.has_addresses = snapshot->gaps.kaslr == SYSINFO_KASLR_REVEALED,
	};

	if (snapshot->ring) {
		snapshot_frozen_times(snapshot, &frozen);
		facts.frozen = &frozen;
	}
	find_clock(snapshot, window, &facts.clock);
	facts.certificate = certify_snapshot(snapshot, made, facts.requested_trace_ns, &facts.clock,
					     window, result, notes);
	note_window(snapshot, window, facts.requested_trace_ns, notes);
	if (write_sums(snapshot, made, &facts.has_all_sums, notes, err)) {
		json_decref(facts.certificate);
		json_decref(facts.repairs);
		return -1;
	}
	facts.sysinfo = sum_sysinfo(made);
	facts.notes = snapshot->notes;
	return snapshot_json_write(made, &facts, err);
}

/*
 * Creates the pin (retention.h) while the snapshot is unfinished, so that the snapshot never exists
 * without it.
 */
static int write_pin(int made)
{
	FILE *pin = folder_make_file(made, RETENTION_PIN);

	return pin ? fclose(pin) : -1;
}

/* Writes everything to the folder @made, and syncs it to the disk. */
static int fill(struct snapshot *snapshot, int made, struct snapshot_result *result,
		struct snapshot_notes *notes, struct mm_error *err)
{
	const struct snapshot_request *request = &snapshot->request;
	struct snapshot_window window = { .known = false };

	if (write_traces(snapshot, made, err))
		return -1;
	use_one_clock(snapshot, made, notes);
	/*
	 * Reading the window requires reading all packet headers, so do it only if the window is
	 * needed.
	 */
	if (!snapshot->ring || request->last_ns >= 0 || request->after_ns > 0)
		snapshot_window_read(made, &window);
	/*
	 * The session daemon may report success even if it could not write everything, so check the
	 * traces.
	 */
	if (!snapshot->ring && window.truncated && !snapshot_has_room(snapshot))
		return snapshot_fail_full(snapshot, SNAPSHOT_DAEMON_FULL, err);
	sysinfo_write(made, snapshot->modules, snapshot->request.session, NULL, snapshot->partial,
		      &snapshot->gaps);
	if (write_json(snapshot, made, &window, result, notes, err))
		return -1;
	if (request->pin && write_pin(made))
		return snapshot_fail(err, RETENTION_PIN);
	/* Only warn on failure, because some filesystems have no modes. */
	if (access_set(made, request->access))
		snapshot_note(
			notes, true,
			"snapshot: the access modes cannot be set: %s; other users may be able to read the snapshot",
			strerror(errno));
	return folder_sync(made) ? snapshot_fail(err, "fsync") : 0;
}

static int publish(struct snapshot *snapshot, int made, struct snapshot_result *result,
		   struct snapshot_notes *notes, struct mm_error *err)
{
	const bool promised = snapshot->promised[0];
	enum staging_published how = staging_publish(
		&snapshot->staging, STAGING_MADE, snapshot->name, sizeof(snapshot->name), promised);

	snprintf(result->path, sizeof(result->path), "%.*s/%s", (int)snapshot->path_length,
		 snapshot->path, snapshot->name);
	if (how == STAGING_FAILED)
		return snapshot_fail(err, result->path);
	snapshot_note_name(notes, how, result->path);
	if (folder_sync_names(snapshot->output))
		snapshot_note(
			notes, true,
			"snapshot: %s: not certain to be on the disk, so it may be lost if the machine crashes: %s",
			result->path, strerror(errno));
	note_sysinfo(&snapshot->gaps, made, result->path, notes);
	return 0;
}

int snapshot_finish(struct snapshot *snapshot, struct snapshot_result *result,
		    struct snapshot_notes *notes, struct mm_error *err)
{
	int made, ret;

	memset(result, 0, sizeof(*result));
	made = folder_make(snapshot->staging.folder, STAGING_MADE, 0700);
	ret = made < 0 ? snapshot_fail(err, snapshot->path)
		       : fill(snapshot, made, result, notes, err);
	if (!ret)
		ret = publish(snapshot, made, result, notes, err);
	if (made >= 0)
		close(made);
	if (ret)
		snapshot_explain_full(snapshot, err);
	return ret;
}
