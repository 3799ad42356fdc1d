#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the tree itself: headers compile alone, and everything that the documents name exists.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

cd "$top" || exit 2

cflags=$(pkg-config --cflags babeltrace2 jansson lttng-ctl)
for header in $(find analysis reader cli lttng-session plugin regress util -name '*.h' 2>/dev/null | sort); do
	# shellcheck disable=SC2086
	nothing "$header compiles alone" "$(gcc -std=gnu11 -D_GNU_SOURCE -Wall -Werror -fsyntax-only -I. \
		$cflags -x c "$header" 2>&1 | grep -v 'pragma once' | grep error)"
done

lists=$(find . -name sources.mk -not -path './build/*')
# A source is built only if a list names it. This must be the list in the source's own folder, so
# that people find the entry.
for file in $(find analysis reader cli lttng-session plugin regress tests/fuzz tests/unit tests/utils util -name '*.c' | sort); do
	case $file in
	tests/unit/*) item=$(echo "$file" | sed 's|^tests/unit/||; s|/test-|/|; s|\.c$||') ;;
	*) item=$file ;;
	esac
	# shellcheck disable=SC2086  # paths without blanks
	where=$(grep -lE "^[a-z-]+ \\+= $item\$" $lists | xargs)
	[ "$where" = "./${file%/*}/sources.mk" ] || echo "$file is in ${where:-no sources.mk}"
done >"$work/unlisted"
nothing 'each source is listed in the sources.mk of its own folder' "$(cat "$work/unlisted")"
for list in $lists; do
	sed -n 's/^[a-z-]* += \(.*\.c\)$/\1/p' "$list" | while read -r file; do
		[ -e "$file" ] || echo "$list names $file, which is not there"
	done
done >"$work/unlisted"
nothing 'each source in a sources.mk exists' "$(cat "$work/unlisted")"

find . -name '*.[ch]' -not -path './build/*' >"$work/files"
for document in README.md CONTRIBUTING.md doc/*.md doc/design/*.md; do
	# shellcheck disable=SC2016
	# Find words in backquotes that look like a path in this tree. <x> and * are placeholders.
	problems=$(grep -o '`[^`]*`' "$document" | tr -d '`' | grep -E '^[A-Za-z0-9_.-]+/[^ ]*$' |
		grep -E '^(analysis|bench|cli|doc|instrumentation|lttng-session|packaging|plugin|probes|profiles|reader|regress|tests|util|vm|LICENSES)/' |
		sort -u | sed 's/<[^>]*>/*/g' | while read -r path; do
		# shellcheck disable=SC2086
		ls -d $path >/dev/null 2>&1 || echo "$document names $path, which does not exist"
	done)
	nothing "$document: the paths exist" "$problems"
	# Find names of sources without some or all of their folders.
	# shellcheck disable=SC2016 # of Markdown
	problems=$(grep -o '`[A-Za-z0-9_/-]*\.[ch]`' "$document" | tr -d '`' | sort -u | while read -r name; do
		grep -q "/$name\$" "$work/files" || echo "$document names $name, which does not exist"
	done)
	nothing "$document: the sources exist" "$problems"
	problems=$(grep -o '][(][A-Za-z0-9_./-]*)' "$document" | sed 's/^](//; s/)$//' | sort -u | while read -r link; do
		[ -e "$(dirname "$document")/$link" ] || echo "$document links to $link, which does not exist"
	done)
	nothing "$document: the links exist" "$problems"
done

for page in doc/man/lttng-mm-*.1; do
	# An analysis has its own help. It lists the options that the analysis' manual page
	# describes.
	command=$(basename "$page" .1 | sed 's/^lttng-mm-//; s/-/ /')
	# shellcheck disable=SC2086 # a command and an analysis
	"$mm" $command --help >"${TMPDIR:-/tmp}/help.$$" 2>&1
	problems=$(grep -o '^\.B \\-\\-[a-z\\-]*' "$page" | sed 's/^\.B //; s/\\//g' | while read -r option; do
		grep -q -e "$option" "${TMPDIR:-/tmp}/help.$$" || echo "$page names $option, but the command does not have it"
	done)
	nothing "$page: the options exist" "$problems"
	problems=$(sed '/^Examples:/,$d' "${TMPDIR:-/tmp}/help.$$" | grep -o -e '--[a-z][a-z-]*' | sort -u |
		grep -v -e '--help' -e '--usage' -e '--version' | while read -r option; do
		case $page in doc/man/lttng-mm-report-*.1) true ;; *) false ;; esac ||
			sed 's/\\//g' "$page" | grep -q -e "$option" ||
			echo "$command has $option, but $page does not name it"
	done)
	nothing "$page: no option is missing" "$problems"
	rm -f "${TMPDIR:-/tmp}/help.$$"
done

# The tables in the program and the lists in the manual pages must be equal.
listed=$(sed -n '/^const char \*const cmdline_defaults/,/NULL/s/^\t"\(.*\)",$/\1/p' \
	lttng-session/system/cmdline.c)
documented=$(sed -n '/The table in lttng-session.*cmdline.c/,/^\.RE/p' doc/man/lttng-mm-snapshot.1 | sed '1d;$d' |
	tr -d ',' | tr ' ' '\n')
nothing 'lttng-mm-snapshot.1 lists the kernel parameters whose values are kept' \
	"$([ -n "$listed" ] && [ "$listed" = "$documented" ] || echo "the program has $listed, but the page has $documented")"

is 'lttng-mm-trigger.1 lists the captured values that are kept' \
	"$(sed -n '/^const char \*const events_captures_defaults/,/NULL/s/^\t"\(.*\)",$/\1/p' \
		lttng-session/daemon/triggers/watch/events-lttng.c)" \
	"$(sed -n '/The table in lttng-session.*events-lttng.c/,/^\.RE/p' doc/man/lttng-mm-trigger.1 | sed '1d;$d' |
		tr -d ',' | tr ' ' '\n')"

is 'lttng-mm-snapshot.1 lists the mount options whose values are kept' \
	"$(sed -n '/^const char \*const mount_options_defaults/,/NULL/s/^\t"\(.*\)",$/\1/p' \
		lttng-session/system/mount-options.c)" \
	"$(sed -n '/The table in lttng-session.*mount-options.c/,/^\.RE/p' doc/man/lttng-mm-snapshot.1 | sed '1d;$d' |
		tr -d ',' | tr ' ' '\n')"

# Users search the journal by these identifiers.
is 'lttng-mm-serve.1 lists the identifiers of lines in the journal' \
	"$(sed -n 's/^#define JOURNAL_[A-Z]* "\([0-9a-f]*\)".*/\1/p' lttng-session/system/journal.h)" \
	"$(sed -n 's/^\.B \([0-9a-f]\{32\}\)$/\1/p' doc/man/lttng-mm-serve.1)"

# Guests have no man, so the help of lttng would print nothing there.
nothing 'no script uses the help of lttng, which requires man' \
	"$(grep -rn 'lttng create --hel[p]' bench tests vm probes)"

for target in bench check check-style check-unit clean demo demo-fn demo-page-ref distclean guest install install-tools modules setup tools \
	uninstall; do
	nothing "make $target exists" "$(grep -q "^$target:" Makefile || echo "no target $target")"
done
tap_end
