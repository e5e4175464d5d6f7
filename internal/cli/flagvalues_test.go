package cli

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestAWrongValueOfAFlagSaysWhatIsExpected tries every flag that takes more than a text. No message has the words of the language that the program is
// written in.
func TestAWrongValueOfAFlagSaysWhatIsExpected(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(context.Background()) // a command that takes a wrong value must not stay
	stop()
	a, _, _ := inProcess()
	foreign := regexp.MustCompile(`strconv|parse|invalid|time:|syntax`)
	tried := 0
	for _, c := range everyCommand(newRoot(a)) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			kind, wrong := f.Value.Type(), []string{"ten"}
			switch kind {
			case "string", "stringArray":
				return
			case "stringSlice":
				wrong = []string{`a"b`}
			case "int", "int64", "uint64":
				wrong = append(wrong, "1.5", "99999999999999999999")
			case "duration":
				wrong = append(wrong, "5", "99999999999999999999h")
			}
			for _, value := range wrong {
				flag := "--" + f.Name
				words := append(strings.Fields(c.CommandPath())[1:], flag+"="+value)
				a, stdout, stderr := inProcess(words...)
				said := runCommand(stopped, a)
				first, _, _ := strings.Cut(stderr.String(), "\n")
				if said != 2 || foreign.MatchString(first) || !strings.HasPrefix(first, "error[usage] "+flag+" "+value+": ") {
					t.Errorf("%q ended with %d: %s%s", words, said, stdout, first)
				}
				tried++
			}
		})
	}
	a, _, stderr := inProcess("sync")
	a.Lookup = func(name string) (string, bool) { return "-3", name == "AQUEDUCK_LIMIT" }
	if code := runCommand(stopped, a); code != 2 || !strings.HasPrefix(stderr.String(), "error[usage] AQUEDUCK_LIMIT=-3 (variable of --limit): expected 0 or more") {
		t.Errorf("a variable below zero ended with %d: %s", code, stderr)
	}
	if tried < 60 {
		t.Errorf("only %d values were tried", tried)
	}
}
