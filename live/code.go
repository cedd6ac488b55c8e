package live

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"

	"webmcphub/mcpserver/calls"
)

const (
	// CodeTime is how long a code works.
	CodeTime  = 5 * time.Minute
	maxCodes  = 5 // codes that are shown at the same time
	codeTries = 3 // how many wrong codes end a code
)

// code is a code that the page shows, for a person to type into a terminal.
type code struct {
	text  string
	tries int
	ended context.CancelFunc
}

// NewCode returns a code for a person to type.
func NewCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil { // it never fails
		panic(err)
	}
	return fmt.Sprintf("%06d", n)
}

// SameCode reports whether a person has typed a code, however they grouped its digits.
func SameCode(code, typed string) bool {
	typed = strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(typed))
	return subtle.ConstantTimeCompare([]byte(code), []byte(typed)) == 1
}

// codes serves programs of the hub's user that need a person's confirmation. Without an id, the live page shows the
// request's text and a code until the request ends, and the response's first line is the code's id. A request with an
// id asks whether the person has typed the right code.
func (s *Pages) codes(w http.ResponseWriter, r *http.Request) {
	if !s.users(r) {
		s.note(w, http.StatusForbidden, "WebMCP Hub", "Only programs of the hub's user get codes here.", "")
		return
	}
	if id := r.FormValue("id"); id != "" {
		right := false
		s.state.do(func(st *pagesState) {
			c := st.codes[id]
			if c == nil {
				return
			}
			right = SameCode(c.text, r.FormValue("code"))
			if c.tries++; right || c.tries >= codeTries {
				delete(st.codes, id)
				c.ended()
			}
		})
		if !right {
			w.WriteHeader(http.StatusForbidden)
		}
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), CodeTime)
	defer cancel()
	c, id := &code{text: NewCode(), ended: cancel}, rand.Text()
	var page *Server
	s.state.do(func(st *pagesState) {
		if page = st.pages[""]; page != nil && len(st.codes) < maxCodes {
			st.codes[id] = c
		} else {
			page = nil
		}
	})
	if page == nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	q := &question{Question: calls.Question{Client: "webmcp-hub in a terminal"}, since: time.Now(),
		text: "Code: " + c.text + "\n" + "Type it in the terminal if it is you who wants this. If it isn't, somebody else, " +
			"perhaps an agent, is using your account.\n" + r.FormValue("text"),
		legend: "No answer is needed here", choices: []Choice{{Value: decline, Title: "Refuse it"}},
		answer: make(chan json.RawMessage, 1)}
	_, _ = fmt.Fprintln(w, id)
	_ = http.NewResponseController(w).Flush()
	page.store.tell(func(b *store) { b.questions[id] = q })
	defer func() { // the code ends before the question that shows it
		s.state.do(func(st *pagesState) { delete(st.codes, id) })
		page.store.tell(func(b *store) { delete(b.questions, id) })
	}()
	select {
	case <-q.answer:
	case <-ctx.Done():
	}
}
