#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests call stacks in the slab report, for a trace with the context callstack-kernel. Uses both
# readers, with and without the addresses that name the functions.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

make_slab --callstack "$here/slab/stacks.txt" stacks
make_slab "$here/slab/outcomes.trace" plain
cp -R stacks bare
mkdir stacks/sysinfo
cp "$here/slab/symbols.txt" stacks/sysinfo/
printf 'kernel\t600\tT\talloc_pages_noprof\nlttng_probe_slab\t0\tt\tslab_hook\n' >>stacks/sysinfo/symbols.txt
cat >stacks/sysinfo/addresses.json <<'ADDRESSES'
[ { "name": "kernel", "base": "0xffffffff81000000", "size": 16777216 },
  { "name": "ext4", "base": "0xffffffffc0100000", "size": 65536 },
  { "name": "lttng_probe_slab", "base": "0xffffffffc0200000", "size": 65536 },
  { "name": "malformed", "base": 5 }, 7 ]
ADDRESSES

# stacks OPTION... TRACE: prints rows of call-stacks: call site, kind, allocations, live, stack.
stacks() {
	"$mm" report slab --json "$@" | jq -r '.tables["call-stacks"][] |
		"\(.call_site) \(.kind) \(.allocations) \(.live) \(.stacks) \(.stack | join(" < "))"'
}
cat >expected <<'EXPECTED'
other_thing+0x10 pages of order 1 1 1 1 other_thing+0x10 < ext4_init+0x20 [ext4]
free_thing+0x10 pages of order 1 1 0 1 free_thing+0x10
ext4_init+0x40 [ext4] dentry 1 1 1 ext4_init+0x40 [ext4] < kvfree+0x20
alloc_thing+0x10 kmalloc-64 2 0 2 alloc_thing+0x10 < other_thing+0x10 < ext4_init+0x20 [ext4]
alloc_thing+0x10 kmalloc-64 1 1 2 alloc_thing+0x10 < free_thing+0x10 < ...
EXPECTED
for reader in fast babeltrace2; do
	stacks --reader=$reader stacks >actual
	same "$reader: stacks by name, of all threads, from the call site on" expected actual
done
stacks --jobs=1 stacks >actual
same 'one thread: the same' expected actual
with_plugin babeltrace2 stacks -c sink.lttng-mm.slab -p json=yes >sink.json 2>/dev/null
is 'the sink has them' 5 "$(jq '.tables["call-stacks"] | length' sink.json)"
is 'a process' 'alloc_thing+0x10 kmalloc-64 1' "$(stacks --pid=20 --cache=kmalloc-64 stacks | cut -d ' ' -f 1-3)"
is 'a call site' 2 "$(stacks --call-site=alloc_thing stacks | wc -l)"
is 'live objects, without pages' 'ext4_init+0x40 [ext4] 1 alloc_thing+0x10 1' "$("$mm" report slab --json stacks |
	jq -r '.tables["leak-stacks"][] | "\(.call_site) \(.live)"' | xargs)"
is 'text: by call site' 1 "$("$mm" report slab --by=call-site stacks | grep -c '^Call stacks, by allocated bytes')"
is 'text: --wide has each stack on a line' 1 \
	"$("$mm" report slab --all --wide stacks | grep -c 'alloc_thing+0x10 < other_thing+0x10 < ext4_init+0x20 \[ext4\]$')"
is 'text: --leaks lists only the call stacks of live objects' '0 1' "$("$mm" report slab --all --leaks stacks |
	grep -c '^Call stacks, ') $("$mm" report slab --all --leaks stacks | grep -c '^Call stacks of live objects')"

# Tests stacks without the addresses.
is 'no addresses: numbers, without a name' '0xffffffff81000250 < 0xffffffff81000110' \
	"$(stacks --cache=kmalloc-64 bare | head -n 1 | sed 's/.* 0xffffffffc0200010 < //; s/\(.* < 0x[0-9a-f]*110\) .*/\1/')"
is '... a note says so' 1 "$("$mm" report slab --all bare | grep -c 'Call stacks have no names: ')"
is 'addresses: no such note' 0 "$("$mm" report slab --all stacks | grep -c 'Call stacks have no names')"

# Traces without the context must not have the tables. Their events must stay on the fast path.
is 'no context: no tables' 'null null' "$("$mm" report slab --json plain |
	jq -r '"\(.tables["call-stacks"]) \(.tables["leak-stacks"])"')"
is 'the table of call sites does not depend on the context' \
	"$(sed 's/ callstack_kernel=.*//' "$here/slab/stacks.txt" >plain.trace
	make_slab plain.trace same && "$mm" report slab --json same | jq -c '.tables["call-sites"]')" \
	"$("$mm" report slab --json bare | jq -c '.tables["call-sites"]')"

# Uses more stacks than are stored.
awk 'BEGIN {
	for (i = 0; i < 65600; i++)
		printf "%d slab_kmalloc tid=1 call_site=0x110 ptr=0x%x bytes_req=60 size_class=6 callstack_kernel=0x%x,0x7\n",
			1000 + i, 4096 + 64 * i, 65536 + i
}' >many.trace
make_slab --callstack many.trace many
"$mm" report slab --json many >many.json
is 'too many stacks: those that are kept, and the allocations of others' '65536 64 65536' \
	"$(jq -r '[.metrics[] | select(.name | startswith("slab.call_stacks")) | .value] | map(tostring) | join(" ")' many.json) $(
		jq -r '.tables["call-stacks"][0].stacks' many.json)"
is '... a note says so' 1 "$(jq -r '.notes[]' many.json | grep -c '^Call stacks: too many .* 64 allocations')"
tap_end
