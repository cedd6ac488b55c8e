package live

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestCodes: a program that knows the secret of the Pages has the page show a code, and learns only whether a person has
// typed it. Three wrong ones, a right one and the end of the request end the code.
func TestCodes(t *testing.T) {
	v, pages, _ := sites(t, "")
	post := func(ctx context.Context, secret string, form url.Values) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.Pages.Address()+"code", strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+r.Host)
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer
	}
	if got := post(t.Context(), "wrong", url.Values{"text": {"Accept it"}}).StatusCode; got != http.StatusForbidden {
		t.Errorf("without the secret: %d", got)
	}
	code := regexp.MustCompile(`Code: (\d{6})`)
	begin := func() (id, shown string, end func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		id, err := bufio.NewReader(post(ctx, v.Pages.Secret(), url.Values{"text": {"Accept it\n| <b>theirs</b>"}}).Body).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		for shown == "" {
			_, body := v.get("")
			if is := code.FindStringSubmatch(body); is != nil && strings.Contains(body, "&lt;b&gt;theirs") {
				shown = is[1]
			}
		}
		return strings.TrimSpace(id), shown, func() {
			cancel()
			for len(pageQuestions(pages[""])) > 0 {
			}
		}
	}
	check := func(id, typed string, want int) {
		t.Helper()
		if got := post(t.Context(), v.Pages.Secret(), url.Values{"id": {id}, "code": {typed}}).StatusCode; got != want {
			t.Errorf("%q: %d, want %d", typed, got, want)
		}
	}
	id, shown, end := begin()
	check(id, "x", http.StatusForbidden)
	check(id, shown[:3]+" "+shown[3:], http.StatusOK)
	check(id, shown, http.StatusForbidden) // once
	end()
	id, shown, end = begin()
	for range codeTries {
		check(id, "x", http.StatusForbidden)
	}
	check(id, shown, http.StatusForbidden)
	end()
	id, shown, end = begin()
	end()
	check(id, shown, http.StatusForbidden)
}

// pageQuestions are the ids of what waits for an answer.
func pageQuestions(s *Server) (ids []string) {
	s.store.ask(func(b *store) {
		for id := range b.questions {
			ids = append(ids, id)
		}
	})
	return ids
}
