package approvals

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"webmcphub/internal/private"
)

// Limits.
const (
	// MaxAnswers is how many answers the file may contain, and maxFile how large it may be, in bytes.
	MaxAnswers = 1000
	maxFile    = 1 << 20

	format = 2
	// skew is how much clocks may differ.
	skew = time.Minute
	// maxHold is how long an answer may hold.
	maxHold = (MaxDays + 2) * 24 * time.Hour
)

// Names in the folder.
const (
	fileName = "answers.json"
	lockName = "lock"
	keyName  = "key" // the key of the answers' HMACs; only hubs read it
)

// written is the content of the file.
type written struct {
	Format int `json:"format"`
	// AsOf is when a hub last wrote the file. If the clock shows an earlier time, somebody has set it back.
	AsOf    time.Time `json:"asOf"`
	Answers []marked  `json:"answers"`
}

// marked is an answer with the HMAC of the hub that wrote it. Nobody without the hub's key can make that HMAC, so an
// answer that an agent writes into the file doesn't count.
type marked struct {
	entry
	Mark string `json:"mark"`
}

// entry is one answer. An entry of a [Permission] has no client, definition or end.
type entry struct {
	Client     string    `json:"client,omitempty"`
	Browser    string    `json:"browser,omitempty"` // "" if its hub had only one
	Origin     string    `json:"origin"`
	Kind       string    `json:"kind"`
	Tool       string    `json:"tool"`
	Definition string    `json:"definition,omitempty"`
	Why        string    `json:"askedFor,omitempty"`
	Given      time.Time `json:"given"`
	Until      time.Time `json:"until,omitzero"`
}

// folder is the path of the folder that contains the file.
type folder string

func (f folder) file() string { return filepath.Join(string(f), fileName) }

// stamp identifies a version of the file. The zero value means that there is no file.
type stamp struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
	owner    int
}

func (f folder) stamp() stamp { return stampOf(f.file()) }

func stampOf(path string) stamp {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size(), info.Mode(), private.Owner(info)}
}

// errUnmarked reports that a hub of this computer didn't write some of the answers.
var errUnmarked = errors.New("some answers in the file have no mark of this computer's webmcp-hub, or one of an " +
	"earlier version's: a person is asked about them again")

// key returns the key of the answers' HMACs. It makes one if there is none.
func (f folder) key() (string, error) { return private.Token(filepath.Join(string(f), keyName)) }

// mark returns the HMAC of an answer.
func mark(key string, e entry) string {
	text, _ := json.Marshal(e) // all members can be encoded
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}

// errSetBack reports that the file was written at a time later than now.
var errSetBack = errors.New("the computer's clock was set back")

// load returns the answers that hold now. With [errSetBack] it returns only the permissions that restrict agents, and
// with [errUnmarked] only the answers that a hub wrote. Any other error says why no answer can be trusted and what to
// do.
func (f folder) load(now time.Time) (kept []Lasting, err error) {
	if _, err := os.Lstat(f.file()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := private.OwnFolder(string(f)); err != nil {
		return nil, err
	}
	text, err := private.ReadOwn(f.file(), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var in written
	if err == nil {
		in, err = parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("the file %s can't be used: %w; mend it, or remove it to be asked again", f.file(), err)
	}
	key, err := f.key()
	if err != nil {
		return nil, err
	}
	all, err := in.holding(now, key)
	if in.AsOf.After(now.Add(skew)) {
		for _, l := range all {
			if l.restricts() {
				kept = append(kept, NewPermission(l.Origin, l.Permission(), now))
			}
		}
		return kept, errSetBack
	}
	return all, err
}

func parse(text []byte) (in written, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return in, fmt.Errorf("it is broken (%w)", err)
	}
	switch {
	case d.More():
		return in, errors.New("it is broken (more follows its end)")
	case in.Format != format && in.Format != unmarkedFormat:
		return in, fmt.Errorf("it has format %d, and this webmcp-hub knows format %d", in.Format, format)
	case len(in.Answers) > MaxAnswers:
		return in, fmt.Errorf("it has %d answers, and may have %d", len(in.Answers), MaxAnswers)
	}
	for i, e := range in.Answers {
		switch {
		case e.Origin == "" || e.Kind == "" || e.Tool == "",
			e.Kind != permissionKind && (e.Client == "" || e.Definition == "" || e.Why == ""):
			return in, fmt.Errorf("it is broken (answer %d leaves out what it is about)", i)
		case e.Given.After(in.AsOf.Add(skew)) || e.Until.Sub(e.Given) > maxHold:
			return in, fmt.Errorf("it is broken (answer %d has impossible times)", i)
		}
	}
	return in, nil
}

// unmarkedFormat is the format of earlier versions, whose answers have no HMACs.
const unmarkedFormat = 1

// holding returns the answers that a hub wrote and that still hold.
func (w written) holding(now time.Time, key string) (all []Lasting, err error) {
	for _, e := range w.Answers {
		switch {
		case !Lasting(e.entry).holds(now):
		case !hmac.Equal([]byte(e.Mark), []byte(mark(key, e.entry))):
			err = errUnmarked
		default:
			all = append(all, Lasting(e.entry))
		}
	}
	return all, err
}

// errFull reports that there is no room for another answer.
var errFull = fmt.Errorf("%d answers are kept already, which is the limit", MaxAnswers)

// tries is how often a hub reads the file if a person changes the file while the hub writes it.
const tries = 5

// add adds the answers in more to the file, and removes those in less. A permission in more replaces all permissions
// for its site, also another hub's, and one in less removes them, unless the file has a newer one that differs from all
// in less. Of several answers about the same thing add keeps the one that holds longest. add returns the file's new
// content and stamp. The errors [errSetBack] and [errUnmarked] mean that the file has lost the answers that load leaves
// out, and [errFull] that it lacks some of the new ones. Any other error means that add changed nothing and doesn't
// know what the file contains.
func (f folder) add(more []Lasting, now time.Time, less ...Lasting) (all []Lasting, is stamp, err error) {
	unlock, err := f.lock()
	if err != nil {
		return nil, is, err
	}
	defer unlock()
	for range tries { // a person who edits the file doesn't take the lock
		was := f.stamp()
		all, err = f.load(now)
		if err != nil && !errors.Is(err, errSetBack) && !errors.Is(err, errUnmarked) {
			return nil, is, err
		}
		gone := set(less)
		older := func(m Lasting) bool { // another hub's choice may be newer, but not the one that is being taken back
			return slices.ContainsFunc(all, func(l Lasting) bool {
				return l.sameSite(m) && l.Given.After(m.Given) && !gone[l.About()]
			})
		}
		more, less := slices.DeleteFunc(slices.Clone(more), older), slices.DeleteFunc(slices.Clone(less), older)
		all = longest(slices.DeleteFunc(all, func(l Lasting) bool {
			return gone[l.About()] || slices.ContainsFunc(less, l.sameSite) || slices.ContainsFunc(more, l.sameSite)
		}), more)
		if len(all) > MaxAnswers {
			all, err = all[:MaxAnswers], errFull
		}
		is, failed := f.write(all, now, was)
		switch {
		case failed == nil:
			return all, is, err
		case !errors.Is(failed, errChanged):
			return nil, is, failed
		}
	}
	return nil, is, errChanged
}

// longest returns these answers, but of several about the same thing only the one that holds longest. A person may
// answer the same question for several sessions of one client, and no answer shortens another one.
func longest(answers ...[]Lasting) (all []Lasting) {
	at := map[Lasting]int{}
	for _, l := range slices.Concat(answers...) {
		i, is := at[l.About()]
		switch {
		case !is:
			at[l.About()] = len(all)
			all = append(all, l)
		case l.Until.After(all[i].Until):
			all[i] = l
		}
	}
	return all
}

// errChanged reports that another process changed the file meanwhile.
var errChanged = errors.New("another process keeps changing the file")

// write replaces the file, and returns its new stamp, or errChanged if the stamp is no longer was. The lock is held.
func (f folder) write(all []Lasting, now time.Time, was stamp) (is stamp, err error) {
	out := written{Format: format, AsOf: now.Round(0).UTC(), Answers: []marked{}}
	key, err := f.key()
	if err != nil {
		return is, err
	}
	for _, l := range all {
		l.Given, l.Until = l.Given.Round(0).UTC(), l.Until.Round(0).UTC()
		out.Answers = append(out.Answers, marked{entry(l), mark(key, entry(l))})
	}
	text, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return is, err
	}
	if len(text) > maxFile {
		return is, fmt.Errorf("the answers take more than %d bytes, which is the limit", maxFile)
	}
	temp, err := os.CreateTemp(string(f), ".new-*") // only its owner may read it
	if err != nil {
		return is, err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(text)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return is, err
	}
	if f.stamp() != was {
		return is, errChanged
	}
	is = stampOf(temp.Name())
	return is, os.Rename(temp.Name(), f.file())
}

// lock keeps other hubs from writing.
func (f folder) lock() (unlock func(), err error) {
	if err := private.OwnFolder(string(f)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), private.LockWait)
	defer cancel()
	return private.Lock(ctx, filepath.Join(string(f), lockName))
}
