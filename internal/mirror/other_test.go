//go:build mirror && stores

package mirror

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
)

// emulated is an object store on this machine that others wrote.
type emulated struct {
	location string // of a mirror there
	missing  string // a location in a bucket that is not there
	address  string // host and port
	variable string // of the environment, for another address
}

// installedStore is where `make mirror-stores` installs an emulated store.
func installedStore(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skip("make mirror-stores runs it")
	}
	return path
}

// startAzure starts Azurite with an empty container.
func startAzure(t *testing.T) emulated {
	t.Helper()
	home, port := installedStore(t, "AQUEDUCK_AZURITE"), freePort(t)
	startServer(t, exec.CommandContext(t.Context(), "node", filepath.Join(home, "node_modules/azurite/dist/src/blob/main.js"), "--blobHost", "127.0.0.1", "--blobPort", port,
		"--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--disableTelemetry"))
	address, account := "127.0.0.1:"+port, "devstoreaccount1"
	key := "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==" // which its documentation gives
	for name, value := range map[string]string{"AZURE_STORAGE_DOMAIN": address, "AZURE_STORAGE_PROTOCOL": "http", "AZURE_STORAGE_KEY": key, "AZURE_STORAGE_SAS_TOKEN": ""} {
		t.Setenv(name, value)
	}
	shared, err := azblob.NewSharedKeyCredential(account, key)
	must(t, err)
	c, err := container.NewClientWithSharedKeyCredential("http://"+address+"/"+account+"/lake", shared, nil)
	must(t, err)
	waitUntil(t, func(ctx context.Context) error {
		_, err := c.Create(ctx, nil)
		return err
	})
	return emulated{"abfss://lake@" + account + ".dfs.core.windows.net/mirror", "abfss://no-such@" + account + ".dfs.core.windows.net/mirror", address, "AZURE_STORAGE_DOMAIN"}
}

// startGoogle starts fake-gcs-server with an empty bucket.
func startGoogle(t *testing.T) emulated {
	t.Helper()
	program, port := installedStore(t, "AQUEDUCK_FAKE_GCS"), freePort(t)
	address := "127.0.0.1:" + port
	startServer(t, exec.CommandContext(t.Context(), program, "-scheme", "http", "-host", "127.0.0.1", "-port", port, "-backend", "memory", "-public-host", address, "-external-url", "http://"+address))
	t.Setenv("STORAGE_EMULATOR_HOST", address)
	waitUntil(t, func(context.Context) error {
		answer, err := http.Post("http://"+address+"/storage/v1/b?project=tests", "application/json", strings.NewReader(`{"name": "lake"}`))
		if err == nil && answer.StatusCode != http.StatusOK {
			err = errors.New(answer.Status)
		}
		return err
	})
	return emulated{"gs://lake/mirror", "gs://no-such/mirror", address, "STORAGE_EMULATOR_HOST"}
}

// silentServer takes requests, and answers none.
func silentServer(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
	}()
	return l.Addr().String()
}

// TestTheMirrorOnOtherStores: nights, an erasure, a large object, and errors of stores that others wrote. The tables are the same as on S3.
func TestTheMirrorOnOtherStores(t *testing.T) {
	for name, start := range map[string]func(*testing.T) emulated{"azure": startAzure, "google": startGoogle} {
		t.Run(name, func(t *testing.T) {
			y, e := newYard(t), start(t)
			y.options.Location = e.location
			must(t, CheckTables(t.Context(), y.options))
			y.publish(first)
			must(t, CheckTables(t.Context(), y.options))
			for _, statements := range []string{"", night, "DELETE FROM contacts WHERE age = 77; ALTER TABLE contacts ADD COLUMN phone VARCHAR", ""} {
				if statements != "" {
					y.publish(statements)
				}
				y.mirror()
				y.expectEqual(every...)
			}
			if r := y.mirror(); r.Changed != 0 {
				t.Errorf("a second mirror: %+v", r)
			}
			v, err := VerifyTables(t.Context(), y.options)
			if err != nil || len(v.Differing()) > 0 {
				t.Errorf("%+v, %v", v, err)
			}
			y.expectErased()
			y.expectLarge()
			y.expectErrorsOf(e)
			y.mirror()
			y.expectEqual(every...)
		})
	}
}

// expectErased erases a person, who is in no object then.
func (y *yard) expectErased() {
	y.t.Helper()
	if y.find([]string{"person number 5"}) == 0 {
		y.t.Error("no object has the person")
	}
	y.publish("DELETE FROM contacts WHERE starts_with(name, 'person number 5')")
	must(y.t, os.WriteFile(y.dir.Erasures(), []byte("{\"salt\":\"00\"}\n"), 0o600))
	if r := y.mirror(); r.Erased == 0 {
		y.t.Errorf("no object was deleted: %+v", r)
	}
	y.expectEqual(every...)
	if found := y.find([]string{"person number 5"}); found > 0 {
		y.t.Errorf("%d objects have the person", found)
	}
}

// expectLarge sends an object in parts, and reads it by several requests.
func (y *yard) expectLarge() {
	y.t.Helper()
	_, store, err := openObjects(y.t.Context(), y.options)
	must(y.t, err)
	content := []byte(strings.Repeat("some words of a large object\n", (2*partSize+12345)/29))
	address := y.options.Location + "/large"
	w, err := store.Create(address)
	must(y.t, err)
	_, err = w.Write(content)
	must(y.t, errors.Join(err, w.Close()))
	found, err := store.ReadFile(address)
	must(y.t, err)
	if !bytes.Equal(found, content) {
		y.t.Errorf("%d bytes are not those that were sent, %d", len(found), len(content))
	}
	must(y.t, errors.Join(store.Remove(address), store.Remove(address))) // the second one finds none
	if _, err := store.ReadFile(address); !errors.Is(err, os.ErrNotExist) {
		y.t.Errorf("it is still there: %v", err)
	}
}

// expectErrorsOf has a store refuse, hang and lack the bucket: each is a clear error without the credentials.
func (y *yard) expectErrorsOf(e emulated) {
	y.t.Helper()
	y.publish("UPDATE contacts SET name = 'later' WHERE age = 3")
	elsewhere := y.options
	elsewhere.Location = e.missing
	_, err := MirrorTables(y.t.Context(), elsewhere)
	expectProblem(y.t, err, "config", "create the bucket")
	expectProblem(y.t, CheckTables(y.t.Context(), elsewhere), "config", "create the bucket")
	y.t.Run("hangs", func(t *testing.T) {
		t.Setenv(e.variable, silentServer(t))
		other := y.options
		other.Patience = 20 * time.Millisecond
		_, err := MirrorTables(t.Context(), other)
		expectProblem(t, err, "transient", "see whether the object store can be reached")
	})
	y.t.Run("refused", func(t *testing.T) {
		hidden := base64.StdEncoding.EncodeToString([]byte("hidden"))
		t.Setenv("AZURE_STORAGE_KEY", hidden)
		if e.variable == "STORAGE_EMULATOR_HOST" { // it refuses nobody: the server of tokens does
			t.Setenv(e.variable, "")
			t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", refusedAccount(t))
		}
		_, err := MirrorTables(t.Context(), y.options)
		expectProblem(t, err, "auth", "docs/mirror.md")
		if err != nil && strings.Contains(fmt.Sprintf("%+v", err), hidden) {
			t.Errorf("the error has the credentials: %v", err)
		}
	})
}

// refusedAccount is a file with credentials that their server of tokens refuses.
func refusedAccount(t *testing.T) (path string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error": "invalid_grant", "error_description": "Token has been expired or revoked."}`)
	}))
	t.Cleanup(server.Close)
	path = filepath.Join(t.TempDir(), "account.json")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	text, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	account, err := json.Marshal(map[string]string{"type": "service_account", "client_email": "reader@tests.example", "token_uri": server.URL + "/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}))})
	must(t, errors.Join(err, os.WriteFile(path, account, 0o600)))
	return path
}
