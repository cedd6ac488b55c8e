package automationtest

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"webmcphub/cdpclient"
)

// Traffic is what a test binary sends to its Chromium.
type Traffic struct {
	Commands int
	// Trips is how many round trips the commands take: those that are sent before Chromium's answer to one of them
	// share a trip.
	Trips int
}

// traffic counts what is sent over the connection of this test binary.
var traffic struct {
	sync.Mutex
	Traffic
	counting bool
	answered bool // Chromium has answered something since the last command
}

// distance is how long Read holds back the first answer of a trip after the last command, as if Chromium were far
// away. So a fast answer doesn't split a trip in two.
const distance = 5 * time.Millisecond

// TrafficOf calls do ten times and returns the least traffic, because now and then something else adds traffic. On a
// busy machine that can happen each time: while the least is more than want, TrafficOf calls do again, up to thirty
// times in all. Nothing else may use Chromium meanwhile.
func TrafficOf(t testing.TB, want Traffic, do func()) (least Traffic) {
	t.Helper()
	for n := 0; n < 10 || n < 30 && (least.Commands > want.Commands || least.Trips > want.Trips); n++ {
		traffic.Lock()
		traffic.Traffic, traffic.answered, traffic.counting = Traffic{}, true, true
		traffic.Unlock()
		do()
		traffic.Lock()
		is := traffic.Traffic
		traffic.counting = false
		traffic.Unlock()
		if n == 0 {
			least = is
		}
		least = Traffic{min(least.Commands, is.Commands), min(least.Trips, is.Trips)}
	}
	return least
}

// countedWire is a wire whose traffic is counted.
type countedWire struct{ cdpclient.Wire }

// Write counts a command.
func (w countedWire) Write(msg []byte) error {
	traffic.Lock()
	traffic.Commands++
	if traffic.answered {
		traffic.Trips++
		traffic.answered = false
	}
	traffic.Unlock()
	return w.Wire.Write(msg)
}

// Read notes that an answer has come.
func (w countedWire) Read() ([]byte, error) {
	msg, err := w.Wire.Read()
	if !bytes.HasPrefix(msg, []byte(`{"id":`)) {
		return msg, err
	}
	traffic.Lock()
	defer traffic.Unlock()
	for sent := -1; traffic.counting && !traffic.answered && sent != traffic.Commands; {
		sent = traffic.Commands
		traffic.Unlock()
		time.Sleep(distance)
		traffic.Lock()
	}
	traffic.answered = true
	return msg, err
}
