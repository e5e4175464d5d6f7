//go:build mirror

package mirror

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"aqueduck/internal/remote"
)

// s3 is a bucket in a store with the S3 interface.
type s3 struct {
	remote.Bucket
	place string // as configured
}

func openS3(location string, patience time.Duration) (store, string, error) {
	b, err := remote.Dial(locationKey, location, patience)
	return s3{b, location}, "s3://" + b.Name + "/", err
}

func (s s3) readPart(ctx context.Context, key string, from, n int64) (content []byte, size int64, err error) {
	var options minio.GetObjectOptions
	if err := options.SetRange(from, from+n-1); err != nil {
		return nil, 0, err
	}
	body, info, header, err := minio.Core{Client: s.Client}.GetObject(ctx, s.Name, key, options)
	if err != nil {
		return nil, 0, err
	}
	defer body.Close()
	if content, err = io.ReadAll(body); err != nil {
		return nil, 0, err
	}
	size = info.Size
	if _, whole, ok := strings.Cut(header.Get("Content-Range"), "/"); ok {
		size, err = strconv.ParseInt(whole, 10, 64)
	}
	return content, size, err
}

func (s s3) writeObject(ctx context.Context, key string, content []byte) error {
	_, err := s.Client.PutObject(ctx, s.Name, key, bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{DisableMultipart: true})
	return err
}

func (s s3) writeParts(ctx context.Context, key string, content io.Reader) error {
	_, err := s.Client.PutObject(ctx, s.Name, key, content, -1, minio.PutObjectOptions{PartSize: partSize})
	return err
}

func (s s3) deleteObject(ctx context.Context, key string) error {
	return s.Client.RemoveObject(ctx, s.Name, key, minio.RemoveObjectOptions{})
}

func (s s3) listObjects(ctx context.Context, prefix string, visit func(string, time.Time)) error {
	for found := range s.Client.ListObjects(ctx, s.Name, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if found.Err != nil {
			return found.Err
		}
		visit(found.Key, found.LastModified)
	}
	return nil
}

func (s s3) explainError(what, name string, err error) error {
	err = remote.Explain(locationKey, s.place, what, name, err)
	if errors.Is(err, remote.ErrNoObject) {
		return &fs.PathError{Op: what, Path: name, Err: fs.ErrNotExist}
	}
	return err
}
