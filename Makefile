# A test command that fails is a failure, also where its output is piped into another program.
SHELL := bash
.SHELLFLAGS := -o pipefail -c

# Tools are built from their modules, at the versions in tools: nothing is downloaded but Go modules. deadcode finds functions that are
# unreachable from every program and test, which the linter cannot: methods, and exported ones.
LINT := go tool -modfile=tools/go.mod golangci-lint
DEADCODE := go tool -modfile=tools/go.mod deadcode
ACTIONLINT := go tool -modfile=tools/actionlint/go.mod actionlint
# Tests leave vet to lint: vet would compute facts about every package of Kubernetes, once for each test binary. Without symbols and
# debugging information the linker needs half the time.
TEST := go test -vet=off -ldflags='-s -w' -timeout 60m
# The benchmarks that "make bench" runs, as -bench has it.
BENCH := .
# The versions of controller-gen that "make compat" compares with; tests have the first and the last with other bytes.
VERSIONS := v0.2.0 v0.2.2 v0.2.5 v0.3.0 v0.4.1 v0.5.0 v0.6.2 v0.7.0 v0.9.0 v0.16.4 v0.16.5 v0.17.2 v0.17.3 v0.18.0 v0.19.0 v0.20.0 v0.20.1 v0.21.0 v0.22.0 v0.23.0
# The packages that take longest come first, so that no core is idle in the end.
SLOW := ./e2e/stories ./e2e/script ./e2e/scaffold ./e2e/upstream ./e2e/toolchain ./e2e/corpus ./cmd ./internal/gen

.PHONY: help build demo check test tests lint deadcode bench compat check-repos soak release clean

help: ## Show this help
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-9s %s\n", $$1, $$2}'

build: ## Build crdctl to bin/
	go build -o bin/crdctl .

demo: build ## Make, generate, verify and run a controller in a scratch directory
	@sh e2e/stories/testdata/demo.sh "$(CURDIR)/bin/crdctl"

check: lint ## Run what needs no cluster, no build of a scaffold and no download: format, vet, lint, unit tests, scripts
	$(TEST) ./cmd/... ./internal/...

test: ## Run all tests, the demo among them, and print the time of each package
	$(MAKE) -j2 tests lint deadcode

# The tests that run crdctl take the one that was built, and always run. Results of other tests are those of the last run, if nothing changed
# that they depend on; in CI all run. lint and deadcode take what tests leave, so that API servers of tests answer in time.
tests: build
	go build -o bin/testtimes ./e2e/testtimes
	E2E_RUN="$$(date +%s%N)" CRDCTL="$(CURDIR)/bin/crdctl" $(TEST) $(if $(CI),-count=1) -json $(SLOW) ./... | bin/testtimes

lint: ## Check format, vet, style and workflows
	$(ACTIONLINT)
	GOGC=300 nice $(LINT) run --allow-parallel-runners ./...

deadcode: ## Check that every function is reachable
	@found=$$(GOGC=400 nice $(DEADCODE) -test ./...) && if [ -n "$$found" ]; then echo "$$found"; exit 1; fi

bench: build ## Measure all that README.md and docs quote; BENCH=Generate measures what has that in its name
	CRDCTL="$(CURDIR)/bin/crdctl" go test -vet=off -timeout 0 -run '^$$' -bench '$(BENCH)' ./e2e/bench
	$(TEST) -run '^$$' -bench . -count 5 ./internal/controlplane

compat: build ## Hold verify to the truth about public repositories: REPOS=DIR has clones of those in e2e/compat/testdata; FLAGS=-edited
	go run ./e2e/compat -repos "$(REPOS)" $(FLAGS)
	CONTROLLER_TOOLS="$(VERSIONS)" $(TEST) -run TestControllerGen ./e2e/toolchain

check-repos: build ## Run check on checkouts of public repositories in REPOS, and print what each rule finds; SEVERITY=error draws errors only
	go run ./e2e/checkrepos -repos "$(REPOS)" $(if $(SEVERITY),-severity $(SEVERITY))

soak: build ## Half an hour of faults at random: replicas and control plane killed, hooks that misbehave, requests refused
	go run ./e2e/soak bin/crdctl

# RELEASE are flags of e2e/release, for example -platforms linux/amd64 -builds codegen.
release: ## Make the archives, SHA256SUMS and bills of materials of a release in dist/, for five platforms
	go run ./e2e/release $(RELEASE)

clean: ## Remove what build made
	rm -rf bin dist
