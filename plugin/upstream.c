// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the folders of the traces that a graph reads, by the names of streams and of source ports.
 */
#include "plugin/upstream.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/ctf/decode/source.h"
#include "reader/ctf/packet/packet.h"
#include "reader/open/open-folders.h"
#include "util/text.h"

/* The search for other traces of the graph opens at most this many siblings of a trace's folder. */
#define SIBLINGS_MAX 256

static int add_port(struct mm_bt2_upstream *upstream, const bt_port_output *port)
{
	char **grown = reallocarray(upstream->ports, upstream->port_count + 1, sizeof(*grown));

	if (!grown)
		return -1;
	upstream->ports = grown;
	grown[upstream->port_count] = strdup(bt_port_get_name(bt_port_output_as_port_const(port)));
	return grown[upstream->port_count++] ? 0 : -1;
}

static bool is_plain(const bt_component *component)
{
	const char *name = bt_component_class_get_name(bt_component_borrow_class_const(component));

	if (bt_component_is_source(component))
		return !strcmp(name, "fs");
	return !strcmp(name, "muxer") || !strcmp(name, "trimmer");
}

static int visit(struct mm_bt2_upstream *upstream, const bt_port_input *input)
{
	const bt_connection *connection =
		bt_port_borrow_connection_const(bt_port_input_as_port_const(input));
	const bt_component_filter *filter;
	const bt_port_output *output;
	const bt_component *component;

	/* A muxer always has an unconnected input port. */
	if (!connection)
		return 0;
	output = bt_connection_borrow_upstream_port_const(connection);
	component = bt_port_borrow_component_const(bt_port_output_as_port_const(output));
	upstream->plain &= component && is_plain(component);
	if (!upstream->plain)
		return 0;
	if (bt_component_is_source(component))
		return add_port(upstream, output);
	/*
	 * libbabeltrace2 implements its upcast functions as pointer casts, and has no downcast
	 * function.
	 */
	filter = (const bt_component_filter *)component;
	for (uint64_t i = 0; i < bt_component_filter_get_input_port_count(filter); i++)
		if (visit(upstream,
			  bt_component_filter_borrow_input_port_by_index_const(filter, i)))
			return -1;
	return 0;
}

int mm_bt2_upstream_find(struct mm_bt2_upstream *upstream, const bt_port_input *input)
{
	*upstream = (struct mm_bt2_upstream){ .plain = true };
	return visit(upstream, input);
}

void mm_bt2_upstream_release(struct mm_bt2_upstream *upstream)
{
	mm_strings_release(upstream->ports, upstream->port_count);
	*upstream = (struct mm_bt2_upstream){ 0 };
}

/* Folders of the graph's traces. A port is covered if its trace is in one of these folders. */
struct covered_ports {
	const struct mm_bt2_upstream *upstream;
	char **folders;
	size_t count;
	bool *covered;
};

static bool has_folder(const struct covered_ports *covered, const char *folder)
{
	for (size_t i = 0; i < covered->count; i++)
		if (!strcmp(covered->folders[i], folder))
			return true;
	return false;
}

static int add_folder(struct covered_ports *covered, const char *folder)
{
	char **grown = reallocarray(covered->folders, covered->count + 1, sizeof(*grown));

	if (!grown)
		return -1;
	covered->folders = grown;
	grown[covered->count] = strdup(folder);
	return grown[covered->count++] ? 0 : -1;
}

static int add_stream(void *user, const char *name)
{
	const char *slash = strrchr(name, '/');
	struct covered_ports *covered = user;
	char folder[4096];
	struct stat st;

	/* Only sources that read files name their streams after files. */
	if (name[0] != '/' || stat(name, &st) || !S_ISREG(st.st_mode) ||
	    (size_t)(slash - name) >= sizeof(folder))
		return 0;
	snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name), name);
	return has_folder(covered, folder) ? 0 : add_folder(covered, folder);
}

/* Writes the name of the trace as it appears in the names of the ports of source.ctf.fs. */
static void trace_name(const struct ctf_trace *trace, char *text, size_t size)
{
	const uint8_t *uuid = trace->class->uuid;
	size_t at = 0;

	if (!trace->class->has_uuid) {
		snprintf(text, size, "%s", trace->folder);
		return;
	}
	for (int i = 0; i < 16; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%02x",
				       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* Marks the ports of the trace in @folder. Returns the number of newly marked ports. */
static size_t cover(struct covered_ports *covered, const char *folder)
{
	struct mm_source_options options;
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace *const *traces;
	struct mm_source *source;
	size_t count, marked = 0;
	char name[4096];

	mm_source_options_init(&options);
	source = mm_source_open_folders(folder, &folder, 1, &options, &err);
	traces = source ? mm_ctf_source_traces(source, &count, &err) : NULL;
	for (size_t i = 0; traces && i < count; i++) {
		trace_name(traces[i], name, sizeof(name));
		for (size_t j = 0; j < covered->upstream->port_count; j++) {
			if (covered->covered[j] || !strstr(covered->upstream->ports[j], name))
				continue;
			covered->covered[j] = true;
			marked++;
		}
	}
	mm_source_destroy(source);
	return marked;
}

static bool is_covered(const struct covered_ports *covered)
{
	for (size_t i = 0; i < covered->upstream->port_count; i++)
		if (!covered->covered[i])
			return false;
	return true;
}

/* Searches the sibling folders of @folder for other traces of the graph. */
static int add_siblings(struct covered_ports *covered, const char *folder)
{
	const char *slash = strrchr(folder, '/');
	char parent[4096], path[4096 + 256 + 16];
	unsigned int traces = 0;
	struct dirent *entry;
	struct stat st;
	int ret = 0;
	DIR *dir;

	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - folder), folder);
	dir = opendir(parent[0] ? parent : "/");
	while (!ret && dir && !is_covered(covered) && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/metadata", parent, entry->d_name);
		if (stat(path, &st) || !S_ISREG(st.st_mode))
			continue;
		if (++traces > SIBLINGS_MAX)
			break;
		path[strlen(path) - strlen("/metadata")] = '\0';
		if (!has_folder(covered, path) && cover(covered, path))
			ret = add_folder(covered, path);
	}
	if (dir)
		closedir(dir);
	return ret;
}

static struct mm_source *open_found(struct covered_ports *covered,
				    const struct mm_bt2_events *events)
{
	struct mm_source_options options;
	struct mm_error err = MM_ERROR_INIT;
	size_t count;

	if (mm_bt2_events_visit_streams(events, add_stream, covered) || !covered->count)
		return NULL;
	count = covered->count;
	for (size_t i = 0; i < count; i++)
		cover(covered, covered->folders[i]);
	for (size_t i = 0; i < count && !is_covered(covered); i++)
		if (add_siblings(covered, covered->folders[i]))
			return NULL;
	mm_source_options_init(&options);
	options.only_state = true;
	options.jobs = 1;
	return mm_source_open_folders("babeltrace2's graph", (const char *const *)covered->folders,
				      covered->count, &options, &err);
}

struct mm_source *mm_bt2_upstream_open(const struct mm_bt2_upstream *upstream,
				       const struct mm_bt2_events *events)
{
	struct covered_ports covered = { .upstream = upstream,
					 .covered =
						 calloc(upstream->port_count + 1, sizeof(bool)) };
	struct mm_source *source = NULL;

	if (upstream->plain && covered.covered)
		source = open_found(&covered, events);
	mm_strings_release(covered.folders, covered.count);
	free(covered.covered);
	return source;
}
