package sandbox

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// taskOrder is the first message to a task process.
type taskOrder struct {
	Task    string          `json:"task"`
	Limits  Limits          `json:"limits"`
	Request json.RawMessage `json:"request"`
}

// largest is the maximum size of a message in bytes. Each row of a result is one message.
const largest = 128 << 20

// ErrTooLarge is the error of a message that is larger than one may be.
var ErrTooLarge = errors.New("a part of the answer is larger than 128 MiB")

// Kinds of messages that the package itself uses.
const (
	endKind   = 0
	errorKind = 1
)

// encodeMessage is a text with its length before it, as it is sent to a task process.
func encodeMessage(text []byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(text))), text...)
}

// readMessage reads a text that encodeMessage made.
func readMessage(in *bufio.Reader) ([]byte, error) {
	size, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	if size > largest {
		return nil, ErrTooLarge
	}
	text := make([]byte, size)
	_, err = io.ReadFull(in, text)
	return text, err
}

func readOrder(in *bufio.Reader) (o taskOrder, err error) {
	text, err := readMessage(in)
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return o, fmt.Errorf("read the task: %w", err)
	}
	return o, nil
}
