package private

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

// Place returns where the hub keeps a file or folder of its own for this user.
func Place(name string) (string, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "webmcp-hub", name), nil
}

// minToken is the shortest token that is not easily guessed.
const minToken = 16

// Token reads the token, and makes one if there is none. The file must belong to this user, who alone may read it.
func Token(path string) (string, error) {
	text, err := Read(path)
	if errors.Is(err, os.ErrNotExist) {
		if err := NewToken(path, os.Link); err != nil && !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("the token file can't be made: %w; see that you may write to the folder %s", err,
				filepath.Dir(path))
		}
		text, err = Read(path)
	}
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minToken || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("%s holds no token: it must be one word of at least %d characters. Remove the file to "+
			"get a new one", path, minToken)
	}
	return token, nil
}

// maxToken is how long a file with a token may be, in bytes.
const maxToken = 4096

// Read reads a file that must belong to this user alone.
func Read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("the token file can't be read: %w; make it yours (chown, chmod 600), or remove it to "+
			"get a new token", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = check(path, info)
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

// check refuses a file that other users may read, or may have written.
func check(path string, info os.FileInfo) error {
	switch owner, known := ownerOf(info); {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file; remove it to get a new token", path)
	case known && owner != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (number %d), who may know the token: remove it to get a new "+
			"one, or run webmcp-hub as its owner", path, owner)
	case known && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s may be read by other users (mode %#o): take that right away (chmod 600), and make a "+
			"new token (webmcp-hub token rotate) if others have used this computer", path, info.Mode().Perm())
	}
	return nil
}

// NewToken writes a new token to a temporary file, which put moves to its place. So the token is complete when it
// appears. If put is [os.Link], two hubs that start at once both use the first one's token.
func NewToken(path string, put func(from, to string) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)                    // never fails
	file, err := os.CreateTemp(dir, ".token-*") // readable by its owner only
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

// Owner returns the user id of a file's owner; 0 if the system has none.
func Owner(info os.FileInfo) int {
	uid, _ := ownerOf(info)
	return uid
}

// ReadOwn reads a file of at most max bytes that must belong to this user alone. The error says which file is wrong,
// and what to do.
func ReadOwn(path string, max int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := own(path, info); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, max+1))
	if err == nil && int64(len(text)) > max {
		err = fmt.Errorf("%s is larger than %d bytes", path, max)
	}
	return text, err
}

// ReadTrusted reads a file of at most max bytes that others may read, but that only this user or the system may have
// written, because its content is trusted.
func ReadTrusted(path string, max int64) ([]byte, error) {
	// Opening a pipe would block.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, err
	}
	switch owner, known := ownerOf(info); {
	case known && owner != 0 && owner != os.Getuid():
		return nil, fmt.Errorf("%s belongs to another user, who could change what it says", path)
	case known && info.Mode().Perm()&0o022 != 0:
		return nil, fmt.Errorf("%s can be written by others (chmod go-w makes it yours alone), who could change "+
			"what it says", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, max+1))
	if err == nil && int64(len(text)) > max {
		return nil, fmt.Errorf("%s has more than %d bytes", path, max)
	}
	return text, err
}

// Secret refuses a file that users other than this one may read. A file of the system may be readable by a group,
// because services get their secrets that way.
func Secret(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	others := os.FileMode(0o077)
	owner, known := ownerOf(info)
	if owner == 0 && os.Geteuid() != 0 {
		others = 0o007
	}
	if known && info.Mode().Perm()&others != 0 {
		return fmt.Errorf("%s may be read by other users (mode %#o): take that right away (chmod 600), and make new "+
			"tokens if others may have read it", path, info.Mode().Perm())
	}
	return nil
}

// OwnFolder makes a folder, or checks that an existing one belongs to this user alone.
func OwnFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", path)
	}
	return own(path, info)
}

// own refuses a file that other users may read or write.
func own(path string, info os.FileInfo) error {
	switch owner, known := ownerOf(info); {
	case known && owner != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (number %d); take it over (chown), or remove it", path, owner)
	case known && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s may be read or written by other users (mode %#o); see whether anybody has changed it, "+
			"and take that right away (chmod go-rwx)", path, info.Mode().Perm())
	}
	return nil
}
