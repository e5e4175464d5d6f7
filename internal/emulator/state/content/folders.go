package content

import "aqueduck/internal/emulator/event"

// AddFoldersInside adds all folders below those that are there, at any depth.
func (w *Content) AddFoldersInside(inside map[any]bool) {
	list := w.ListItems(event.Folders)
	for before := 0; before < len(inside); {
		before = len(inside)
		for _, i := range list {
			if parent := ParentFolder(i); parent != nil && inside[parent] {
				inside[event.ContentText(event.Folders, i.N)] = true
			}
		}
	}
}
