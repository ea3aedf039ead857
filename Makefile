SWIFT ?= swift
export SWIFT
# More flags for the build of the tests; the same ones each time, or everything is built again.
BUILD_FLAGS ?=
export BUILD_FLAGS
PREFIX ?= /usr/local

# What `make year` simulates.
FEEDS ?= 2000
DAYS ?= 365

bin = $(DESTDIR)$(PREFIX)/bin
libexec = $(DESTDIR)$(PREFIX)/libexec/podget
share = $(DESTDIR)$(PREFIX)/share
bash_completion = $(share)/bash-completion/completions/podget
zsh_completion = $(share)/zsh/site-functions/_podget
fish_completion = $(share)/fish/vendor_completions.d/podget.fish
man = $(share)/man/man1

# The Swift runtime goes into the binaries, so that they run where no Swift is installed. Relative
# relocations are packed, which saves 1.4 MB; loading such a program takes glibc 2.36 (Debian 12). Each
# function has a section of its own, so that the linker leaves out what nothing calls: 1.1 MB. Libraries need
# not find the names of its functions, as Swift would have it: 1.0 MB. A hash that each object has of itself
# stays empty: it depends on the place of the build, and programs keep it.
release_flags = --configuration release --static-swift-stdlib --disable-local-rpath -Xlinker -s \
	-Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
	-Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs \
	--scratch-path .build-release
release_folder = $$($(SWIFT) build $(release_flags) --show-bin-path)
release_binary = $(release_folder)/podget

define build_release
$(SWIFT) build $(release_flags) --product podget
scripts/build-tag "$(release_folder)/podget-tag"
endef

# The library's tests, but for those that start other programs or read a corpus. Leaks are not looked
# for: what a sleeping task holds when the process ends, and one buffer of FoundationEssentials, count
# as leaks.
sanitized_tests = --filter '^PodcastKitTests\.' --skip 'Corpus|Nginx|DemoServer|ProcessTests|ScreenTests|OPMLSchema|ThumbnailDecoder'

.NOTPARALLEL:
.PHONY: help deps demo test soak year check rows modules weight sanitize fuzz release writable package \
  package-check image image-check reproducible install uninstall format lint docs bench clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the packages of Debian or Ubuntu that building and testing need
	@scripts/setup --tests

demo: ## download, interrupt, kill, resume and compare, all on this machine
	@scripts/demo

test: ## build everything and run all tests
	@scripts/setup --tests
	$(SWIFT) build --build-tests $(BUILD_FLAGS)
	$(build_release)
	@PODGET_TEST_BINARY="$(release_binary)" scripts/test

soak: ## the long tests: kills, power cuts, broken disks, two at once (some hours)
	@scripts/setup --tests --soak
	$(SWIFT) build --build-tests $(BUILD_FLAGS)
	$(build_release)
	@rm -f .build/soak
	@status=0; \
	PODGET_TEST_BINARY="$(release_binary)" PODGET_SOAK=1 PODGET_SOAK_REPORT=$(CURDIR)/.build/soak \
	  scripts/test \
	    --filter 'podgetTests\.(Reliability|RandomServers|Absence|NameLookup)' || status=$$?; \
	for suite in SyncRounds SimulatedYear; do \
	  PODGET_SOAK=1 SWIFT='$(SWIFT)' scripts/test --filter "PodcastKitTests\.$$suite" || status=$$?; \
	done; \
	scripts/slurm "$(release_binary)" >.build/soak-slurm || status=$$?; \
	cat .build/soak-slurm >>.build/soak; \
	scripts/rows | tail -1; cat .build/soak; exit $$status

year: ## simulate a year with 2,000 feeds (FEEDS=n, DAYS=n), with optimization
	@scripts/setup --tests
	PODGET_YEAR=1 PODGET_YEAR_FEEDS=$(FEEDS) PODGET_YEAR_DAYS=$(DAYS) $(SWIFT) test \
	  --configuration release -Xswiftc -enable-testing --scratch-path .build-year \
	  --filter '^PodcastKitTests\.SimulatedYear'

# The two builds share nothing and rarely use both cores, so they run side by side.
check: ## what a change must pass: format, rows, modules, release build, weight, documentation, tests
	@scripts/setup --tests
	@$(MAKE) --no-print-directory lint rows modules
	@$(SWIFT) package resolve
	@mkdir -p .build; \
	$(MAKE) --no-print-directory release >.build/release.log 2>&1 & release=$$!; \
	status=0; $(SWIFT) build --build-tests $(BUILD_FLAGS) || status=$$?; \
	wait $$release || { status=$$?; cat .build/release.log; }; \
	exit $$status
	@$(MAKE) --no-print-directory weight docs test

modules: ## list the modules with what they import; a back edge is an error
	@scripts/modules

weight: release ## check how large the programs are, and that nothing links full Foundation
	@scripts/weight "$(release_folder)"

rows: ## list what servers do, with the tests that show podget's answer
	@scripts/rows

sanitize: ## run the library's tests under AddressSanitizer, then under ThreadSanitizer
	@scripts/setup --tests
	ASAN_OPTIONS=detect_leaks=0 \
	  nice -n 10 $(SWIFT) test --sanitize=address --scratch-path .build-asan $(sanitized_tests)
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/tsan.supp halt_on_error=0" \
	  nice -n 10 $(SWIFT) test --sanitize=thread --scratch-path .build-tsan $(sanitized_tests)

fuzz: ## fuzz each parser and the engine for TIME seconds (60); TARGET=name, JOBS=n
	@scripts/setup
	@TIME='$(TIME)' TARGET='$(TARGET)' JOBS='$(JOBS)' scripts/fuzz

release: ## build podget for use
	@scripts/setup
	$(build_release)

# Building takes minutes, so this comes first.
writable:
	@folder="$(DESTDIR)$(PREFIX)"; \
	until [ -e "$$folder" ]; do folder=$$(dirname "$$folder"); done; \
	[ -w "$$folder" ] || { \
	  echo "install: no permission to write in $$folder; for your account alone, run: make install PREFIX=\"\$$HOME/.local\"" >&2; \
	  exit 1; \
	}

install: writable release ## install podget, its completions and manual pages below PREFIX (/usr/local); DESTDIR works
	install -D -m 755 "$(release_binary)" "$(bin)/podget"
	install -D -m 755 "$(release_binary)-tag" "$(libexec)/podget-tag"
	rm -f "$(libexec)/podget-thumbnail" # of a version before
	install -d "$(dir $(bash_completion))" "$(dir $(zsh_completion))" "$(dir $(fish_completion))"
	"$(bin)/podget" --generate-completion-script bash > "$(bash_completion)"
	"$(bin)/podget" --generate-completion-script zsh > "$(zsh_completion)"
	"$(bin)/podget" --generate-completion-script fish > "$(fish_completion)"
	install -d "$(man)"
	"$(bin)/podget" help man > "$(man)/podget.1"
	sed -n 's/^.fBpodget.-\([a-z]*\)(1).fR$$/\1/p' "$(man)/podget.1" | while read -r name; do \
	  "$(bin)/podget" help man "$$name" > "$(man)/podget-$$name.1" || exit 1; \
	done
	@echo "podget is installed in $(bin)"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "Add it to PATH: export PATH=\"$(PREFIX)/bin:\$$PATH\"" ;; esac

package: release ## make a Debian package, and a tarball for other distributions, in .build/package
	@scripts/package

package-check: ## check the package: lintian, equal bytes, and a life of it in bare systems (root)
	@scripts/package-check

image: release ## make an image for containers (OCI), in .build/image
	@scripts/image

image-check: ## check the image: equal bytes, and a sync as another user on a read-only root (root)
	@scripts/image-check

reproducible: ## build twice, at two places, and compare packages and images
	@scripts/reproducible

uninstall: ## remove what install installed
	rm -f "$(bin)/podget" "$(bash_completion)" "$(zsh_completion)" "$(fish_completion)" \
	  "$(libexec)/podget-tag" "$(libexec)/podget-thumbnail" "$(man)/podget.1" "$(man)"/podget-*.1
	rmdir "$(libexec)" 2>/dev/null || true

format: ## format all Swift files in place
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Fuzz Benchmarks

lint: ## check the format of all Swift files
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Fuzz Benchmarks

docs: ## build the documentation of PodcastKit into .build/docs
	@scripts/docs

bench: ## measure podget against its targets and its peers
	Benchmarks/run

clean: ## remove everything built
	rm -rf .build .build-release .build-asan .build-tsan .build-fuzz
