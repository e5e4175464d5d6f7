package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"aqueduck/internal/problem"
)

// Store is a place in an object store. Its methods may be used by one goroutine at a time. Their errors are problem.Problem, and name the place.
type Store struct {
	client *minio.Client
	bucket string
	prefix string // "" or with a slash at its end
	place  string // as configured
}

// maxTries is how often a request is sent that got no answer, or an answer 5xx.
const maxTries = 4

// OpenStore returns the store at an address such as s3://bucket/prefix. Endpoint, region and credentials come from the variables and files that the
// tools of object stores share: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
// AWS_SESSION_TOKEN, AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE, or from the role of the machine. OpenStore sends no request.
func OpenStore(address string) (*Store, error) {
	if address == "" {
		return nil, &problem.Problem{Class: "config", What: "warehouse.remote is not set", Next: "set it in pipelines.yaml to s3://BUCKET/PREFIX"}
	}
	b, err := Dial("warehouse.remote", address, 0)
	if err != nil {
		return nil, err
	}
	return &Store{client: b.Client, bucket: b.Name, prefix: b.Prefix, place: address}, nil
}

// PlaceForm says how a place in an object store is written.
const PlaceForm = "write s3://BUCKET/PREFIX, for any store with the S3 interface; a bucket name has 3 to 63 lower-case letters, digits, dots and hyphens"

// ParsePlace reads an address such as s3://bucket/prefix.
func ParsePlace(address string) (*url.URL, error) {
	at, err := url.Parse(address)
	if err == nil {
		err = s3utils.CheckValidBucketNameStrict(at.Host)
	}
	if err != nil || at.Scheme != "s3" || at.RawQuery != "" || at.User != nil {
		return nil, fmt.Errorf("%q is no place in an object store", address)
	}
	return at, nil
}

// Bucket is a client of a bucket, and a place in it.
type Bucket struct {
	Client *minio.Client
	Name   string
	Prefix string // "" or with a slash at its end
}

// Dial returns a client for an address such as s3://bucket/prefix, which stands under a key of the configuration. It sends no request. Requests have
// the transport of NewTransport.
func Dial(key, address string, patience time.Duration) (b Bucket, err error) {
	at, err := ParsePlace(address)
	if err != nil {
		return b, &problem.Problem{Class: "config", What: err.Error(), Next: PlaceForm}
	}
	b.Name = at.Host
	if prefix := strings.Trim(at.Path, "/"); prefix != "" {
		b.Prefix = prefix + "/"
	}
	region := firstSet("AWS_REGION", "AWS_DEFAULT_REGION")
	endpoint, err := url.Parse(firstSet("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"))
	if err != nil || endpoint.Host == "" && endpoint.String() != "" {
		return b, &problem.Problem{Class: "config", What: "AWS_ENDPOINT_URL is not an address", Next: "set it to the address of the object store, e.g. https://s3.eu-central-1.example.com, or unset it"}
	}
	host, secure := endpoint.Host, endpoint.Scheme != "http"
	if host == "" {
		host = "s3.amazonaws.com"
	}
	transport, err := NewTransport(secure, patience)
	if err != nil {
		return b, err
	}
	b.Client, err = minio.New(host, &minio.Options{
		Creds:  credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{}}),
		Secure: secure, Region: region, MaxRetries: maxTries, Transport: transport,
	})
	if err != nil {
		return b, &problem.Problem{Class: "config", What: "the object store of " + key + ", " + address, Err: err, Next: "correct AWS_ENDPOINT_URL"}
	}
	return b, nil
}

func firstSet(names ...string) string {
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	return ""
}

// ErrNoObject says that an object does not exist.
var ErrNoObject = errors.New("there is no such object")

// ErrMoved says that an object is not in the version that a change was made for.
var ErrMoved = errors.New("the object was changed meanwhile")

// read returns a small object and its version.
func (s *Store) read(ctx context.Context, name string) (content []byte, version string, err error) {
	body, info, _, err := minio.Core{Client: s.client}.GetObject(ctx, s.bucket, s.prefix+name, minio.GetObjectOptions{})
	if err == nil {
		defer body.Close()
		content, err = io.ReadAll(io.LimitReader(body, maxSmall))
	}
	return content, info.ETag, s.explain("read", name, err)
}

// maxSmall is the largest object that is read into memory, in bytes.
const maxSmall = 64 << 20

// replace writes a small object if it is still in a version; "" means that it does not exist. Otherwise the error is ErrMoved. A request whose answer
// was lost is repeated, and the repetition may see what the first one wrote: the caller reads the object after ErrMoved.
func (s *Store) replace(ctx context.Context, name, version string, content []byte) (written string, err error) {
	o := minio.PutObjectOptions{ContentType: "application/json", DisableMultipart: true}
	if version == "" {
		o.SetMatchETagExcept("*")
	} else {
		o.SetMatchETag(version)
	}
	info, err := s.client.PutObject(ctx, s.bucket, s.prefix+name, bytes.NewReader(content), int64(len(content)), o)
	if err != nil {
		return "", s.explain("write", name, err)
	}
	return info.ETag, nil
}

// upload writes an object from a file.
func (s *Store) upload(ctx context.Context, name, path string) error {
	_, err := s.client.FPutObject(ctx, s.bucket, s.prefix+name, path, minio.PutObjectOptions{ContentType: "application/octet-stream"})
	return s.explain("write", name, err)
}

// remove deletes an object. It is no error if there is none.
func (s *Store) remove(ctx context.Context, name string) error {
	return s.explain("delete", name, s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{}))
}

// list returns the names of all objects below a folder.
func (s *Store) list(ctx context.Context, folder string) (names []string, err error) {
	for object := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + folder, Recursive: true}) {
		if object.Err != nil {
			return nil, s.explain("list", folder, object.Err)
		}
		names = append(names, strings.TrimPrefix(object.Key, s.prefix))
	}
	return names, nil
}

// keepsVersions reports whether the bucket keeps what is deleted or replaced, as far as the credentials may ask.
func (s *Store) keepsVersions(ctx context.Context) bool {
	versioning, err := s.client.GetBucketVersioning(ctx, s.bucket)
	return err == nil && versioning.Enabled()
}

// proveConditions writes an object twice to see that the store refuses the second write, and one with a wrong version. A store that ignores
// conditions would let two machines overwrite each other.
func (s *Store) proveConditions(ctx context.Context) error {
	name := "condition-" + rand.Text()
	_, err := s.replace(ctx, name, "", []byte("{}"))
	if err != nil {
		return err
	}
	_, twice := s.replace(ctx, name, "", []byte("{}"))
	_, wrong := s.replace(ctx, name, "00000000000000000000000000000000", []byte("{}"))
	if err := s.remove(ctx, name); err != nil {
		return err
	}
	if !errors.Is(twice, ErrMoved) || !errors.Is(wrong, ErrMoved) {
		return &problem.Problem{Class: "config", What: s.place + ": this store ignores If-Match, so that two machines could overwrite each other's data",
			Next: "use a store that supports conditional writes; nothing was stored there"}
	}
	return nil
}

// refusals are what a store answers to credentials that are wrong or no longer valid, whatever the status.
var refusals = []string{"AccessDenied", "ExpiredToken", "InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch", "TokenRefreshRequired"}

// fullCodes are what stores answer that have no space left, or where a quota is used up, whatever the status.
var fullCodes = []string{"XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientStorage", "InsufficientCapacity"}

// explain is Explain for an object of the store.
func (s *Store) explain(what, name string, err error) error {
	return Explain("warehouse.remote", s.place, what, name, err)
}

// Explain makes an error of an object store ErrNoObject, ErrMoved, or a Problem with its class and next step. place stands under a key of the configuration.
func Explain(key, place, what, name string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	answer := minio.ToErrorResponse(err)
	p := &problem.Problem{Class: "transient", What: fmt.Sprintf("%s %s of %s", what, name, place), Err: err,
		Next: "see whether the object store can be reached; the next run, or the same command, does it again"}
	switch {
	case answer.Code == "NoSuchKey":
		return ErrNoObject
	case answer.Code == "PreconditionFailed" || answer.Code == "ConditionalRequestConflict" || answer.StatusCode == http.StatusPreconditionFailed:
		return ErrMoved
	case answer.Code == "NoSuchBucket":
		p.Class, p.Next = "config", "create the bucket, or correct "+key
	case slices.Contains(fullCodes, answer.Code) || answer.StatusCode == http.StatusInsufficientStorage:
		p.Next = "free some space in the object store, or raise its quota; the next run, or the same command, does it again"
	case slices.Contains(refusals, answer.Code) || answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized || strings.Contains(err.Error(), "credentials"):
		p.Class, p.Next = "auth", "give credentials that may read, write, list and delete there: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a file (docs/remote.md)"
	case errors.As(err, new(*net.DNSError)):
		p.Next = "correct AWS_ENDPOINT_URL or AWS_REGION; if they are right, the next run, or the same command, does it again"
	}
	return p
}

// decodeObject reads the JSON of an object.
func (s *Store) decodeObject(name string, content []byte, into any) error {
	if err := json.Unmarshal(content, into); err != nil {
		return &problem.Problem{Class: "data", What: fmt.Sprintf("%s of %s is damaged", name, s.place), Err: err,
			Next: "restore the object from a backup of the bucket, or give an empty place: warehouse.remote"}
	}
	return nil
}
