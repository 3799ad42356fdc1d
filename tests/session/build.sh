#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the requirements of a build: it must install no package, and name the missing Debian
# packages.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# Variables that make passes to a test must not reach the make below.
unset MAKEFLAGS MAKELEVEL MFLAGS CFLAGS SANITIZE

# runs_apt TARGET: prints yes if TARGET installs Debian packages.
runs_apt() {
	make -C "$top" -n "$1" 2>&1 | grep -q -e 'vm/setup.sh' -e apt-get && echo yes || echo no
}
for target in tools modules install clean; do
	is "make $target installs no package" no "$(runs_apt "$target")"
done
for target in setup demo check; do
	is "make $target installs missing packages" yes "$(runs_apt "$target")"
done

# The program is linked without shared libraries, so that it starts quickly. Sanitizers need some.
needed=$(LC_ALL=C readelf -d "$mm" | sed -n 's/.*(NEEDED).*\[\(lib[^.]*\)\..*/\1/p' |
	grep -vxE 'lib(asan|ubsan|tsan|m|gcc_s|dl|pthread)' | sort | xargs)
case $(LC_ALL=C readelf -d "$mm") in
*libasan* | *libubsan* | *libtsan*) is 'the program is linked to few libraries' 'libc libjansson' "$needed" ;;
*) is 'the program is linked to no library' '' "$needed" ;;
esac
mkdir -p alone/bin
cp "$(command -v "$mm")" alone/bin/lttng-mm
alone/bin/lttng-mm status >out 2>err
is 'without the program of all commands: exit status 4 and one line that names it' \
	'4 1 1' "$? $(wc -l <err) $(grep -c "^lttng-mm: .*$work/alone/lib/lttng-mm/lttng-mm: " err)"
alone/bin/lttng-mm snapshot --name /x >out 2>err
is '... but usage errors are found without it' '2 1' "$? $(grep -c -e '--name: ' err)"

# lacks LIBRARY...: creates a pkg-config that knows all libraries except these.
lacks() {
	{
		echo '#!/bin/sh'
		for library; do
			echo "case \" \$* \" in *' $library '*) exit 1 ;; esac"
		done
		echo 'exec pkg-config "$@"'
	} >fake-pkg-config
	chmod +x fake-pkg-config
}
# refused NAME PACKAGES MAKE-ARGUMENT...: checks that the build exits with status 2 and one line
# that names the packages.
refused() {
	refused_name=$1 refused_packages=$2
	shift 2
	make -C "$top" -f tools.mk --no-print-directory "O=$work/o" "$@" all >out 2>err
	is "$refused_name: status" 2 $?
	is "$refused_name: one line that names the package" "1 $refused_packages" \
		"$(wc -l <err) $(sed -n 's/.*run: apt-get install \(.*\)\.  Stop\.$/\1/p' err)"
	is "$refused_name: nothing is built" '' "$(ls "$work/o" 2>/dev/null)"
}
while read -r library package; do
	lacks "$library"
	refused "no $library" "$package" "PKG_CONFIG=$work/fake-pkg-config"
done <<'END'
babeltrace2 libbabeltrace2-dev
inih libinih-dev
jansson libjansson-dev
libsystemd libsystemd-dev
libbpf libbpf-dev
liburcu-cds liburcu-dev
lttng-ctl liblttng-ctl-dev
END
lacks jansson lttng-ctl
refused 'two missing libraries' 'libjansson-dev liblttng-ctl-dev' "PKG_CONFIG=$work/fake-pkg-config"
refused 'no pkg-config' 'pkg-config' "PKG_CONFIG=$work/none"
refused 'no compiler' gcc "CC=$work/gcc"

# Programs of the guest tests list the sources that they share with the product. If a list lacks a
# new source, the program does not link. Without this test, only the build of a guest would show
# that.
for program in freeze-sessions watch-conditions; do
	make -C "$top/tests/kernel" "O=$work/kernel" "$work/kernel/$program" >out 2>err
	is "$program of the guest tests links" 0 $?
	sed 's/^/# /' err
done
tap_end
