package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// commandsBelow returns the commands of the first code block after a text of a page.
func commandsBelow(t *testing.T, page, text string) []string {
	t.Helper()
	whole, err := os.ReadFile(page)
	requireNoError(t, err)
	_, block, found := strings.Cut(string(whole), text)
	_, block, found2 := strings.Cut(block, "```\n")
	block, _, found3 := strings.Cut(block, "```\n")
	if !found || !found2 || !found3 {
		t.Fatalf("%s has no commands after %q", page, text)
	}
	return strings.Split(strings.TrimSpace(block), "\n")
}

// TestS44AChangedFileFailsTheVerificationOfThePage signs files with a key that is made for it, and verifies them as docs/install.md says: as
// they were signed, with a changed file, and with changed checksums.
func TestS44AChangedFileFailsTheVerificationOfThePage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gpg", "gpgconf", "sha256sum"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("releases are signed and verified with %s: %v", name, err)
		}
	}
	// The socket of GnuPG's agent needs a short path.
	home, err := os.MkdirTemp("", "gpg")
	requireNoError(t, err)
	env := append(os.Environ(), "GNUPGHOME="+home)
	dir := t.TempDir()
	run := func(name string, args ...string) (string, error) {
		return runCommand(t.Context(), dir, env, name, args...)
	}
	t.Cleanup(func() {
		stop := exec.Command("gpgconf", "--kill", "all")
		stop.Env = env
		if err := stop.Run(); err != nil {
			t.Error(err)
		}
		requireNoError(t, os.RemoveAll(home))
	})
	_, err = run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "of the test", "ed25519", "sign")
	requireNoError(t, err)
	public, err := run("gpg", "--armor", "--export", "of the test")
	requireNoError(t, err)
	write := func(name, text string) {
		requireNoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("aqueduck-release.asc", public)
	verify := func() error {
		for _, command := range commandsBelow(t, "../../docs/install.md", "## Verify a download") {
			if said, err := run("sh", "-c", command); err != nil {
				return err
			} else if strings.HasPrefix(command, "sha256sum") && strings.Count(said, ": OK\n") != 2 {
				t.Errorf("%s: %s", command, said)
			}
		}
		return nil
	}
	archive, pack := "aqueduck_1_linux_amd64.tar.gz", "aqueduck_1_amd64.deb"
	write(archive, "an archive")
	write(pack, "a package")
	requireNoError(t, writeChecksums(dir))
	requireNoError(t, signChecksums(t.Context(), dir, "of the test", env))
	requireNoError(t, verify())
	write(archive, "another archive")
	if err := verify(); err == nil || !strings.Contains(err.Error(), "sha256sum") {
		t.Errorf("a changed archive: %v", err)
	}
	signature, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS.asc"))
	requireNoError(t, err)
	requireNoError(t, writeChecksums(dir))
	write("SHA256SUMS.asc", string(signature))
	if err := verify(); err == nil || !strings.Contains(err.Error(), "BAD signature") {
		t.Errorf("checksums that nobody signed: %v", err)
	}
	if err := signChecksums(t.Context(), dir, "nobody", env); err == nil || !strings.Contains(err.Error(), "gpg --list-secret-keys lists the keys") {
		t.Errorf("a key that nobody has: %v", err)
	}
	requireNoError(t, writeChecksums(dir))
	if _, err := os.Stat(filepath.Join(dir, "SHA256SUMS.asc")); err == nil {
		t.Error("the signature of earlier checksums is still there")
	}
}
