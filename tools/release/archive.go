package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"time"
)

// archiveFile is one file of the archive.
type archiveFile struct {
	text []byte
	mode int64
}

// writeArchive writes a reproducible archive: files sorted by name, with one time and without an owner.
func writeArchive(path, dir string, files map[string]archiveFile, at time.Time) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	packed, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(writeTar(packed, dir+"/", files, at), packed.Close())
}

// writeTar writes files, sorted by name, below a directory.
func writeTar(w io.Writer, dir string, files map[string]archiveFile, at time.Time) error {
	archive := tar.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		one := files[name]
		head := &tar.Header{Typeflag: tar.TypeReg, Name: dir + name, Size: int64(len(one.text)), Mode: one.mode, ModTime: at, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(head); err != nil {
			return err
		}
		if _, err := archive.Write(one.text); err != nil {
			return err
		}
	}
	return archive.Close()
}
