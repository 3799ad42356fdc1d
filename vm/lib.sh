# SPDX-License-Identifier: LGPL-2.1-only
# Shared by the scripts in vm/: suites, cache, messages, locks. Sourced, not run.
# shellcheck shell=sh

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cache=${LTTNG_MM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lttng-mm}
known_suites='bookworm trixie forky'

die() {
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	exit "${2:-2}"
}

warn() {
	printf '%s: %s\n' "${0##*/}" "$1" >&2
}

# as_root COMMAND...: runs COMMAND through sudo if the user is not root.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo -- "$@"
	else
		die "'$1' requires root and sudo is missing; run make as root or install sudo" 4
	fi
}

# check_suite SUITE [OTHER]: OTHER is also allowed.
check_suite() {
	case " $known_suites ${2:-} " in
	*" $1 "*) ;;
	*) die "unknown suite '$1'; known: $known_suites" ;;
	esac
}

# step LOG TEXT COMMAND...: runs COMMAND with its output in LOG, shows TEXT and the elapsed time.
step() {
	step_log=$1
	step_text=$2
	shift 2
	step_start=$(date +%s)
	printf '  %-58s' "$step_text" >&2
	mkdir -p "$(dirname -- "$step_log")"
	# set -e has no effect in the condition of an `if`, so check the status afterwards.
	set +e
	(set -e && "$@") >"$step_log" 2>&1
	step_status=$?
	set -e
	if [ "$step_status" = 0 ]; then
		printf ' %4d s\n' $(($(date +%s) - step_start)) >&2
	else
		printf ' FAILED after %d s; the last lines of %s:\n' $(($(date +%s) - step_start)) \
			"$step_log" >&2
		tail -n 20 "$step_log" | sed 's/^/    /' >&2
		return "$step_status"
	fi
}

# begin_step LOG TEXT COMMAND...: runs a step concurrently with other steps. end_step LOG waits for
# the step, prints its line and returns its status. Background processes ignore Ctrl-C, so a script
# that uses begin_step calls cancel_steps when it exits.
steps_begun=''
begin_step() {
	begin_log=$1
	mkdir -p "$(dirname -- "$begin_log")"
	rm -f "$begin_log.status"
	(
		begin_status=0
		step "$@" 2>"$begin_log.line" || begin_status=$?
		echo "$begin_status" >"$begin_log.status"
	) &
	echo $! >"$begin_log.pid"
	steps_begun="$steps_begun $!"
}

end_step() {
	end_pid=$(cat "$1.pid")
	wait "$end_pid" || :
	# shellcheck disable=SC2086 # numbers
	steps_begun=$(printf '%s\n' $steps_begun | grep -vx "$end_pid" | xargs)
	cat "$1.line" >&2
	end_status=$(cat "$1.status" 2>/dev/null || echo 1)
	rm -f "$1.pid" "$1.line" "$1.status"
	return "$end_status"
}

kill_tree() {
	read -r kill_children <"/proc/$1/task/$1/children" || :
	kill "$1" || :
	for kill_child in $kill_children; do
		kill_tree "$kill_child"
	done
} 2>/dev/null

# Kills the steps that still run.
cancel_steps() {
	for begun in $steps_begun; do
		kill_tree "$begun"
	done
	# Their logs are complete after they exit.
	wait
}

# key FILE...: prints a short hash of the contents of these files.
key() {
	cat -- "$@" | sha256sum | cut -c1-12
}

# mirror_site [security]: prints the Debian mirror that apt uses on this machine.
mirror_site() {
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
		awk -v security="${1:-}" '
			security != "" && $2 ~ /-security$/ { print $1; exit }
			security == "" && $2 !~ /-(security|updates|backports)$/ { print $1; exit }'
}

# suite_sources SUITE: prints the lines of sources.list for the suite.
suite_sources() {
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$keyring" ] ||
		die "no $keyring; install it with: apt-get install debian-archive-keyring" 4
	mirror=${LTTNG_MM_MIRROR:-$(mirror_site)}
	security=${LTTNG_MM_SECURITY_MIRROR:-$(mirror_site security)}
	[ -n "$mirror" ] ||
		die 'apt uses no Debian mirror; set one: LTTNG_MM_MIRROR=URL' 4
	echo "deb [signed-by=$keyring] $mirror $1 main"
	# Testing has no useful security archive; its fixes come through the suite itself.
	if [ "$1" != forky ] && [ -n "$security" ]; then
		echo "deb [signed-by=$keyring] $security $1-security main"
	fi
}

# guest_name SUITE: prints the name of the suite's guest: SUITE, or SUITE+KEY with the kernel of
# LTTNG_MM_KERNEL, a Debian package (vm/kernel-image.sh).
guest_name() {
	if [ -z "${LTTNG_MM_KERNEL:-}" ]; then
		echo "$1"
	else
		printf '%s+%s\n' "$1" "$(stat -Lc '%n %s %Y' -- "$LTTNG_MM_KERNEL" | sha256sum | cut -c1-8)"
	fi
}

# image_dir SUITE: prints the folder of the suite's image. Its name depends on the image's inputs.
image_dir() {
	image_suite=$1
	set -- "$top/vm/image.sh" "$top/vm/guest-packages" "$top/vm/initramfs-init"
	[ "$image_suite" != debug ] || set -- "$@" "$top/vm/debug-kernel.sh" "$top/vm/debug-kernel.config"
	[ -z "${LTTNG_MM_KERNEL:-}" ] || set -- "$@" "$top/vm/kernel-image.sh"
	printf '%s/images/%s-%s\n' "$cache" "$(guest_name "$image_suite")" "$(key "$@")"
}

# make_image [--root] SUITE: creates the suite's image, if it is missing.
make_image() {
	case $* in
	*debug) "$top/vm/debug-kernel.sh" "$@" ;;
	*) "$top/vm/${LTTNG_MM_KERNEL:+kernel-}image.sh" "$@" ;;
	esac
}

# image_root_ready SUITE: is the file tree of the suite's image complete?
image_root_ready() {
	[ -e "$(image_dir "$1")/kernel-release" ]
}

# build_dir SUITE: prints the folder in which everything for the suite's guest is built. Set
# LTTNG_MM_GUEST=demo for the guest of `make demo`, which contains only what the demo uses, and
# LTTNG_MM_GUEST=gate for the guest of vm/gate.sh, which contains the installed files. An
# installation builds in the cache.
build_dir() {
	build_top=$top/build
	[ ! -e "$top/vm/installed" ] || build_top=$cache/build
	printf '%s/%s%s\n' "$build_top" "$(guest_name "$1")" "${LTTNG_MM_GUEST:+-$LTTNG_MM_GUEST}"
}

# backend_dir SUITE: prints the folder of the suite's lttng-modules build. The demo's guest uses a
# complete build if there is one.
backend_dir() {
	backend_full=$(full_backend_dir "$1")
	if [ "${LTTNG_MM_GUEST:-}" = demo ] && [ ! -e "$backend_full/version" ]; then
		echo "$backend_full-$LTTNG_MM_GUEST"
	else
		echo "$backend_full"
	fi
}

full_backend_dir() {
	printf '%s/lttng-modules/%s-%s-%s\n' "$cache" "$(guest_name "$1")" \
		"$(basename -- "$(image_dir "$1")" | sed 's/.*-//')" \
		"$(find "$top/probes/backend" -type f -exec sha256sum {} + | sed "s|$top/||" |
			sort -k2 | sha256sum | cut -c1-12)"
}

# kernel_release SUITE: prints the kernel release of the suite's image, if it exists.
kernel_release() {
	cat "$(image_dir "$1")/kernel-release"
}
