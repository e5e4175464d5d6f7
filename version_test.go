package aqueduck

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestOneFileSaysTheVersion: VERSION holds one semantic version, and nothing that is built or installed from repeats it.
func TestOneFileSaysTheVersion(t *testing.T) {
	t.Parallel()
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(Version()) {
		t.Errorf("VERSION holds %q", Version())
	}
	said, err := exec.Command("grep", "-rlFw", "-e", Version(), "VERSION", "README.md", "SECURITY.md", "Makefile", "docs/install.md", "docs/schedule.md",
		"packaging", "tools", "internal/cli").Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(said) != "VERSION\n" {
		t.Errorf("the version is in\n%s", said)
	}
}

// TestTheLicenceIsTheOneThatIsNamed: the program and its list of modules name the licence of the file LICENSE.
func TestTheLicenceIsTheOneThatIsNamed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	name, version, _ := strings.Cut(License, "-")
	for _, want := range []string{name + " License\n", "Version " + version + ", January 2004\n", "END OF TERMS AND CONDITIONS"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("LICENSE lacks %q", want)
		}
	}
}
