# SPDX-License-Identifier: Apache-2.0
# Thin front to CMake and tools/. On a fresh Debian 12: make demo, make check.
.PHONY: build demo check bench format format-check clean
JOBS := $(shell nproc 2>/dev/null || echo 2)

build:
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

# build without tests, so that it needs a compiler and CMake only, and run the example
demo:
	@sh tools/setup.sh demo
	@cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DJOUNCE_TESTS=OFF >build-demo.log 2>&1 \
	  && cmake --build build -j $(JOBS) >>build-demo.log 2>&1 \
	  || { cat build-demo.log; exit 1; }
	@mv build-demo.log build/demo.log
	build/examples/nine_joint_chain

check:
	@sh tools/setup.sh check
	@bash tools/check.sh

bench: build
	@for b in build/bench/bench_*; do [ -x $$b ] && [ -f $$b ] && echo "== $$b" && $$b || exit 1; done

format:
	@sh tools/format.sh

format-check:
	@sh tools/format.sh --check

clean:
	rm -rf build build-dev build-asan build-tsan build-clang build-fuzz
