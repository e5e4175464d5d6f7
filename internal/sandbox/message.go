package sandbox

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// taskOrder is what a process is asked to do.
type taskOrder struct {
	Task    string          `json:"task"`
	Limits  Limits          `json:"limits"`
	Request json.RawMessage `json:"request"`
}

// largest bounds one message: a row of a result is one.
const largest = 128 << 20

// ErrTooLarge is the error of a message that is larger than one may be.
var ErrTooLarge = errors.New("a part of the answer is larger than 128 MiB")

// Kinds of messages that are not a task's own.
const (
	endKind   = 0
	errorKind = 1
)

// encodeMessage is a text as a process is sent it.
func encodeMessage(text []byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(text))), text...)
}

// readMessage reads what message made.
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
