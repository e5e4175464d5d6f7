package publish

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// magic begins and ends a Parquet file. The length of the footer stands before the one at the end.
const magic = "PAR1"

// joinFiles makes one Parquet file of several with the same columns: it copies their row groups byte by byte, one file
// after the other, and writes one footer. It decodes nothing, so the union of two tables costs next to nothing. It
// returns the number of the last row group of each file that has one.
func joinFiles(to string, from []string) (last []int, err error) {
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if _, err := target.WriteString(magic); err != nil {
		return nil, err
	}
	var joined format.FileMetaData
	at := int64(len(magic))
	for i, path := range from {
		footer, size, err := copyRowGroups(target, path)
		if err != nil {
			return nil, fmt.Errorf("join %s: %w", path, err)
		}
		shiftOffsets(footer, at-int64(len(magic)))
		at += size
		if i == 0 {
			joined = *footer
		} else if err := appendRowGroups(&joined, footer); err != nil {
			return nil, fmt.Errorf("join %s: %w", path, err)
		}
		if len(footer.RowGroups) > 0 {
			last = append(last, len(joined.RowGroups)-1)
		}
	}
	text, err := thrift.Marshal(new(thrift.CompactProtocol), joined)
	if err != nil {
		return nil, err
	}
	text = append(binary.LittleEndian.AppendUint32(text, uint32(len(text))), magic...)
	_, err = target.Write(text)
	return last, err
}

// copyRowGroups appends the bytes between a file's head and its footer. It returns the footer and the number of these
// bytes.
func copyRowGroups(target io.Writer, path string) (*format.FileMetaData, int64, error) {
	source, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return nil, 0, err
	}
	file, err := parquet.OpenFile(source, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, 0, err
	}
	var tail [4]byte
	if _, err := source.ReadAt(tail[:], info.Size()-int64(len(magic)+len(tail))); err != nil {
		return nil, 0, err
	}
	footer := int64(binary.LittleEndian.Uint32(tail[:])) + int64(len(magic)+len(tail))
	size := info.Size() - footer - int64(len(magic))
	if _, err := source.Seek(int64(len(magic)), io.SeekStart); err != nil {
		return nil, 0, err
	}
	if _, err := io.CopyN(target, source, size); err != nil {
		return nil, 0, err
	}
	return file.Metadata(), size, nil
}

// shiftOffsets moves every offset in a footer by so many bytes. An offset of 0 means none.
func shiftOffsets(footer *format.FileMetaData, by int64) {
	places := func(list ...*int64) {
		for _, place := range list {
			if *place != 0 {
				*place += by
			}
		}
	}
	for i := range footer.RowGroups {
		group := &footer.RowGroups[i]
		places(&group.FileOffset)
		for j := range group.Columns {
			c := &group.Columns[j]
			m := &c.MetaData
			places(&c.FileOffset, &c.OffsetIndexOffset, &c.ColumnIndexOffset, &m.DataPageOffset, &m.IndexPageOffset,
				&m.DictionaryPageOffset, &m.BloomFilterOffset)
		}
	}
}

// appendRowGroups appends the row groups of one footer to another.
func appendRowGroups(joined, footer *format.FileMetaData) error {
	protocol := new(thrift.CompactProtocol)
	ours, err := thrift.Marshal(protocol, format.FileMetaData{Schema: joined.Schema, ColumnOrders: joined.ColumnOrders})
	if err != nil {
		return err
	}
	theirs, err := thrift.Marshal(protocol, format.FileMetaData{Schema: footer.Schema, ColumnOrders: footer.ColumnOrders})
	if err != nil {
		return err
	}
	if !bytes.Equal(ours, theirs) {
		return errors.New("it has other columns than the file before it")
	}
	for _, group := range footer.RowGroups {
		group.Ordinal = int16(len(joined.RowGroups)) // 32,767 groups of 2,048 rows or more are not reached
		joined.RowGroups = append(joined.RowGroups, group)
	}
	joined.NumRows += footer.NumRows
	return nil
}
