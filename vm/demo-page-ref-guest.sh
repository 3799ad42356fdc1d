#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# The part of `make demo-page-ref` that runs in the guest: records the pages that a compilation
# touches, prints the report and the miss curve, and draws them.
set -eu

# Writes a C program of 100 functions.
awk 'BEGIN {
	print "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
	for (i = 0; i < 100; i++)
		printf "static int f%d(const char *text, int n)\n{\n\tint sum = %d;\n\n" \
			"\tfor (int k = 0; k < n && text[k]; k++)\n" \
			"\t\tsum = sum * %d + (text[k] %% %d ? abs(text[k]) : (int)strlen(text + k));\n" \
			"\treturn sum;\n}\n\n", i, i, i + 3, i + 2
	print "int main(int argc, char **argv)\n{\n\tint sum = 0;\n"
	for (i = 0; i < 100; i++)
		printf "\tsum ^= f%d(argv[0], argc + %d);\n", i, i
	print "\tprintf(\"%d\\n\", sum);\n\treturn 0;\n}"
}' >/tmp/program.c

echo "# lttng-mm record page-ref --output=/out/gcc --max-overhead=none -- gcc -O2 -o program program.c"
lttng-mm record page-ref --output=/out/gcc --max-overhead=none -- gcc -O2 -o /tmp/program /tmp/program.c
echo "# lttng-mm report page-ref /out/gcc"
lttng-mm report page-ref /out/gcc
echo
echo 'What a smaller memory would cost:'
echo "# lttng-mm mrc --rate=1 /out/gcc"
lttng-mm mrc --rate=1 /out/gcc
echo
echo "# lttng-mm report page-ref --image=/out/gcc.png /out/gcc"
lttng-mm report page-ref --image=/out/gcc.png /out/gcc
echo
echo 'The order in which the compiler touches its file:'
echo "# lttng-mm report page-ref --first-touch=cc1 --table=first_touches --top=8 /out/gcc"
lttng-mm report page-ref --first-touch=cc1 --table=first_touches --top=8 /out/gcc
