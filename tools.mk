# SPDX-License-Identifier: LGPL-2.1-only
# Builds the user-space tools and unit tests under O. Each folder lists its sources in a file
# sources.mk.
#
#   make -f tools.mk O=build/host            the program and babeltrace2's plugin
#   make -f tools.mk O=build/host program    only the program
#   make -f tools.mk O=build/host units      the program, the plugin and the unit tests
#   make -f tools.mk O=build/fuzz CC=clang LIBFUZZER=1 \
#        SANITIZE=fuzzer-no-link,address,undefined fuzzers
#   V=1 shows commands; SANITIZE=address,undefined builds with sanitizers.

O ?= build/host
CC ?= gcc
PKG_CONFIG ?= pkg-config
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

lttng-mm-srcs :=
program-srcs :=
all-srcs :=
plugin-srcs :=
unit-tests :=
make-ctf-srcs :=
make-trace-srcs :=
damage-ctf-srcs :=
check-signatures-srcs :=
lists := $(sort $(wildcard */sources.mk */*/sources.mk */*/*/sources.mk */*/*/*/sources.mk))
include $(lists)

pkgs := babeltrace2 inih jansson libbpf liburcu-cds lttng-ctl libsystemd libisal libpng
# The Debian packages of the libraries above, in the same order.
debian-packages := libbabeltrace2-dev libinih-dev libjansson-dev libbpf-dev liburcu-dev \
	liblttng-ctl-dev libsystemd-dev libisal-dev libpng-dev
missing := $(if $(shell command -v $(PKG_CONFIG)),$(foreach n,1 2 3 4 5 6 7 8 9,$(if \
	$(shell $(PKG_CONFIG) --exists $(word $n,$(pkgs)) && echo yes),,$(word $n,$(debian-packages)))),pkg-config)
missing := $(strip $(missing) $(if $(shell command -v $(firstword $(CC))),,$(if $(filter clang%,$(CC)),clang,gcc)))
ifneq ($(missing),)
$(error The tools need Debian packages that are not installed; run: apt-get install $(missing))
endif
version := $(shell cat VERSION)
# The version of liblttng-ctl is also the version of the session daemon. Since version 2.15, a
# session can choose its trace format.
tools-version := $(subst ., ,$(shell $(PKG_CONFIG) --modversion lttng-ctl))
have-trace-format := $(shell $(PKG_CONFIG) --atleast-version=2.15 lttng-ctl && echo yes)

# Version 2.1 of babeltrace2 added labels of bit arrays, and BLOBs.
have-babeltrace-2-1 := $(shell $(PKG_CONFIG) --atleast-version=2.1 babeltrace2 && echo yes)

CFLAGS ?= -O2 -g
all-cflags := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wno-unused-parameter -D_GNU_SOURCE -DLTTNG_MM_VERSION='"$(version)"' -I. \
	-DLTTNG_MM_TOOLS_MAJOR=$(word 1,$(tools-version)) \
	-DLTTNG_MM_TOOLS_MINOR=$(word 2,$(tools-version)) \
	$(if $(have-trace-format),-DLTTNG_MM_HAVE_TRACE_FORMAT) \
	$(if $(have-babeltrace-2-1),-DLTTNG_MM_BABELTRACE_2_1) \
	-fPIC -fvisibility=hidden \
	$(shell $(PKG_CONFIG) --cflags $(pkgs)) $(CFLAGS) $(if $(WERROR),-Werror) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)
all-libs := $(shell $(PKG_CONFIG) --libs $(pkgs)) -lm -lpthread
all-ldflags := $(LDFLAGS) $(if $(SANITIZE),-fsanitize=$(SANITIZE))

# The names of all events. They are generated from the headers from which the modules are built.
event-names := $(O)/generated/event-names.c
# All objects except those with a main().
lib-objs := $(patsubst %.c,$(O)/obj/%.o,$(sort $(lttng-mm-srcs))) $(O)/obj/generated/event-names.o
# An archive of these objects. A test program links only the objects that it refers to.
lib-archive := $(O)/obj/lttng-mm.a
commands := $(O)/lib/lttng-mm/lttng-mm
program-objs := $(patsubst %.c,$(O)/obj/%.o,$(sort $(program-srcs)))
# The objects of the analyses, without the commands and the recorder.
plugin-objs := $(patsubst %.c,$(O)/obj/%.o,$(sort $(plugin-srcs) \
	$(filter util/% reader/% analysis/%,$(lttng-mm-srcs))))
plugin := $(O)/lib/babeltrace2/plugins/babeltrace-plugin-lttng-mm.so
# The program looks for profiles in share/ next to its own folder.
profiles := $(patsubst %,$(O)/share/lttng-mm/%,$(sort $(wildcard profiles/*.conf)))
make-ctf-objs := $(patsubst %.c,$(O)/obj/%.o,$(sort $(make-ctf-srcs)))
make-trace-objs := $(patsubst %.c,$(O)/obj/%.o,$(sort $(make-trace-srcs)))
damage-ctf-objs := $(patsubst %.c,$(O)/obj/%.o,$(sort $(damage-ctf-srcs)))
check-signatures-objs := $(patsubst %.c,$(O)/obj/%.o,$(sort $(check-signatures-srcs)))
fuzz-bins := $(patsubst tests/fuzz/%.c,$(O)/tests/%,$(fuzz-programs))
fuzz-objs := $(patsubst %.c,$(O)/obj/%.o,$(fuzz-srcs) $(if $(LIBFUZZER),,$(fuzz-main-srcs)))
make-seeds-objs := $(patsubst %.c,$(O)/obj/%.o,$(sort $(make-seeds-srcs)))
# Programs with a single source file.
hostile-bins := $(patsubst tests/utils/%.c,$(O)/tests/%,$(one-file-programs))
unit-bins := $(patsubst %,$(O)/tests/test-%,$(sort $(notdir $(unit-tests))))

.DELETE_ON_ERROR:
.PHONY: all program units fuzzers print-cflags requirements FORCE
all: program $(plugin)
program: $(O)/bin/lttng-mm $(profiles)
# Also builds the programs of bench/. If an interface that they use has changed, the build fails.
units: all $(unit-bins) $(O)/tests/make-ctf $(O)/tests/make-trace $(O)/tests/damage-ctf $(hostile-bins) \
	$(O)/bench/fenwick $(O)/bench/gate-noise $(O)/bench/histogram $(O)/bench/measure \
	$(O)/bench/mrc-sample $(O)/bench/pageref-score fuzzers
fuzzers: $(fuzz-bins) $(O)/tests/make-seeds

# Does nothing, because make has checked the requirements when it read this file.
requirements:
	@:

# Prints the compiler's options, for tools that parse the sources.
print-cflags:
	@echo '$(subst ','\'',$(all-cflags))'

# This file changes if the compiler or its options change. All objects are then built again, so that
# O never contains objects of different builds.
$(O)/flags: FORCE
	@mkdir -p $(O)
	@echo '$(CC) $(shell $(CC) -dumpfullversion) $(subst ','\'',$(all-cflags)) $(all-ldflags)' > $@.new; \
	if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi
FORCE:

$(O)/obj/%.o: %.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-cflags) -MMD -MP -c -o $@ $<

# The list is generated each time, because make does not notice that a header was removed. The file
# is replaced only if it differs.
$(event-names): FORCE
	@mkdir -p $(@D)
	@sh instrumentation/event-names.sh > $@.list
	@{ echo '/* The events of instrumentation/events/, by instrumentation/event-names.sh. */'; \
	echo '#include "lttng-session/profile/event-names.h"'; \
	echo 'static char *const own[] = {'; sed 's/.*/\t"&",/' $@.list; echo '};'; \
	echo 'const struct event_names event_names_own = { (char **)own, sizeof(own) / sizeof(own[0]) };'; \
	} > $@.new; if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi

$(O)/obj/generated/%.o: $(O)/generated/%.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-cflags) -MMD -MP -c -o $@ $<

# A program also depends on the lists, because removing an object from a list does not change any
# object. The small program uses no shared libraries, so that it starts quickly. Sanitizers need
# shared libraries.
$(O)/bin/lttng-mm: $(program-objs) $(lists) $(commands)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) $(if $(SANITIZE),,-static) -o $@ $(filter %.o,$^) \
		$(shell $(PKG_CONFIG) --libs $(if $(SANITIZE),,--static) jansson) -lpthread

$(commands): $(patsubst %.c,$(O)/obj/%.o,$(all-srcs)) $(lib-objs) $(lists)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -o $@ $(filter %.o,$^) $(all-libs)

$(profiles): $(O)/share/lttng-mm/%: %
	$(call say,CP,$@)
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(plugin): $(plugin-objs) $(lists)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -shared -Wl,-z,defs -o $@ $(filter %.o,$^) $(filter-out -linih -lbpf,$(all-libs))

# The archive refers to the objects by name, and does not contain them.
$(lib-archive): $(lib-objs) $(lists)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) crsT $@ $(filter %.o,$^)

$(foreach t,$(unit-tests),$(eval $(O)/tests/test-$(notdir $t): \
	$(O)/obj/tests/unit/$(dir $t)test-$(notdir $t).o))
$(unit-bins): $(lib-archive)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -o $@ $(filter %.o,$^) $(lib-archive) $(all-libs)

# LIBFUZZER=1 requires clang, and replaces the main() in tests/fuzz by the main() of libFuzzer.
$(O)/obj/tests/fuzz/%.o: private all-cflags += -DLTTNG_MM_FUZZ_SEEDS='"$(CURDIR)/tests/fuzz/seeds"'
$(O)/tests/fuzz-system: $(O)/obj/tests/fuzz/seed-write.o
$(fuzz-bins): $(O)/tests/%: $(O)/obj/tests/fuzz/%.o $(fuzz-objs) $(lib-archive)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) $(if $(LIBFUZZER),-fsanitize=fuzzer) -o $@ $(filter %.o %.a,$^) $(all-libs)

$(O)/tests/make-seeds: $(make-seeds-objs) $(lib-archive)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -o $@ $(filter %.o %.a,$^) $(all-libs)

# These programs share no code with the program that they test.
$(O)/tests/make-ctf: $(make-ctf-objs)
$(O)/tests/damage-ctf: $(damage-ctf-objs)
$(O)/tests/make-ctf $(O)/tests/damage-ctf: $(lists)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -o $@ $(filter %.o,$^)

# make-trace reads metadata with the program's own parser.
$(O)/tests/make-trace: $(make-trace-objs) $(lib-archive)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -o $@ $(filter %.o %.a,$^) $(all-libs)

$(hostile-bins): $(O)/tests/%: $(O)/obj/tests/utils/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -o $@ $(filter %.o,$^)

# This program is not a unit test, because it requires libdw-dev and a kernel's debug information.
$(O)/tests/check-signatures: $(check-signatures-objs) $(lib-objs) $(lists)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -o $@ $(filter %.o,$^) -ldw -lelf $(all-libs)

# The programs of bench/. Some of them are measured, the others measure.
$(O)/bench/gate-noise $(O)/bench/histogram $(O)/bench/mrc-sample: $(O)/bench/%: \
	$(O)/obj/bench/%.o $(lib-archive)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -o $@ $^ $(all-libs)

$(O)/bench/fenwick $(O)/bench/measure $(O)/bench/pageref-score: $(O)/bench/%: $(O)/obj/bench/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all-ldflags) -o $@ $(filter %.o,$^)

.SECONDARY:
-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)
