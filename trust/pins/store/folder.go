package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/private"
	"webmcphub/trust/pins"
)

// Limits.
const (
	// MaxSites is how many origins may have a file.
	MaxSites = 5000
	// maxFile is how large a file may be, in bytes.
	maxFile = 64 << 20

	lockWait = private.LockWait
	lockName = "lock"
	// scriptsName is a file that is locked while scripts may accept definitions.
	scriptsName = "scripts"
	ending      = ".json"
	format      = 1
)

// Folder is the folder that contains the files.
type Folder struct{ Path string }

// file is the content of a file.
type file struct {
	Format   int          `json:"format"`
	Origin   string       `json:"origin"`
	Visit    pins.Visit   `json:"firstVisit"`
	Accepted []pins.Entry `json:"accepted"`
	Waiting  []pins.Entry `json:"waiting,omitempty"`
	Unkept   int          `json:"unkept,omitempty"`
	// Shown is a member of files of earlier versions. It is ignored.
	Shown json.RawMessage `json:"shown,omitempty"`
}

// stamp identifies a version of a file.
type stamp struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
	owner    int
}

// Place returns the path of an origin's file.
func (f Folder) Place(origin string) string { return filepath.Join(f.Path, pins.Key(origin)+ending) }

// Load reads an origin's file. It returns nil if there is none. The error says what is wrong with the file.
func (f Folder) Load(origin string) (*pins.Site, error) {
	s, err := load(f.Place(origin))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return s, err
}

func load(path string) (*pins.Site, error) {
	text, err := private.ReadOwn(path, maxFile)
	if err != nil {
		return nil, err
	}
	s, err := parse(text)
	if err == nil && filepath.Base(path) != pins.Key(s.Origin)+ending {
		err = fmt.Errorf("it is not the file of %q, as it says", s.Origin)
	}
	if err != nil {
		return nil, fmt.Errorf("the file %s can't be used: %w; mend it, or remove it to begin with this site anew",
			path, err)
	}
	return s, nil
}

func parse(text []byte) (*pins.Site, error) {
	var in file
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("it is broken (%w)", err)
	}
	switch {
	case d.More():
		return nil, errors.New("it is broken (more follows its end)")
	case in.Format != format:
		return nil, fmt.Errorf("it has format %d, and this webmcp-hub knows format %d", in.Format, format)
	case in.Origin == "":
		return nil, errors.New("it names no origin")
	}
	return pins.Restored(in.Origin, in.Visit, in.Accepted, in.Waiting, in.Unkept), nil
}

// encode returns a site in the form that [parse] reads.
func encode(s *pins.Site) ([]byte, error) {
	return jsonrpc.EncodeFile(file{format, s.Origin, s.Visit, s.Accepted, s.Waiting, s.Unkept, nil}, " ")
}

// Change gets the site that a file contains now, or nil if there is no file. It returns the site that the file is to
// contain, or nil to remove the file. If it returns the same pointer, the file stays as it is.
type Change func(*pins.Site) (*pins.Site, error)

// Edit changes an origin's site under the lock. It returns the file's new site.
func (f Folder) Edit(origin string, change Change) (*pins.Site, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	is, failed := f.EditAll(ctx, map[string]Change{origin: change})
	return is[origin], failed[origin]
}

// EditAll changes several sites under one lock. It waits for the lock until ctx ends, but takes a free lock even if
// ctx has ended. It returns the files' new sites, and the reason for each site that was not changed as wanted.
func (f Folder) EditAll(ctx context.Context,
	changes map[string]Change) (is map[string]*pins.Site, failed map[string]error) {
	is, failed = map[string]*pins.Site{}, map[string]error{}
	unlock, err := f.lock(ctx)
	if err == nil {
		defer unlock()
	}
	for origin, change := range changes {
		var site *pins.Site
		failure := err
		if err == nil {
			site, failure = f.edit(origin, change)
		}
		if is[origin] = site; failure != nil {
			failed[origin] = failure
		}
	}
	return is, failed
}

// edit changes a site. The lock is held.
func (f Folder) edit(origin string, change Change) (*pins.Site, error) {
	was, err := f.Load(origin)
	if err != nil {
		return nil, err
	}
	is, err := change(was)
	switch {
	case err != nil:
		return was, err
	case is == was:
		return was, nil
	case is == nil:
		return nil, os.Remove(f.Place(origin))
	case was == nil && f.count() >= MaxSites:
		return nil, fmt.Errorf("%d sites are pinned already; \"webmcp-hub pins forget ORIGIN\" makes room", MaxSites)
	}
	return is, f.write(is)
}

// Remove removes an origin's file, whatever it contains. The error says that there is no file, or why it can't be
// removed.
func (f Folder) Remove(origin string) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return os.Remove(f.Place(origin))
}

func (f Folder) lock(ctx context.Context) (unlock func(), err error) {
	if err := private.OwnFolder(f.Path); err != nil {
		return nil, fmt.Errorf("the folder of pins can't be used: %w", err)
	}
	return private.Lock(ctx, filepath.Join(f.Path, lockName))
}

// AllowScripts lets scripts accept definitions until end is called or the process ends.
func (f Folder) AllowScripts() (end func(), err error) {
	if err := private.OwnFolder(f.Path); err != nil {
		return nil, fmt.Errorf("the folder of pins can't be used: %w", err)
	}
	l := flock.New(filepath.Join(f.Path, scriptsName), flock.SetPermissions(0o600))
	if err := l.RLock(); err != nil {
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil
}

// ScriptsAllowed reports whether a process has called AllowScripts, and has neither ended nor called end.
func (f Folder) ScriptsAllowed() bool {
	path := filepath.Join(f.Path, scriptsName)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	l := flock.New(path)
	free, err := l.TryLock()
	if free {
		_ = l.Unlock()
	}
	return err == nil && !free
}

// count returns how many origins have a file.
func (f Folder) count() int {
	all, _ := f.stamps()
	return len(all)
}

func (f Folder) write(s *pins.Site) error {
	text, err := encode(s)
	if err != nil {
		return err
	}
	return private.Replace(f.Place(s.Origin), text, 0o600)
}

// stamps returns the stamps of all files, by their names without the extension.
func (f Folder) stamps() (map[string]stamp, error) {
	entries, err := os.ReadDir(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := make(map[string]stamp, len(entries))
	for _, e := range entries {
		key, ours := strings.CutSuffix(e.Name(), ending)
		if !ours {
			continue
		}
		if info, err := e.Info(); err == nil {
			all[key] = stamp{info.ModTime(), info.Size(), info.Mode(), private.Owner(info)}
		}
	}
	return all, nil
}

// All reads all files. lost says, by [pins.Key], why a file can't be used. The error says why the folder can't be
// used.
func (f Folder) All() (sites map[string]*pins.Site, lost map[string]string, err error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	stamps, err := f.stamps()
	if err != nil {
		return nil, nil, err
	}
	sites, lost = map[string]*pins.Site{}, map[string]string{}
	for key := range stamps {
		s, err := load(filepath.Join(f.Path, key+ending))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			lost[key] = err.Error()
		default:
			sites[s.Origin] = s
		}
	}
	return sites, lost, nil
}

// check says why the folder can't be used. It returns nil if there is no folder yet, because one can be made.
func (f Folder) check() error {
	if _, err := os.Lstat(f.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := private.OwnFolder(f.Path); err != nil {
		return fmt.Errorf("the folder of pins can't be used: %w", err)
	}
	return nil
}
