// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the arguments of a function one by one. */
#include "tests/signatures/compare.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/signatures/location.h"
#include "tests/signatures/shape.h"

static const char *const outcome_texts[OUTCOMES] = {
	[OUTCOME_REGISTER] = "in the same register",
	[OUTCOME_STACK] = "at the same place on the stack",
	[OUTCOME_NONE] = "without a location: the function does not use it",
	[OUTCOME_LATER] = "without a location at the entry",
	[OUTCOME_FRAME] = "stored in the frame after the entry",
	[OUTCOME_BARE] = "of functions without code of their own: identical functions share it",
	[OUTCOME_DIFFERS] = "different",
};

/* A parameter in the declaration of a function and, if present, in the concrete function. */
struct parameter {
	Dwarf_Die declared, concrete;
	bool has_concrete;
};

struct parameters {
	size_t count;
	bool is_variadic;
	struct parameter all[FN_SIGNATURE_MAX];
};

static void print_function(const struct image *image, const struct fn_signature *signature)
{
	printf("%s%s%s", image->module, *image->module ? ":" : "", signature->name);
}

/* Finds the declaration of a concrete function. */
static void find_declared(Dwarf_Die *function, Dwarf_Die *declared)
{
	Dwarf_Attribute attribute;

	*declared = *function;
	if (dwarf_attr(function, DW_AT_abstract_origin, &attribute))
		dwarf_formref_die(&attribute, declared);
}

/* Returns the offset of the declared parameter for a parameter of the concrete function. */
static Dwarf_Off origin_of(Dwarf_Die *parameter)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;

	if (dwarf_attr(parameter, DW_AT_abstract_origin, &attribute) &&
	    dwarf_formref_die(&attribute, &origin))
		return dwarf_dieoffset(&origin);
	return dwarf_dieoffset(parameter);
}

static void read_declared(Dwarf_Die *function, struct parameters *parameters)
{
	Dwarf_Die die;

	*parameters = (struct parameters){ .count = 0 };
	if (dwarf_child(function, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_unspecified_parameters)
			parameters->is_variadic = true;
		if (dwarf_tag(&die) == DW_TAG_formal_parameter &&
		    parameters->count < FN_SIGNATURE_MAX)
			parameters->all[parameters->count++].declared = die;
	} while (!dwarf_siblingof(&die, &die));
}

static void read_concrete(Dwarf_Die *function, struct parameters *parameters)
{
	Dwarf_Die die;

	if (dwarf_child(function, &die))
		return;
	do {
		Dwarf_Off origin;

		if (dwarf_tag(&die) != DW_TAG_formal_parameter)
			continue;
		origin = origin_of(&die);
		for (size_t i = 0; i < parameters->count; i++) {
			if (dwarf_dieoffset(&parameters->all[i].declared) != origin)
				continue;
			parameters->all[i].concrete = die;
			parameters->all[i].has_concrete = true;
		}
	} while (!dwarf_siblingof(&die, &die));
}

/* Returns the name of a parameter. A parameter that the compiler has added may lack one. */
static const char *name_of(Dwarf_Die *parameter)
{
	const char *name = dwarf_diename(parameter);

	return name ? name : "";
}

/* Returns true if the types are equal. Otherwise prints the difference. */
static bool compare_types(const struct image *image, const struct fn_signature *signature,
			  const struct type_shape *ours, const struct type_shape *theirs,
			  const char *what)
{
	if (ours->kind == theirs->kind && ours->bytes == theirs->bytes &&
	    !strcmp(ours->text, theirs->text))
		return true;
	printf("different: ");
	print_function(image, signature);
	printf(": %s: recorded as %s (%d, %" PRIu64 " bytes), but it is %s (%d, %" PRIu64
	       " bytes)\n",
	       what, ours->text, ours->kind, ours->bytes, theirs->text, theirs->kind,
	       theirs->bytes);
	return false;
}

static enum outcome outcome_of(const struct fn_argument *argument, const struct location *location)
{
	switch (location->kind) {
	case LOCATION_NONE:
		return OUTCOME_NONE;
	case LOCATION_LATER:
		return OUTCOME_LATER;
	case LOCATION_FRAME:
		return OUTCOME_FRAME;
	case LOCATION_REGISTER:
		return location->number == argument->source ? OUTCOME_REGISTER : OUTCOME_DIFFERS;
	case LOCATION_STACK:
		return location->number == argument->source ? OUTCOME_STACK : OUTCOME_DIFFERS;
	default:
		return OUTCOME_DIFFERS;
	}
}

/* The function that is compared with a signature. */
struct compared_function {
	const struct image *image;
	const struct fn_signature *signature;
	uint64_t address;
	bool is_bare;
	Dwarf_Die concrete, declared;
	struct parameters parameters;
};

static enum outcome compare_argument(const struct signature_comparison *comparison,
				     struct compared_function *function, size_t number)
{
	const struct fn_signature *signature = function->signature;
	const struct fn_argument *argument = &signature->arguments[number];
	struct parameter *parameter = &function->parameters.all[number];
	struct location location = { .kind = LOCATION_NONE };
	struct type_shape ours, theirs;
	enum outcome outcome;

	shape_of_btf(signature->btf, argument->type, &argument->value, &ours);
	shape_of_dwarf(&parameter->declared, &theirs);
	if (!compare_types(function->image, signature, &ours, &theirs, argument->name))
		return OUTCOME_DIFFERS;
	if (function->is_bare)
		return OUTCOME_BARE;
	if (parameter->has_concrete)
		location_at_entry(&function->concrete, &parameter->concrete,
				  function->address - function->image->bias,
				  image_hook_bytes(function->image, function->address), &location);
	outcome = outcome_of(argument, &location);
	if (outcome == OUTCOME_DIFFERS || (comparison->lists_all && outcome > OUTCOME_STACK)) {
		printf("%s: ", outcome_texts[outcome]);
		print_function(function->image, signature);
		printf(": %s: argument %zu, recorded from %u, is at %d %u: %s\n", argument->name,
		       number + 1, argument->source, location.kind, location.number, location.text);
	}
	return outcome;
}

static void print_arguments(const struct fn_signature *signature, struct parameters *parameters)
{
	printf(": (");
	for (size_t i = 0; i < signature->count; i++)
		printf("%s%s", i ? ", " : "", signature->arguments[i].name);
	printf("%s), but it has (", signature->is_variadic ? ", ..." : "");
	for (size_t i = 0; i < parameters->count; i++)
		printf("%s%s", i ? ", " : "", name_of(&parameters->all[i].declared));
	printf("%s)\n", parameters->is_variadic ? ", ..." : "");
}

/*
 * Returns true if the declared function has more arguments than BTF describes. For functions with
 * KF_IMPLICIT_ARGS, BTF contains the prototype that BPF programs call. The verifier adds the last
 * arguments.
 */
static bool has_implicit(const struct fn_signature *signature, struct parameters *parameters)
{
	static const char *const implicit[] = { "aux", "meta", "off" };
	const size_t kinds = sizeof(implicit) / sizeof(implicit[0]);

	for (size_t i = 0; i < parameters->count; i++) {
		const char *name = name_of(&parameters->all[i].declared);
		size_t kind = 0;

		if (i < signature->count && strcmp(signature->arguments[i].name, name) != 0)
			return false;
		while (kind < kinds && strcmp(implicit[kind], name) != 0)
			kind++;
		if (i >= signature->count && kind == kinds)
			return false;
	}
	return parameters->count > signature->count;
}

/* Returns true if the numbers of arguments are equal. Otherwise prints the difference. */
static bool compare_count(struct signature_comparison *comparison,
			  struct compared_function *function)
{
	const struct fn_signature *signature = function->signature;
	struct parameters *parameters = &function->parameters;
	bool same = true;

	if (has_implicit(signature, parameters)) {
		comparison->implicit++;
		return true;
	}
	if (signature->count != parameters->count ||
	    signature->is_variadic != parameters->is_variadic) {
		comparison->differing_functions++;
		printf("different: ");
		print_function(function->image, signature);
		print_arguments(signature, parameters);
		return false;
	}
	for (size_t i = 0; same && i < signature->count; i++)
		same = !strcmp(signature->arguments[i].name, name_of(&parameters->all[i].declared));
	comparison->differing_names += !same;
	if (!same && comparison->lists_all) {
		printf("other names: ");
		print_function(function->image, signature);
		print_arguments(signature, parameters);
	}
	return true;
}

static void compare_result(struct signature_comparison *comparison, const struct image *image,
			   const struct fn_signature *signature, Dwarf_Die *declared)
{
	struct type_shape ours = { .text = "void", .kind = SHAPE_VOID }, theirs;

	if (signature->result_type && signature->result.reason)
		return;
	if (signature->result_type)
		shape_of_btf(signature->btf, signature->result_type, &signature->result, &ours);
	shape_of_dwarf(declared, &theirs);
	comparison->results += signature->result_type != 0;
	comparison->differing_results +=
		!compare_types(image, signature, &ours, &theirs, "the result");
}

/* Returns false if debug information lacks the function. */
static bool find_function(struct signature_comparison *comparison,
			  struct compared_function *function)
{
	const char *name = function->signature->name;

	if (image_function(function->image, function->address, name, &function->concrete)) {
		find_declared(&function->concrete, &function->declared);
		read_declared(&function->declared, &function->parameters);
		read_concrete(&function->concrete, &function->parameters);
		return true;
	}
	if (image_bare_function(function->image, name, &function->declared)) {
		comparison->bare++;
		function->is_bare = true;
		read_declared(&function->declared, &function->parameters);
		return true;
	}
	comparison->unknown++;
	printf("different: ");
	print_function(function->image, function->signature);
	printf(": debug information does not have it\n");
	return false;
}

void compare_function(struct signature_comparison *comparison, const struct image *image,
		      const struct fn_signature *signature, uint64_t address)
{
	struct compared_function function = { .image = image,
					      .signature = signature,
					      .address = address };
	bool found = find_function(comparison, &function);
	bool same = found && compare_count(comparison, &function);

	comparison->functions++;
	comparison->arguments += signature->count;
	if (found)
		compare_result(comparison, image, signature, &function.declared);
	for (size_t i = 0; i < signature->count; i++) {
		enum outcome outcome = OUTCOME_DIFFERS;

		if (signature->arguments[i].value.reason)
			continue;
		comparison->available++;
		if (same)
			outcome = compare_argument(comparison, &function, i);
		comparison->by_outcome[outcome]++;
	}
}

void compare_print(const struct signature_comparison *comparison)
{
	printf("functions: %" PRIu64 "; in debug information, %" PRIu64 " are missing, %" PRIu64
	       " are only declared, %" PRIu64 " have other arguments, %" PRIu64
	       " have arguments with other names, and %" PRIu64
	       " lack arguments that the BPF verifier adds\n",
	       comparison->functions, comparison->unknown, comparison->bare,
	       comparison->differing_functions, comparison->differing_names, comparison->implicit);
	printf("available results: %" PRIu64 "; different: %" PRIu64 "\n", comparison->results,
	       comparison->differing_results);
	printf("arguments: %" PRIu64 "; available: %" PRIu64 ", namely:\n", comparison->arguments,
	       comparison->available);
	for (int i = 0; i < OUTCOMES; i++)
		printf("  %10" PRIu64 "  %s\n", comparison->by_outcome[i], outcome_texts[i]);
}
