// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests that readers accept the recorder's snapshot.json, and that the checksum in it reveals a
 * change of any byte.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/snapshot/json.h"
#include "reader/sysinfo/snapshot-json.h"
#include "tests/tap.h"

static char folder[] = "/tmp/test-snapshot-json-XXXXXX";

static void write_snapshot(void)
{
	const struct snapshot_request request = { .last_ns = SNAPSHOT_NOT_GIVEN,
						  .after_ns = SNAPSHOT_NOT_GIVEN };
	const struct snapshot_times frozen = { .monotonic_ns = 5900, .realtime_ns = 9000 };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_certificate certificate;
	struct snapshot_facts facts = {
		.request = &request,
		.frozen = &frozen,
		.requested_trace_ns = 100,
		.clock = { .trace_ns = 6000, .realtime_ns = 9000 },
		.sysinfo = json_pack("{s:s}", "traces.json", "8a9136aa"),
		.has_all_sums = true,
	};
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	mm_certificate_init(&certificate);
	facts.certificate = mm_certificate_to_json(&certificate);
	mm_certificate_release(&certificate);
	if (fd < 0 || snapshot_json_write(fd, &facts, &err))
		tap_bail("%s", err.message);
	close(fd);
}

/* Loads the snapshot. Returns the result of mm_snapshot_load(). */
static int load(bool *damaged)
{
	struct mm_snapshot snapshot;
	char why[256];
	int ret = mm_snapshot_load(folder, &snapshot, why, sizeof(why));

	*damaged = snapshot.damaged;
	if (ret > 0 && snapshot.contradiction)
		printf("# %s\n", snapshot.contradiction);
	ret = ret > 0 && snapshot.contradiction ? -2 : ret;
	mm_snapshot_release(&snapshot);
	return ret;
}

/* Changes each byte in turn. Returns the number of undetected changes. */
static size_t flip_all(FILE *file, size_t length, int bit)
{
	size_t unnoticed = 0;
	bool damaged;

	for (size_t i = 0; i < length; i++) {
		int byte;

		fseek(file, (long)i, SEEK_SET);
		byte = fgetc(file);
		fseek(file, (long)i, SEEK_SET);
		fputc(byte ^ bit, file);
		fflush(file);
		if (load(&damaged) || !damaged) {
			printf("# byte %zu, %c, is not noticed\n", i, byte);
			unnoticed++;
		}
		fseek(file, (long)i, SEEK_SET);
		fputc(byte, file);
		fflush(file);
	}
	return unnoticed;
}

int main(void)
{
	char path[64];
	size_t length;
	bool damaged;
	FILE *file;

	if (!mkdtemp(folder))
		tap_bail("mkdtemp");
	write_snapshot();
	snprintf(path, sizeof(path), "%s/snapshot.json", folder);
	file = fopen(path, "r+e");
	if (!file || fseek(file, 0, SEEK_END))
		tap_bail("%s", path);
	length = (size_t)ftell(file);
	tap(load(&damaged) == 1 && !damaged, "the written file is valid");
	tap(length > 400 && !flip_all(file, length, 1), "each byte that changes is noticed");
	tap(!flip_all(file, length, 32), "and each letter of the other case");
	tap(load(&damaged) == 1, "all changes are reverted");
	tap(!ftruncate(fileno(file), (off_t)length - 1) && !load(&damaged) && damaged,
	    "a file that lacks its last byte is damaged");
	fclose(file);
	tap_shell("rm -r %s", folder);
	return tap_status();
}
