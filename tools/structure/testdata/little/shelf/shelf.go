package shelf

type Shelf struct {
	books []Book
	place width
}

func (s *Shelf) add(b Book) { s.books = append(s.books, b) }
