package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A countScene is a page that counts what it sees of its calls, and a hub
// whose every line is on tape.
type countScene struct {
	t *testing.T
	h *tapedHub
	p *tab
}

// inFlight is how many calls these tests have running at a time.
const inFlight = 20

func counting(t *testing.T, r runtime, flags ...string) *countScene {
	t.Helper()
	c := chromeFor(t, r)
	s := &countScene{t: t, h: startTaped(t, append([]string{"--browser-url", c.browserURL()}, flags...)...)}
	s.h.initialize()
	s.p = c.open(t, pages.url("counts.html", "runtime="+string(r)))
	for _, tool := range []string{"lasts", "pauses"} {
		s.listed(toolName("0", tool))
	}
	return s
}

// listed waits for a tool by the notifications, as clients do.
func (s *countScene) listed(name string) { s.t.Helper(); s.listedLike(name + `"`) }

// listedLike is listed for what a name begins with.
func (s *countScene) listedLike(begins string) {
	s.t.Helper()
	for {
		list, err := s.h.ask("tools/list", map[string]any{})
		s.h.must(err)
		if strings.Contains(list, `"name":"`+begins) {
			return
		}
		select {
		case <-s.h.changed:
		case <-time.After(patience):
			s.t.Fatalf("%s is not listed", begins)
		}
	}
}

// pending is a call in flight.
type pending struct {
	id     int
	answer <-chan string
	begun  time.Time
}

// lasts begins the call of a key, every other one by call_webmcp_tool. What
// more says is written with it.
func (s *countScene) lasts(key int, more ...func(id int) string) pending {
	s.t.Helper()
	params := call(toolName("0", "lasts"), map[string]any{"key": key})
	if key%2 == 1 {
		params = call("call_webmcp_tool", map[string]any{"name": "lasts", "arguments": params["arguments"]})
	}
	begun := time.Now()
	id, answer, err := s.h.begin("tools/call", params, nil, more...)
	s.h.must(err)
	return pending{id, answer, begun}
}

// lastAll begins this many calls, keys 0 and up, and waits until all run.
func (s *countScene) lastAll(n int) (calls []pending) {
	s.t.Helper()
	for key := range n {
		calls = append(calls, s.lasts(key))
	}
	s.until(fmt.Sprintf("started.length === %d", n))
	return calls
}

// seen is what the page saw.
type seen struct {
	Started, Aborted, Ended []int
	Tokens                  int
}

// until waits until the page has seen this, and says what it has seen.
func (s *countScene) until(condition string) (saw seen) {
	s.t.Helper()
	s.h.must(json.Unmarshal(s.p.eval(`until(({started, aborted, ended}) => `+condition+`)`), &saw))
	for _, keys := range [][]int{saw.Started, saw.Aborted, saw.Ended} {
		slices.Sort(keys)
	}
	return saw
}

func (s *countScene) wantSeen(what string, got, want []int) {
	s.t.Helper()
	if !slices.Equal(got, want) {
		s.t.Errorf("the page saw %v %s, want %v", got, what, want)
	}
}

func cancelled(id int) string {
	return asLine(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id, "reason": "test"}})
}

func keys(from, to int) (keys []int) {
	for key := from; key < to; key++ {
		keys = append(keys, key)
	}
	return keys
}

func TestCancellingCountsInThePage(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2} {
		t.Run(string(r), func(t *testing.T) {
			s := counting(t, r)
			calls := s.lastAll(inFlight)
			const kept = 13
			for _, c := range calls[kept:] {
				s.h.must(s.h.write(nil, cancelled(c.id)))
			}
			saw := s.until(fmt.Sprintf("aborted.length >= %d", inFlight-kept))
			s.wantSeen("aborted", saw.Aborted, keys(kept, inFlight))

			// The others still run, and are answered each by its own.
			s.p.eval(`end()`) // also those that nobody waits for
			for key, c := range calls[:kept] {
				answer, err := s.h.await(c.id, c.answer)
				if want := fmt.Sprint(key, " ended"); err != nil || resultOf(answer) != want {
					t.Errorf("got %q (%v), want %q", answer, err, want)
				}
			}
			s.barrier()
			for _, c := range calls[kept:] {
				select {
				case answer := <-c.answer:
					t.Errorf("a cancelled call was answered: %s", answer)
				default:
				}
			}
			saw = s.until("true")
			s.wantSeen("started", saw.Started, keys(0, inFlight))
			s.wantSeen("aborted", saw.Aborted, keys(kept, inFlight))
		})
	}
}

// barrier returns when all that the page has said so far has been answered.
func (s *countScene) barrier() {
	s.t.Helper()
	answer, err := s.h.ask("tools/call", call(toolName("0", "pauses"), map[string]any{"ms": 1}))
	if err != nil || resultOf(answer) != "paused" {
		s.t.Errorf("got %q (%v)", answer, err)
	}
}

// TestCancellingRightAway cancels calls as they are on their way: whether the
// page hears of a call is open, but not of one without the other.
func TestCancellingRightAway(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2} {
		t.Run(string(r), func(t *testing.T) {
			s := counting(t, r)
			var calls []pending
			for key := range inFlight {
				if key%2 == 0 {
					calls = append(calls, s.lasts(key, cancelled)) // in the same write
				} else {
					calls = append(calls, s.lasts(key))
				}
			}
			_, err := s.h.ask("ping", map[string]any{}) // which the others get ahead of
			s.h.must(err)
			for key, c := range calls {
				if key%2 == 1 {
					s.h.must(s.h.write(nil, cancelled(c.id)))
				}
			}
			s.barrier()
			s.until("aborted.length >= started.length")
			_ = s.h.pipes[0].Close()
			s.h.waitExit()
			saw := s.until("true")
			s.wantSeen("aborted", saw.Aborted, saw.Started)
			for _, c := range calls {
				select {
				case answer := <-c.answer:
					t.Errorf("a cancelled call was answered: %s", answer)
				default:
				}
			}
			t.Logf("the page heard of %d of %d calls", len(saw.Started), inFlight)
		})
	}
}

// TestTheClientsEndCancelsItsCalls, whether it closes stdin and reads on, or is
// killed, which closes stdin, stdout and stderr.
func TestTheClientsEndCancelsItsCalls(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2} {
		for _, end := range []string{"end of stdin", "killed"} {
			t.Run(string(r)+" "+end, func(t *testing.T) {
				s := counting(t, r)
				calls := s.lastAll(inFlight)
				if end == "killed" {
					for _, c := range calls { // nobody is there to be answered
						s.h.tape.add(theClient, cancelled(c.id)+"\n")
					}
					s.h.hangUp()
				} else {
					_ = s.h.pipes[0].Close()
				}
				if code := s.h.waitExit(); end != "killed" && code != 0 || code < 0 {
					t.Errorf("exit code %d", code)
				}
				saw := s.until(fmt.Sprintf("aborted.length >= %d", inFlight))
				s.wantSeen("aborted", saw.Aborted, keys(0, inFlight))
				if end == "killed" {
					return
				}
				for _, c := range calls {
					select {
					case answer := <-c.answer:
						if !strings.HasPrefix(resultOf(answer), "error: ") {
							t.Errorf("answered %q", answer)
						}
					default:
						t.Errorf("call %d was not answered before the end", c.id)
					}
				}
			})
		}
	}
}

// TestAKilledClientLeavesNothingBehind of a Chrome that the hub has launched.
func TestAKilledClientLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	chromePath(t)
	tmp := t.TempDir()
	setenv(t, "TMPDIR", tmp)
	h := startTaped(t, "--isolated", "--headless", "--chrome-arg="+pages.url("counts.html"))
	h.initialize()
	s := &countScene{t: t, h: h}
	s.listedLike("webmcp_localhost_" + pages.port() + "_page")
	id, _, err := h.begin("tools/call", call("call_webmcp_tool", map[string]any{"name": "lasts", "arguments": map[string]any{"key": 1}}), nil)
	h.must(err)
	_, err = h.ask("tools/call", call("call_webmcp_tool", map[string]any{"name": "pauses", "arguments": map[string]any{"ms": 1}}))
	h.must(err)
	h.tape.add(theClient, cancelled(id)+"\n") // nobody is there to be answered
	h.hangUp()
	if code := h.waitExit(); code < 0 {
		t.Error("a signal ended the hub")
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestEachCallHasItsOwnTimeLimit: calls that begin later end later.
func TestEachCallHasItsOwnTimeLimit(t *testing.T) {
	t.Parallel()
	const limit = 5 * time.Second // enough for all calls to begin and half a second to pass on a busy machine
	for _, r := range []runtime{native, mcpb5, mcpb2} {
		t.Run(string(r), func(t *testing.T) {
			s := counting(t, r, "--call-timeout", limit.String())
			var calls []pending
			for key := range inFlight {
				if key == inFlight/2 {
					answer, err := s.h.ask("tools/call", call(toolName("0", "pauses"), map[string]any{"ms": 500}))
					if err != nil || resultOf(answer) != "paused" { // which is within its own limit
						t.Errorf("got %q (%v)", answer, err)
					}
				}
				calls = append(calls, s.lasts(key))
			}
			for key, c := range calls {
				answer, err := s.h.await(c.id, c.answer)
				if took := time.Since(c.begun); took < limit || err != nil || !strings.Contains(resultOf(answer), "the time limit of 5s is over") {
					t.Errorf("call %d got %q after %v (%v)", key, answer, took, err)
				}
			}
			saw := s.until(fmt.Sprintf("aborted.length >= %d", inFlight))
			s.wantSeen("aborted", saw.Aborted, keys(0, inFlight))
			s.wantSeen("started", saw.Started, keys(0, inFlight))
		})
	}
}
