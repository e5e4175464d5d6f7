//go:build mirror

package mirror

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/apache/iceberg-go/catalog/rest"

	"aqueduck/internal/problem"
)

// Variables with access to a catalog by REST. The files are read for each mirror, that of a token for each request: who writes a new token there needs no restart.
const (
	tokenVariable          = "ICEBERG_TOKEN"             // a token
	tokenFileVariable      = "ICEBERG_TOKEN_FILE"        // a file with a token
	credentialVariable     = "ICEBERG_CREDENTIAL"        // ID:SECRET, for which an OAuth2 server gives tokens
	credentialFileVariable = "ICEBERG_CREDENTIAL_FILE"   // a file with ID:SECRET
	oauthServerVariable    = "ICEBERG_OAUTH2_SERVER_URI" // the address of the OAuth2 server; "": the catalog itself
	scopeVariable          = "ICEBERG_SCOPE"             // what the tokens are for; "": catalog
)

// openREST asks a catalog by REST for its configuration. place is rest:https://HOST/PATH, with ?warehouse=NAME where the catalog has several warehouses.
func openREST(ctx context.Context, place string) (*rest.Catalog, error) {
	at, err := url.Parse(strings.TrimPrefix(place, "rest:"))
	if err != nil || at.User != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, &problem.Problem{Class: "config", What: "warehouse.mirror.catalog is no address of a catalog by REST, or has a user in it",
			Next: "write rest:https://HOST/PATH or rest:https://HOST/PATH?warehouse=NAME, and give access by " + tokenVariable + " or " + credentialVariable}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = answerTime
	options := []rest.Option{rest.WithCustomTransport(ownAccess{transport}), rest.WithWarehouseLocation(at.Query().Get("warehouse")), rest.WithScope(os.Getenv(scopeVariable))}
	access, err := restAccess()
	if err != nil {
		return nil, err
	}
	at.RawQuery = ""
	return rest.NewCatalog(ctx, CatalogName, at.String(), append(options, access...)...)
}

// answerTime is how long a catalog may take to begin an answer. Its commit of a large table reads and writes the table's description.
const answerTime = 2 * time.Minute

// ownAccess leaves out the request for credentials of the object store: this program has its own, and a catalog may refuse to give some.
type ownAccess struct{ http.RoundTripper }

func (a ownAccess) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("X-Iceberg-Access-Delegation")
	return a.RoundTripper.RoundTrip(r)
}

// restAccess is the access to a catalog that the environment gives; none is no error.
func restAccess() ([]rest.Option, error) {
	if path := os.Getenv(tokenFileVariable); path != "" {
		if _, err := readSecret(tokenFileVariable, path); err != nil {
			return nil, err
		}
		return []rest.Option{rest.WithAuthManager(tokenFile(path))}, nil
	}
	if token := os.Getenv(tokenVariable); token != "" {
		return []rest.Option{rest.WithOAuthToken(token)}, nil
	}
	credential := os.Getenv(credentialVariable)
	if path := os.Getenv(credentialFileVariable); path != "" {
		var err error
		if credential, err = readSecret(credentialFileVariable, path); err != nil {
			return nil, err
		}
	}
	if credential == "" {
		return nil, nil
	}
	options := []rest.Option{rest.WithCredential(credential)}
	if server := os.Getenv(oauthServerVariable); server != "" {
		at, err := url.Parse(server)
		if err == nil && at.Scheme == "http" && !net.ParseIP(at.Hostname()).IsLoopback() && at.Hostname() != "localhost" {
			return nil, &problem.Problem{Class: "config", What: oauthServerVariable + ": http:// would send " + cmp.Or(setVariable(), credentialVariable) + " unencrypted", Next: "set it to an address that begins with https://"}
		}
		if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
			return nil, &problem.Problem{Class: "config", What: oauthServerVariable + " is not an address", Next: "set it to the address that gives tokens, e.g. https://login.example.com/oauth/token, or unset it"}
		}
		options = append(options, rest.WithAuthURI(at))
	}
	return options, nil
}

// tokenFile gives the token of a file.
type tokenFile string

// AuthHeader gives the header with the token that the file has now.
func (f tokenFile) AuthHeader() (name, value string, err error) {
	token, err := readSecret(tokenFileVariable, string(f))
	return "Authorization", "Bearer " + token, err
}

func readSecret(variable, path string) (string, error) {
	text, err := os.ReadFile(path)
	secret := strings.TrimSpace(string(text))
	if err == nil && secret == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return "", &problem.Problem{Class: "config", What: "the file of " + variable + " cannot be used", Err: err, Next: "correct " + variable}
	}
	return secret, nil
}

// explainREST makes an error of a catalog by REST a Problem, where it says more than that something went wrong. opened says whether the catalog has answered before.
func (c tableCatalog) explainREST(err error, opened bool) error {
	var network net.Error
	p := &problem.Problem{Class: "config", What: "the catalog " + c.place + " cannot be used", Err: err}
	switch {
	case errors.As(err, new(*problem.Problem)):
		return err
	case errors.Is(err, rest.ErrUnauthorized), errors.Is(err, rest.ErrForbidden), errors.Is(err, rest.ErrAuthorizationExpired), errors.Is(err, rest.ErrOAuthError):
		p.Class, p.What = "auth", "the catalog "+c.place+" refuses the access"
		p.Next = "give a token that may read, create and change tables there: " + cmp.Or(setVariable(), tokenVariable+" or "+credentialVariable) + " (docs/mirror.md)"
	case opened, errors.As(err, &network), errors.Is(err, rest.ErrServerError), errors.Is(err, rest.ErrServiceUnavailable):
		return err
	default:
		p.Next = "correct the address, or the name after ?warehouse=, in warehouse.mirror.catalog"
	}
	return p
}

// setVariable is the variable that gives the access; "" if there is none.
func setVariable() string {
	for _, name := range []string{tokenFileVariable, tokenVariable, credentialFileVariable, credentialVariable} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return ""
}
