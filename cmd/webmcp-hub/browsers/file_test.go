package browsers

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/actors"
	"webmcphub/internal/fakeclock"
	"webmcphub/internal/settings"
	"webmcphub/registry/names"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// opened is a set of browsers from a file with that text, and what its log says.
func opened(t *testing.T, text string, o Options) (*Set, *bytes.Buffer, error) {
	t.Helper()
	o.File = filepath.Join(t.TempDir(), "browsers.yaml")
	write(t, o.File, text)
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	s, err := Open(o)
	return s, &log, err
}

func namesOf(all []actors.BrowserOptions) string {
	var names []string
	for _, b := range all {
		names = append(names, b.Name)
	}
	return strings.Join(names, " ")
}

func TestFile(t *testing.T) {
	t.Setenv("TEAM", "blue")
	origins, err := names.ParseOrigins([]string{"https://*.shop.example"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, log, err := opened(t, `# those of the lab
browsers:
  - name: work
    endpoint: http://127.0.0.1:9222
    labels: [eu, test]
  - name: grid
    endpoint: wss://grid.example/session/7/cdp?key=s3cret
    labels: eu
    headers: {X-Team: {env: TEAM}}
    allow: [https://eu.shop.example, https://other.example]
    deny: https://admin.shop.example
`, Options{Given: Of([]string{"http://127.0.0.1:1"}, nil, nil), Lazy: true, Origins: origins})
	if err != nil || log.Len() > 0 {
		t.Fatalf("%v, %s", err, log)
	}
	all := s.Browsers()
	if got := namesOf(all); got != "127.0.0.1:1 work grid" {
		t.Fatalf("the browsers are %s", got)
	}
	work, grid := all[1], all[2]
	if !slices.Equal(work.Labels, []string{"eu", "test"}) || !work.Lazy || work.Origins != nil || work.Dialer == nil {
		t.Errorf("work is %+v", work)
	}
	for address, want := range map[string]bool{"https://eu.shop.example/": true, "https://de.shop.example/": false, "https://other.example/": false} {
		if grid.Origins.Permits(address) != want {
			t.Errorf("grid permits %s: %v", address, !want)
		}
	}
	json, log, err := opened(t, `{"browsers": [{"name": "a", "endpoint": "http://localhost:9222"}]}`, Options{})
	if err != nil || namesOf(json.Browsers()) != "a" || log.Len() > 0 {
		t.Errorf("JSON: %v, %s", err, log)
	}
	empty, _, err := opened(t, "browsers: []", Options{})
	if err != nil || empty.Browsers() == nil {
		t.Errorf("an empty list: %v, %v", empty, err)
	}
}

// TestWrongEntries are named, with their lines and without what may be secret; the others count.
func TestWrongEntries(t *testing.T) {
	for item, want := range map[string]string{
		"just a text":                                                                  "line 3: a browser has a name",
		"{endpoint: 'http://h:1'}":                                                     "line 3: a browser's name is missing",
		"{name: a b, endpoint: 'http://h:1'}":                                          "no spaces",
		"{name: extension, endpoint: 'http://h:1'}":                                    "choose another word",
		"{name: bad}":                                                                  "line 3: endpoint must be a URL",
		"{name: bad, endpoint: 's3cret:h'}":                                            "endpoint must be a URL",
		"{name: bad, endpoint: 'http://h:1', colour: red}":                             `"colour" is unknown`,
		"{name: bad, endpoint: 'http://h:1', endpoint: 'http://h:2'}":                  "second time",
		"{name: bad, endpoint: [x]}":                                                   "a plain text",
		"{name: bad, endpoint: 'http://h:1', labels: [[x]]}":                           "a plain text",
		"{name: bad, endpoint: 'http://h:1', labels: [a b]}":                           "a label has letters",
		"{name: bad, endpoint: 'http://h:1', headers: {A: {env: HOME}}}":               "headers go with an endpoint that begins with ws://",
		"{name: bad, endpoint: 'ws://h:1', headers: {A: s3cret}}":                      "headers have where their values are",
		"{name: bad, endpoint: 'ws://h:1', headers: {A: {value: s3cret}}}":             "headers have where their values are",
		"{name: bad, endpoint: 'ws://h:1', headers: {A: {env: 'Bearer s3cret'}}}":      "headers have where their values are",
		"{name: bad, endpoint: 'ws://h:1', headers: {'A b': {env: HOME}}}":             "is no name of a header",
		"{name: bad, endpoint: 'ws://h:1', headers: {A:Bearer s3cret}}":                "is no name of a header",
		"{name: bad, endpoint: 'ws://h:1', headers: {'A: Bearer s3cret'}}":             "a blank after its colon",
		"{name: bad, endpoint: 'ws://h:1', A:Bearer s3cret}":                           "a key (is there a blank after its colon?) is unknown",
		"{name: bad, endpoint: 'ws://h:1', allow: []}":                                 "allow has no origin",
		"{name: bad, endpoint: 'http://h:1', allow: [shop]}":                           "allow or deny: \"shop\" is no origin",
		"{name: bad, endpoint: 'http://h:1', allow: ['https://b.example']}":            "nothing in common with --allow-origin",
		"{name: good, endpoint: 'http://h:1'}":                                         "another browser with that name",
		"{name: bad, endpoint: 'http://localhost:9222/'}":                              "its endpoint is that of the browser good, too",
		"{name: bad, endpoint: 'http://127.0.0.1:9222', allow: ['https://a.example']}": "its endpoint is that of the browser good, too",
	} {
		origins, err := names.ParseOrigins([]string{"https://a.example"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, log, err := opened(t, "browsers:\n  - {name: good, endpoint: 'http://127.0.0.1:9222'}\n  - "+item+"\n  - {name: last, endpoint: 'http://h:3'}\n", Options{Origins: origins})
		if err != nil || namesOf(s.Browsers()) != "good last" {
			t.Errorf("%s: %v", item, err)
			continue
		}
		if said := strings.ReplaceAll(log.String(), `\"`, `"`); !strings.Contains(said, want) || !strings.Contains(said, "line 3") || strings.Contains(said, "s3cret") {
			t.Errorf("%s: the log says %s, want %s", item, said, want)
		}
	}
}

// TestWrongFiles: nothing of them counts, and the line is said.
func TestWrongFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "line 1: the file is empty",
		"- name: x":                       `line 1: there must be "browsers:"`,
		"browsers: []\nlabels: x":         "and nothing else",
		"browsers: x":                     "line 1: browsers must be a list",
		"browsers: [":                     "line ",
		"browsers: []\n---\nbrowsers: []": "more than one document",
	} {
		if _, _, err := opened(t, text, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestHeadersAreReadAnew: a token that has been replaced counts at the next dial.
func TestHeadersAreReadAnew(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "token"), "Bearer one\n")
	all, err := parse([]byte("browsers: [{name: a, endpoint: 'ws://h/x', headers: {Authorization: {file: token}}}]"), folder)
	if err != nil || all[0].err != nil {
		t.Fatal(err, all[0].err)
	}
	for _, want := range []string{"Bearer one", "Bearer two"} {
		write(t, filepath.Join(folder, "token"), want+"\n")
		if h, err := all[0].header(); err != nil || h.Get("Authorization") != want {
			t.Errorf("the header is %v, %v", h, err)
		}
	}
	write(t, filepath.Join(folder, "token"), "s3cret\nX-Other: y")
	if _, err := all[0].header(); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a value of two lines: %v", err)
	}
	if key := all[0].key(); strings.Contains(key, "Bearer") {
		t.Errorf("the key has the value: %s", key)
	}
}

// TestHeaderComesLater: a browser whose header's value isn't there yet is dialled, which fails
// until it has come.
func TestHeaderComesLater(t *testing.T) {
	const variable = "WEBMCP_HUB_NOT_SET_X"
	for name, c := range map[string]struct {
		from, missing string
		come          func(folder string)
	}{
		"file":     {"{file: token}", "the header A can't be read", func(folder string) { write(t, filepath.Join(folder, "token"), "x") }},
		"variable": {"{env: " + variable + "}", "the header A can't be read: the environment variable that its env names is not set", func(string) { t.Setenv(variable, "x") }},
	} {
		s, log, err := opened(t, "browsers: [{name: a, endpoint: 'ws://127.0.0.1:1/x', headers: {A: "+c.from+"}, deny: []}]", Options{})
		if err != nil || namesOf(s.Browsers()) != "a" || log.Len() > 0 {
			t.Fatalf("%s: %v, %s", name, err, log)
		}
		dial := func() error {
			_, err := s.Browsers()[0].Dialer.Dial(t.Context())
			return err
		}
		if err := dial(); err == nil || !strings.Contains(err.Error(), c.missing) || strings.Contains(err.Error(), variable) {
			t.Errorf("%s: %v, want %q", name, err, c.missing)
		}
		c.come(filepath.Dir(s.options.File))
		if err := dial(); err == nil || !strings.Contains(err.Error(), "connect to Chrome at ws://127.0.0.1:1/x") {
			t.Errorf("%s: once it has come, %v", name, err)
		}
	}
}

// TestFollow: each change of the file is told, a wrong file leaves what there was, and so does
// a wrong entry.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const a, b = "  - {name: a, endpoint: 'http://h:1'}\n", "  - {name: b, endpoint: 'http://h:2'}\n"
		origins, err := names.ParseOrigins([]string{"https://a.example"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, log, err := opened(t, "browsers:\n"+a+b, Options{Origins: origins})
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan string, 10)
		s.Follow(func(all []actors.BrowserOptions) { told <- namesOf(all) + " " + all[0].Key })
		later := time.Now()
		step := func(text, want, logged string) {
			t.Helper()
			log.Reset()
			write(t, s.options.File, text)
			later = later.Add(time.Minute)
			_ = os.Chtimes(s.options.File, later, later)
			fakeclock.Elapse(3 * settings.WatchEvery)
			synctest.Wait()
			got := ""
			for len(told) > 0 {
				got += <-told
			}
			if got != want || !strings.Contains(log.String(), logged) {
				t.Errorf("told %q, want %q; the log says %s", got, want, log)
			}
		}
		step("browsers:\n"+b+a, "b a browser-url\nhttp://h:2", "read again")
		step("browsers:\n"+a[:8], "", "the browsers stay as they were")
		step("browsers:\n  - {name: b, endpoint: oops}\n"+a, "b a browser-url\nhttp://h:2", "line 2: endpoint must be")
		// What a wrong entry would permit isn't known, and the rules before may have permitted more.
		step("browsers:\n  - {name: b, endpoint: 'http://h:2', allow: [shop]}\n"+a, "a browser-url\nhttp://h:1", "allow or deny")
		step("browsers:\n"+b+a, "b a browser-url\nhttp://h:2", "read again")
		step("browsers:\n  - {name: b, endpoint: 'http://h:2', allow: ['http://shop.test']}\n"+a, "a browser-url\nhttp://h:1", "nothing in common with --allow-origin")
		step("browsers:\n"+a, "a browser-url\nhttp://h:1", "browsers=1")
		s.Close()
		s.Close()
	})
}
