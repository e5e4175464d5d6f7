package oracle

import (
	"fmt"

	"aqueduck/internal/emulator/event"
)

// fileRows returns the attachments of the parts.
func (t *replayedThread) fileRows(o *Oracle) (rows []Row) {
	for i, p := range t.parts {
		for at, f := range p.Files {
			row := fileRow(f, at)
			row["part_id"], row["readable"] = idText(p.ID), t.isPartReadable(o, i)
			rows = append(rows, row)
		}
	}
	return rows
}

// sourceFileRows returns the attachments of the first message.
func (t *replayedThread) sourceFileRows(*Oracle) (rows []Row) {
	if t.Source == nil || t.redacted {
		return nil
	}
	for at, f := range t.Source.Files {
		rows = append(rows, fileRow(f, at))
	}
	return rows
}

func fileRow(f event.Attachment, at int) Row {
	return Row{"position": int64(at), "name": f.Name, "url": fmt.Sprintf("https://files.example/i/%x", f.ID), "content_type": f.Type, "filesize": f.Size,
		"width": orNull(f.Width), "height": orNull(f.Height)}
}
