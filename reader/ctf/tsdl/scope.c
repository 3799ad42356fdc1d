// SPDX-License-Identifier: LGPL-2.1-only
// TSDL's named types, by scope, and the budget that limits the memory of their copies.

#include "reader/ctf/tsdl/tsdl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* FNV-1a with a random start value, to prevent chosen collisions. */
static size_t hash(const struct tsdl_map *map, const char *key)
{
	uint64_t h = map->seed;

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 0x100000001b3;
	return (size_t)(h ^ h >> 32);
}

/* Returns the slot of @key, or a free slot for it. The table always has a free slot. */
static struct tsdl_map_slot *find_slot(const struct tsdl_map *map, const char *key)
{
	size_t i = hash(map, key) & (map->room - 1);

	while (map->slots[i].key && strcmp(map->slots[i].key, key))
		i = (i + 1) & (map->room - 1);
	return &map->slots[i];
}

static int grow(struct tsdl_map *map)
{
	struct tsdl_map larger = { .room = map->room ? map->room * 2 : 16, .seed = map->seed };

	if (!map->room && getrandom(&larger.seed, sizeof(larger.seed), GRND_NONBLOCK) < 0)
		larger.seed = 0xcbf29ce484222325 ^ (uintptr_t)map;
	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].key)
			*find_slot(&larger, map->slots[i].key) = map->slots[i];
	larger.count = map->count;
	free(map->slots);
	*map = larger;
	return 0;
}

size_t *tsdl_map_find(const struct tsdl_map *map, const char *key)
{
	struct tsdl_map_slot *slot = map->room ? find_slot(map, key) : NULL;

	return slot && slot->key ? &slot->value : NULL;
}

int tsdl_map_add(struct tsdl_map *map, const char *key, size_t value)
{
	struct tsdl_map_slot *slot;

	if (map->count * 4 >= map->room * 3 && grow(map) < 0)
		return -1;
	slot = find_slot(map, key);
	if (slot->key)
		return 0;
	slot->key = strdup(key);
	if (!slot->key)
		return -1;
	slot->value = value;
	map->count++;
	return 1;
}

void tsdl_map_clear(struct tsdl_map *map)
{
	for (size_t i = 0; i < map->room; i++)
		free(map->slots[i].key);
	free(map->slots);
	*map = (struct tsdl_map){ 0 };
}

void tsdl_scope_push(struct tsdl_parser *p, struct tsdl_scope *scope)
{
	*scope = (struct tsdl_scope){ .parent = p->scope };
	p->scope = scope;
}

void tsdl_scope_pop(struct tsdl_parser *p)
{
	struct tsdl_scope *scope = p->scope;

	p->scope = scope->parent;
	tsdl_map_clear(&scope->names);
	for (size_t i = 0; i < scope->count; i++)
		tsdl_type_clear(&scope->types[i]);
	free(scope->types);
}

void tsdl_type_clear(struct tsdl_type *type)
{
	ctf_field_destroy(type->field);
	*type = (struct tsdl_type){ 0 };
}

int tsdl_charge(struct tsdl_parser *p, const char *at, uint64_t weight)
{
	p->weight += weight;
	if (p->weight > p->weight_max)
		return tsdl_fail(p, at,
				 "more than %llu field classes and labels; "
				 "each use of a named type adds its fields and labels again: "
				 "use such types less often",
				 (unsigned long long)p->weight_max);
	return 0;
}

int tsdl_create(struct tsdl_parser *p, const char *at, enum ctf_kind kind, struct tsdl_type *type)
{
	*type = (struct tsdl_type){ .depth = 1, .weight = 1 };
	if (tsdl_charge(p, at, 1) < 0)
		return -1;
	type->field = ctf_field_create(kind);
	return type->field ? 0 : tsdl_fail_memory(p);
}

int tsdl_nest(struct tsdl_parser *p, const char *at, struct tsdl_type *outer,
	      const struct tsdl_type *inner)
{
	if (inner->depth >= outer->depth)
		outer->depth = inner->depth + 1;
	outer->weight += inner->weight;
	if (outer->depth > CTF_DEPTH_MAX)
		return tsdl_fail(p, at,
				 "types nested more than %d deep; deeper types are not supported",
				 CTF_DEPTH_MAX);
	return 0;
}

int tsdl_copy(struct tsdl_parser *p, const char *at, const struct tsdl_type *from,
	      struct tsdl_type *to)
{
	*to = *from;
	to->field = NULL;
	if (tsdl_charge(p, at, from->weight) < 0)
		return -1;
	to->field = ctf_field_copy(from->field);
	return to->field ? 0 : tsdl_fail_memory(p);
}

void tsdl_strip_names(struct ctf_field *field)
{
	if (!field)
		return;
	for (size_t i = 0; i < field->member_count; i++) {
		char *name = field->members[i].name;

		if (*name == '_')
			memmove(name, name + 1, strlen(name));
		tsdl_strip_names(field->members[i].field);
	}
	tsdl_strip_names(field->element);
}

/*
 * Copies a named type as babeltrace2 does: once for the declaration, and once per use. Each copy
 * strips an underscore from the names of members, so members have the names that babeltrace2 shows.
 */
static int copy_named(struct tsdl_parser *p, const char *at, const struct tsdl_type *from,
		      struct tsdl_type *to)
{
	if (tsdl_copy(p, at, from, to) < 0)
		return -1;
	tsdl_strip_names(to->field);
	return 0;
}

static char *scope_key(enum tsdl_name kind, const char *name)
{
	char *key;

	return asprintf(&key, "%c%s", (char)kind, name) < 0 ? NULL : key;
}

static const char *kind_word(enum tsdl_name kind)
{
	switch (kind) {
	case TSDL_STRUCT:
		return "struct ";
	case TSDL_VARIANT:
		return "variant ";
	case TSDL_ENUM:
		return "enum ";
	default:
		return "";
	}
}

static int reserve_type(struct tsdl_scope *scope)
{
	size_t room = scope->room ? scope->room * 2 : 8;
	struct tsdl_type *types;

	if (scope->count < scope->room)
		return 0;
	types = reallocarray(scope->types, room, sizeof(*types));
	if (!types)
		return -1;
	scope->types = types;
	scope->room = room;
	return 0;
}

int tsdl_declare(struct tsdl_parser *p, const char *at, enum tsdl_name kind, const char *name,
		 const struct tsdl_type *type)
{
	struct tsdl_scope *scope = p->scope;
	struct tsdl_type copy;
	char *key;
	int added;

	if (copy_named(p, at, type, &copy) < 0)
		return -1;
	key = scope_key(kind, name);
	if (!key || reserve_type(scope) < 0) {
		free(key);
		tsdl_type_clear(&copy);
		return tsdl_fail_memory(p);
	}
	added = tsdl_map_add(&scope->names, key, scope->count);
	free(key);
	if (added <= 0) {
		tsdl_type_clear(&copy);
		return added < 0 ? tsdl_fail_memory(p)
				 : tsdl_fail(p, at, "`%s%.80s` is declared already",
					     kind_word(kind), name);
	}
	scope->types[scope->count++] = copy;
	return 0;
}

int tsdl_lookup(struct tsdl_parser *p, const char *at, enum tsdl_name kind, const char *name,
		struct tsdl_type *type)
{
	char *key = scope_key(kind, name);
	const size_t *index = NULL;
	const struct tsdl_scope *scope;

	if (!key)
		return tsdl_fail_memory(p);
	for (scope = p->scope; scope; scope = scope->parent) {
		index = tsdl_map_find(&scope->names, key);
		if (index)
			break;
	}
	free(key);
	if (!index)
		return 0;
	return copy_named(p, at, &scope->types[*index], type) < 0 ? -1 : 1;
}
