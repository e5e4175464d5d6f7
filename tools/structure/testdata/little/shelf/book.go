package shelf

import (
	_ "bufio"
	_ "bytes"
	_ "errors"
	"fmt"
	_ "io"
	_ "strings"
)

// Book is what stands on a shelf.
type Book struct {
	Title string
	on    *Shelf
}

/*
Say

says.
*/
func (b Book) Say(loud, often bool) {
	title := b.Title // not a line of comment
	if loud && often {
		title += "!"
	}
	fmt.Println(title)
	fmt.Println(b.on.place)
	fmt.Println("the")
	fmt.Println("end")
}
