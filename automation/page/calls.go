package page

import (
	"context"
	"encoding/json"
	"fmt"

	"webmcphub/cdpclient"
)

// call is one command whose reply somebody waits for.
type call struct {
	session cdpclient.SessionID
	method  string
	params  any
	despite bool // the call goes on while a dialog is open
	answer  chan answer
	frames  []Frame // the page's frames when the reply came; written before the answer is sent
}

type answer struct {
	result json.RawMessage
	err    error
}

type despiteKey struct{}

// DespiteDialog returns a context whose calls wait for their reply even while a dialog is open.
func DespiteDialog(ctx context.Context) context.Context {
	return context.WithValue(ctx, despiteKey{}, true)
}

func despiteDialog(ctx context.Context) bool { return ctx.Value(despiteKey{}) != nil }

// Call sends a command on one of the page's sessions ("" is the tab's own) and decodes the reply into result, unless
// result is nil. When Call returns, the page has processed everything that Chrome sent before the reply.
//
// Call also ends with ctx and with the page. Unless ctx comes from [DespiteDialog], it ends with [*DialogOpen] if a
// dialog is open in the page or opens while Call waits. A command that was already sent is carried out by Chrome all
// the same. Other errors are [*cdpclient.Error] and [cdpclient.ErrSessionGone].
func (p *Page) Call(ctx context.Context, session cdpclient.SessionID, method string, params, result any) error {
	if ctx.Err() != nil {
		return notSent(ctx, method)
	}
	return p.Send(ctx, session, method, params).Wait(ctx, result)
}

func notSent(ctx context.Context, method string) error {
	return fmt.Errorf("%s: %w: %w", method, cdpclient.ErrNotSent, context.Cause(ctx))
}

// Sent is a command that was sent.
type Sent struct {
	page *Page
	call *call
}

// Frames returns the page's frames at the time of Chrome's reply, or nil if there was no reply. It may be called once
// [Sent.Wait] has returned. The caller must not change the frames.
func (s Sent) Frames() []Frame { return s.call.frames }

// Send sends a command and returns at once; [Sent.Wait] does the rest of [Page.Call]. Commands of one goroutine reach
// Chrome in the order in which it sent them, whether or not it waits for the replies. Send uses ctx only to check for
// [DespiteDialog].
func (p *Page) Send(ctx context.Context, session cdpclient.SessionID, method string, params any) Sent {
	c := &call{session: session, method: method, params: params, despite: despiteDialog(ctx),
		answer: make(chan answer, 1)}
	p.mail.put(c)
	return Sent{p, c}
}

// Command is a command for [Page.SendIf].
type Command struct {
	Method string
	Params any
}

// SendIf sends commands that belong together, such as pressing a key and releasing it. It sends all of them or, if a
// dialog is open, none. If a dialog opens meanwhile, Chrome carries out the remaining commands once the dialog has
// been answered, except input that comes to it while the dialog is open: it drops that. First SendIf calls may with
// the page's current frames. If may returns an error, the commands aren't sent and end with that error. may is called
// on the page's own goroutine; it must neither block nor change the frames. SendIf uses ctx only to check for
// [DespiteDialog].
func (p *Page) SendIf(ctx context.Context, may func([]Frame) error, session cdpclient.SessionID,
	commands ...Command) []Sent {
	calls, sent := make([]*call, len(commands)), make([]Sent, len(commands))
	for i, c := range commands {
		calls[i] = &call{session: session, method: c.Method, params: c.Params, despite: despiteDialog(ctx),
			answer: make(chan answer, 1)}
		sent[i] = Sent{p, calls[i]}
	}
	p.ask(func(o *owner) {
		err := may(o.view.Load().frames)
		for _, c := range calls {
			if err != nil {
				c.answer <- answer{err: err}
				continue
			}
			o.begin(c)
		}
	})
	return sent
}

// Wait waits for the reply and decodes it into result, unless result is nil. It may be called only once.
func (s Sent) Wait(ctx context.Context, result any) error {
	p, c := s.page, s.call
	var a answer
	select {
	case a = <-c.answer:
	case <-ctx.Done():
		p.ask(func(o *owner) { delete(o.calls, c) })
		return fmt.Errorf("%s: %w", c.method, context.Cause(ctx))
	case <-p.done:
		select {
		case a = <-c.answer:
		default:
			return p.err
		}
	}
	if a.err != nil {
		return fmt.Errorf("%s: %w", c.method, a.err)
	}
	switch into := result.(type) {
	case nil:
		return nil
	case *json.RawMessage: // can be megabytes, so the caller decodes it
		*into = a.result
		return nil
	}
	if err := json.Unmarshal(a.result, result); err != nil {
		return fmt.Errorf("%s: decode the reply: %w", c.method, err)
	}
	return nil
}

// Post sends a command on one of the page's sessions ("" is the tab's own) and doesn't wait. The command is sent even
// while a dialog is open, and its reply is ignored. Commands that are sent later reach Chrome after it.
func (p *Page) Post(session cdpclient.SessionID, method string, params any) {
	p.ask(func(o *owner) {
		if session == "" {
			session = o.tab.id
		}
		o.post(session, method, params, nil)
	})
}

// begin sends the command of a call.
func (o *owner) begin(c *call) {
	if c.session == "" {
		c.session = o.tab.id
	}
	switch {
	case o.blocked(c.despite):
		c.answer <- answer{err: &DialogOpen{Dialog: *o.open}}
	case o.tab.ended && c.session == o.tab.id:
	case o.sessions[c.session] == nil && c.session != o.browser:
		c.answer <- answer{err: cdpclient.ErrSessionGone}
	default:
		o.calls[c] = struct{}{}
		o.conn.Post(c.session, c.method, c.params, c)
	}
}

func (o *owner) answered(c *call, r cdpclient.Reply) {
	if _, waits := o.calls[c]; !waits {
		return
	}
	delete(o.calls, c)
	if o.tab.ended && c.session == o.tab.id && sessionIsGone(r.Err) {
		return // Wait returns the reason why the page ended
	}
	o.publish() // before the goroutine that waits reads the page's state
	c.frames = o.view.Load().frames
	c.answer <- answer{r.Result, r.Err}
}

// blocked says whether an open dialog keeps the page from answering.
func (o *owner) blocked(despite bool) bool { return o.open != nil && !despite && !o.opt.Answered }
