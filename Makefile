# SPDX-License-Identifier: LGPL-2.1-only
# The commands of the project; `make help` lists them. The work is in tools.mk and in the folders.

SUITE ?= trixie
suites-origin := $(origin SUITES)
SUITES ?= bookworm trixie
PREFIX ?= /usr/local
ROUNDS ?= 20
FUZZ_S ?= 600
SOAK_S ?= 3600
SOAK_SNAPSHOTS ?= 1000
every-suite := bookworm trixie forky
override SUITES := $(if $(filter all,$(SUITES)),$(every-suite),$(SUITES))
jobs := $(shell getconf _NPROCESSORS_ONLN)
Q := $(if $(V),,@)
export V WERROR

.DELETE_ON_ERROR:
# Packages are installed before anything else.
.NOTPARALLEL:
.PHONY: help setup modules tools guest demo demo-fn demo-page-ref check check-functions \
	check-pageref check-parallel check-recorder check-signatures check-unit check-style bench fuzz \
	soak install install-requirements install-tools install-tools-requirements uninstall clean \
	distclean

help:
	@echo 'make demo          record DAX faults and allocations in a guest and print the reports (SUITE=trixie)'
	@echo 'make demo-fn       record calls of a kernel function in a guest, with arguments (SUITE=trixie)'
	@echo 'make demo-page-ref record the pages that a compilation touches, in a guest (SUITE=trixie)'
	@echo 'make check         every test, unit to guest (SUITES="bookworm trixie", or all)'
	@echo 'make check-functions functions in large numbers in guests, for half an hour each (SUITES=trixie GUESTS=scale)'
	@echo 'make check-pageref page references in guests: stress, other tracers, unseen pages (SUITES=trixie GUESTS=nodes)'
	@echo 'make check-parallel the guest tests that race, both CPUs at once (SUITES="trixie forky" ROUNDS=20)'
	@echo 'make check-recorder the guest tests of the recorder that take minutes (SUITES=trixie GUESTS=faults)'
	@echo 'make check-signatures arguments of all functions against debug information, of 1 GB (SUITE=trixie)'
	@echo 'make check-unit    the tests that need no guest (SANITIZE=address,undefined)'
	@echo 'make check-style   formatting and static analysis'
	@echo 'make fuzz          inputs of all parsers damaged at random (FUZZ_S=600 seconds)'
	@echo 'make soak          snapshots for an hour, 1,000 at least, at full rate (SOAK_S=3600 SOAK_SNAPSHOTS=1000)'
	@echo 'make bench         the figures of doc/benchmarks.md, into build/bench.jsonl'
	@echo 'make tools         the user-space tools: build/host/bin/lttng-mm'
	@echo 'make modules       the kernel modules for the running kernel'
	@echo 'make guest         everything for the guest of one suite (SUITE=trixie)'
	@echo 'make install       modules, tools, systemd units and man pages on this machine (DESTDIR, PREFIX)'
	@echo 'make install-tools the program, babeltrace2 plugin and man pages, to read traces (DESTDIR, PREFIX)'
	@echo 'make uninstall     stops the recorders and removes them (PURGE=1: snapshots, too; DESTDIR, PREFIX)'
	@echo 'make setup         installs the Debian packages that the above need (so do demo, demo-fn, check, guest and bench)'
	@echo 'make clean         removes what make has built; make distclean: the cache of images, too'

setup:
	$(Q)vm/setup.sh vm/host-packages

tools:
	$(Q)$(MAKE) --no-print-directory -f tools.mk O=build/host -j$(jobs) all

guest: setup
	$(Q)vm/build.sh $(SUITE)

demo: setup
	$(Q)vm/demo.sh $(SUITE)

demo-fn: setup
	$(Q)vm/demo-fn.sh $(SUITE)

demo-page-ref: setup
	$(Q)vm/demo-page-ref.sh $(SUITE)

check: setup tools
	$(Q)SUITES='$(SUITES)' tests/run.sh

# These targets have default suites of their own, unless the user names some.
check-functions: override SUITES := $(if $(filter undefined,$(suites-origin)),$(every-suite),$(SUITES))
check-functions: setup
	$(Q)SUITES='$(SUITES)' GUESTS='$(GUESTS)' tests/guests.sh functions

check-pageref: override SUITES := $(if $(filter undefined,$(suites-origin)),$(every-suite),$(SUITES))
check-pageref: setup
	$(Q)SUITES='$(SUITES)' GUESTS='$(GUESTS)' tests/guests.sh pageref

check-signatures:
	$(Q)vm/setup.sh vm/host-packages vm/signatures-packages
	$(Q)tests/signatures/run.sh $(SUITE)

check-parallel: override SUITES := $(if $(filter undefined,$(suites-origin)),trixie forky,$(SUITES))
check-parallel: setup
	$(Q)SUITES='$(SUITES)' ROUNDS='$(ROUNDS)' tests/parallel.sh

check-recorder: override SUITES := $(if $(filter undefined,$(suites-origin)),$(every-suite),$(SUITES))
check-recorder: setup
	$(Q)SUITES='$(SUITES)' GUESTS='$(GUESTS)' tests/guests.sh recorder

check-unit: setup tools
	$(Q)SUITES= tests/run.sh

check-style:
	$(Q)vm/setup.sh vm/host-packages vm/style-packages
	$(Q)tests/style.sh

fuzz:
	$(Q)vm/setup.sh vm/host-packages vm/fuzz-packages
	$(Q)FUZZ_SEED=0 tests/fuzz/run.sh $(FUZZ_S) coverage

soak: setup
	$(Q)vm/build.sh $(SUITE)
	$(Q)vm/run.sh --suite $(SUITE) --pmem 256M --timeout $$(($(SOAK_S) * 2 + 7200)) -- \
		env SOAK_S=$(SOAK_S) SOAK_SNAPSHOTS=$(SOAK_SNAPSHOTS) \
		sh /usr/lib/lttng-mm/tests/run-all.sh soak

bench: setup tools
	$(Q)bench/run.sh $(SUITE)

modules:
	$(Q)probes/install.sh build

# Reports everything that is missing before anything is built. Does not use $(MAKE), because `make
# -n` would run this line.
install-requirements:
	$(Q)status=0; export DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)'; \
	make --no-print-directory -s -f tools.mk O=build/host requirements || status=2; \
	probes/install.sh check && packaging/install.sh check || status=2; exit $$status

install: install-requirements tools modules
	$(Q)DESTDIR='$(DESTDIR)' probes/install.sh install
	$(Q)DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' packaging/install.sh install

install-tools-requirements:
	$(Q)DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' packaging/install.sh check

install-tools: install-tools-requirements tools
	$(Q)DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' packaging/install.sh tools

uninstall:
	$(Q)export DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' PURGE='$(PURGE)'; \
	modules=probes/install.sh; \
	packaging/install.sh installed || modules=:; \
	packaging/install.sh uninstall && $$modules uninstall

clean:
	rm -rf build

distclean: clean
	$(Q)vm/clean-cache.sh
