package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// progressed is one notifications/progress that the hub sent.
type progressed struct {
	ProgressToken any
	Progress      float64
	Total         float64
	Message       string
	at            time.Duration
}

// progress are the hub's progress notifications so far.
func (p *tape) progress() (all []progressed) {
	for _, l := range p.transcript() {
		var m message
		if l.From != theHub || !strings.Contains(l.Text[:min(len(l.Text), 100)], "notifications/progress") || json.Unmarshal([]byte(l.Text), &m) != nil {
			continue
		}
		said := progressed{at: l.At}
		_ = json.Unmarshal(m.Params, &said)
		all = append(all, said)
	}
	return all
}

// withToken is a call of the page of this index whose client wants progress.
func withToken(page string, key int, token any) map[string]any {
	params := call(toolName(page, "lasts"), map[string]any{"key": key})
	params["_meta"] = map[string]any{"progressToken": token}
	return params
}

// TestThePagesProgressIsPassedOn with the client's own token, to the client
// that asked for it.
func TestThePagesProgressIsPassedOn(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{mcpb5, mcpb2} {
		t.Run(string(r), func(t *testing.T) {
			s := counting(t, r)
			_, first, err := s.h.begin("tools/call", withToken("0", 0, "mine"), nil)
			s.h.must(err)
			_, second, err := s.h.begin("tools/call", withToken("0", 1, 77), nil)
			s.h.must(err)
			third := s.lasts(2) // wants none
			saw := s.until("started.length === 3")
			if saw.Tokens != 2 {
				t.Errorf("the page was asked for progress by %d calls, want 2", saw.Tokens)
			}
			// One that waits to be written is replaced by the next, so each is waited for.
			said := 0
			for i := range 3 {
				for key := range 2 {
					s.p.eval(fmt.Sprintf(`progress(%d, {progress: %d, total: 9, message: 'step %[2]d of call %[1]d'})`, key, i+1))
					said++
					poll(t, "the progress was not passed on", func() bool { return len(s.h.tape.progress()) >= said })
				}
			}
			s.p.eval(`progress(2, {progress: 1, message: 'nobody asked'}); progress(0, {progressToken: 'guessed', progress: 8}); progress(0, {progressToken: 1, progress: 8})`)
			for i, answer := range []<-chan string{first, second, third.answer} {
				s.p.eval(fmt.Sprintf(`end(%d)`, i))
				if got, err := s.h.await(i, answer); err != nil || resultOf(got) != fmt.Sprint(i, " ended") {
					t.Errorf("call %d got %q (%v)", i, got, err)
				}
				s.p.eval(fmt.Sprintf(`progress(%d, {progress: 9, message: 'too late'})`, i))
			}
			s.barrier()
			for i, got := range s.h.tape.progress() {
				key, step := i%2, float64(i/2+1)
				want := progressed{[]any{"mine", float64(77)}[key], step, 9, fmt.Sprintf("step %v of call %d", step, key), got.at}
				if got != want || i >= said {
					t.Errorf("the client got %+v, want %+v", got, want)
				}
			}
		})
	}
}

// TestHeartbeats: every 5 s while a page says nothing, for calls with a
// progressToken only. Both runtimes at a time, because it takes so long.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	needNPM(t)
	const heartbeat = 5 * time.Second
	s := counting(t, native)
	other := s.p.chrome.open(t, pages.url("counts.html", "runtime="+string(mcpb2)))
	s.listed(toolName("1", "lasts"))

	begun := time.Since(s.h.tape.start)
	_, a, err := s.h.begin("tools/call", withToken("0", 0, "native"), nil)
	s.h.must(err)
	_, b, err := s.h.begin("tools/call", withToken("1", 2, "mcpb"), nil)
	s.h.must(err)
	c := s.lasts(4) // wants none
	s.until("started.length === 2")
	other.eval(`until(({started}) => started.length === 1)`)
	count := map[any]int{} // by token
	poll(t, "no heartbeats came", func() bool {
		clear(count)
		for _, p := range s.h.tape.progress() {
			count[p.ProgressToken]++
		}
		return count["native"] > 0 && count["mcpb"] > 0
	})
	s.p.eval(`end()`)
	other.eval(`end()`)
	for i, answer := range []<-chan string{a, b, c.answer} {
		if got, err := s.h.await(i, answer); err != nil || resultOf(got) != fmt.Sprint(2*i, " ended") && i != 1 {
			t.Errorf("call %d got %q (%v)", i, got, err)
		}
	}
	clear(count)
	for _, p := range s.h.tape.progress() {
		count[p.ProgressToken]++
		// How long it has lasted is said in whole seconds. The number is the page's to count: a
		// heartbeat leaves it where it is.
		said, err := time.ParseDuration(p.Message[strings.LastIndex(p.Message, "(")+1 : max(len(p.Message)-1, 0)])
		due := time.Duration(count[p.ProgressToken]) * heartbeat
		if p.at-begun < due || err != nil || said < due || said > p.at-begun+time.Second || p.Progress > 0.001 || !strings.Contains(p.Message, "waiting for lasts") {
			t.Errorf("after %v came %+v (%v)", p.at-begun, p, err)
		}
	}
	if len(count) != 2 {
		t.Errorf("heartbeats came for %v", count)
	}
}
