package render

import (
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// MediaURL is the address of a call's recording or transcript in storage, without signature.
func MediaURL(c *event.Call, what string) string {
	return "https://media.example/calls/" + event.CallID(c.N) + "/" + what
}

// AppendTranscriptLines writes the lines of a call's transcript.
func AppendTranscriptLines(b []byte, lines []event.TranscriptLine) []byte {
	b = append(b, '[')
	for i, line := range lines {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"speaker":"`...), line.Speaker...), `","text":`...)
		b = jsontext.AppendString(b, line.Text)
		b = append(b, `,"start":`...)
		b = strconv.AppendFloat(b, line.Start, 'f', -1, 64)
		b = append(b, `,"end":`...)
		b = append(strconv.AppendFloat(b, line.End, 'f', -1, 64), '}')
	}
	return append(b, ']')
}
