# WebMCP Hub. The two commands: `make demo` shows the main job, `make test`
# runs every test. Both install what is missing with the system's package
# manager and say so; nothing else is needed but Go.

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# From git, as in all packages; without git it is dev.
VERSION     ?= $(shell go run ./cmd/release version 2>/dev/null || echo dev)
BIN         := bin/webmcp-hub
PROGRAMS    := webmcp-hub webmcp-hub-cluster
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
# The newest goreleaser that Go 1.26 and the Go module proxy can build: later ones need a library that the proxy doesn't serve.
GORELEASER  := github.com/goreleaser/goreleaser/v2@v2.15.0
# Prints each test as it ends, and what failed once more at the end.
GOTESTSUM   := gotest.tools/gotestsum@v1.13.0 --format testname --hide-summary skipped
# $(call gotestsum,EVENTS,PACKAGES,FLAGS) runs the tests of packages and writes go test's events to a file.
gotestsum    = go run $(GOTESTSUM) --jsonfile $(1) --rerun-fails=1 --rerun-fails-max-failures=5 \
	--rerun-fails-run-root-test --rerun-fails-abort-on-data-race --packages="$(2)" -- $(3) -ldflags=-w -vet=off -count=1 -timeout $(TESTTIME)
# The tests' builds write nothing for debuggers, and the compiler and the linker collect garbage less often, which
# takes a quarter of their processor time away. The programs that users get are built without this.
TESTGOFLAGS  = $(strip $(shell go env GOFLAGS) -gcflags=all=-dwarf=false '-toolexec=env GOGC=400')
# The packages whose tests mostly wait for a real Chromium, where the race detector costs much and finds little: the two
# that take half of the time, and the others.
LONGEST     := ./e2e ./automation
CHROMIUMS    = ./check/probe $$(go list ./automation/... | grep -v '/automation$$')
# Those that start hardly any goroutines: the race detector makes them take up to six times as long, and finds little.
ALONE       := ./cluster/leases ./cluster/pages ./internal/mask ./mcpserver/results ./registry/... ./release
# All others.
FAKES       := go list ./... | grep -vE '^'$$(go list -m)'/(automation(/|$$)|check/probe$$|cluster/(leases|pages)$$|e2e$$|internal/mask$$|mcpserver/results$$|registry(/|$$)|release$$)'
# How many of them are tested side by side: twice as many as there are processors, since many tests wait most of their time.
LANES       := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) * 2)))
# RACE=1 runs all of them with the race detector.
RACE        ?=
RACEFLAG    := $(if $(RACE),-race)
# How long each fuzz target runs, which benchmarks run, and how long one package's tests may take:
# some ten times what the slowest package takes on two idle cores.
FUZZTIME    ?= 30s
BENCH       ?= .
# What "make storm" blows, and what "make profile" measures, for how long, and where it goes.
STORM       ?= --scenario all
PACKAGE     ?= ./bench/storm
# Which scenarios "make cluster" runs, and how large.
SCENARIO    ?=
PROFILETIME ?= 5x
PROFILES    ?= bin/profiles
TESTTIME    ?= 60m
# How many sessions make trust has on the corpus' pages.
SESSIONS    ?= 200
# Arguments of make peers.
PEERS       ?=
# How often make unused measures each, with what switched on (-rules=1000: a policy of so many rules), and what is measured.
UNUSED      ?= 3
UNUSEDWITH  ?= -automation
UNUSEDBENCH := ^Benchmark(Call|Storm)$$
# What make pairs compares with, how often, and which of the benchmarks in bench.
BASE        ?= HEAD~1
ROUNDS      ?= 5
PAIRBENCH   ?= ^Benchmark(Call|Calls16|CallInside|Storm|StormInside|RegisterToNotify|StartToInitialize|StartToTools)$$
BENCHSTAT   := golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
# How long the soak run takes.
MINUTES     ?= 5

# A Chrome under any of these names will do.
CHROMES     := chromium chromium-browser google-chrome google-chrome-stable google-chrome-beta google-chrome-unstable
# What the tests need on the machine. Not to be made at once: dpkg has one lock.
TESTNEEDS   := chromium node gcc etcd xvfb e2e/node_modules/.package-lock.json automation/corpus/node_modules/.package-lock.json
SUDO        := $(if $(filter 0,$(shell id -u)),,sudo)

# $(call install,PACKAGES,WHY) puts Debian or Ubuntu packages on the machine.
define install
	echo "==> installing with apt-get: $(1) ($(2))"; \
	command -v apt-get >/dev/null || { echo "error: apt-get is not here; install $(1) by hand and run this again" >&2; exit 1; }; \
	$(SUDO) apt-get update -qq; \
	$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1) >/dev/null
endef

.DEFAULT_GOAL := help
.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

.PHONY: demo
demo: PROGRAMS := webmcp-hub
demo: chromium build ## the main job, on a headless Chromium (installs Chromium if there is none)
	@echo "==> $(BIN) demo"
	@./$(BIN) demo

.PHONY: trust
trust: chromium automation/corpus/node_modules/.package-lock.json ## the tables of what trust stops and what it disturbs; SESSIONS (200) of an agent with --safe take a quarter of an hour
	@go test -count=1 -run '^TestTable' -v ./trust/... | grep -E '^ *\||^(=== RUN|---|FAIL)'
	@WEBMCP_SESSIONS=$(SESSIONS) go test -count=1 -run '^TestTable' -v -timeout 60m ./e2e | grep -E '^ *\||^(=== RUN|---|FAIL)'

# All with the same flags, or each would compile everything anew.
lint gotest race deploytest: export GOFLAGS = $(TESTGOFLAGS)

.PHONY: test
test: $(TESTNEEDS) ## every test and check (installs Chromium, Node, gcc, etcd, Xvfb and xdotool if missing)
	@# Beside the tests, and only with what processor time they leave.
	@# Lint looks at the packages as they are built for the tests: so most is compiled once.
	@$(MAKE) --no-print-directory -j3 LINTNICE="nice -n 19" LINTRACE=-race lint extensiontest deploytest gotest

.PHONY: quality
quality: ## how well find_webmcp_tools answers questions, and what the masker of secrets finds and leaves
	@go test -count=1 -v -run 'TestQuality|TestSpokenQuestions|TestBenign' ./registry/find ./mcpserver ./internal/mask | grep -E '^ +(\||[0-9]+ questions)|_test.go|^(ok|FAIL)'

.PHONY: build
build: ## the static binaries, bin/webmcp-hub and bin/webmcp-hub-cluster
	@version=$(VERSION); echo "==> building $(PROGRAMS:%=bin/%) $$version (Go downloads the modules that it lacks)"; mkdir -p bin; \
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$$version" -o bin/ $(PROGRAMS:%=./cmd/%)

.PHONY: lint
lint: ## gofmt, go vet, staticcheck (pinned; the checks are in staticcheck.conf), and actionlint of the workflows here and in docs/check.md
	@echo "==> gofmt"
	@files=$$(gofmt -l $$(find . -name '*.go' -not -path '*/node_modules/*')); \
	if [ -n "$$files" ]; then echo "not formatted (run gofmt -w):" >&2; echo "$$files" >&2; exit 1; fi
	@echo "==> go vet"
	@$(LINTNICE) go vet $(LINTRACE) ./... && cd bench && $(LINTNICE) go vet $(LINTRACE) ./...
	@echo "==> staticcheck"
	@# Not by go run, so that GOFLAGS can differ from those that it is built with.
	@mkdir -p bin && GOBIN="$(CURDIR)/bin" $(LINTNICE) go install $(STATICCHECK)
	@export GOFLAGS="$$GOFLAGS $(LINTRACE)" GOGC=400; \
	$(LINTNICE) bin/staticcheck ./... && cd bench && $(LINTNICE) ../bin/staticcheck ./...
	@echo "==> actionlint"
	@sed -n '/^on: /,/^```$$/p' docs/check.md | sed '$$d' | $(LINTNICE) go run $(ACTIONLINT) -no-color -shellcheck= -pyflakes= -
	@$(LINTNICE) go run $(ACTIONLINT) -no-color -shellcheck= -pyflakes= .github/workflows/*.yml

.PHONY: gotest
gotest: $(TESTNEEDS) ## the tests alone: with the race detector where it can find something and no browser is driven (RACE=1: everywhere)
	@echo "==> go test ./... (-race but for the packages that drive a real Chromium or start hardly any goroutines; make race runs those with it, too)"
	@# Not from go's cache: it doesn't see what the end-to-end tests build and what Chrome reads.
	@# Without the vet of go test: lint runs all of it.
	@# Up to five tests of a run that fail are run once more, unless a race was found: some drive a browser on a busy machine.
	@# The report names those that pass then, and says where the time went.
	@# Linking without what only debuggers read (-w) takes a third less.
	@# The end of a test binary waits 50 ms, not a second, for races of goroutines that are left.
	@# All others run beside the two longest, which wait for Chromium a sixth of their time. Without the traps, Ctrl-C
	@# would only end the test runs that are under way.
	@mkdir -p bin && rm -f bin/events*.json
	@export GORACE="atexit_sleep_ms=50 $${GORACE:-}" WEBMCP_REQUIRE_CHROME=1 WEBMCP_REQUIRE_ETCD=1; \
	trap 'exit 130' INT; status=0; \
	{ trap 'exit 130' INT; $(call gotestsum,bin/events-chromium.json,$(CHROMIUMS) $(ALONE),$(RACEFLAG)) || status=$$?; \
	$(call gotestsum,bin/events.json,$$($(FAKES)),-race -p $(LANES)) || status=$$?; \
	(cd bench && $(call gotestsum,../bin/events-bench.json,./...,-race)) || status=$$?; exit $$status; } & \
	$(call gotestsum,bin/events-longest.json,$(LONGEST),$(RACEFLAG)) || status=$$?; \
	wait $$! || status=$$?; \
	go run ./internal/testreport bin/events*.json || status=$$?; \
	exit $$status

.PHONY: race
race: $(TESTNEEDS) ## the tests that make test runs without the race detector, with it
	@mkdir -p bin; export GORACE="atexit_sleep_ms=50 $${GORACE:-}" WEBMCP_REQUIRE_CHROME=1; \
	$(call gotestsum,bin/events-chromium.json,$(LONGEST) $(CHROMIUMS) $(ALONE),-race)

.PHONY: test-fast
test-fast: ## the tests that need no browser, without the race detector: under a minute, for while you work
	@echo "==> go test -short ./... (no browser)"
	@go test -short ./...

.PHONY: extensiontest
extensiontest: node ## the Chrome extension's own tests: node --check on every script, then node's test runner
	@echo "==> node --check extension/"
	@for f in extension/*.js extension/lib/*.js extension/content/*.js extension/shared/*.js extension/test/*.js; do node --check "$$f" || exit 1; done
	@echo "==> node --test extension/test/"
	@timeout 120 node --test extension/test/

.PHONY: deploytest
deploytest: ## what is in deploy/, read as Kubernetes, kustomize, compose, BuildKit and container runtimes do
	@echo "==> go test in deploy/test (a module of its own)"
	@# Not from go's cache, which doesn't look at files outside of the module.
	@cd deploy/test && $(LINTNICE) go vet ./... && $(LINTNICE) go test -vet=off -count=1 ./...

.PHONY: bench
bench: ## the benchmarks (BENCH=name picks some)
	@echo "==> go test -bench $(BENCH)"
	@go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 60m ./...
	@go test -C bench -run '^$$' -bench '$(BENCH)' -benchmem -timeout 60m ./...

.PHONY: storm
storm: ## storms of tool changes against the hub (STORM="--scenario calls --runtime native", …)
	@go build -C bench -o ../bin/bench-storm ./cmd/storm
	@./bin/bench-storm $(STORM)

.PHONY: cluster
cluster: ## what a cluster does at scale and when things break (SCENARIO="kill-node --rounds 5"; none is all, 40 minutes)
	@go build -C bench -o ../bin/bench-cluster ./cmd/cluster
	@./bin/bench-cluster $(SCENARIO)

.PHONY: figures
figures: chromium ## what the hub is to reach, measured: the table in docs/benchmarks.md (FIGURES=RSS picks some)
	@go build -C bench -o ../bin/bench-figures ./cmd/figures
	@./bin/bench-figures $(FIGURES)

.PHONY: checktime
checktime: chromium ## how long "webmcp-hub check" takes for a page with 20 tools, and whether 50 runs find the same
	@go test -C bench -run '^$$' -bench '^BenchmarkCheck$$' -benchtime 50x -timeout 30m .

.PHONY: peers
peers: chromium node bench/peers/node_modules/.package-lock.json ## the hub beside other MCP servers for browsers (PEERS="-rounds 1 -only hub,relay")
	@go build -C bench -o ../bin/bench-peers ./peers
	@./bin/bench-peers $(PEERS)

.PHONY: corpus
corpus: chromium node bench/peers/node_modules/.package-lock.json automation/corpus/node_modules/.package-lock.json ## the browser tools' snapshots of other people's pages beside other servers': the table in docs/benchmarks.md
	@go build -C bench -o ../bin/bench-peers ./peers
	@./bin/bench-peers -corpus

.PHONY: unused
unused: chromium ## what calls and storms cost with --automation on and unused, beside what they cost without (UNUSED=rounds of each, 3; UNUSEDWITH=-rules=1000: with rules)
	@mkdir -p bin && rm -f bin/with bin/without
	@go test -C bench -c -o ../bin/bench.test .
	@for round in $$(seq $(UNUSED)); do \
		echo "==> round $$round of $(UNUSED), load $$(cut -d' ' -f1 /proc/loadavg)"; \
		(cd bench && ../bin/bench.test -test.run '^$$' -test.bench '$(UNUSEDBENCH)' -test.benchtime 3x -test.timeout 60m) | tee -a bin/without; \
		(cd bench && ../bin/bench.test -test.run '^$$' -test.bench '$(UNUSEDBENCH)' -test.benchtime 3x -test.timeout 60m $(UNUSEDWITH)) | tee -a bin/with; \
	done
	@go run $(BENCHSTAT) bin/without bin/with

.PHONY: pairs
pairs: chromium e2e/node_modules/.package-lock.json ## the benchmarks of this tree and of the commit BASE (HEAD~1) in turns, ROUNDS (5) of each, as ratios
	@base=$$(mktemp -d); trap 'git worktree remove --force "$$base"' EXIT; \
	git worktree add --quiet --detach "$$base" $(BASE); ln -s "$(CURDIR)/e2e/node_modules" "$$base/e2e/node_modules"; \
	mkdir -p bin && rm -f bin/pairs-base bin/pairs-this; \
	for round in $$(seq $(ROUNDS)); do for side in base this; do \
		tree=.; test $$side = this || tree="$$base"; \
		echo "==> round $$round of $(ROUNDS), $$side, load $$(cut -d' ' -f1 /proc/loadavg)"; \
		go test -C "$$tree/bench" -run '^$$' -bench '$(PAIRBENCH)' -benchtime 3x -timeout 60m . | tee -a bin/pairs-$$side; \
	done; done
	@go run $(BENCHSTAT) base=bin/pairs-base this=bin/pairs-this

.PHONY: picture
picture: chromium build ## the pictures in README.md, drawn anew (docs/demo.gif, docs/live.png)
	@go run ./docs/picture

.PHONY: storepicture
storepicture: chromium ## the picture for the Chrome Web Store, bin/store-popup.png
	@mkdir -p bin
	@WEBMCP_STORE_PICTURE="$(CURDIR)/bin/store-popup.png" go test -run '^TestStorePicture$$' -count=1 ./e2e

.PHONY: profile
profile: ## CPU and heap profile of the benchmark BENCH in PACKAGE, into PROFILES
	@test "$(BENCH)" != . || { echo "error: name one: make profile BENCH='Scenario/all-mad' PACKAGE=./bench/storm" >&2; exit 1; }
	@mkdir -p "$(PROFILES)"
	@echo "==> go test -bench $(BENCH) $(PACKAGE)"
	@go test -C $(if $(filter ./bench/%,$(PACKAGE)),bench,.) -run '^$$' -bench '$(BENCH)' -benchtime $(PROFILETIME) -benchmem -timeout 60m \
		-o "$(abspath $(PROFILES))/test" -cpuprofile "$(abspath $(PROFILES))/cpu" -memprofile "$(abspath $(PROFILES))/mem" $(patsubst ./bench/%,./%,$(PACKAGE))
	@go tool pprof -top -cum -nodecount 40 "$(PROFILES)/test" "$(PROFILES)/cpu"
	@go tool pprof -top -nodecount 20 -sample_index alloc_space "$(PROFILES)/test" "$(PROFILES)/mem"

.PHONY: profile-storm
profile-storm: ## CPU and heap profile of the hub's own process in a storm (STORM as above)
	@mkdir -p "$(PROFILES)"
	@go build -C bench -o "$(abspath $(PROFILES))/storm" ./cmd/storm
	@"$(PROFILES)/storm" $(STORM) --apart --cpuprofile "$(PROFILES)/storm-cpu" --memprofile "$(PROFILES)/storm-mem"
	@go tool pprof -top -cum -nodecount 40 "$(PROFILES)/storm" "$(PROFILES)/storm-cpu"
	@go tool pprof -top -nodecount 20 -sample_index inuse_space "$(PROFILES)/storm" "$(PROFILES)/storm-mem"

.PHONY: trace-storm
trace-storm: ## execution trace of a storm on the fake Chrome, for go tool trace (STORM as above)
	@mkdir -p "$(PROFILES)"
	@go build -C bench -o ../bin/bench-storm ./cmd/storm
	@./bin/bench-storm $(STORM) --trace "$(PROFILES)/trace"
	@echo "==> go tool trace $(PROFILES)/trace"

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME each (30s)
	@grep -rnoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' --exclude-dir=node_modules . | \
	while IFS=: read -r file _ func; do \
		echo "==> $${func#func } in $$(dirname $$file) for $(FUZZTIME)"; \
		go test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) "$$(dirname $$file)"; \
	done

.PHONY: soak
soak: chromium node e2e/node_modules/.package-lock.json ## random pages that come, change, crash and are called, for MINUTES (5)
	@echo "==> soak for $(MINUTES) minutes"
	@WEBMCP_REQUIRE_CHROME=1 WEBMCP_SOAK=$(MINUTES)m go test -run '^TestSoak$$' -count=1 -v -timeout $$(( $(MINUTES) + 10 ))m ./e2e

.PHONY: grid
grid: chromium node java chromedriver ## the end-to-end test of --grid on a real Selenium Grid (installs Java, ChromeDriver and the Grid if missing)
	@echo "==> the hub on a Selenium Grid"
	@go test -run '^TestGrid$$' -count=1 -v ./e2e

, := ,

# $(call goreleaser,EDITS,DIST,FLAGS) builds a snapshot by .goreleaser.yaml with sed's edits, and makes the packages of it.
# Before that the programs write their man pages and completion scripts, which archives and packages have. goreleaser takes no
# commit, and so no time, from a repository without a remote: it is told of one. Two settings of rpms can't be templates.
define goreleaser
	set -a; eval "$$(go run ./cmd/release env)"; set +a; \
	git remote | grep -q . || export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0="$$HOMEPAGE"; \
	for program in webmcp-hub webmcp-hub-cluster; do \
		to="bin/release/$$program"; rm -rf "$$to"; mkdir -p "$$to/man" "$$to/completions"; \
		go build -ldflags "-X main.version=$$VERSION" -o "$$to/program" ./cmd/$$program; \
		"$$to/program" man > "$$to/man/$$program.1"; \
		for script in bash:$$program.bash zsh:_$$program fish:$$program.fish powershell:$$program.ps1; do \
			"$$to/program" completion "$${script%%:*}" > "$$to/completions/$${script#*:}"; \
		done; \
	done; \
	sed -e "s|^    vendor: .*|    vendor: '$$OWNER'|" -e "s|^    license: .*LICENSE_ID }}\"|    license: '$$LICENSE_ID'|" $(1) \
		.goreleaser.yaml > bin/goreleaser.yaml; \
	go run $(GORELEASER) release --snapshot --clean --config bin/goreleaser.yaml $(3); \
	go run ./cmd/release packages $(2)
endef

.PHONY: release
release: ## packages for all platforms in dist/, nothing is published (ALLOW_NO_LICENSE=1: without a LICENSE)
	@ALLOW_NO_LICENSE=$(ALLOW_NO_LICENSE) go run ./cmd/release license
	@$(call goreleaser,,dist)
	@(cd dist && sha256sum *.mcpb *-gemini.tar.gz *-chrome-extension.zip *.cdx.json npm/*.tgz server.json >> checksums.txt)

.PHONY: rename
rename: ## puts the owner's name into the module's path, release/names.json and all that follows (OWNER=name; MODULE=, NPM=, REGISTRY=, IMAGE=)
	@test -n "$(OWNER)" || { echo "error: say whose it becomes: make rename OWNER=name" >&2; exit 1; }
	@go run ./cmd/release rename $(if $(MODULE),module=$(MODULE)) owner=$(OWNER) $(if $(NPM),npm=$(NPM)) \
		$(if $(REGISTRY),registry=$(REGISTRY)) $(if $(IMAGE),image=$(IMAGE))

# Packages for this platform only, in a folder of their own.
.PHONY: hostrelease
hostrelease:
	@$(call goreleaser,-e 's/goos: \[.*/goos: [$(shell go env GOOS)]/' -e 's/goarch: \[.*/goarch: [$(shell go env GOARCH)]/' \
		-e 's|^dist: .*|dist: bin/dist|',bin/dist,--skip=homebrew$(,)winget)

.PHONY: releasetest
releasetest: chromium node strace hostrelease ## builds the packages for this platform, installs each and calls a page's tool: a table of times and sizes
	@WEBMCP_RELEASE_DIST="$(CURDIR)/bin/dist" go test -count=1 -v -timeout $(TESTTIME) ./release

# No daemon, no privileges that a container lacks, and any file system.
BUILDAH := env STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot buildah

.PHONY: images
images: chromium buildah ## the two container images of what make release or releasetest built, on a base of Debian's packages, and a call of a page's tool in each
	@dist="$$(ls -td dist bin/dist 2>/dev/null | head -1 || true)"; test -n "$$dist" || { echo "error: run make release or make releasetest first" >&2; exit 1; }; \
	set -a; eval "$$(go run ./cmd/release env)"; set +a; mkdir -p bin/image; \
	VERSION=$$(sed 's/.*"version":"\([^"]*\)".*/\1/' "$$dist/metadata.json"); \
	test -e bin/image/base.tar || mmdebstrap --variant=minbase bookworm bin/image/base.tar; \
	base=$$($(BUILDAH) from scratch); $(BUILDAH) add --quiet "$$base" bin/image/base.tar / >/dev/null; \
	$(BUILDAH) commit --quiet --rm "$$base" localhost/webmcp-base >/dev/null; \
	for target in hub chromium; do \
		$(BUILDAH) build --quiet --file release/Dockerfile --target $$target --tag localhost/webmcp-$$target \
			--build-arg STATIC=localhost/webmcp-base --build-arg DEBIAN=localhost/webmcp-base --build-arg TARGETARCH=$$(go env GOARCH) \
			--build-arg VERSION="$$VERSION" --build-arg REGISTRY="$$REGISTRY" --build-arg HOMEPAGE="$$HOMEPAGE" "$$dist"; \
	done; \
	WEBMCP_RELEASE_DIST="$(CURDIR)/$$dist" WEBMCP_BUILDAH="$(BUILDAH)" go test -count=1 -v -run '^TestImages$$' ./release

.PHONY: clean
clean: ## removes what the targets above made
	rm -rf bin dist e2e/node_modules e2e/grid/node_modules bench/peers/node_modules automation/corpus/node_modules

# --- what the machine must have ---------------------------------------------

.PHONY: chromium
chromium:
	@for c in $(CHROMES); do \
		if command -v $$c >/dev/null; then echo "==> Chrome: $$(command -v $$c)"; exit 0; fi; \
	done; \
	case "$$(. /etc/os-release 2>/dev/null && echo "$${ID:-}")" in \
	ubuntu) packages=chromium-browser ;; \
	*) packages="chromium chromium-sandbox" ;; \
	esac; \
	$(call install,$$packages,the browser that the hub drives)

.PHONY: node
node:
	@if command -v node >/dev/null && command -v npm >/dev/null; then echo "==> Node: $$(command -v node) $$(node --version)"; exit 0; fi; \
	$(call install,nodejs npm,for the page runtimes and the MCP clients that the end-to-end tests use)

.PHONY: buildah
buildah:
	@if command -v buildah >/dev/null && command -v mmdebstrap >/dev/null; then exit 0; fi; \
	$(call install,buildah mmdebstrap,they build container images without a daemon)

.PHONY: strace
strace:
	@command -v strace >/dev/null || { $(call install,strace,a test looks at which connections the hub opens); }

.PHONY: java
java:
	@if command -v java >/dev/null; then echo "==> Java: $$(command -v java)"; exit 0; fi; \
	$(call install,default-jre-headless,Selenium Grid runs on it)

.PHONY: chromedriver
chromedriver:
	@if command -v chromedriver >/dev/null; then echo "==> ChromeDriver: $$(command -v chromedriver)"; exit 0; fi; \
	case "$$(. /etc/os-release 2>/dev/null && echo "$${ID:-}")" in \
	ubuntu) packages=chromium-chromedriver ;; \
	*) packages=chromium-driver ;; \
	esac; \
	$(call install,$$packages,by which a Selenium Grid starts Chromium)

# The race detector needs cgo, so a C compiler.
.PHONY: gcc
gcc:
	@if command -v gcc >/dev/null || command -v clang >/dev/null; then exit 0; fi; \
	$(call install,gcc libc6-dev,the race detector needs a C compiler)

.PHONY: etcd
etcd:
	@if command -v etcd >/dev/null; then echo "==> etcd: $$(command -v etcd)"; exit 0; fi; \
	$(call install,etcd-server,the tests of the cluster keep its state there)

.PHONY: xvfb
xvfb:
	@if command -v Xvfb >/dev/null && command -v xdotool >/dev/null; then echo "==> Xvfb: $$(command -v Xvfb)"; exit 0; fi; \
	$(call install,xvfb xdotool,a test presses a button of a Chromium with a window)

# npm writes this file last, so it is as new as the lock file it was made from.
e2e/node_modules/.package-lock.json: e2e/package-lock.json e2e/package.json | node
	@echo "==> npm ci in e2e/ (page runtimes, MCP clients and a newer Node for the end-to-end tests)"
	@cd e2e && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

automation/corpus/node_modules/.package-lock.json: automation/corpus/package-lock.json automation/corpus/package.json | node
	@echo "==> npm ci in automation/corpus/ (libraries whose pages the browser tools are held against, 320 MB)"
	@cd automation/corpus && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

e2e/grid/node_modules/.package-lock.json: e2e/grid/package-lock.json e2e/grid/package.json | node
	@echo "==> npm ci in e2e/grid/ (Selenium Grid, 50 MB)"
	@cd e2e/grid && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

bench/peers/node_modules/.package-lock.json: bench/peers/package-lock.json bench/peers/package.json | node
	@echo "==> npm ci in bench/peers/ (the MCP servers that make peers measures)"
	@cd bench/peers && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 PUPPETEER_SKIP_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=error
	@touch $@
