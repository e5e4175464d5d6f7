package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"aqueduck/internal/problem"
)

// askConfirmation asks a question and returns the answer. A missing answer is an error, not a "no": a script would overlook that.
func askConfirmation(env *Env, question string) (bool, error) {
	fmt.Fprint(env.Stderr, question)
	answer, err := bufio.NewReader(env.Stdin).ReadString('\n')
	switch {
	case errors.Is(err, io.EOF) && answer == "":
		fmt.Fprintln(env.Stderr)
		return false, &problem.Problem{Class: "usage", What: "no answer on standard input; nothing was changed", Next: "answer y or n, or use --yes"}
	case err != nil && !errors.Is(err, io.EOF):
		return false, fmt.Errorf("read the answer: %w", err)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}
