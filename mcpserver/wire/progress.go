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

// Heartbeat is the interval of the progress notifications that keep a client waiting for a slow tool.
const Heartbeat = 5 * time.Second

// maxProgress is the maximum length in bytes of progress params that are passed on from a page.
const maxProgress = 16 << 10

// Progress sends the progress notifications of one call. It passes on the page's notifications with the client's own
// token. While the page is silent, it sends a heartbeat. MCP requires the number to grow with each notification. The
// numbers are the page's; for a heartbeat, or if the page's number doesn't grow, Progress increases the number by the
// least amount, so that 1 of 10 stays 1 of 10.
type Progress struct {
	token   json.RawMessage
	conn    *Conn
	request *Request
	start   time.Time

	mu      sync.Mutex
	waiting string   // the heartbeat's text
	sent    bool     // a notification was sent
	last    float64  // the number that was sent last
	total   *float64 // the total that the page gave last
	timer   *time.Timer
	over    bool

	of   *Progress // the whole call's progress if this is a step's; otherwise nil
	step string
}

// progressSteps is how many of the smallest increments make 1.
const progressSteps = 1e6

// progressParams are the params of notifications/progress.
type progressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
	Total    *float64        `json:"total,omitempty"`
	Message  string          `json:"message,omitempty"`
}

// StartProgress starts the heartbeat of a request. It returns nil if the client wants no progress; the methods of a
// nil Progress do nothing.
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
	p.notify(p.waiting + " (" + time.Since(p.start).Round(time.Second).String() + ")")
}

// Step returns the Progress of one of several steps. Its messages begin with the step's name. Its numbers are not
// passed on, because the numbers of the whole call count steps. It need not be stopped.
func (p *Progress) Step(name string) *Progress {
	if p == nil {
		return nil
	}
	return &Progress{of: p, step: name + ": "}
}

// Count notifies the client at once that steps of all steps are done, and what the call is waiting for.
func (p *Progress) Count(steps, all int, waiting string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = waiting
	if !p.sent || float64(steps) > p.last {
		p.total = new(float64(all))
		p.send(progressParams{Progress: float64(steps), Total: p.total, Message: waiting})
	}
}

// Now notifies the client at once of what its call is waiting for. Later heartbeats repeat that.
func (p *Progress) Now(waiting string) { p.waitFor(waiting, true) }

// Later sets the text of the next heartbeats.
func (p *Progress) Later(waiting string) { p.waitFor(waiting, false) }

func (p *Progress) waitFor(waiting string, now bool) {
	if p == nil {
		return
	}
	if p.of != nil {
		p.of.waitFor(p.step+waiting, now)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting = waiting; now {
		p.notify(waiting)
	}
}

// ForPage returns the function that receives the page's progress notifications, or nil.
func (p *Progress) ForPage() func(params json.RawMessage) {
	if p == nil {
		return nil
	}
	return p.fromPage
}

// fromPage passes on a page's notification, and postpones the heartbeat. Any goroutine may call it; it never blocks.
func (p *Progress) fromPage(params json.RawMessage) {
	var update progressParams
	if len(params) > maxProgress || json.Unmarshal(params, &update) != nil {
		return
	}
	update.Message = cut(update.Message, 1024)
	if whole := p.of; whole != nil {
		whole.mu.Lock()
		defer whole.mu.Unlock()
		whole.notify(p.step + update.words())
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total = update.Total
	p.send(update)
}

// words returns a notification's content as text.
func (p progressParams) words() string {
	text := strconv.FormatFloat(p.Progress, 'g', -1, 64)
	if p.Total != nil {
		text += " of " + strconv.FormatFloat(*p.Total, 'g', -1, 64)
	}
	if p.Message != "" {
		text += ", " + p.Message
	}
	return text
}

// notify sends a message without a new number. mu must be held.
func (p *Progress) notify(message string) {
	p.send(progressParams{Progress: p.last, Total: p.total, Message: message})
}

// send sends a notification, and postpones the heartbeat. mu must be held.
func (p *Progress) send(update progressParams) {
	if p.over {
		return
	}
	p.timer.Reset(Heartbeat)
	if p.sent && update.Progress <= p.last {
		update.Progress = littleMore(p.last)
	}
	if update.Total != nil && *update.Total < update.Progress {
		update.Total = nil
	}
	conn, request, token := p.conn, p.request, p.token
	if rs := p.request.inRounds(); rs != nil {
		conn, request, token = rs.now()
	}
	if token == nil { // nobody is waiting just now
		return
	}
	update.Token = token
	params, err := jsonrpc.Encode(update)
	if err != nil {
		return // the number can't be encoded, such as infinity
	}
	p.sent, p.last = true, update.Progress
	conn.Progress(request, jsonrpc.Notification(string(mcp.MethodNotificationProgress), params))
}

// littleMore returns last increased by 1/progressSteps, as a short number. If last is too large for that, it returns
// the next greater float64.
func littleMore(last float64) float64 {
	if next := math.Round(last*progressSteps+1) / progressSteps; next > last && !math.IsInf(next, 0) {
		return next
	}
	return math.Nextafter(last, math.Inf(1))
}

// Stop ends the heartbeat. Nothing is sent after the call's answer in any case.
func (p *Progress) Stop() {
	if p == nil || p.of != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.timer.Stop()
}
