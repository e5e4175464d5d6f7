// Package box repeats some lines of another.
package box

import (
	_ "bufio"
	_ "bytes"
	_ "errors"
	"fmt"
	_ "io"
	_ "strings"
)

// Opener opens.
type Opener interface{ Open() }

func say(title string, loud, often bool, b struct{ on struct{ place int } }) {
	for range 2 {
		title = ""
		if loud && often {
			title += "!"
		}
		fmt.Println(title)

		// The comment does not matter, nor does the blank line.
		fmt.Println(b.on.place)
		fmt.Println("the")
		fmt.Println("end")
	}
}
