# golangci-lint, built from its module: nothing is downloaded but Go modules.
LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# Tests leave vet to lint: vet would compute facts about every package of Kubernetes, once for each test binary.
TEST := go test -vet=off -timeout 40m
# The benchmarks that "make bench" runs, as -bench has it.
BENCH := .

.PHONY: help build demo test lint bench soak clean

help: ## Show this help
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-8s %s\n", $$1, $$2}'

build: ## Build crdctl to bin/
	go build -o bin/crdctl .

demo: build ## Make, generate, verify and run a controller in a scratch folder
	@sh e2e/stories/testdata/demo.sh "$(CURDIR)/bin/crdctl"

test: lint ## Run all tests: format, vet, lint, unit, scripts, end to end
	$(TEST) ./... && $(MAKE) demo

lint: ## Check format, vet and style
	go run $(LINT) run --allow-parallel-runners ./...

bench: build ## Measure all that README.md and docs quote; BENCH=Generate measures what has that in its name
	CRDCTL="$(CURDIR)/bin/crdctl" go test -vet=off -timeout 0 -run '^$$' -bench '$(BENCH)' ./e2e/bench
	$(TEST) -run '^$$' -bench . -count 5 ./internal/controlplane

soak: build ## Half an hour of faults at random: replicas and control plane killed, hooks that misbehave, requests refused
	go run ./e2e/soak bin/crdctl

clean: ## Remove what build made
	rm -rf bin
