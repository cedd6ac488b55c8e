package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// tokenFile is where the token is.
func (f httpFlags) tokenFile() (string, error) {
	if f.TokenFile != "" {
		return f.TokenFile, nil
	}
	file, err := ownPlace("token")
	if err != nil {
		return "", fmt.Errorf("there is no place for the token (%w); name a file by --token-file", err)
	}
	return file, nil
}

// minToken is the shortest token that is not easily guessed.
const minToken = 16

// readToken reads the token, and makes one where there is none. Only the
// file's owner, who must be this user, may read it.
func readToken(path string) (string, error) {
	text, err := readPrivate(path)
	if errors.Is(err, os.ErrNotExist) {
		if err := makeToken(path, os.Link); err != nil && !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("the token file can't be made: %w; see that you may write to the folder %s", err, filepath.Dir(path))
		}
		text, err = readPrivate(path)
	}
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minToken || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("%s holds no token: it must be one word of at least %d characters. Remove the file to get a new one", path, minToken)
	}
	return token, nil
}

// maxToken is how long a file with a token may be in bytes.
const maxToken = 4096

// readPrivate reads a file that must be this user's alone.
func readPrivate(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("the token file can't be read: %w; make it yours (chown, chmod 600), or remove it to get a new token", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = private(path, info)
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxToken))
	if err != nil {
		return nil, fmt.Errorf("the token file can't be read: %w; remove it to get a new token", err)
	}
	return text, nil
}

// private refuses a file that other users may read, or may have written.
func private(path string, info os.FileInfo) error {
	switch owner, known := ownerOf(info); {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file; remove it to get a new token", path)
	case known && owner != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (number %d), who may know the token: remove it to get a new one, or run webmcp-hub as its owner", path, owner)
	case known && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s may be read by other users (mode %#o): take that right away (chmod 600), and make a new token (webmcp-hub token rotate) if others have used this computer", path, info.Mode().Perm())
	}
	return nil
}

// makeToken writes a new token, which put moves to its place. It is complete
// when it appears: of two hubs that start at once both read the one that was
// first, if put is [os.Link].
func makeToken(path string, put func(from, to string) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)                    // never fails
	file, err := os.CreateTemp(dir, ".token-*") // for its owner only
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = fmt.Fprintln(file, base64.RawURLEncoding.EncodeToString(secret))
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return put(file.Name(), path)
}

// tokenCmd is about the tokens.
type tokenCmd struct {
	Rotate rotateCmd `cmd:"" help:"Make a new token and print it; the old one is worth nothing once the hubs that run have been started again."`
}

// rotateCmd makes a new token.
type rotateCmd struct {
	Which     string `arg:"" optional:"" enum:"http,extension" default:"http" help:"http: the token of HTTP clients (the default). extension: the pairing token of browsers' extensions."`
	TokenFile string `type:"path" placeholder:"FILE" help:"The file with the token of HTTP clients; the extension's is always the hub's own. Default: the hub's own."`
}

// Run prints the token alone to stdout, for scripts, and the rest to stderr.
func (c rotateCmd) Run() error {
	file, err := httpFlags{TokenFile: c.TokenFile}.tokenFile()
	next := "Give it to the HTTP clients, as \"Authorization: Bearer TOKEN\""
	if c.Which == "extension" {
		file, err = pairingFile()
		next = "Pair each browser again: paste it into the extension's window"
	}
	if err != nil {
		return err
	}
	if err := makeToken(file, os.Rename); err != nil {
		return fmt.Errorf("the token file can't be written: %w; see that you may write to the folder %s", err, filepath.Dir(file))
	}
	token, err := readToken(file)
	if err != nil {
		return err
	}
	if _, err := fmt.Println(token); err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stderr, "This is the new token, in %s. %s.\nHubs that run keep the old one: close the clients that started them, and start them again.\n", file, next)
	return err
}
