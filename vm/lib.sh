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

# as_root COMMAND...: runs it through sudo if the user is not root.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo -- "$@"
	else
		die "'$1' requires root and sudo is missing; run make as root or install sudo" 4
	fi
}

check_suite() {
	case " $known_suites " in
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
	# As the condition of an `if`, a function would continue after a failed command.
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

# key FILE...: a short name for the contents of these files.
key() {
	cat -- "$@" | sha256sum | cut -c1-12
}

# mirror_site [security]: the Debian mirror that apt uses on this machine.
mirror_site() {
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
		awk -v security="${1:-}" '
			security != "" && $2 ~ /-security$/ { print $1; exit }
			security == "" && $2 !~ /-(security|updates|backports)$/ { print $1; exit }'
}

# suite_sources SUITE: the lines of sources.list for the suite.
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

# image_dir SUITE: the folder of the suite's image; its name changes with its inputs.
image_dir() {
	printf '%s/images/%s-%s\n' "$cache" "$1" \
		"$(key "$top/vm/image.sh" "$top/vm/guest-packages" "$top/vm/initramfs-init")"
}

# backend_dir SUITE: the folder of the suite's lttng-modules build.
backend_dir() {
	printf '%s/lttng-modules/%s-%s-%s\n' "$cache" "$1" \
		"$(basename -- "$(image_dir "$1")" | sed 's/.*-//')" \
		"$(find "$top/probes/backend" -type f -exec sha256sum {} + | sed "s|$top/||" |
			sort -k2 | sha256sum | cut -c1-12)"
}

# kernel_release SUITE: the kernel release of the suite's image, if it exists.
kernel_release() {
	cat "$(image_dir "$1")/kernel-release"
}
