#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests `lttng-mm record fn` without its module: which words count as a SPEC, dry runs, and
# refusals.
# shellcheck disable=SC2016 # backquotes in messages
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# No daemon of this machine may answer the tested program.
LTTNG_HOME=$work/home
LTTNG_MM_ROOT=$work/root
export LTTNG_HOME LTTNG_MM_ROOT
mkdir -p "$LTTNG_HOME" "$LTTNG_MM_ROOT/run"

# refuses NAME TEXT ARGUMENT...: checks for exit status 2 and a message that contains TEXT once.
refuses() {
	refuses_name=$1 refuses_text=$2
	shift 2
	"$mm" record "$@" >"$work/out" 2>"$work/err"
	is "$refuses_name" "2 0 1" \
		"$? $(wc -c <"$work/out") $(head -n 1 "$work/err" | grep -cF -e "$refuses_text")"
	[ -s "$work/err" ] || echo '# no message'
}

# commands ARGUMENT...: writes the dry run without the state session to `dry`.
commands() {
	"$mm" record "$@" --dry-run >dry || return
	grep -v -e '-state' dry
}
# events: prints the function events of the last dry run.
events() {
	sed -n "s/^lttng enable-event .* '\(fn_.*\)'\$/\1/p" dry | xargs
}

commands fn 'handle_mm_fault(address, flags:enum fault_flag)' >/dev/null
is 'a SPEC is added first' "lttng-mm fn add 'handle_mm_fault(address, flags:enum fault_flag)'" "$(head -n 1 dry)"
is '... entries and exits' 'fn_*_entry fn_*_exit' "$(events)"
is '... in a session of the profile' 1 "$(grep -c '^lttng start lttng-mm-fn$' dry)"
is '... with the module' 1 "$(grep -c '^modprobe lttng-probe-fn$' dry)"
is '... that sh can read' '' "$(sh -n dry 2>&1)"
commands dax fn slab fn 'ext4:*' --budget=256M >/dev/null
is 'each word after fn is a SPEC, even the name of a profile' "lttng-mm fn add 'slab' 'fn' 'ext4:*'" "$(head -n 1 dry)"
is '... words before it are profiles' 'lttng-mm-dax lttng-mm-fn lttng-mm-state' \
	"$(awk '$2 == "start" && !/-attach$/ { print $3 }' dry | xargs)"
commands fn >/dev/null
is 'without a SPEC, no function is added' 0 "$(grep -c 'fn add' dry)"
commands fn --calls >/dev/null
is '--calls enables the call event' 'fn_*_call' "$(events)"
commands fn x --slower 1ms --caller --inside y --max-rate 0 --raw >/dev/null
is 'options are passed to fn add' "lttng-mm fn add 'x' --caller --inside='y' --slower=1000000ns --max-rate=0 --raw" \
	"$(head -n 1 dry)"
is '... --slower implies --calls' 'fn_*_call' "$(events)"
commands fn x --filter "flags & 2 && name == 'y'" >/dev/null
is "--filter implies --calls, and becomes the event's filter" \
	"lttng enable-event --kernel --session=lttng-mm-fn --channel=lttng-mm 'fn_*_call' --filter='flags & 2 && name == '\\''y'\\'''" \
	"$(grep 'session=lttng-mm-fn .*fn_.*_call' dry)"
refuses '--filter without a SPEC' '--filter needs a function: lttng-mm record fn SPEC' fn --filter x
commands fn 'x*' --max 5 --taking 'struct folio *' >/dev/null
is '... options of patterns are passed, too' "lttng-mm fn add 'x*' --max=5 --taking='struct folio *'" "$(head -n 1 dry)"
commands fn x --as y >/dev/null
is '... and the name of the events' "lttng-mm fn add 'x' --as='y'" "$(head -n 1 dry)"
refuses '--as applies to one function only' 'fn: --as: y: only one function can have this name' fn x z --as=y --dry-run
commands fn x --errors >/dev/null
is '--errors applies to functions only' 'fn_*_call' "$(events)"
commands dax fn x --calls --slower 1ms >/dev/null
is 'options of functions need a function' 1 "$(grep -c "lttng-mm-dax .*'dax_pte_fault\*'" dry)"

for option in --as=x --max=1 '--taking=struct x *' --caller --inside=x --slower=1ms --errors --max-rate=1 --raw --calls --filter=x; do
	refuses "$option without fn" "${option%%=*}: only the profile fn accepts this option" dax "$option"
done
for option in --as=x --max=1 '--taking=struct x *' --caller --max-rate=1 --raw; do
	refuses "$option without a SPEC" "${option%%=*} needs a function: lttng-mm record fn SPEC" fn "$option"
done
for option in --inside=x --slower=1000000ns --errors; do
	commands fn --calls "$option" >/dev/null
	is "$option without a SPEC applies to all added functions" \
		"# All existing functions are added again, with: $option fn_*_call" \
		"$(head -n 1 dry | tr -d "'") $(events)"
done
refuses '--as without a SPEC is refused' '--as needs a function' fn --as=x --errors
refuses 'a dry run refuses a filter that LTTng cannot compile' \
	"record: --filter: condition: 'flags &&' is not a filter of LTTng" fn x --filter 'flags &&' --dry-run
refuses '--slower 1' '--slower: 1: not a duration' fn x --slower=1
refuses 'a bad SPEC' 'fn: x(a: column 4: ' fn y 'x(a'
refuses '... of a dry run' 'fn: x(a: column 4: ' fn y 'x(a' --dry-run
if [ "$(id -u)" = 0 ] && [ ! -e /dev/lttng-mm-fn ]; then
	refuses 'no function has been added' \
		'record: fn: no function has been added; name one, as in `lttng-mm record fn handle_mm_fault`' fn
else
	skip 'no function has been added' 'only root may list functions'
fi
tap_end
