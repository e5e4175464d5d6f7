package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/minio/minio-go/v7"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// chunkSize is the size in bytes of the parts in which files are compared. DuckDB's blocks keep their places from one published file to the next, so
// that most chunks of a large file stay equal.
const chunkSize = 256 << 10

// sumsSuffix ends the name of the object with the checksums of a file's chunks.
const sumsSuffix = ".sums"

// chunkSums is the content of that object: the SHA-256 of each chunk in hexadecimal, in order. The last chunk may be shorter.
type chunkSums struct {
	Chunk int64    `json:"chunk"` // size in bytes
	Sums  []string `json:"sums"`
}

func sumChunks(path string) (sums []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buffer := make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(f, buffer)
		if n > 0 {
			sums = append(sums, sumOf(buffer[:n]))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return sums, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// mostChunks is how many chunks one request reads.
const mostChunks = 64

// download writes a file of the store to a path, and returns the number of bytes that it transferred. Chunks that base has, which may be "", come
// from there. A file that is not as it was sent is an error.
func (s *Store) download(ctx context.Context, f File, to, base string) (transferred int64, err error) {
	content, _, err := s.read(ctx, f.Object+sumsSuffix)
	if err != nil {
		return 0, err
	}
	var sums chunkSums
	if err := s.decodeObject(f.Object+sumsSuffix, content, &sums); err != nil {
		return 0, err
	}
	if want := (f.Bytes + chunkSize - 1) / chunkSize; sums.Chunk != chunkSize || int64(len(sums.Sums)) != want {
		return 0, s.notAsSent(f)
	}
	if err := layout.CheckRoom(to, f.Bytes); err != nil {
		return 0, err
	}
	own, err := chunksOf(base)
	if err != nil {
		return 0, err
	}
	defer own.close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	whole := sha256.New()
	sink := io.MultiWriter(out, whole)
	for i := 0; i < len(sums.Sums); {
		if content, err := own.chunk(sums.Sums[i]); err != nil || content != nil {
			if err == nil {
				_, err = sink.Write(content)
			}
			if err != nil {
				return transferred, err
			}
			i++
			continue
		}
		end := i + 1
		for end < len(sums.Sums) && end-i < mostChunks && !own.has(sums.Sums[end]) {
			end++
		}
		n, err := s.readRange(ctx, f.Object, int64(i)*chunkSize, min(int64(end)*chunkSize, f.Bytes), sink)
		transferred += n
		if err != nil {
			return transferred, err
		}
		i = end
	}
	if hex.EncodeToString(whole.Sum(nil)) != f.Sum {
		return transferred, s.notAsSent(f)
	}
	return transferred, out.Sync()
}

func (s *Store) notAsSent(f File) error {
	return &problem.Problem{Class: "data", What: fmt.Sprintf("%s of %s is not as it was sent", f.Object, s.place),
		Next: "run the same command again; if it ends so again, delete head.json: the next run of the machine with the newest data sends its file again"}
}

// readRange writes the bytes of an object from one position up to another, and returns their number.
func (s *Store) readRange(ctx context.Context, name string, from, to int64, sink io.Writer) (int64, error) {
	var o minio.GetObjectOptions
	if err := o.SetRange(from, to-1); err != nil {
		return 0, err
	}
	body, _, _, err := minio.Core{Client: s.client}.GetObject(ctx, s.bucket, s.prefix+name, o)
	if err != nil {
		return 0, s.explain("read", name, err)
	}
	defer body.Close()
	n, err := io.Copy(sink, body)
	if err == nil && n != to-from {
		err = fmt.Errorf("%d bytes instead of %d", n, to-from)
	}
	return n, s.explain("read", name, err)
}

// localChunks are the chunks of a file of this machine, by their sums.
type localChunks struct {
	file *os.File // nil: there is no file
	at   map[string]int64
}

func chunksOf(path string) (*localChunks, error) {
	own := &localChunks{at: map[string]int64{}}
	if path == "" {
		return own, nil
	}
	sums, err := sumChunks(path)
	if err != nil {
		return nil, err
	}
	for i, sum := range sums {
		own.at[sum] = int64(i) * chunkSize
	}
	own.file, err = os.Open(path)
	return own, err
}

func (c *localChunks) has(sum string) bool {
	_, ok := c.at[sum]
	return ok
}

// chunk returns the chunk with a sum; nil if there is none.
func (c *localChunks) chunk(sum string) ([]byte, error) {
	at, ok := c.at[sum]
	if !ok {
		return nil, nil
	}
	buffer := make([]byte, chunkSize)
	n, err := c.file.ReadAt(buffer, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return buffer[:n], nil
}

func (c *localChunks) close() {
	if c.file != nil {
		_ = c.file.Close() // it was only read
	}
}
