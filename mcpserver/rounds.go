package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// Protocol 2026-07-28 has no requests to the client. When a page or Trust asks something during such a client's
// request, the answer is an InputRequiredResult with the questions. The client then sends the request again, with its
// answers and with the requestState of that result (multi round-trip requests, SEP-2322). Meanwhile the call goes on:
// the page's execute() stays open. It ends with its document, with the call's time limit, or if the client doesn't
// come back within PageRequestTimeout.

// maxParked is how many requests of all clients may wait for their clients to come back.
const maxParked = 256

// gathering is how long a round waits for further questions after a page has asked one. So the user gets questions
// together that a page asks together.
const gathering = 25 * time.Millisecond

var errNotContinued = errors.New("the client was asked something and did not continue in time")

// works holds the requests that wait for their clients to come back. Any goroutine may use it.
type works struct {
	mu     sync.Mutex
	parked map[string]*work // by requestState
	tasks  map[string]*work // by id; works whose clients know them as tasks
}

func newWorks() *works {
	return &works{parked: map[string]*work{}, tasks: map[string]*work{}}
}

// work is the work that a client's request has started, while it may take several rounds.
type work struct {
	of      *works
	id      string
	begun   string // a hash of what the first request asked for; every round must ask for the same
	session *session
	request *wire.Request // a request of its own, on whose behalf pages are asked
	rounds  *wire.Rounds
	answer  chan wire.Reply // receives one answer, when the work is done
	mayTask bool            // the work becomes a task if it takes long
	leave   func()          // ends the session that is kept for the work

	// works.mu guards the fields below.
	state    string // the requestState with which its client comes back; "" if the work doesn't wait for the client
	attended bool   // a round is waiting for the answer
	done     bool
	timer    *time.Timer // deletes the work
	task     *task       // nil until the work becomes a task
}

// inRounds starts the work of a request, or continues it, and answers this round of it. If the client can't be asked
// anything, inRounds just carries out the request.
func (s *session) inRounds(r *wire.Request, p *params, begun string, do func(*wire.Request) wire.Reply) wire.Reply {
	if !p.modern() {
		return do(r)
	}
	sum := sha256.Sum256([]byte(begun))
	begun = string(sum[:])
	if p.state != "" {
		w, err := s.server.works.resume(s, r, p.state, begun)
		if err != nil {
			return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", err)}
		}
		w.session.client.Conn.Carry(w.request, s.client.Conn, r, p.token)
		w.rounds.Answered(p.answers, false)
		return w.goOn(s, r)
	}
	logs := severityOf(mcp.LoggingLevel(p.logs)) // greater than all levels if the request wants none
	s.server.logLevelNamed(logs)
	takes := view.CanAnswer(p.capabilities)
	if !p.tasks && !takes(sanitize.MethodElicitation) && !takes(sanitize.MethodSampling) &&
		!takes(sanitize.MethodRoots) {
		s.client.Conn.WantsLogs(r, logs)
		r.CloseToQuestions(undeclared)
		return do(r)
	}
	w := &work{of: s.server.works, id: rand.Text(), begun: begun, session: s, answer: make(chan wire.Reply, 1),
		mayTask: p.tasks, leave: func() {}, attended: true}
	w.request = wire.NewRequest(s.ctx, json.RawMessage(`"webmcp-hub-work-`+w.id+`"`))
	w.request.SetSender(r.Sender())
	w.rounds = w.request.InRounds(takes)
	s.client.Conn.Carry(w.request, s.client.Conn, r, p.token)
	s.client.Conn.WantsLogs(w.request, logs)
	if err := s.client.Conn.Begin(w.request); err != nil {
		w.request.Cancel(nil)
		return wire.Reply{Err: err}
	}
	if s.client.Sessionless {
		w.leave = s.keep()
	}
	go w.carryOut(do)
	return w.goOn(s, r)
}

func (w *work) carryOut(do func(*wire.Request) wire.Reply) {
	defer w.request.Cancel(nil)
	answer := wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInternal, "internal error; the hub's log says more")}
	defer func() {
		if p := recover(); p != nil {
			w.session.panicked("a request in rounds", p)
		}
		w.of.mu.Lock()
		w.done = true
		attended, task := w.attended, w.task
		if task != nil {
			task.outcome, task.updated = &answer, time.Now()
		}
		w.of.mu.Unlock()
		w.answer <- answer
		if attended {
			return
		}
		w.session.client.Conn.Done(w.request, nil, nil)
		var limit wire.TimeoutError
		switch cause := context.Cause(w.request.Ctx); {
		case task != nil:
			w.leave()
		case cause != nil && !errors.As(cause, &limit): // the client will not come back for the answer
			w.forget()
		}
	}()
	answer = do(w.request)
}

// goOn waits until the work is done or a page asks something, and returns the answer to r, a request of s.
func (w *work) goOn(s *session, r *wire.Request) wire.Reply {
	var gathered, late <-chan time.Time
	if w.mayTask {
		timer := time.NewTimer(TaskAfter)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case <-late:
			if r.Ctx.Err() != nil {
				continue
			}
			if answer, ok := w.becomeTask(r); ok {
				return answer
			}
		case answer := <-w.answer:
			return w.over(s, r, answer)
		case <-r.Ctx.Done():
			w.request.Cancel(context.Cause(r.Ctx))
			return w.over(s, r, <-w.answer)
		case <-w.rounds.Asked():
			if gathered == nil {
				gathered = time.After(gathering)
			}
		case <-gathered:
			gathered = nil
			questions := w.rounds.Questions()
			if questions == nil || r.Ctx.Err() != nil {
				continue
			}
			state := w.park()
			if state == "" {
				continue
			}
			w.session.client.Conn.Rest(w.request, r)
			return wire.Reply{Lost: w.expire, Result: jsonrpc.MustEncode(map[string]any{
				"resultType": mcp.ResultTypeInputRequired, "inputRequests": questions, "requestState": state})}
		}
	}
}

// over ends the work. Its answer is the answer to r.
func (w *work) over(s *session, r *wire.Request, answer wire.Reply) wire.Reply {
	w.session.client.Conn.Done(w.request, r, s.client.Conn)
	w.forget()
	return answer
}

// park makes the work wait for its client to come back, and returns the requestState with which the client comes
// back. It returns "" if the work is done or too many works are waiting. A client that comes back too late finds
// nothing.
func (w *work) park() (state string) {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	switch {
	case w.done:
		return ""
	case len(w.of.parked) >= maxParked:
		w.rounds.Refuse(fmt.Sprintf("%d calls wait for what users answer already; try again later", maxParked))
		return ""
	}
	w.attended = false
	w.state = rand.Text()
	w.of.parked[w.state] = w
	w.timer = time.AfterFunc(PageRequestTimeout, w.expire)
	return w.state
}

// unpark ends the work's wait for its client, and reports whether the work was waiting. works.mu must be held.
func (w *work) unpark() (waited bool) {
	waited = w.state != ""
	delete(w.of.parked, w.state)
	w.state = ""
	return waited
}

// expire ends work whose client didn't come back, or can't come back.
func (w *work) expire() {
	w.of.mu.Lock()
	waited := w.unpark()
	w.of.mu.Unlock()
	if waited {
		w.request.Cancel(errNotContinued)
		w.forget()
	}
}

// forget removes the work from those that wait. A round that is waiting for its answer goes on.
func (w *work) forget() {
	w.of.mu.Lock()
	w.unpark()
	delete(w.of.tasks, w.id)
	if w.timer != nil {
		w.timer.Stop()
	}
	w.of.mu.Unlock()
	w.leave()
}

// resume returns the work to which a requestState belongs, for the request r of s. Only one request can continue the
// work, and only the client that began it: its answers may allow what the hub asks about, and it gets the result. The
// work of a sessionless client goes on for a sessionless client of the same name.
func (ws *works) resume(s *session, r *wire.Request, state, begun string) (*work, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.parked[state]
	own := w != nil && w.request.Sender() == r.Sender() &&
		(w.session == s || w.session.client.Sessionless && s.client.Sessionless)
	if !own || w.begun != begun {
		return nil, fmt.Errorf("this requestState does not belong to this request: its client, its name or its arguments "+
			"differ from the first round's, or what this requestState belongs to is over: it was continued, answered or "+
			"cancelled already, its page is gone, the answer came after more than %v, or the hub was started again "+
			"since. Send the request without requestState", PageRequestTimeout)
	}
	w.unpark()
	w.timer.Stop()
	w.attended = true
	return w, nil
}
