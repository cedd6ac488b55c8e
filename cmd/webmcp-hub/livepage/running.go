package livepage

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"webmcphub/internal/private"
)

// folder has one file for each process that serves a live page, named after its process id.
const folder = "live"

// runningPage is the content of such a file.
type runningPage struct {
	Address string `json:"address"`
	Secret  string `json:"secret"`
	About   string `json:"about,omitempty"` // the page that "webmcp-hub inspect" shows; "" for a hub for all pages
}

// tell writes the file by which this user's programs get a link to the page. forget removes it.
func (s *Site) tell() (forget func()) {
	none := func() {}
	dir, err := private.Place(folder)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		s.log.Warn("\"webmcp-hub ui\" won't find the live page", "err", err)
		return none
	}
	raw, err := json.Marshal(runningPage{s.Address(), s.Secret(), s.About[:min(len(s.About), maxAbout)]})
	if err != nil { // a runningPage can always be encoded
		panic(err)
	}
	file := filepath.Join(dir, strconv.Itoa(os.Getpid())+".json")
	_ = os.Remove(file) // left by an earlier process with the same id
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(raw)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		s.log.Warn("\"webmcp-hub ui\" won't find the live page", "err", err)
		return none
	}
	return func() { _ = os.Remove(file) }
}

// maxPageFile is how large a file may be, and maxAbout how long the address of a page in it, in bytes.
const (
	maxPageFile = 4096
	maxAbout    = 300
)

// Running is a live page that is served.
type Running struct {
	PID         int
	Link, About string // About is at least the beginning of [Site.About]

	page runningPage
}

// post sends a form to the live page as a program of its user. The caller closes the answer's body.
func (t runningPage) post(ctx context.Context, what string, form url.Values) (*http.Response, error) {
	at, err := url.Parse(t.Address)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Address+what, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+t.Secret)
	r.Header.Set("Origin", at.Scheme+"://"+at.Host)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r) // not through a proxy
}

// Ask shows a text with a code on the page, and then lets read return what the person has typed. It reports whether
// that was the code. The error says that the page can't show it, or is read's.
func (r Running) Ask(ctx context.Context, text string, read func() (string, error)) (right bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shown, err := r.page.post(ctx, "code", url.Values{"text": {text}})
	if err != nil {
		return false, err
	}
	defer shown.Body.Close()
	id, err := bufio.NewReader(shown.Body).ReadString('\n')
	if err != nil || shown.StatusCode != http.StatusOK {
		return false, fmt.Errorf("the live page of process %d can't show a code", r.PID)
	}
	typed, err := read()
	if err != nil {
		return false, err
	}
	checked, err := r.page.post(ctx, "code", url.Values{"id": {strings.TrimSpace(id)}, "code": {typed}})
	if err != nil {
		return false, err
	}
	defer checked.Body.Close()
	return checked.StatusCode == http.StatusOK, nil
}

// All returns the live pages of all hubs and gateways that run, or only that of the process only, if only isn't 0.
func All(ctx context.Context, only int) ([]Running, error) {
	dir, err := private.Place(folder)
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var all []Running
	var problems error
	for _, f := range files {
		pid, err := strconv.Atoi(strings.TrimSuffix(f.Name(), ".json"))
		if err != nil || only != 0 && pid != only {
			continue
		}
		one, err := shownBy(ctx, filepath.Join(dir, f.Name()))
		switch {
		case err == nil:
			one.PID = pid
			all = append(all, one)
		case !errors.Is(err, os.ErrNotExist):
			problems = errors.Join(problems, err)
		}
	}
	if len(all) == 0 && problems != nil {
		return nil, problems
	}
	slices.SortFunc(all, func(a, b Running) int { return cmp.Compare(a.PID, b.PID) })
	return all, nil
}

// tokenLetters are the letters of rand.Text.
const tokenLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// shownBy asks the hub that has written a file for a link.
func shownBy(ctx context.Context, file string) (none Running, _ error) {
	raw, err := private.ReadOwn(file, maxPageFile)
	if err != nil {
		return none, err
	}
	var t runningPage
	if err := json.Unmarshal(raw, &t); err != nil {
		return none, fmt.Errorf("%s can't be read: %w; remove it", file, err)
	}
	if _, err := url.Parse(t.Address); err != nil {
		return none, fmt.Errorf("%s can't be read: %w; remove it", file, err)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answer, err := t.post(ctx, "link", nil)
	if errors.Is(err, syscall.ECONNREFUSED) {
		_ = os.Remove(file) // that hub is gone
		return none, os.ErrNotExist
	}
	if err != nil {
		return none, fmt.Errorf("the hub that %s is about doesn't answer: %w", file, err)
	}
	defer answer.Body.Close()
	link, err := io.ReadAll(io.LimitReader(answer.Body, maxPageFile))
	if token, is := strings.CutPrefix(string(link), t.Address+"?token="); err != nil ||
		answer.StatusCode != http.StatusOK || !is || strings.Trim(token, tokenLetters) != "" {
		return none, os.ErrNotExist // by now another server has the port, perhaps another user's
	}
	return Running{Link: string(link), About: t.About, page: t}, nil
}
