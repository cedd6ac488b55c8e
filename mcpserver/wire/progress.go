package wire

import (
	"encoding/json"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
)

// Heartbeat is the interval of the progress notifications that keep a client
// waiting for a slow tool.
const Heartbeat = 5 * time.Second

// maxProgress is the longest progress params in bytes that a page can send on.
const maxProgress = 16 << 10

// Progress keeps one call's client informed: what the page says is passed on
// with the client's own token, and while the page is silent there is a
// heartbeat. MCP wants the number to grow with each notification. The numbers
// are the page's; a heartbeat, or a page that doesn't count on, moves them by as
// little as can be, so that 1 of 10 stays 1 of 10.
type Progress struct {
	token   json.RawMessage
	conn    *Conn
	request *Request
	start   time.Time

	mu      sync.Mutex
	waiting string   // the heartbeat's text
	said    bool     // something was sent
	last    float64  // what was sent last
	total   *float64 // what the page gave last
	timer   *time.Timer
	over    bool

	of   *Progress // of which this is a step's, or nil
	step string
}

// progressSteps is how many of the least steps make a whole one.
const progressSteps = 1e6

// progressParams are the params of notifications/progress.
type progressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
	Total    *float64        `json:"total,omitempty"`
	Message  string          `json:"message,omitempty"`
}

// StartProgress starts the heartbeat of a request, or gives nil where its client
// wants none: a nil progress says nothing.
func StartProgress(token json.RawMessage, conn *Conn, r *Request, waiting string) *Progress {
	if token == nil {
		return nil
	}
	p := &Progress{token: token, conn: conn, request: r, waiting: waiting, start: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(Heartbeat, p.beat)
	return p
}

func (p *Progress) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.send(progressParams{Progress: p.last, Total: p.total, Message: p.waiting + " (" +
		time.Since(p.start).Round(time.Second).String() + ")"})
	p.timer.Reset(Heartbeat)
}

// Step gives the progress of one of several steps, by whose name what is said of it begins.
// Its numbers are not passed on: those of the whole count steps. Nothing need be stopped.
func (p *Progress) Step(name string) *Progress {
	if p == nil {
		return nil
	}
	return &Progress{of: p, step: name + ": "}
}

// Count says at once that so many of all steps are done, and what the client waits for.
func (p *Progress) Count(steps, all int, waiting string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = waiting
	if !p.over && (!p.said || float64(steps) > p.last) {
		total := float64(all)
		p.total = &total
		p.send(progressParams{Progress: float64(steps), Total: p.total, Message: waiting})
		p.timer.Reset(Heartbeat)
	}
}

// Now says at once what the client waits for, and by the heartbeat from now on.
func (p *Progress) Now(waiting string) {
	if p == nil {
		return
	}
	if p.of != nil {
		p.of.Now(p.step + waiting)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = waiting
	if !p.over {
		p.send(progressParams{Progress: p.last, Total: p.total, Message: waiting})
		p.timer.Reset(Heartbeat)
	}
}

// Later says it by the heartbeat.
func (p *Progress) Later(waiting string) {
	if p == nil {
		return
	}
	if p.of != nil {
		p.of.Later(p.step + waiting)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = waiting
}

// ForPage gives what a page's notifications are told to, or nil.
func (p *Progress) ForPage() func(params json.RawMessage) {
	if p == nil {
		return nil
	}
	return p.fromPage
}

// fromPage passes on a page's notification, and puts off the heartbeat. Any
// goroutine may call it; it never blocks.
func (p *Progress) fromPage(params json.RawMessage) {
	var said progressParams
	if len(params) > maxProgress || json.Unmarshal(params, &said) != nil {
		return
	}
	said.Message = cut(said.Message, 1024)
	if p.of != nil {
		p.of.fromStep(p.step + said.says())
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.total = said.Total
	p.send(said)
	p.timer.Reset(Heartbeat)
}

// fromStep passes on what a step's page says.
func (p *Progress) fromStep(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.send(progressParams{Progress: p.last, Total: p.total, Message: message})
	p.timer.Reset(Heartbeat)
}

// says is a notification in words.
func (p progressParams) says() string {
	said := strconv.FormatFloat(p.Progress, 'g', -1, 64)
	if p.Total != nil {
		said += " of " + strconv.FormatFloat(*p.Total, 'g', -1, 64)
	}
	if p.Message != "" {
		said += ", " + p.Message
	}
	return said
}

func (p *Progress) send(say progressParams) {
	if p.said && say.Progress <= p.last {
		say.Progress = littleMore(p.last)
	}
	if say.Total != nil && *say.Total < say.Progress {
		say.Total = nil
	}
	conn, request, token := p.conn, p.request, p.token
	if rs := p.request.inRounds(); rs != nil {
		conn, request, token = rs.now()
	}
	if token == nil { // nobody waits just now
		return
	}
	say.Token = token
	params, err := jsonrpc.Encode(say)
	if err != nil {
		return // a number beyond all others
	}
	p.said, p.last = true, say.Progress
	conn.Progress(request, jsonrpc.Notification(string(mcp.MethodNotificationProgress), params))
}

// littleMore is one of progressSteps more, as a short number; for a number too
// large for that it is the next one that there is.
func littleMore(last float64) float64 {
	if next := math.Round(last*progressSteps+1) / progressSteps; next > last && !math.IsInf(next, 0) {
		return next
	}
	return math.Nextafter(last, math.Inf(1))
}

// Stop ends the heartbeat. Nothing is sent after the call's answer anyway.
func (p *Progress) Stop() {
	if p == nil || p.of != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.timer.Stop()
}
