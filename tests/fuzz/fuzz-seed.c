// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the metadata seeds. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The build defines the path of the seeds; the default is relative to the current folder. */
#ifndef LTTNG_MM_FUZZ_SEEDS
#define LTTNG_MM_FUZZ_SEEDS "tests/fuzz/seeds"
#endif

const char *const fuzz_seed_names[FUZZ_SEEDS] = {
	"kernel.tsdl", "ust.tsdl", "barectf.tsdl", "types.tsdl", "plain.tsdl", "ctf2.json",
};

const char *const fuzz_files[FUZZ_FILES] = {
	"kernel/index/stream.idx",
	"sysinfo/symbols.txt",
	"sysinfo/traces.json",
	"sysinfo/system.json",
	"sysinfo/processes.json",
	"sysinfo/recorder.json",
	"sysinfo/slab-aliases.json",
	"sysinfo/files.json",
	"sysinfo/mounts.json",
	"sysinfo/dax-devices.json",
	"sysinfo/slab-caches.json",
	"sysinfo/cgroup.json",
	"snapshot.json",
};

const char *const fuzz_file_texts[FUZZ_FILES] = {
	NULL,
	"kernel\t0\tT\t_text\nkernel\t1000\tt\tfree_pages\nkernel\t1040\tT\tvfree\n"
	"ext4\t0\tt\text4_get_block\next4\t80\tt\text4_put\n",
	"{\"boot_id\": \"25210548-98b9-4ab3-a9de-7d865e4ad32c\", \"traces\": [{\"folder\": \"kernel\", "
	"\"uuid\": \"f49b4ac9-ebf5-4a5f-b1b5-b8d7b8a5fa0b\", \"streams\": [{\"file\": \"stream\", "
	"\"class\": 0, \"id\": 1, \"cpu\": 1, \"packets\": 3, \"bytes\": 1234}, {\"file\": \"ring_1\", "
	"\"packets\": 0}, {\"file\": \"ring_2\", \"class\": 0, \"id\": 2, \"cpu\": 2, \"packets\": 12, "
	"\"bytes\": 65536}]}]}\n",
	"{\"boot_id\": \"25210548-98b9-4ab3-a9de-7d865e4ad32c\", \"kernel\": \"6.12.0\", "
	"\"snapshot_boottime_ns\": 123456789}\n",
	"[{\"pid\": 1, \"tid\": 1, \"comm\": \"init\"}, {\"pid\": 1, \"tid\": 2, \"comm\": \"a\\u0000b\"}]\n",
	"{\"processes\": [{\"pid\": 1, \"start_ns\": 1000, \"name\": \"lttng-sessiond\"}]}\n",
	"[{\"names\": [\"kmalloc-64\", \"pool_workqueue\"]}, {\"names\": [\"dentry\"]}]\n",
	"[{\"major\": 259, \"minor\": 1, \"ino\": 12, \"path\": \"/mnt/a\", \"dax\": true, \"size\": 4096, "
	"\"extents\": 1, \"extents_2m_aligned\": 1}]\n",
	"[{\"major\": 259, \"minor\": 1, \"mountpoint\": \"/mnt\"}]\n",
	"[{\"major\": 259, \"minor\": 1, \"name\": \"pmem0\", \"resource_aligned_2m\": true}]\n",
	"[{\"name\": \"dentry\", \"reclaimable\": true}, {\"name\": \"kmalloc-64\", "
	"\"reclaimable\": false}]\n",
	"[{\"cgroup\": \"/a.slice\", \"anon_bytes\": 4096, \"file_bytes\": 8192, "
	"\"file_mapped_bytes\": 4096, \"kernel_bytes\": null}]\n",
	"{\"version\": 1, \"reason\": \"a\", \"requested\": {\"realtime_ns\": 1}, \"requested_trace_ns\": "
	"1571238431155327300, \"certificate\": {\"verdict\": \"holes\", \"why\": [\"b\"], \"shared\": "
	"{\"start_ns\": 1571238431155327264, \"end_ns\": 1571238431155327999}, \"streams\": [{\"trace\": "
	"\"kernel\", \"file\": \"stream\", \"channel\": \"c\", \"cpu\": 1, \"online\": true, \"bytes\": 1234, "
	"\"packets\": 3, \"start_ns\": 1571238431155327264, \"end_ns\": 1571238431155327999, "
	"\"packets_lost\": 0, \"events_discarded\": 0, \"events_discarded_known\": true, \"holes\": "
	"[{\"start_ns\": 1571238431155327300, \"end_ns\": 1571238431155327320, \"kind\": \"pause\"}]}]}}\n",
};

static void *checked(void *pointer, const char *what)
{
	if (!pointer) {
		perror(what);
		exit(2);
	}
	return pointer;
}

char *fuzz_seed_read(size_t number, size_t *size)
{
	const char *name = fuzz_seed_names[number];
	/* A seed of CTF 2 has one JSON fragment per line: write a record separator before each. */
	int json = strstr(name, ".json") != NULL;
	char path[4096], *line = NULL, *text;
	size_t room = 0;
	FILE *in, *out;

	snprintf(path, sizeof(path), "%s/%s", LTTNG_MM_FUZZ_SEEDS, name);
	in = checked(fopen(path, "re"), path);
	out = checked(open_memstream(&text, size), path);
	while (getline(&line, &room, in) >= 0)
		fprintf(out, "%s%s", json ? "\x1e" : "", line);
	free(line);
	fclose(in);
	if (fclose(out))
		checked(NULL, path);
	return text;
}
