package read

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"
)

// The tags of values between processes. Each value arrives with the Go type it was sent with, so that Query gives the same values
// wherever the statement runs.
const (
	nullTag = iota
	falseTag
	trueTag
	int8Tag
	int16Tag
	int32Tag
	int64Tag
	uint8Tag
	uint16Tag
	uint32Tag
	uint64Tag
	float32Tag
	float64Tag
	stringTag
	bytesTag
	timeTag
	bigTag
	jsonTag
	numberTag
	listTag
	objectTag
	wordsTag
)

// Words is a value of a type that has only the text of DuckDB's driver here.
type Words string

// String gives the text.
func (w Words) String() string { return string(w) }

func appendRow(b []byte, row []any) []byte {
	for _, v := range row {
		b = appendValue(b, v)
	}
	return b
}

func appendValue(b []byte, v any) []byte {
	integer := func(tag byte, n int64) []byte { return binary.AppendVarint(append(b, tag), n) }
	whole := func(tag byte, n uint64) []byte { return binary.AppendUvarint(append(b, tag), n) }
	text := func(tag byte, s string) []byte {
		return append(binary.AppendUvarint(append(b, tag), uint64(len(s))), s...)
	}
	switch v := v.(type) {
	case nil:
		return append(b, nullTag)
	case bool:
		if v {
			return append(b, trueTag)
		}
		return append(b, falseTag)
	case int8:
		return integer(int8Tag, int64(v))
	case int16:
		return integer(int16Tag, int64(v))
	case int32:
		return integer(int32Tag, int64(v))
	case int64:
		return integer(int64Tag, v)
	case uint8:
		return whole(uint8Tag, uint64(v))
	case uint16:
		return whole(uint16Tag, uint64(v))
	case uint32:
		return whole(uint32Tag, uint64(v))
	case uint64:
		return whole(uint64Tag, v)
	case float32:
		return whole(float32Tag, uint64(math.Float32bits(v)))
	case float64:
		return binary.LittleEndian.AppendUint64(append(b, float64Tag), math.Float64bits(v))
	case string:
		return text(stringTag, v)
	case []byte:
		return text(bytesTag, string(v))
	case json.RawMessage:
		return text(jsonTag, string(v))
	case json.Number:
		return text(numberTag, v.String())
	case *big.Int:
		return text(bigTag, v.String())
	case time.Time:
		return binary.AppendVarint(binary.AppendVarint(append(b, timeTag), v.Unix()), int64(v.Nanosecond()))
	case []any:
		return appendRow(whole(listTag, uint64(len(v))), v)
	case map[string]any:
		b = whole(objectTag, uint64(len(v)))
		for name, one := range v {
			b = appendValue(appendValue(b, name), one)
		}
		return b
	}
	return text(wordsTag, fmt.Sprint(v))
}

var errTruncated = errors.New("it is cut off")

// rowDecoder is the rest of a row's bytes.
type rowDecoder []byte

func readRow(row []any, payload []byte, n int) ([]any, error) {
	in := rowDecoder(payload)
	for range n {
		v, err := in.readValue()
		if err != nil {
			return row, err
		}
		row = append(row, v)
	}
	if len(in) > 0 {
		return row, fmt.Errorf("%d bytes are left", len(in))
	}
	return row, nil
}

func (in *rowDecoder) readValue() (any, error) {
	if len(*in) == 0 {
		return nil, errTruncated
	}
	tag := (*in)[0]
	*in = (*in)[1:]
	switch tag {
	case nullTag:
		return nil, nil
	case falseTag, trueTag:
		return tag == trueTag, nil
	case int8Tag, int16Tag, int32Tag, int64Tag:
		n, err := in.readVarint()
		return [...]any{int8(n), int16(n), int32(n), n}[tag-int8Tag], err
	case uint8Tag, uint16Tag, uint32Tag, uint64Tag:
		n, err := in.readUvarint()
		return [...]any{uint8(n), uint16(n), uint32(n), n}[tag-uint8Tag], err
	case float32Tag:
		n, err := in.readUvarint()
		return math.Float32frombits(uint32(n)), err
	case float64Tag:
		bits, err := in.readBytes(8)
		if err != nil {
			return nil, err
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(bits)), nil
	case timeTag:
		seconds, err := in.readVarint()
		nanos, wrong := in.readVarint()
		return time.Unix(seconds, nanos).UTC(), errors.Join(err, wrong)
	case listTag, objectTag:
		return in.readCollection(tag)
	}
	return in.readText(tag)
}

// readCollection reads a list or an object.
func (in *rowDecoder) readCollection(tag byte) (any, error) {
	n, err := in.readUvarint()
	if err != nil || n > uint64(len(*in)) {
		return nil, errTruncated
	}
	list, object := make([]any, 0, n), map[string]any{}
	for range n {
		v, err := in.readValue()
		if err == nil && tag == objectTag {
			name, _ := v.(string)
			object[name], err = in.readValue()
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if tag == objectTag {
		return object, nil
	}
	return list, nil
}

// readText reads a value that was sent as a text.
func (in *rowDecoder) readText(tag byte) (any, error) {
	n, err := in.readUvarint()
	if err != nil || n > uint64(len(*in)) {
		return nil, errTruncated
	}
	text, err := in.readBytes(int(n))
	if err != nil {
		return nil, err
	}
	switch tag {
	case stringTag:
		return string(text), nil
	case bytesTag:
		return slices.Clone(text), nil
	case jsonTag:
		return json.RawMessage(slices.Clone(text)), nil
	case numberTag:
		return json.Number(text), nil
	case wordsTag:
		return Words(text), nil
	case bigTag:
		n, ok := new(big.Int).SetString(string(text), 10)
		if !ok {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return n, nil
	}
	return nil, fmt.Errorf("no value has the tag %d", tag)
}

func (in *rowDecoder) readBytes(n int) ([]byte, error) {
	if n > len(*in) {
		return nil, errTruncated
	}
	taken := (*in)[:n]
	*in = (*in)[n:]
	return taken, nil
}

func (in *rowDecoder) readVarint() (int64, error) {
	n, size := binary.Varint(*in)
	if size <= 0 {
		return 0, errTruncated
	}
	*in = (*in)[size:]
	return n, nil
}

func (in *rowDecoder) readUvarint() (uint64, error) {
	n, size := binary.Uvarint(*in)
	if size <= 0 {
		return 0, errTruncated
	}
	*in = (*in)[size:]
	return n, nil
}
