package mcpserver

import (
	"encoding/json"
	"math"
	"sync"
	"time"
)

// maxProgress is the longest progress params in bytes that a page can send on.
const maxProgress = 16 << 10

// progress keeps one call's client informed: what the page says is passed on
// with the client's own token, and while the page is silent there is a
// heartbeat. MCP wants the number to grow with each notification, so one that
// doesn't is lifted a little above the last.
type progress struct {
	call    toolCall
	waiting string // the heartbeat's text
	start   time.Time

	mu    sync.Mutex
	last  float64
	timer *time.Timer
	over  bool
}

// progressParams are the params of notifications/progress.
type progressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
	Total    *float64        `json:"total,omitempty"`
	Message  string          `json:"message,omitempty"`
}

// newProgress starts the heartbeat of a call.
func newProgress(c toolCall, waiting string) *progress {
	p := &progress{call: c, waiting: waiting, start: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(Heartbeat, p.beat)
	return p
}

func (p *progress) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.send(progressParams{Progress: time.Since(p.start).Round(time.Second).Seconds(), Message: p.waiting})
	p.timer.Reset(Heartbeat)
}

// fromPage passes on a page's notification, and puts off the heartbeat. Any
// goroutine may call it; it never blocks.
func (p *progress) fromPage(params json.RawMessage) {
	var said progressParams
	if len(params) > maxProgress || json.Unmarshal(params, &said) != nil {
		return
	}
	said.Message = cut(said.Message, 1024)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.send(said)
	p.timer.Reset(Heartbeat)
}

func (p *progress) send(say progressParams) {
	const perUnit = 1000 // steps of a thousandth
	if say.Progress <= p.last {
		say.Progress = (math.Floor(p.last*perUnit+0.5) + 1) / perUnit
	}
	if say.Total != nil && *say.Total < say.Progress {
		say.Total = nil
	}
	p.last = say.Progress
	say.Token = p.call.token
	params, err := json.Marshal(say)
	if err != nil {
		return
	}
	p.call.out.progress(p.call.request, notification("notifications/progress", params))
}

// stop ends the heartbeat. Nothing is sent after the call's answer anyway.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.timer.Stop()
}
