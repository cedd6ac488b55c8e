package grid

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"webmcphub/cdpclient/cdptest"
)

// recordedID is the session of testdata.
const recordedID = "dca05a9fa27384a08e68aef5d2b412c1"

// standIn answers as the grid did from which testdata was recorded, with a fake Chrome.
type standIn struct {
	*httptest.Server
	t      *testing.T
	chrome *cdptest.Browser

	mu      sync.Mutex
	refuse  string        // a file of testdata, instead of a session
	hold    chan struct{} // New Session waits for it, or for its client to go; may be nil
	died    bool          // the browser has, and the session is there
	cdp     string        // instead of the recorded se:cdp
	asked   []string      // method and path, and "!" if the password wasn't sent
	wanted  map[string]any
	looking chan struct{} // told of each look at a session
}

func start(t *testing.T) *standIn {
	s := &standIn{t: t, chrome: cdptest.New(), looking: make(chan struct{}, 100)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	t.Cleanup(s.chrome.Die)
	return s
}

func (s *standIn) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// log is what was asked, in this order.
func (s *standIn) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.asked, " ")
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	line := r.Method + strings.ReplaceAll(r.URL.Path, recordedID, "ID")
	if _, password, ok := r.BasicAuth(); !ok || password != "s3cret" {
		line += "!"
	}
	s.asked = append(s.asked, line)
	refuse, hold, died := s.refuse, s.hold, s.died
	s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/base")
	if !strings.HasSuffix(path, "/se/cdp") && r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		s.answer(w, http.StatusInternalServerError, "content-type.json")
		return
	}
	switch r.Method + " " + path {
	case "POST /session":
		s.newSession(w, r, refuse, hold)
	case "POST /graphql":
		s.answer(w, http.StatusOK, "grid.json")
	case "GET /status":
		s.answer(w, http.StatusOK, "status.json")
	case "GET /session/" + recordedID + "/window/handles":
		if died {
			s.answer(w, http.StatusNotFound, "died.json")
		} else {
			s.answer(w, http.StatusOK, "handles.json")
		}
		s.looking <- struct{}{}
	case "DELETE /session/" + recordedID:
		s.answer(w, http.StatusOK, "deleted.json")
	case "GET /session/" + recordedID + "/se/cdp":
		r.URL.Path = "/devtools/browser/cdptest"
		s.chrome.Handler().ServeHTTP(w, r)
	default:
		s.answer(w, http.StatusNotFound, "invalid-session.json")
	}
}

func (s *standIn) newSession(w http.ResponseWriter, r *http.Request, refuse string, hold chan struct{}) {
	body, _ := io.ReadAll(r.Body)
	var want struct {
		Capabilities struct {
			AlwaysMatch map[string]any `json:"alwaysMatch"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(body, &want); err != nil {
		s.t.Error(err)
	}
	s.set(func() { s.wanted = want.Capabilities.AlwaysMatch })
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
			return
		}
	}
	if refuse != "" {
		s.answer(w, http.StatusInternalServerError, refuse)
		return
	}
	s.answer(w, http.StatusOK, "session.json")
}

func (s *standIn) answer(w http.ResponseWriter, status int, file string) {
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cdp != "" {
		text = []byte(strings.Replace(string(text), "ws://127.0.0.1:4459/session/"+recordedID+"/se/cdp", s.cdp, 1))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client's loss
}

// newAnswer is the address of a server that answers everything with a status.
func newAnswer(t *testing.T, status int) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://elsewhere.example/")
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
