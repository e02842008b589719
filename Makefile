# SPDX-License-Identifier: Apache-2.0
# Thin front to CMake and tools/. On a fresh Debian 12: make demo, make check.
.PHONY: build schema install wheel tarball wheel-check demo demo-car check fuzz random attack bits outputs aarch64-check fmi-check bench format format-check clean
JOBS := $(shell nproc 2>/dev/null || echo 2)

# without tests, so that a compiler and CMake are enough
build:
	@sh tools/setup.sh demo
	cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DJOUNCE_TESTS=OFF
	cmake --build build -j $(JOBS)

demo: build
	build/bench/nine_joint_chain
	@echo
	build/jounce run models/buggy/step_descent.yaml
	@echo
	build/jounce benchmark buggy -o build
	@echo
	build/jounce report models/buggy/step_descent.yaml -o build/report.html --wrt k_f,c_f,k_r,c_r,m_c
	@echo "open build/report.html in a browser: plots, derivatives and a replay"

# the schemas of docs/, after a change of what model and study files may have
schema: build
	build/jounce schema model -o docs/jounce.schema.json
	build/jounce schema study -o docs/jounce-study.schema.json

# the sedan with semi-active dampers: both studies, each with its page
demo-car: build
	build/jounce study models/sedan/comfort.yaml -o build/comfort.html
	@echo
	build/jounce study models/sedan/handling.yaml -o build/handling.html
	@echo "open build/comfort.html and build/handling.html in a browser"

check:
	@sh tools/setup.sh check
	@bash tools/check.sh

# make install PREFIX=/usr/local: program, man pages, completion, headers, libraries, models (docs/install.md)
PREFIX ?= /usr/local
install: build
	cmake --install build --prefix $(PREFIX)

# self-contained, for any Linux with glibc 2.31: the Python package with library, program and models, and the program
# alone, in build-wheel/ (docs/install.md); tried in bare Debians 11, 12 and 13
wheel tarball:
	@sh tools/setup.sh wheel
	sh tools/wheel/build.sh build-wheel

wheel-check: wheel
	@sh tools/setup.sh wheel wheel-check
	sh tools/wheel/check.sh build-wheel

# make random N=5000 SEED=1 [FAMILIES=all]: properties of models of seeds 1 ... 5000, or of all families (CONTRIBUTING.md)
N ?= 500
SEED ?= 1
random: build
	python3 test/random/main.py build/jounce --seed $(SEED) --count $(N) --jobs $(JOBS) --keep build/random $(if $(FAMILIES),--families $(FAMILIES))

# make attack N=5000 SEED=1 [FAMILY=mutants]: hostile input, faults of the system, signals (docs/reliability.md)
attack: build
	python3 test/attack/main.py build/jounce --seed $(SEED) --count $(N) --jobs $(JOBS) --keep build/attack $(if $(FAMILY),--family $(FAMILY))

# make fuzz JOUNCE_FUZZ_SECONDS=300 [TARGETS="model tyre"]: random inputs to everything that is read (docs/reliability.md)
fuzz:
	@sh tools/setup.sh check
	cmake --preset fuzz && cmake --build --preset fuzz -j $(JOBS) --target fuzz_targets
	tools/fuzz.sh hunt build/fuzz $(TARGETS)

# the same bits from the interpreter, gcc and clang, for several processors, over the buggy's manoeuvres: minutes
bits: build
	python3 test/bits/main.py build/jounce --long

# every command over every model, with another program and this one: the same bytes (half an hour of two cores)
BEFORE ?= /usr/local/bin/jounce
outputs: build
	python3 test/outputs/main.py $(BEFORE) build/jounce --jobs $(JOBS)

# built for aarch64 in build-aarch64/ and run under qemu: tests, and the bits of this machine (docs/install.md)
aarch64-check: build
	@sh tools/setup.sh aarch64
	JOBS=$(JOBS) sh tools/aarch64/check.sh $(CURDIR)/build/jounce

# FMUs of large models against the program: minutes
fmi-check: build
	python3 test/fmi/test_models.py build/jounce --long

# the minute's drive of the sedan and its stop: speed without oil, derivatives with oil by 20 numbers; half an hour of one core
NUMBERS ?= 20
drive: build
	python3 test/drive/main.py build/jounce --numbers $(NUMBERS)

bench: build
	@for b in build/bench/bench_*; do [ -x $$b ] && [ -f $$b ] && echo "== $$b" && $$b || exit 1; done

# what make install has installed last
.PHONY: uninstall deb deb-same deb-check
uninstall:
	cmake -P tools/uninstall.cmake build

# Debian packages in build-deb/; the same twice in different folders; and tried in a bare Debian (docs/install.md)
deb:
	@sh tools/setup.sh deb deb-check
	sh tools/deb.sh build-deb
	lintian --fail-on error build-deb/*.changes

deb-same: deb
	sh tools/deb.sh build-deb/again
	@cd build-deb && for p in *.deb *.dsc *.tar.xz; do cmp "$$p" "again/$$p" || exit 1; done
	@echo "the same bytes, built twice"

deb-check: deb
	sh tools/deb_check.sh build-deb

format:
	@sh tools/format.sh

format-check:
	@sh tools/format.sh --check

clean:
	rm -rf build build-dev build-asan build-tsan build-clang build-fuzz build-deb build-wheel build-aarch64
