package input

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"webmcphub/internal/scripttest"
)

// TestMachine plays testdata/*.txt. A paragraph is an action: "begin" with its limit, then
// what the page answers, each with what the machine decides behind the arrow. Lines that
// begin with '#' are comments. Run with -update to rewrite what follows the arrows.
func TestMachine(t *testing.T) {
	scripttest.Play(t, func(t *testing.T, text string) string {
		var b strings.Builder
		var m *Machine
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if line != "" && !strings.HasPrefix(line, "#") {
				line, _, _ = strings.Cut(line, " ->")
				var d Decision
				args, named, err := scripttest.Words(line)
				if err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				at, _ := time.ParseDuration(named["at"])
				if args[0] == "begin" {
					limit, err := time.ParseDuration(named["limit"])
					if err != nil {
						t.Fatal(err)
					}
					m = NewMachine(`button "Save"`, limit)
					d = m.Start()
				} else {
					d = m.Step(Observation{At: at, State: State(args[0]), By: named["by"], Unseen: len(args) > 1 && args[1] == "unseen"})
				}
				line += " -> " + d.tell()
			}
			b.WriteString(line + "\n")
		}
		return b.String()
	})
}

func (d Decision) tell() string {
	switch d.Do {
	case Press:
		return "press"
	case Finish:
		return "finish"
	case Fail:
		return "fail: " + d.Err.Error()
	}
	s := "look"
	if d.Wait > 0 {
		s += " in " + d.Wait.String()
	}
	if d.Scroll != "" {
		s += ", scroll to " + d.Scroll
	}
	if d.Unusual {
		s += ", anywhere"
	}
	return s
}

// TestMachineEnds: whatever a page answers, the action ends soon after its limit.
func TestMachineEnds(t *testing.T) {
	states := []State{Hidden, Moving, Disabled, ReadOnly, OffScreen, Covered, Blocked, Elsewhere, Nothing, Ready}
	for i := range states {
		for j := range states {
			m, now, looks := NewMachine("it", time.Second), time.Duration(0), 0
			for d := m.Start(); d.Do != Fail; looks++ {
				now += d.Wait + time.Millisecond
				s := states[i]
				if looks%2 == 1 {
					s = states[j]
				}
				if d.Do == Press {
					s = Blocked
				}
				d = m.Step(Observation{At: now, State: s, By: "x", Unseen: true})
				if looks > 1000 {
					t.Fatal(fmt.Sprint("it does not end with ", states[i], states[j]))
				}
			}
			if now > 1200*time.Millisecond {
				t.Errorf("%s, %s: ended after %s", states[i], states[j], now)
			}
		}
	}
}
