package console

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// shortest is the minimum length of a secret.
const shortest = 12

// Place is where a console listens: a loopback address, or a socket as unix:PATH. Other addresses need a certificate and a password.
type Place struct {
	Address   string
	Hosts     []string // host names besides the address
	Cert, Key string   // files
	Password  string   // a file of mode 0600

	flag string // of the address; "": --console
}

// unixPrefix stands before the path of a socket.
const unixPrefix = "unix:"

// maxPort is the largest number of a port.
const maxPort = 65535

// Listen opens the place. It refuses an address that other machines can reach, unless it has a certificate and a password.
func (p Place) Listen() (net.Listener, error) {
	if path, ok := strings.CutPrefix(p.Address, unixPrefix); ok {
		return listenUnix(path)
	}
	given := cmp.Or(p.flag, "--console") + " " + p.Address
	host, port, err := net.SplitHostPort(p.Address)
	if err != nil {
		return nil, &problem.Problem{Class: "usage", What: given + ": expected an address with a port", Next: "give an address of this machine, e.g. 127.0.0.1:8321, or a socket, e.g. unix:/run/aqueduck/console.sock"}
	}
	if number, err := strconv.Atoi(port); err == nil && (number < 0 || number > maxPort) {
		return nil, &problem.Problem{Class: "usage", What: fmt.Sprintf("%s: expected a port up to %d", given, maxPort), Next: "give an address of this machine, e.g. 127.0.0.1:8321"}
	}
	if (p.Cert == "") != (p.Key == "") {
		return nil, &problem.Problem{Class: "usage", What: "TLS needs a certificate and its key", Next: "give both: --console-cert FILE --console-key FILE"}
	}
	if isUnknownHost(host) {
		return nil, &problem.Problem{Class: "usage", What: given + ": no machine has the name " + host, Next: "give an address of this machine, e.g. 127.0.0.1:8321"}
	}
	if !isLoopback(host) && (p.Cert == "" || p.Password == "") {
		return nil, &problem.Problem{Class: "usage", What: given + " can be reached from other machines: it needs TLS and a password", Next: "listen on 127.0.0.1, or give --console-cert, --console-key and --console-password-file"}
	}
	l, err := net.Listen("tcp", p.Address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, &problem.Problem{Class: "config", What: given + ": another process listens there", Next: "give another address, or stop that process"}
	case err != nil:
		return nil, &problem.Problem{Class: "config", What: given + ": this machine cannot listen there", Err: err, Next: "give an address of this machine, e.g. 127.0.0.1:8321"}
	}
	return l, nil
}

// isLoopback reports whether only this machine can reach a host. It does not look up names other than localhost.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// isUnknownHost reports whether a host is a name that leads to no address.
func isUnknownHost(host string) bool {
	if host == "" || host == "localhost" || net.ParseIP(host) != nil {
		return false
	}
	var unknown *net.DNSError
	_, err := net.LookupHost(host)
	return errors.As(err, &unknown) && unknown.IsNotFound
}

// listenUnix listens on a socket that only its owner can use. It replaces an old socket that no process listens on.
func listenUnix(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		if other, err := net.Dial("unix", path); err == nil {
			return nil, errors.Join(&problem.Problem{Class: "config", What: "another process listens on " + path, Next: "stop it, or give another socket"}, other.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("replace the socket %s: %w", path, err)
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, &problem.Problem{Class: "config", What: "the console cannot listen on its socket: " + err.Error(), Next: "give a path in a directory that this user can write to"}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Names returns the hosts that requests may name: those of its address and the given ones. Each has the port, and is also without it where
// browsers omit the port. The given ones also count as they are, because a proxy may use another port.
func (p Place) Names(l net.Listener) []string {
	if strings.HasPrefix(p.Address, unixPrefix) {
		return append([]string{"localhost"}, p.Hosts...)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String()) // a listener's address is always valid
	host, _, _ := net.SplitHostPort(p.Address)
	hosts := slices.Clone(p.Hosts)
	if isLoopback(host) {
		hosts = append(hosts, "127.0.0.1", "localhost", "::1")
	} else if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		hosts = append(hosts, host)
	}
	usual := "80"
	if p.Cert != "" {
		usual = "443"
	}
	names := slices.Clone(p.Hosts)
	for _, h := range hosts {
		names = append(names, net.JoinHostPort(h, port))
		if port == usual && !slices.Contains(names, h) {
			names = append(names, h)
		}
	}
	return names
}

// TokenFile is the file with the token of a console without a password file. The first start makes it.
func TokenFile(dir layout.Dir) string { return filepath.Join(dir.State(), "console.token") }

// Secret returns the password of the file, or the token that the first start makes. made reports whether the token is a new one.
func (p Place) Secret(dir layout.Dir) (secret string, made bool, err error) {
	if p.Password != "" {
		secret, err = readSecret(p.Password)
		if errors.Is(err, fs.ErrNotExist) {
			err = &problem.Problem{Class: "config", What: "there is no password file " + p.Password, Next: "create it with a password, readable only by its owner (mode 0600)"}
		}
		if err == nil && len(secret) < shortest {
			err = &problem.Problem{Class: "config", What: fmt.Sprintf("the password in %s has fewer than %d characters", p.Password, shortest), Next: "write a longer one, e.g. from `openssl rand -base64 24`"}
		}
		return secret, false, err
	}
	file := TokenFile(dir)
	secret, err = readSecret(file)
	if err == nil && len(secret) >= shortest {
		return secret, false, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false, err
	}
	secret = rand.Text()
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		return "", false, fmt.Errorf("keep the token of the console: %w", err)
	}
	return secret, true, nil
}

// readSecret reads a secret from a file that only its owner can read.
func readSecret(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("read the token or password of the console: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", &problem.Problem{Class: "config", What: fmt.Sprintf("%s can be read by others (mode %04o)", file, info.Mode().Perm()), Next: "chmod 600 " + file}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the token or password of the console: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
