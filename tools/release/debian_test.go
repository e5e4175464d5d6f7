package main

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// TestS44ThePackageHasItsFilesWhereDebianLooks builds the package twice, from a program that is a text.
func TestS44ThePackageHasItsFilesWhereDebianLooks(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skipf("packages are built with dpkg-deb: %v", err)
	}
	files := map[string]archiveFile{"bin/aqueduck": {[]byte("program"), 0o755}, "man/man1/aqueduck.1": {[]byte("page"), 0o644}}
	for _, name := range shells {
		files[name] = archiveFile{[]byte("completion"), 0o644}
	}
	requireNoError(t, fromSource(files, "../.."))
	c := releaseCommit{version: "2.0.0-rc3", time: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)}
	var packed [2][]byte
	path := filepath.Join(t.TempDir(), "a.deb")
	for i := range packed {
		requireNoError(t, writePackage(t.Context(), path, "../..", target{arch: "arm64"}, c, files))
		var err error
		packed[i], err = os.ReadFile(path)
		requireNoError(t, err)
	}
	if !bytes.Equal(packed[0], packed[1]) {
		t.Error("two packages of the same files differ")
	}
	list, err := runCommand(t.Context(), ".", os.Environ(), "dpkg-deb", "--contents", path)
	requireNoError(t, err)
	for _, want := range []string{
		"-rwxr-xr-x root/root         7 2026-11-22 09:00 ./usr/bin/aqueduck\n", " ./usr/share/man/man1/aqueduck.1.gz\n", " ./etc/aqueduck/pipelines.yaml\n",
		" ./usr/share/bash-completion/completions/aqueduck\n", " ./usr/share/zsh/vendor-completions/_aqueduck\n", " ./usr/share/doc/aqueduck/docs/install.md\n",
		" ./usr/share/fish/vendor_completions.d/aqueduck.fish\n", " ./usr/share/doc/aqueduck/LICENSE\n", " ./usr/share/doc/aqueduck/copyright\n",
		" ./lib/systemd/system/aqueduck.service\n", " ./var/lib/aqueduck/pipelines.yaml -> /etc/aqueduck/pipelines.yaml\n",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("there is no %q in\n%s", want, list)
		}
	}
	fields, err := runCommand(t.Context(), ".", os.Environ(), "dpkg-deb", "--field", path, "Version", "Architecture")
	requireNoError(t, err)
	if fields != "Version: 2.0.0~rc3\nArchitecture: arm64\n" {
		t.Error(fields)
	}
	unit, err := runCommand(t.Context(), ".", os.Environ(), "sh", "-c", `dpkg-deb --fsys-tarfile "$1" | tar xO ./lib/systemd/system/aqueduck.service`, "sh", path)
	requireNoError(t, err)
	if strings.Contains(unit, archiveHome) || !strings.Contains(unit, "\nExecStart=/usr/bin/aqueduck serve\n") || !strings.Contains(unit, "\nReadWritePaths="+packageHome+"\n") {
		t.Errorf("the unit of the package is\n%s", unit)
	}
}

// TestS60TheUnitExposesLittle has systemd check the unit and rate what a taken-over service could reach: 10 is everything.
func TestS60TheUnitExposesLittle(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skipf("systemd rates its units: %v", err)
	}
	text, err := os.ReadFile("../../packaging/aqueduck.service")
	requireNoError(t, err)
	program, err := os.Executable()
	requireNoError(t, err)
	unit := filepath.Join(t.TempDir(), "aqueduck.service")
	requireNoError(t, os.WriteFile(unit, bytes.ReplaceAll(text, []byte(archiveHome+"/bin/aqueduck"), []byte(program)), 0o600))
	said, err := exec.Command("systemd-analyze", "verify", "--man=no", unit).CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("%v\n%s", err, said)
	}
	said, err = exec.Command("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20", unit).CombinedOutput()
	if err != nil {
		t.Errorf("the unit exposes more than 2.0: %v\n%s", err, said)
	}
}

// TestThePackageInstallsRunsAndGoes boots Debian 12 with systemd in a container. The package is installed there, its service reads an
// emulated workspace, and a purge leaves only the user's files.
func TestThePackageInstallsRunsAndGoes(t *testing.T) {
	t.Parallel()
	built := buildOnDebian(t, releaseParts{arches: []string{runtime.GOARCH}}, t.TempDir(), "mmdebstrap", "systemd-nspawn")
	space := emulator.New(emulator.Config{Seed: 3, Contacts: 60, Inactive: 12, Activities: 90, Conversations: 20,
		Knobs: emulator.Knobs{Export: emulator.ExportKnobs{Pending: -1, Working: -1}}}) // its clock stands still, so jobs must be ready at once
	server := httptest.NewServer(space)
	defer server.Close()
	root := filepath.Join(t.TempDir(), "root")
	_, err := runCommand(t.Context(), ".", os.Environ(), "mmdebstrap", "--format=directory", "--variant=minbase",
		"--include=systemd,systemd-sysv,adduser,ca-certificates,libstdc++6", "bookworm", root)
	requireNoError(t, err)
	unit := fmt.Sprintf("[Unit]\nSuccessAction=exit-force\nFailureAction=exit-force\n\n[Service]\nType=oneshot\nExecStart=/bin/sh /checks/package.sh\n"+
		"StandardOutput=truncate:/checks/said\nStandardError=inherit\nEnvironment=ADDRESS=%s TOKEN=%s\n\n[Install]\nWantedBy=multi-user.target\n", server.URL, space.AccessToken())
	requireNoError(t, os.WriteFile(filepath.Join(root, "etc/systemd/system/check.service"), []byte(unit), 0o644))
	requireNoError(t, os.Mkdir(filepath.Join(root, "checks"), 0o755))
	for from, to := range map[string]string{"testdata/package.sh": "checks/package.sh", built[1]: "checks/aqueduck.deb"} {
		text, err := os.ReadFile(from)
		requireNoError(t, err)
		requireNoError(t, os.WriteFile(filepath.Join(root, to), text, 0o600))
	}
	_, err = runCommand(t.Context(), ".", os.Environ(), "systemctl", "--root="+root, "enable", "check.service")
	requireNoError(t, err)
	booted, err := exec.CommandContext(t.Context(), "systemd-nspawn", "--quiet", "--directory="+root, "--register=no", "--keep-unit", "--boot").CombinedOutput()
	said, unread := os.ReadFile(filepath.Join(root, "checks/said"))
	if err != nil || !strings.HasSuffix(string(said), "everything held\n") {
		t.Errorf("%v, %v\n%s\n%s", err, unread, said, booted)
	}
}

// TestTheFiveCommandsOfTheReadmeGiveAnAnswer runs them on a bare Debian 12, with the package of the last commit, and logs the seconds
// after each. The README says how long they took, and of how many rows: the rows are the same, and the seconds at most four times as many.
func TestTheFiveCommandsOfTheReadmeGiveAnAnswer(t *testing.T) {
	t.Parallel()
	built := buildOnDebian(t, releaseParts{arches: []string{runtime.GOARCH}}, t.TempDir(), "mmdebstrap", "systemd-nspawn")
	commands := commandsBelow(t, "../../README.md", "## From nothing to a first answer")
	root := filepath.Join(t.TempDir(), "root")
	_, err := runCommand(t.Context(), ".", os.Environ(), "mmdebstrap", "--quiet", "--format=directory", "--variant=minbase", "bookworm", root)
	requireNoError(t, err)
	text, err := os.ReadFile(built[1])
	requireNoError(t, err)
	requireNoError(t, os.Mkdir(filepath.Join(root, "checks"), 0o755))
	requireNoError(t, os.WriteFile(filepath.Join(root, "checks", filepath.Base(built[1])), text, 0o644))
	// A machine in use has package lists, and its user is not root.
	script := "apt-get update\nbegun=$(date +%s)\n"
	for _, command := range commands {
		script += strings.NewReplacer("sudo ", "", "amd64", runtime.GOARCH).Replace(command) + "\necho \"seconds $(($(date +%s) - begun))\"\n"
	}
	said, err := runCommand(t.Context(), ".", os.Environ(), "systemd-nspawn", "--quiet", "--directory="+root, "--register=no", "--keep-unit", "--pipe", "--chdir=/checks", "sh", "-ec", script)
	requireNoError(t, err)
	t.Log(said)
	if len(commands) != 5 || !strings.Contains(said, "conversations\n") {
		t.Errorf("%d commands say\n%s", len(commands), said)
	}
	written, rows := writtenTime(t, "../../README.md")
	if !strings.Contains(said, " rows="+rows+" ") {
		t.Errorf("README says %s rows, and the run\n%s", rows, said)
	}
	if took := lastSeconds(t, said); took > 4*written {
		t.Errorf("the commands took %d seconds, README says %d", took, written)
	}
}

// writtenTime returns the seconds that the README says of its five commands, and the rows that they read.
func writtenTime(t *testing.T, readme string) (seconds int, rows string) {
	t.Helper()
	text, err := os.ReadFile(readme)
	requireNoError(t, err)
	found := regexp.MustCompile("they took ([0-9]+) seconds in all, .*: ([0-9,]+) rows").FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s does not say how long the five commands took", readme)
	}
	seconds, err = strconv.Atoi(string(found[1]))
	requireNoError(t, err)
	return seconds, strings.ReplaceAll(string(found[2]), ",", "")
}

// lastSeconds is the last time that the script of the five commands printed.
func lastSeconds(t *testing.T, said string) (seconds int) {
	t.Helper()
	lines := regexp.MustCompile("(?m)^seconds ([0-9]+)$").FindAllStringSubmatch(said, -1)
	if lines == nil {
		t.Fatalf("no time was printed:\n%s", said)
	}
	seconds, err := strconv.Atoi(lines[len(lines)-1][1])
	requireNoError(t, err)
	return seconds
}

// TestTheReadmeSaysHowLongItsFiveCommandsTook reads what TestTheFiveCommandsOfTheReadmeGiveAnAnswer compares.
func TestTheReadmeSaysHowLongItsFiveCommandsTook(t *testing.T) {
	t.Parallel()
	if seconds, rows := writtenTime(t, "../../README.md"); seconds < 5 || len(rows) < 5 {
		t.Errorf("README says %d seconds and %s rows", seconds, rows)
	}
	if got := lastSeconds(t, "seconds 11\nOK rows=7 time=24.0s\nseconds 36\n"); got != 36 {
		t.Errorf("the last time is %d", got)
	}
}

// buildOnDebian builds the release of the last commit. It fails a test that lacks programs of Debian, or the right to start containers.
func buildOnDebian(t *testing.T, parts releaseParts, dir string, tools ...string) []string {
	t.Helper()
	if os.Getenv("AQUEDUCK_LONG") == "" {
		t.Skip("it makes a release and installs a Debian system: make release-check runs it")
	}
	needTools(t, tools...)
	if os.Geteuid() != 0 {
		t.Fatal("only root may start a container as it does: run it as root")
	}
	built, err := buildRelease(t.Context(), "../..", dir, parts, os.Environ())
	requireNoError(t, err)
	return built
}

// debianPackages are the packages of Debian whose name is not that of their program.
var debianPackages = map[string]string{"systemd-nspawn": "systemd-container"}

// needTools fails a test that lacks programs of Debian: a target of the Makefile that tried nothing must not be green.
func needTools(t *testing.T, names ...string) {
	t.Helper()
	if err := findTools(exec.LookPath, names...); err != nil {
		t.Fatal(err)
	}
}

// findTools says which packages of Debian hold the programs that are missing.
func findTools(find func(string) (string, error), names ...string) error {
	var missing []string
	for _, name := range names {
		if _, err := find(name); err != nil {
			missing = append(missing, cmp.Or(debianPackages[name], name))
		}
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("programs are missing: on Debian, apt-get install %s", strings.Join(missing, " "))
}

// TestAMissingToolNamesItsPackage lacks two of three programs.
func TestAMissingToolNamesItsPackage(t *testing.T) {
	t.Parallel()
	find := func(name string) (string, error) {
		if name == "podman" {
			return name, nil
		}
		return "", exec.ErrNotFound
	}
	if err := findTools(find, "mmdebstrap", "podman", "systemd-nspawn"); err == nil || !strings.HasSuffix(err.Error(), "apt-get install mmdebstrap systemd-container") {
		t.Errorf("got %v", err)
	}
	if err := findTools(find, "podman"); err != nil {
		t.Error(err)
	}
}
