//go:build mirror && stores

package mirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcerrors"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"aqueduck/internal/problem"
	"aqueduck/internal/remote"
)

// storeLibraries are those that this program was built with.
const storeLibraries = "gocloud"

// maxTries is how often a request is sent that got no answer, or an answer 5xx.
const maxTries = 4

// other is a bucket of Google Cloud Storage, or a container of Azure Blob Storage.
type other struct {
	*blob.Bucket
	place string // as configured
	needs string // where credentials come from
}

// openOther opens the bucket of a location. It sends no request for an object.
func openOther(ctx context.Context, location string, patience time.Duration) (store, string, error) {
	at, err := url.Parse(location)
	if err != nil {
		return nil, "", err
	}
	o := other{place: location, needs: "GOOGLE_APPLICATION_CREDENTIALS"}
	open := openGoogle
	if at.Scheme == "abfss" {
		o.needs, open = "AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_CLIENT_ID", openAzure
	}
	transport, err := remote.NewTransport(true, patience)
	if err == nil {
		o.Bucket, err = open(ctx, at, transport)
	}
	if err != nil {
		return nil, "", o.refused(fmt.Errorf("open it: %w", err))
	}
	root, _, _ := strings.Cut(strings.TrimPrefix(location, at.Scheme+"://"), "/")
	return o, at.Scheme + "://" + root + "/", nil
}

// openGoogle opens a bucket with the credentials that Google's own tools would use; with none where STORAGE_EMULATOR_HOST names an emulator.
func openGoogle(ctx context.Context, at *url.URL, transport http.RoundTripper) (*blob.Bucket, error) {
	client := &http.Client{Transport: transport}
	if os.Getenv("STORAGE_EMULATOR_HOST") == "" {
		ctx := context.WithValue(ctx, oauth2.HTTPClient, client) // for tokens
		credentials, err := google.FindDefaultCredentials(ctx, storage.ScopeReadWrite)
		if err != nil {
			return nil, err
		}
		client = &http.Client{Transport: &oauth2.Transport{Base: transport, Source: credentials.TokenSource}}
	}
	under, err := storage.NewClient(ctx, option.WithHTTPClient(client))
	if err != nil {
		return nil, err
	}
	under.SetRetry(storage.WithPolicy(storage.RetryAlways), storage.WithMaxAttempts(maxTries)) // a repeated request of ours writes the same object
	return gcsblob.OpenBucket(ctx, nil, at.Host, &gcsblob.Options{Client: under})
}

// openAzure opens a container. Account and container are those of the location, credentials and another address those of Azure's variables.
func openAzure(_ context.Context, at *url.URL, transport http.RoundTripper) (*blob.Bucket, error) {
	account, domain, _ := strings.Cut(at.Hostname(), ".")
	of := azureblob.NewDefaultServiceURLOptions()
	of.AccountName = account
	if of.StorageDomain == "" {
		of.StorageDomain = strings.Replace(domain, "dfs.", "blob.", 1)
	}
	address, err := azureblob.NewServiceURL(of)
	if err != nil {
		return nil, err
	}
	place, err := url.Parse(string(address))
	if err != nil {
		return nil, err
	}
	place = place.JoinPath(at.User.Username())
	options := &container.ClientOptions{}
	options.Transport, options.Retry.MaxRetries = &http.Client{Transport: transport}, maxTries-1
	var client *container.Client
	switch key := os.Getenv("AZURE_STORAGE_KEY"); {
	case key != "":
		shared, err := azblob.NewSharedKeyCredential(account, key)
		if err != nil {
			return nil, errors.New("AZURE_STORAGE_KEY is not the key of an account") // the library's error may have parts of it
		}
		client, err = container.NewClientWithSharedKeyCredential(place.String(), shared, options)
		if err != nil {
			return nil, err
		}
	case of.SASToken != "":
		client, err = container.NewClientWithNoCredential(place.String(), options)
	default:
		var role *azidentity.DefaultAzureCredential
		if role, err = azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: options.ClientOptions}); err == nil {
			client, err = container.NewClient(place.String(), role, options)
		}
	}
	if err != nil {
		return nil, err
	}
	return azureblob.OpenBucket(context.Background(), client, nil)
}

func (o other) readPart(ctx context.Context, key string, from, n int64) (content []byte, size int64, err error) {
	r, err := o.NewRangeReader(ctx, key, from, n, nil)
	if err != nil {
		return nil, 0, err
	}
	content, err = io.ReadAll(r)
	return content, r.Size(), errors.Join(err, r.Close())
}

func (o other) writeObject(ctx context.Context, key string, content []byte) error {
	return o.WriteAll(ctx, key, content, &blob.WriterOptions{ContentType: "application/octet-stream"})
}

func (o other) writeParts(ctx context.Context, key string, content io.Reader) error {
	return o.Upload(ctx, key, content, &blob.WriterOptions{BufferSize: partSize, ContentType: "application/octet-stream"})
}

func (o other) deleteObject(ctx context.Context, key string) error {
	if err := o.Delete(ctx, key); gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	return nil
}

func (o other) listObjects(ctx context.Context, prefix string, visit func(string, time.Time)) error {
	for all := o.List(&blob.ListOptions{Prefix: prefix}); ; {
		found, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if found.Size > 0 { // Azure may list a folder as an object without a byte
			visit(found.Key, found.ModTime)
		}
	}
}

// explainError makes an error io/fs.ErrNotExist, or a Problem with its class and next step.
func (o other) explainError(what, name string, err error) error {
	status, code := 0, ""
	if answer := new(azcore.ResponseError); errors.As(err, &answer) {
		status, code = answer.StatusCode, answer.ErrorCode
		err = fmt.Errorf("the store answers %d %s", status, code) // in one line
	} else if answer := new(googleapi.Error); errors.As(err, &answer) {
		status = answer.Code
	}
	missing := gcerrors.Code(err) == gcerrors.NotFound && status == 0 || status == http.StatusNotFound
	bucket := code == "ContainerNotFound" || strings.Contains(err.Error(), "bucket")
	err = fmt.Errorf("%s %s of %s: %w", what, name, o.place, err)
	switch {
	case missing && what == "read" && !bucket:
		return &fs.PathError{Op: what, Path: name, Err: fs.ErrNotExist}
	case missing:
		return &problem.Problem{Class: "config", What: err.Error(), Next: "create the bucket, or correct " + locationKey}
	case status == http.StatusUnauthorized || status == http.StatusForbidden || errors.As(err, new(*oauth2.RetrieveError)) || errors.As(err, new(*azidentity.AuthenticationFailedError)):
		return o.refused(err)
	}
	return &problem.Problem{Class: "transient", What: err.Error(), Next: "see whether the object store can be reached; the next run, or the same command, does it again"}
}

// refused says which credentials are needed.
func (o other) refused(err error) error {
	return &problem.Problem{Class: "auth", What: "the credentials for " + o.place, Err: err, Next: "give credentials that may read, write, list and delete there: " + o.needs + " (docs/mirror.md)"}
}
