// Package rowgroups joins Parquet files by their row groups, which it copies byte by byte.
package rowgroups

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

// Segment is some neighbouring row groups of a Parquet file.
type Segment struct {
	Path       string
	First, End int // numbers of row groups; the one at End is not among them
}

// JoinFiles makes one Parquet file of row groups of several files with the same columns: it copies them byte by byte and
// writes one footer. It decodes nothing.
func JoinFiles(to string, from []Segment) (err error) {
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if _, err := target.WriteString(magic); err != nil {
		return err
	}
	var joined format.FileMetaData
	at := int64(len(magic))
	for i, s := range from {
		footer, size, err := copyRowGroups(target, at, s)
		if err != nil {
			return fmt.Errorf("join %s: %w", s.Path, err)
		}
		at += size
		if i == 0 {
			joined = *footer
			joined.RowGroups, joined.NumRows = nil, 0
		}
		if err := appendRowGroups(&joined, footer); err != nil {
			return fmt.Errorf("join %s: %w", s.Path, err)
		}
	}
	text, err := thrift.Marshal(new(thrift.CompactProtocol), joined)
	if err != nil {
		return err
	}
	text = append(binary.LittleEndian.AppendUint32(text, uint32(len(text))), magic...)
	_, err = target.Write(text)
	return err
}

// CountRowGroups counts the row groups of a Parquet file.
func CountRowGroups(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return 0, err
	}
	return len(file.RowGroups()), nil
}

// copyRowGroups appends row groups to a file, from a position on. It returns their footer, with the offsets that they have there,
// and the number of bytes.
func copyRowGroups(target io.Writer, at int64, s Segment) (*format.FileMetaData, int64, error) {
	source, err := os.Open(s.Path)
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
	footer := file.Metadata()
	if s.First < 0 || s.End > len(footer.RowGroups) || s.First > s.End {
		return nil, 0, fmt.Errorf("it has %d row groups, not %d to %d", len(footer.RowGroups), s.First, s.End)
	}
	footer.RowGroups = footer.RowGroups[s.First:s.End]
	from, to := extentOf(footer.RowGroups)
	if _, err := io.Copy(target, io.NewSectionReader(source, from, to-from)); err != nil {
		return nil, 0, err
	}
	shiftOffsets(footer, at-from)
	return footer, to - from, nil
}

// extentOf is where the bytes of row groups begin and end. DuckDB writes the columns of a row group one after the other,
// and after all row groups what this program does without.
func extentOf(groups []format.RowGroup) (from, to int64) {
	for _, group := range groups {
		for _, c := range group.Columns {
			begin := c.MetaData.DataPageOffset
			if dictionary := c.MetaData.DictionaryPageOffset; dictionary > 0 {
				begin = min(begin, dictionary)
			}
			if to == 0 || begin < from {
				from = begin
			}
			to = max(to, begin+c.MetaData.TotalCompressedSize)
		}
	}
	return from, to
}

// shiftOffsets moves every offset in a footer by so many bytes, and counts its rows. An offset of 0 means none.
func shiftOffsets(footer *format.FileMetaData, by int64) {
	footer.NumRows = 0
	places := func(list ...*int64) {
		for _, place := range list {
			if *place != 0 {
				*place += by
			}
		}
	}
	for i := range footer.RowGroups {
		group := &footer.RowGroups[i]
		footer.NumRows += group.NumRows
		places(&group.FileOffset)
		for j := range group.Columns {
			c := &group.Columns[j]
			places(&c.FileOffset, &c.MetaData.DataPageOffset, &c.MetaData.DictionaryPageOffset)
			c.OffsetIndexOffset, c.OffsetIndexLength, c.ColumnIndexOffset, c.ColumnIndexLength = 0, 0, 0, 0
			c.MetaData.IndexPageOffset, c.MetaData.BloomFilterOffset = 0, 0
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
