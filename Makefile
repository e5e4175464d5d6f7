export GOFLAGS := -tags=duckdb_arrow

.PHONY: build test check fmt vet lint race
build: ## bin/aqueduck
	go build -trimpath -o bin/aqueduck ./cmd/aqueduck

test: ## every test
	go test ./...

check: fmt vet lint race ## what CI asks for
fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "gofmt would change:"; echo "$$out"; exit 1; }
vet:
	go vet ./...
lint:
	go tool staticcheck ./...
race:
	go test -race ./...
