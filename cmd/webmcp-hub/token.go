package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
// file's owner may read it.
func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if err := makeToken(path); err != nil {
			return "", fmt.Errorf("the token file can't be made: %w", err)
		}
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return "", fmt.Errorf("the token file can't be read: %w", err)
	}
	if err := privateFile(path); err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minToken || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("%s holds no token: it must be one word of at least %d characters. Remove the file to get a new one", path, minToken)
	}
	return token, nil
}

// makeToken writes a new token. It is complete when it appears, and of two
// hubs that start at once both read the one that was first.
func makeToken(path string) error {
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
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// privateFile refuses a file that other users may read.
func privateFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s may be read by other users (mode %#o): take that right away (chmod 600), and remove the file to get a new token if others have used this computer", path, info.Mode().Perm())
	}
	return nil
}
