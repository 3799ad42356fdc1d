#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests install and uninstall with DESTDIR. Missing requirements must be named before anything is
# built, and removed files must be reported.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# Variables that make passes to a test must not reach the make below.
unset MAKEFLAGS MAKELEVEL MFLAGS CFLAGS SANITIZE

DESTDIR=$work/dest PREFIX=/opt/mm
export DESTDIR PREFIX
# files: prints the files below DESTDIR, with PAGE for each man page.
files() {
	(cd "$work/dest" 2>/dev/null && find . -type f -o -type l) |
		sed 's|\(/man[17]\)/.*|\1/PAGE|' | sort -u | xargs
}
pages=$(find "$top/doc/man" -name '*.1' | wc -l)

"$top/packaging/install.sh" tools >out 2>err
is 'install-tools: status' 0 $?
is '... exactly the program, the plugin and man pages' \
	'./opt/mm/bin/lttng-mm ./opt/mm/lib/babeltrace2/plugins/babeltrace-plugin-lttng-mm.so ./opt/mm/lib/lttng-mm/lttng-mm ./opt/mm/share/man/man1/PAGE ./opt/mm/share/man/man7/PAGE' \
	"$(files)"
is '... the installed program runs' 'lttng-mm' "$("$work/dest/opt/mm/bin/lttng-mm" --version | sed 's/ .*//')"
is 'make install-tools builds no module and needs no headers' 0 \
	"$(make -C "$top" -n install-tools 2>&1 | grep -c 'probes/install.sh')"

"$top/packaging/install.sh" uninstall >out 2>err
is 'uninstall reports exactly the installed files' "removed: $work/dest/opt/mm/bin/lttng-mm
removed: $work/dest/opt/mm/lib/lttng-mm/lttng-mm
removed: $work/dest/opt/mm/lib/babeltrace2/plugins/babeltrace-plugin-lttng-mm.so
removed: $pages man pages in $work/dest/opt/mm/share/man/man1
removed: $work/dest/opt/mm/share/man/man7/babeltrace2-sink.lttng-mm.7" \
	"$(cat out)"
is '... without messages' '' "$(cat err)"
is '... and leaves no file' '' "$(files)"

"$top/packaging/install.sh" install >out 2>err
"$top/packaging/install.sh" uninstall >out 2>err
is 'uninstall after install reports profiles, units and settings, too' '1 1 1' \
	"$(grep -c "removed: [0-9]* profiles in $work/dest/opt/mm/share/lttng-mm/profiles" out) $(
		grep -c "removed: [0-9]* systemd units in $work/dest/opt/mm/lib/systemd/system" out) $(
		grep -c "removed: [0-9]* unchanged settings in $work/dest/etc/lttng-mm" out)"
is '... and leaves no file' '' "$(files)"
is '... and the sources for guests' 1 "$(grep -c "removed: $work/dest/opt/mm/share/lttng-mm/guest\$" out)"

# The installed gate for guests.
"$top/packaging/install.sh" install >out 2>err
guest=$work/dest/opt/mm/share/lttng-mm/guest
"$guest/vm/gate.sh" --help >out 2>err
is 'the installed gate for guests runs' '0 1 0' "$? $(grep -c '^Usage: vm/gate.sh' out) $(wc -c <err)"
is '... builds in the cache' "/cache/build/trixie-gate" "$(LTTNG_MM_CACHE=/cache LTTNG_MM_GUEST=gate \
	sh -c '. "$1/vm/lib.sh" && build_dir trixie' "$guest/vm/test" "$guest")"
make -n -C "$guest" -f tools.mk O="$work/tools" program >out 2>err
is '... has all sources of the program' '0 yes' "$? $(grep -q 'cli/regress/cmd-gate.c$' out && echo yes)"
"$top/packaging/install.sh" uninstall >out 2>err

# Modules must only be reported if there are any.
KERNEL_RELEASE=6.0-none
export KERNEL_RELEASE
"$top/probes/install.sh" uninstall >out 2>&1
is 'uninstall without modules reports nothing' '0 ' "$? $(cat out)"
updates=$work/dest/lib/modules/$KERNEL_RELEASE/updates
mkdir -p "$updates/lttng-mm" "$updates/other"
"$top/probes/install.sh" uninstall >out 2>&1
is 'uninstall with modules reports their folder' "removed: $updates/lttng-mm" "$(cat out)"
is "... but no other module's" other "$(ls "$updates")"
make --no-print-directory -C "$top" uninstall >out 2>&1
is 'make uninstall without an installation prints one line' 1 "$(grep -c '^nothing of lttng-mm is installed' out)"
is '... and no other line' 1 "$(wc -l <out)"

# Missing requirements must be reported before anything is built.
printf '#!/bin/sh\ncase " $* " in *" inih "*) exit 1 ;; esac\nexec pkg-config "$@"\n' >fake-pkg-config
chmod +x fake-pkg-config
make --no-print-directory -C "$top" install PKG_CONFIG="$work/fake-pkg-config" >out 2>err
is 'make install without headers and a library fails' 2 $?
is '... names both' '1 1' "$(grep -c 'run: apt-get install libinih-dev' err) $(
	grep -c "run: apt-get install .*linux-headers-$KERNEL_RELEASE" err)"
is '... and builds nothing' '' "$(cat out)"
: >"$work/a-file"
DESTDIR=$work/a-file make --no-print-directory -C "$top" install-tools >out 2>err
is 'make install-tools without write permission fails' 2 $?
is '... one line says where, and nothing is built' "1 " "$(grep -c "cannot write below $work/a-file" err) $(cat out)"
tap_end
