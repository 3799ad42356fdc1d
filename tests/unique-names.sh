#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Usage: unique-names.sh [--all]
#
# Checks that a name has only one meaning. Lists structs that several files define, and C files
# whose names are forms of one word: verb forms anywhere in the tree, such as keep.c and keeper.c,
# and a plural in the same folder, such as jobs.c beside job.c. Exits with 1 if a result is not
# among the exceptions below. --all ignores the exceptions and exits with 0.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"

exceptions() {
	[ "${1-}" = --all ] || cat <<'END'
forms of one word: confine confined
forms of one word: folded folder
forms of one word: listing list
forms of one word: recorder record recordings
forms of one word: requests requester
forms of one word: session sessions
forms of one word: settings set
forms of one word: stopped stop
forms of one word: tracker tracked
forms of one word: worker work
END
}

# Prints `struct NAME` and the files that define it, if there are several. Reads names of files.
same_structs() {
	# shellcheck disable=SC2016 # fields of awk
	xargs -r awk '
		/^(static |const |typedef )*struct [a-zA-Z_0-9]+ \{/ {
			sub(/ \{.*/, "")
			sub(/.*struct /, "")
			if (!seen[$0, FILENAME]++) {
				files[$0] = files[$0] " " FILENAME
				count[$0]++
			}
		}
		END {
			for (name in files)
				if (count[name] > 1)
					print "struct " name ":" files[name]
		}'
}

# Prints the names of files that are forms of one word. Reads names of files.
same_words() {
	awk '
		BEGIN { irregular["kept"] = "keep"; irregular["found"] = "find"; irregular["held"] = "hold" }
		function singular(word) {
			if (word !~ /(ss|us|is)$/)
				sub(/s$/, "", word)
			return word
		}
		# Example: watch, watches, watcher, watched and watching have the stem watch.
		function stem(word) {
			word = singular(word in irregular ? irregular[word] : word)
			if (length(word) > 5 && sub(/(ing|er|or|ed)$/, "", word) && word ~ /(bb|gg|mm|nn|pp|tt)$/)
				word = substr(word, 1, length(word) - 1)
			sub(/e$/, "", word)
			return word
		}
		function note(key, name) {
			if (index(names[key] " ", " " name " "))
				return
			names[key] = names[key] " " name
			count[key]++
		}
		{
			folder = $0
			sub(/[^\/]*$/, "", folder)
			name = substr($0, length(folder) + 1)
			sub(/\..*/, "", name)
			words = split(name, word, "-")
			plural = verb = ""
			for (i = 1; i <= words; i++) {
				plural = plural "-" singular(word[i])
				verb = verb "-" stem(word[i])
			}
			note(folder plural, name)
			if (!((verb, plural) in known))
				note("verb" verb, name)
			known[verb, plural] = 1
		}
		END {
			for (key in names)
				if (count[key] > 1)
					print "forms of one word:" names[key]
		}'
}

files() { git ls-files -- '*.[ch]'; }
{ files | same_structs; files | same_words; } | sort -u | {
	status=0
	while read -r finding; do
		if ! exceptions "$@" | grep -qxF "${finding%%: */*}"; then
			echo "$finding"
			[ "${1-}" = --all ] || status=1
		fi
	done
	exit $status
}
