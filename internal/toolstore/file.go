package toolstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// lockWait is how long Open waits for a file that another hub, which may be ending, has locked.
const lockWait = 500 * time.Millisecond

var (
	bucket  = []byte("tools.2") // the number is the version of the entries' format
	outworn = []byte("tools.1") // keyed by hosts, which don't identify a tool's origin
)

// key identifies a tool of a site.
type key struct{ site, tool string }

func (k key) bytes() []byte { return []byte(k.site + "\x00" + k.tool) }

// record is the file's entry for one tool.
type record struct {
	URL          string            `json:"url"`
	Seen         time.Time         `json:"seen"`
	Runtime      offer.Runtime     `json:"runtime"`
	Title        string            `json:"title,omitempty"`
	Description  string            `json:"description,omitempty"`
	InputSchema  json.RawMessage   `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage   `json:"outputSchema,omitempty"`
	Annotations  offer.Annotations `json:"annotations"`
	Meta         json.RawMessage   `json:"meta,omitempty"`
}

func newRecord(e *entry) record {
	t := e.Tool
	return record{e.URL, e.seen, t.Runtime, t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations,
		t.Meta}
}

func (r record) entry(k key) *entry {
	return &entry{seen: r.Seen, CachedTool: offer.CachedTool{Site: k.site, URL: r.URL, Tool: registry.PageTool{
		Name: k.tool, Runtime: r.Runtime, Title: r.Title, Description: r.Description,
		InputSchema: r.InputSchema, OutputSchema: r.OutputSchema, Annotations: r.Annotations, Meta: r.Meta,
	}}}
}

// file is the database. With a nil db it keeps nothing.
type file struct {
	path string
	log  *slog.Logger
	db   *bbolt.DB
}

// openFile opens the file and reads everything in it. It never fails.
func openFile(path string, log *slog.Logger) (*file, map[key]*entry) {
	f := &file{path: path, log: log}
	if path == "" {
		return f, map[key]*entry{}
	}
	all, err := f.open()
	var pathError *fs.PathError
	switch {
	case err == nil:
		return f, all
	case errors.Is(err, bolterrors.ErrTimeout):
		log.Warn("the store of cached tools is in use by another hub; this one's cached tools will not outlive it",
			"file", path)
	case errors.As(err, &pathError):
		log.Warn("the store of cached tools can't be opened; cached tools will not outlive this hub", "err", err)
	case f.moveAside(err):
		if all, err = f.open(); err == nil {
			return f, all
		}
		log.Warn("no new store of cached tools can be made; cached tools will not outlive this hub", "err", err)
	}
	f.db = nil
	return f, map[key]*entry{}
}

// moveAside keeps a corrupt file for later inspection.
func (f *file) moveAside(why error) bool {
	f.db = nil // not closed, because it may hang after a panic
	aside := f.path + ".corrupt-" + time.Now().UTC().Format("20060102-150405.000")
	if err := os.Rename(f.path, aside); err != nil {
		f.log.Warn("the store of cached tools is corrupt and can't be moved aside; cached tools will not "+
			"outlive this hub", "why", why, "err", err)
		return false
	}
	f.log.Warn("the store of cached tools was corrupt; a new one is begun", "why", why, "kept", aside)
	return true
}

func (f *file) open() (all map[key]*entry, err error) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return nil, err
	}
	all = map[key]*entry{}
	err = guarded(func() error {
		db, err := bbolt.Open(f.path, 0o600, &bbolt.Options{Timeout: lockWait})
		if err != nil {
			return err
		}
		f.db = db
		return db.Update(func(tx *bbolt.Tx) error {
			if err := tx.DeleteBucket(outworn); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
				return err
			}
			b, err := tx.CreateBucketIfNotExists(bucket)
			if err != nil {
				return err
			}
			var bad [][]byte
			err = b.ForEach(func(k, v []byte) error {
				site, tool, ok := strings.Cut(string(k), "\x00")
				var r record
				if !ok || json.Unmarshal(v, &r) != nil || names.SiteOf(r.URL) != site {
					bad = append(bad, bytes.Clone(k))
					return nil
				}
				all[key{site, tool}] = r.entry(key{site, tool})
				return nil
			})
			for _, k := range bad {
				f.log.Warn("the store of cached tools has an entry that can't be read; it is dropped", "key", string(k))
				err = errors.Join(err, b.Delete(k))
			}
			return err
		})
	})
	return all, err
}

// guarded turns panics and memory faults, which a corrupt database can cause, into errors.
func guarded(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it can't be read: %v", p)
		}
	}()
	return do()
}

// write puts and deletes in one transaction.
func (f *file) write(put map[key]*entry, gone []key) error {
	if f.db == nil || len(put)+len(gone) == 0 {
		return nil
	}
	return guarded(func() error {
		return f.db.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucket)
			for _, k := range gone {
				if err := b.Delete(k.bytes()); err != nil {
					return err
				}
			}
			for k, e := range put {
				raw, err := json.Marshal(newRecord(e))
				if err == nil {
					err = b.Put(k.bytes(), raw)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (f *file) close() {
	if f.db == nil {
		return
	}
	if err := f.db.Close(); err != nil {
		f.log.Warn("the store of cached tools was not closed well", "err", err)
	}
}
