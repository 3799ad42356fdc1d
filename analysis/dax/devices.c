// SPDX-License-Identifier: LGPL-2.1-only
/* DAX devices in the system information: pmem disks and their partitions. */
#include "analysis/dax/devices.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/json-file.h"
#include "util/mounts.h"

#define DEVICES "dax-devices.json"

/*
 * Is the memory of a pmem disk aligned to 2 MiB? Only this answer goes to the system information,
 * because physical addresses are confidential.
 */
static json_t *resource_aligned(const char *disk)
{
	char path[512], text[64], *end;
	unsigned long long resource;

	snprintf(path, sizeof(path), "/sys/block/%s/device/resource", disk);
	mounts_read_line(path, text, sizeof(text));
	resource = strtoull(text, &end, 0);
	if (end == text || !resource)
		return json_null();
	return json_boolean(!(resource & ((2ull << 20) - 1)));
}

static void add_device(json_t *devices, const char *disk, const char *part)
{
	char path[512], text[64];
	json_t *entry = json_object();
	unsigned int major, minor;

	snprintf(path, sizeof(path), "/sys/block/%s/queue/dax", disk);
	mounts_read_line(path, text, sizeof(text));
	json_object_set_new(entry, "dax", json_boolean(text[0] == '1'));
	snprintf(path, sizeof(path), "/sys/block/%s%s%s/dev", disk, *part ? "/" : "", part);
	mounts_read_line(path, text, sizeof(text));
	if (sscanf(text, "%u:%u", &major, &minor) != 2) {
		json_decref(entry);
		return;
	}
	json_object_set_new(entry, "major", json_integer(major));
	json_object_set_new(entry, "minor", json_integer(minor));
	json_object_set_new(entry, "name", mm_json_text(*part ? part : disk));
	snprintf(path, sizeof(path), "/sys/block/%s%s%s/size", disk, *part ? "/" : "", part);
	mounts_read_line(path, text, sizeof(text));
	json_object_set_new(entry, "size", json_integer(atoll(text) * 512));
	snprintf(path, sizeof(path), "/sys/block/%s/device/align", disk);
	mounts_read_line(path, text, sizeof(text));
	json_object_set_new(entry, "align", json_integer(atoll(text)));
	json_object_set_new(entry, "resource_aligned_2m", resource_aligned(disk));
	json_array_append_new(devices, entry);
}

static json_t *collect_devices(void)
{
	json_t *devices = json_array();
	struct dirent *disk, *part;
	char path[512];
	DIR *block;

	mounts_path(path, sizeof(path), "/sys/block");
	block = opendir(path);
	while (block && (disk = readdir(block))) {
		DIR *parts;

		if (strncmp(disk->d_name, "pmem", 4))
			continue;
		add_device(devices, disk->d_name, "");
		mounts_path(path, sizeof(path), "/sys/block/%s", disk->d_name);
		parts = opendir(path);
		while (parts && (part = readdir(parts)))
			if (!strncmp(part->d_name, disk->d_name, strlen(disk->d_name)))
				add_device(devices, disk->d_name, part->d_name);
		if (parts)
			closedir(parts);
	}
	if (block)
		closedir(block);
	return devices;
}

const struct mm_sysinfo_part dax_sysinfo_parts[] = {
	{ .name = DEVICES, .collect = collect_devices },
	{ .name = NULL },
};

static bool is_integer(const json_t *entry, const char *key, unsigned int value)
{
	const json_t *member = json_object_get(entry, key);

	return json_is_integer(member) && json_integer_value(member) == value;
}

int dax_device_is_aligned(const struct mm_sysinfo *sysinfo, unsigned int major, unsigned int minor)
{
	const json_t *devices = mm_sysinfo_list(sysinfo, DEVICES);

	for (size_t i = 0; i < json_array_size(devices); i++) {
		const json_t *entry = json_array_get(devices, i);
		const json_t *aligned = json_object_get(entry, "resource_aligned_2m");

		if (is_integer(entry, "major", major) && is_integer(entry, "minor", minor))
			return json_is_boolean(aligned) ? json_is_true(aligned) : -1;
	}
	return -1;
}
