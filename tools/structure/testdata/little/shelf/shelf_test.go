package shelf

import "testing"

func TestShelf(t *testing.T) {}
