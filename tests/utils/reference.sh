#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Finds a babeltrace2 (2.1 or later) with whose output the output of lttng-mm can be compared, and
# writes a script that runs it: tests/utils/reference.sh FILE
#
# Uses this machine's babeltrace2 if it is new enough. Otherwise uses Debian 13's babeltrace2 from
# the file tree of the trixie guest, with that tree's loader, and creates the guest's image if
# necessary. Fails if neither exists, because the output would not be tested.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/../../vm/lib.sh"
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)

# quoted WORD: prints WORD quoted for the shell.
quoted() {
	printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

# new_enough COMMAND...: true if COMMAND runs and is 2.1 or later.
new_enough() {
	"$@" --version 2>/dev/null | awk 'NR == 1 {
		split($2, part, ".")
		exit !(part[1] > 2 || (part[1] == 2 && part[2] >= 1))
	}'
}

[ $# = 1 ] || die 'usage: tests/utils/reference.sh FILE'
file=$1
if command -v babeltrace2 >/dev/null 2>&1 && new_enough babeltrace2; then
	printf '#!/bin/sh\nexec babeltrace2 "$@"\n' >"$file"
	chmod +x "$file"
	exit 0
fi

"$top/vm/image.sh" trixie >&2 ||
	die 'no babeltrace2 of 2.1 or later, and the trixie image that has one cannot be made' 4
root=$(image_dir trixie)/root
set -- "$root"/usr/lib/*/ld-linux-*.so.*
loader=$1
libraries=$(dirname -- "$loader")
{ [ -x "$loader" ] && [ -x "$root/usr/bin/babeltrace2" ]; } ||
	die "$root: neither loader nor babeltrace2 in it; remove the image, vm/image.sh trixie makes a new one" 4
cat >"$file" <<END
#!/bin/sh
LIBBABELTRACE2_PLUGIN_PROVIDER_DIR=$(quoted "$libraries/babeltrace2/plugin-providers") \\
BABELTRACE_PLUGIN_PATH=$(quoted "$libraries/babeltrace2/plugins") \\
LIBBABELTRACE2_DISABLE_PYTHON_PLUGINS=1 \\
exec $(quoted "$loader") --library-path $(quoted "$libraries") --argv0 babeltrace2 \\
	$(quoted "$root/usr/bin/babeltrace2") "\$@"
END
chmod +x "$file"
new_enough "$file" || die "$root/usr/bin/babeltrace2 does not run, or is older than 2.1" 4
