// SPDX-License-Identifier: LGPL-2.1-only
/* Counts functions, arguments and results that can be recorded. */
#include "lttng-session/fn/describe/available.h"

#include "lttng-session/fn/describe/signature.h"
#include "lttng-session/fn/describe/symbols.h"

static void count_function(const struct fn_btf *btf, uint32_t id, struct fn_available *available)
{
	struct fn_signature signature;

	if (fn_signature_read(btf, id, &signature))
		return;
	available->described++;
	available->arguments += signature.count;
	for (size_t i = 0; i < signature.count; i++)
		available->by_reason[signature.arguments[i].value.reason]++;
	if (!signature.result_type)
		return;
	available->results++;
	available->result_reasons[signature.result.reason]++;
}

static void count_file(const struct fn_btf *btf, struct fn_available *available)
{
	for (size_t i = 0; i < btf->count; i++)
		count_function(btf, btf->functions[i], available);
}

static int count_running(struct fn_types *types, struct fn_available *available,
			 struct mm_error *err)
{
	struct fn_symbols *symbols = fn_symbols_read(err);
	int ret = symbols ? fn_symbols_read_traceable(symbols, err) : -1;

	for (size_t i = 0; !ret && i < fn_symbols_count(symbols); i++) {
		const struct fn_symbol *symbol = fn_symbols_get(symbols, i);
		const struct fn_btf *btf;
		uint32_t id;

		if (fn_symbols_check(symbols, symbol, false))
			continue;
		available->traceable++;
		btf = fn_types_of(types, symbol->module);
		id = btf ? fn_btf_function(btf, symbol->name) : 0;
		if (id)
			count_function(btf, id, available);
	}
	fn_symbols_destroy(symbols);
	return ret;
}

int fn_available_count(const char *file, struct fn_available *available, struct mm_error *err)
{
	struct fn_types *types = fn_types_open(file, err);
	int ret = types ? 0 : -1;

	*available = (struct fn_available){ .traceable = 0 };
	if (types && file)
		count_file(fn_types_kernel(types), available);
	else if (types)
		ret = count_running(types, available, err);
	fn_types_close(types);
	return ret;
}
