#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests `lttng-mm fn` without its module: options, SPECs with the running kernel's types, and
# output.
# shellcheck disable=SC2016 # backquotes in messages
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# refuses NAME TEXT ARGUMENT...: checks for exit status 2 and a message that contains TEXT once.
refuses() {
	refuses_name=$1 refuses_text=$2
	shift 2
	"$mm" fn "$@" >"$work/out" 2>"$work/err"
	is "$refuses_name" "2 0 1" \
		"$? $(wc -c <"$work/out") $(head -n 1 "$work/err" | grep -cF -e "$refuses_text")"
	[ -s "$work/err" ] || echo '# no message'
}

# Simulates a machine with this kernel's types and a few functions. It has no /dev, so it lacks the
# module's device.
types=/sys/kernel/btf/vmlinux
root=$work/root
mkdir -p "$root/proc" "$root/sys/kernel/btf" "$root/sys/kernel/tracing" "$root/run"
i=0
for name in handle_mm_fault vfs_open vfs_read vfs_write filemap_fault folio_unlock _stext; do
	printf 'ffffffff81%06x T %s\n' "$((i = i + 16))" "$name"
done >"$root/proc/kallsyms"
sed 's/.* //' "$root/proc/kallsyms" >"$root/sys/kernel/tracing/available_filter_functions"
[ ! -r "$types" ] || cp "$types" "$root/sys/kernel/btf/vmlinux"

refuses 'no action' 'no action is given; known: add, list, remove, signature'
refuses 'an unknown action' "'delete' is not an action" delete x
refuses 'no SPEC' 'no SPEC is given' add
refuses 'no NAME' 'no NAME is given' remove
refuses 'an argument of list' "'x': unexpected argument" list x
for option in --as=x --max=3 --taking='struct x *' --caller --inside=x --slower=1ms --errors \
	--max-rate=1 --raw --dry-run; do
	refuses "$option of list" "${option%%=*}: only \`lttng-mm fn add\` accepts this option" list "$option"
done
refuses '--available of add' '--available: only `lttng-mm fn list`' add x --available
refuses '--btf of add' '--btf: only `lttng-mm fn signature`' add x --btf x
refuses '--btf of list' '--btf: only `lttng-mm fn signature`' list --btf x
for number in '' 0 -1 x 1x 2049; do
	refuses "--max $number" "--max: '$number' is not a number from 1 to 2048" add x "--max=$number"
done
refuses '--max-rate x' "--max-rate: 'x' is not a number from 0" add x --max-rate=x
refuses '--slower 1' '--slower: 1: not a duration' add x --slower=1
# Invalid arguments must be refused before any file is read or module loaded.
refuses 'a SPEC' 'fn: x(a: column 4: ' add 'x(a'
refuses 'the second SPEC' 'fn: y(: column 3: ' add x 'y('
refuses '--taking' "--taking: x: not a pointer type; example: 'struct folio *'" add 'x*' --taking x
refuses '--as with two' '--as: z: only one function can have this name' add x y --as z
refuses 'a SPEC with a newline' '\n' add 'x
y'

# Tests commands without the module, or without permission to load it.
"$mm" fn add handle_mm_fault >"$work/out" 2>"$work/err"
is 'add without the module: exit status 4 and one line' '4 0 1' \
	"$? $(wc -c <"$work/out") $(grep -c '^lttng-mm: ' "$work/err")"
if [ "$(id -u)" = 0 ] && [ ! -e /dev/lttng-mm-fn ]; then
	gives 'list without the module' 'no function has been added; add one with `lttng-mm fn add`' "$mm" fn list
	gives '... as JSON' '[]' "$mm" fn list --json
	refuses 'remove without the module' 'fn: x: no function of this name has been added' remove x
else
	skip 'list without the module' 'only root may list functions'
fi

for file in "$root/proc/kallsyms" "$work/none"; do
	refuses "signature by ${file##*/}" "--btf: $file: " signature x --btf "$file"
done

if [ ! -r "$types" ]; then
	skip 'types of this kernel' "there is no $types"
	tap_end
fi

# signature must print a declaration, and a line for each argument and for the result.
"$mm" fn signature vfs_open --btf "$types" >"$work/out"
is 'signature: status' 0 $?
is '... prints the declaration' 'int vfs_open(const struct path *path, struct file *file)' "$(head -n 1 "$work/out")"
is '... prints the arguments and the result' '1 2 ret' "$(sed 1d "$work/out" | awk '{ print $1 }' | xargs)"
"$mm" fn signature vfs_open handle_mm_fault --json --btf "$types" >"$work/json"
json '... as JSON' '2 vfs_open true rdi pointer 64 signed 32' \
	'"\(length) \(.[0].function) \(.[0].arguments[0] | "\(.available) \(.place) \(.kind) \(.bits)") \(.[0].result | "\(.kind) \(.bits)")"' \
	"$work/json"
refuses 'signature of a function that the types lack' 'fn: no_such_function: there is no such function in BTF' \
	signature no_such_function --btf "$types"
refuses '... names the nearest ones' "fn: vfs_opne: there is no such function in BTF; did you mean 'vfs_open'" \
	signature vfs_opne --btf "$types"

# Tests list --available: at least 95 % of the arguments must be available.
"$mm" fn list --available --json --btf "$types" >"$work/json"
json 'arguments that are available' true '.arguments.percent >= 95 and .arguments.count > 1000' "$work/json"
json 'unavailable ones by reason' true \
	'.arguments.count - .arguments.available == ([.arguments.unavailable[]] | add)' "$work/json"
"$mm" fn list --available --btf "$types" >"$work/out"
is '... as text' 1 "$(grep -c '^arguments: [0-9]*; available: [0-9]* ([0-9.]* %)$' "$work/out")"

# Tests add --dry-run on the machine above, as any user.
export LTTNG_MM_ROOT="$root"
gives 'a function' 'handle_mm_fault(vma, address, flags, regs) : ret' "$mm" fn add --dry-run handle_mm_fault
gives 'a selection' 'open(path_dentry_d_name_name, file_f_flags) : ret' \
	"$mm" fn add --dry-run --as open 'vfs_open(path->dentry->d_name.name:string, file->f_flags)'
"$mm" fn add --dry-run --json --caller --max-rate=5 \
	'handle_mm_fault(vma->vm_start, address:x64, flags:enum fault_flag)' >"$work/json"
json '... as JSON' 'vma_vm_start hexadecimal 64, address hexadecimal 64, flags unsigned 32, ret 32' \
	'.functions[0] | "\([.arguments[] | "\(.name) \(.kind) \(.bits)"] | join(", ")), \(.result | "\(.name) \(.bits)")"' \
	"$work/json"
json '... with its options' \
	'handle_mm_fault(vma->vm_start, address:x64, flags:enum fault_flag) --caller --max-rate=5' \
	'.functions[0].spec' "$work/json"
gives 'a pattern' 'vfs_open vfs_read vfs_write' sh -c "'$mm' fn add --dry-run 'vfs_*' | sed 's/(.*//' | xargs"
gives '... restricted by --taking' 'folio_unlock' \
	sh -c "'$mm' fn add --dry-run '*' --taking 'struct folio *' | sed 's/(.*//' | xargs"
refuses '... with too many matches' 'column 1: the pattern matches 3 functions, but --max is 2' add --dry-run 'vfs_*' --max=2
refuses 'an unknown member' "vfs_open(path->x): column 16: struct path has no member 'x'" \
	add --dry-run 'vfs_open(path->x)'
refuses 'an unknown function' "column 1: the kernel has no such function, or it is inlined everywhere; did you mean 'handle_mm_fault'?" \
	add --dry-run handle_mm_faults
refuses 'a function without types' "the function is not in BTF; give the types, as in '_stext(" add --dry-run _stext
gives '... types are given by hand' '_stext(a, b) : ret' "$mm" fn add --dry-run '_stext(a:u32, b:string) : s32'

# Tests a machine without types and without tracefs.
rm "$root/sys/kernel/btf/vmlinux" "$root/sys/kernel/tracing/available_filter_functions"
gives 'without BTF, types are given by hand' 'vfs_open(a) : ret' "$mm" fn add --dry-run 'vfs_open(a:ptr) : s32'
"$mm" fn add --dry-run vfs_open >"$work/out" 2>"$work/err"
is '... a function without types by hand is refused' '4 1' "$? $(grep -c 'is not in BTF' "$work/err")"
"$mm" fn signature vfs_open >"$work/out" 2>"$work/err"
is '... signature names the missing types' '4 1' "$? $(grep -c 'CONFIG_DEBUG_INFO_BTF' "$work/err")"
cp "$types" "$root/sys/kernel/btf/vmlinux"
"$mm" fn add --dry-run 'vfs_*' >"$work/out" 2>"$work/err"
is 'without tracefs, patterns name the missing file' '4 1' "$? $(grep -c 'mount -t tracefs' "$work/err")"
tap_end
