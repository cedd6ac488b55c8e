package storm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"webmcphub/bench/storm/hubs"
	"webmcphub/cdpclient"
)

// bare is the least that can stand between pages and anybody: one connection
// with a session on each tab, whose reading goroutine switches WebMCP on, looks
// for stamps in the events and hands answers to the caller. No hub can take changes
// in sooner, or call with less.
type bare struct {
	wire  cdpclient.Wire
	tap   func(tool string) // called by the reading goroutine
	pages int
	ready chan struct{} // closed when tools is complete
	ended chan struct{} // closed when nothing more is read

	// tools are the echoing ones of all pages, by name: the reading goroutine's
	// until ready is closed, and constant from then on.
	tools map[string]place

	mu    sync.Mutex // one message after the other; guards what follows
	id    int
	sent  map[int]*echo     // calls whose invocation's id isn't known, by the command's
	begun map[string]*echo  // by the invocation's id
	early map[string][]byte // answers that came before the reply to a command of sent
}

// place is where a tool is called.
type place struct{ session, frame string }

// echo is a call under way.
type echo struct {
	text     string
	answered answerFunc
}

// startBare begins to read the tools of so many pages.
func startBare(dial func(context.Context) (cdpclient.Wire, error), pages int, tap func(tool string)) (*bare, error) {
	wire, err := dial(context.Background())
	if err != nil {
		return nil, err
	}
	b := &bare{wire: wire, tap: tap, pages: pages, ready: make(chan struct{}), ended: make(chan struct{}),
		tools: map[string]place{}, sent: map[int]*echo{}, begun: map[string]*echo{}, early: map[string][]byte{}}
	if err := b.send("", cdpclient.TargetSetAutoAttach,
		`{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true,"filter":[{"type":"page"}]}`,
		nil); err != nil {
		_ = wire.Close() // it doesn't work anyway
		return nil, err
	}
	go func() {
		defer close(b.ended)
		for {
			msg, err := wire.Read()
			if err != nil {
				return
			}
			b.receive(msg, time.Now())
		}
	}()
	return b, nil
}

// running is the client in the hub's place.
func (b *bare) running() *hubs.Running {
	return &hubs.Running{
		Usage: func(fresh bool) (hubs.Usage, error) { return hubs.Own(fresh), nil },
		Stop: func() error {
			err := b.wire.Close()
			<-b.ended
			return err
		},
	}
}

// names waits until the echoing tools of all pages can be called, and gives their
// names, by which they are called here too.
func (b *bare) names(ctx context.Context) (map[string]string, error) {
	select {
	case <-b.ready:
	case <-b.ended:
		return nil, errors.New("the browser hung up before it told of all tools")
	case <-time.After(patience):
		return nil, fmt.Errorf("the browser did not tell of %d pages' tools in %v", b.pages, patience)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	names := map[string]string{}
	for name := range b.tools {
		names[name] = name
	}
	return names, nil
}

// echo calls a tool that names gave. See [callee].
func (b *bare) echo(tool, text string, answered answerFunc) error {
	at, ok := b.tools[tool]
	if !ok {
		return fmt.Errorf("no page has a tool %q", tool)
	}
	return b.send(at.session, cdpclient.WebMCPInvokeTool,
		fmt.Sprintf(`{"frameId":%q,"toolName":%q,"input":{"text":%q}}`, at.frame, tool, text), &echo{text, answered})
}

func (b *bare) gone() <-chan struct{} { return b.ended }

// send sends a command; e, if it isn't nil, is the call that it makes.
func (b *bare) send(session, method, params string, e *echo) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.id++
	if e != nil {
		b.sent[b.id] = e
	}
	to := ""
	if session != "" {
		to = fmt.Sprintf(`,"sessionId":%q`, session)
	}
	return b.wire.Write(fmt.Appendf(nil, `{"id":%d,"method":%q,"params":%s%s}`, b.id, method, params, to))
}

// receive takes one message in.
func (b *bare) receive(msg []byte, at time.Time) {
	switch {
	case bytes.HasPrefix(msg, []byte(`{"method":"WebMCP.toolsAdded"`)):
		if i := bytes.Index(msg, []byte(stampMark)); i > 0 {
			b.tap(string(msg[max(0, i-12):min(len(msg), i+24)]))
		}
		if len(b.tools) < b.pages {
			b.learn(msg)
		}
	case bytes.HasPrefix(msg, []byte(`{"method":"WebMCP.toolResponded"`)):
		b.responded(msg, at)
	case bytes.HasPrefix(msg, []byte(`{"id":`)):
		b.replied(msg, at)
	case bytes.HasPrefix(msg, []byte(`{"method":"Target.attachedToTarget"`)):
		var e struct{ Params cdpclient.AttachedToTarget }
		if json.Unmarshal(msg, &e) == nil {
			_ = b.send(string(e.Params.SessionID), cdpclient.WebMCPEnable, "{}", nil) // the next read sees it fail
		}
	}
}

// learn looks for echoing tools.
func (b *bare) learn(msg []byte) {
	var e struct {
		Params    cdpclient.ToolsAdded
		SessionID string
	}
	if json.Unmarshal(msg, &e) != nil {
		return
	}
	for _, t := range e.Params.Tools {
		if strings.HasSuffix(t.Name, "_echo") {
			b.tools[t.Name] = place{e.SessionID, t.FrameID}
		}
	}
	if len(b.tools) == b.pages {
		close(b.ready)
	}
}

// replied takes the reply to a command; those that make no call don't matter.
func (b *bare) replied(msg []byte, at time.Time) {
	var r struct {
		ID     int
		Result cdpclient.InvokeToolResult
	}
	if json.Unmarshal(msg, &r) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.sent[r.ID]
	if e == nil {
		return
	}
	delete(b.sent, r.ID)
	answer := b.early[r.Result.InvocationID]
	switch {
	case r.Result.InvocationID == "": // refused
		e.answered(false, msg, at)
	case answer != nil:
		e.end(answer, at)
	default:
		b.begun[r.Result.InvocationID] = e
	}
	if len(b.sent) == 0 {
		clear(b.early)
	}
}

// responded takes the event that ends an invocation. Of two the first counts.
func (b *bare) responded(msg []byte, at time.Time) {
	var r struct {
		Params struct{ InvocationID string }
	}
	if json.Unmarshal(msg, &r) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id := r.Params.InvocationID
	switch e := b.begun[id]; {
	case e != nil:
		delete(b.begun, id)
		e.end(msg, at)
	case len(b.sent) > 0 && b.early[id] == nil:
		b.early[id] = msg
	}
}

// end checks the answer.
func (e *echo) end(msg []byte, at time.Time) {
	right := bytes.Contains(msg, []byte(`"status":"`+cdpclient.StatusCompleted+`"`)) &&
		bytes.Contains(msg, []byte(`"`+e.text+`"`))
	e.answered(right, msg, at)
}
