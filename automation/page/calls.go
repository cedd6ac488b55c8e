package page

import (
	"context"
	"encoding/json"
	"fmt"

	"webmcphub/cdpclient"
)

// call is one command that somebody waits for.
type call struct {
	session cdpclient.SessionID
	method  string
	params  any
	despite bool // the dialog that may be open
	answer  chan answer
	frames  []Frame // when it was answered; written before the answer is given
}

type answer struct {
	result json.RawMessage
	err    error
}

type despiteKey struct{}

// DespiteDialog marks calls that wait for their reply while a dialog is open.
func DespiteDialog(ctx context.Context) context.Context {
	return context.WithValue(ctx, despiteKey{}, true)
}

func despiteDialog(ctx context.Context) bool { return ctx.Value(despiteKey{}) != nil }

// Call sends a command on one of the page's sessions ("" is the tab's own) and decodes
// the reply into result, unless that is nil. All that Chrome said before the reply has
// been taken note of when it returns.
//
// Besides by ctx, it ends with [*DialogOpen] if a dialog is open in the page or opens
// meanwhile, unless ctx is marked by [DespiteDialog], and with the page. Chrome carries
// the command out all the same. Other errors are [*cdpclient.Error] and
// [cdpclient.ErrSessionGone].
func (p *Page) Call(ctx context.Context, session cdpclient.SessionID, method string, params, result any) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w: %w", method, cdpclient.ErrNotSent, context.Cause(ctx))
	}
	return p.Send(ctx, session, method, params).Wait(ctx, result)
}

// Sent is a command that is on its way.
type Sent struct {
	page *Page
	call *call
}

// Frames are the page's when Chrome's reply came; nil if none did. It is called when [Sent.Wait]
// has returned, and the frames must not be changed.
func (s Sent) Frames() []Frame { return s.call.frames }

// Send sends a command and returns at once; [Sent.Wait] does the rest of [Page.Call]. What one
// goroutine sends reaches Chrome in that order, whether anybody waits for it or not. Of ctx only
// [DespiteDialog] counts.
func (p *Page) Send(ctx context.Context, session cdpclient.SessionID, method string, params any) Sent {
	c := &call{session: session, method: method, params: params, despite: despiteDialog(ctx),
		answer: make(chan answer, 1)}
	p.mail.put(c)
	return Sent{p, c}
}

// Command is one of those that [Page.SendAll] sends.
type Command struct {
	Method string
	Params any
}

// SendAll sends commands that belong together, such as pressing a key and releasing it: all of
// them or, if a dialog is open, none. If a dialog opens meanwhile, Chrome carries out the rest
// when it is answered.
func (p *Page) SendAll(session cdpclient.SessionID, commands ...Command) []Sent {
	return p.SendIf(context.Background(), func([]Frame) error { return nil }, session, commands...)
}

// SendIf is [Page.SendAll] if may, which is asked with the frames as they are at that moment,
// gives no error; else the commands end with that. may is asked on the page's own goroutine; it
// must neither block nor change what it is given. Of ctx only [DespiteDialog] counts.
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

// Wait waits for the reply and decodes it into result, unless that is nil. It is called once
// at most.
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
	case *json.RawMessage: // of some megabytes, maybe: whoever gets it decodes it
		*into = a.result
		return nil
	}
	if err := json.Unmarshal(a.result, result); err != nil {
		return fmt.Errorf("%s: decode the reply: %w", c.method, err)
	}
	return nil
}

// Post sends a command on one of the page's sessions ("" is the tab's own) and doesn't
// wait: it is sent even while a dialog is open, and nobody hears of the reply. It comes
// before what is sent later.
func (p *Page) Post(session cdpclient.SessionID, method string, params any) {
	p.ask(func(o *owner) {
		if session == "" {
			session = o.tab.id
		}
		o.post(session, method, params, nil)
	})
}

// begin sends a call.
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
		return // the end of the page says why
	}
	o.publish() // before whoever waits looks
	c.frames = o.view.Load().frames
	c.answer <- answer{r.Result, r.Err}
}

// blocked says whether a dialog keeps the page from answering.
func (o *owner) blocked(despite bool) bool { return o.open != nil && !despite && !o.opt.Answered }
