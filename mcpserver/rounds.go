package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
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

// stateMark is the prefix of the requestState of works. It distinguishes them from the states of the hub's own
// questions.
const stateMark = "work."

// gathering is how long a round waits for further questions after a page has asked one, so that questions that a page
// asks at once are put to the user at once.
const gathering = 25 * time.Millisecond

var errNotContinued = errors.New("the client was asked something and did not continue in time")

// works holds the requests that wait for their clients to come back. Any goroutine may use it.
type works struct {
	key []byte // signs the states

	mu     sync.Mutex
	parked map[string]*work // by id
	tasks  map[string]*work // by id; works whose clients know them as tasks
}

func newWorks() *works {
	return &works{key: []byte(rand.Text()), parked: map[string]*work{}, tasks: map[string]*work{}}
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

	// works.mu guards the fields below.
	round    int  // how often the client was asked
	attended bool // a round is waiting for the answer
	done     bool
	left     func()      // ends the session of the first request; nil while that request goes on
	timer    *time.Timer // deletes the work
	task     *task       // nil until the work becomes a task
}

// inRounds starts the work of a request, or continues it, and answers this round of it. If the client can't be asked
// anything, inRounds just carries out the request.
func (s *session) inRounds(r *wire.Request, p *params, begun string, do func(*wire.Request) wire.Reply) wire.Reply {
	if !p.modern() {
		return do(r)
	}
	asked := sha256.Sum256([]byte(begun))
	begun = string(asked[:])
	if strings.HasPrefix(p.state, stateMark) {
		w, err := s.server.works.resume(p.state, begun)
		if err != nil {
			return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", err)}
		}
		w.rounds.Carry(s.client.Conn, r, p.token)
		w.session.client.Conn.GoOn(w.request)
		w.rounds.Answered(p.answers)
		return w.goOn(s, r)
	}
	logs := severityOf(mcp.LoggingLevel(p.logs)) // greater than all levels if the request wants none
	s.server.logLevelNamed(logs)
	takes := view.CanAnswer(p.capabilities)
	if !p.tasks && !takes(sanitize.MethodElicitation) && !takes(sanitize.MethodSampling) &&
		!takes(sanitize.MethodRoots) {
		s.client.Conn.WantsLogs(r, logs)
		return do(r)
	}
	w := &work{of: s.server.works, id: rand.Text(), begun: begun, session: s, answer: make(chan wire.Reply, 1),
		mayTask: p.tasks, attended: true}
	w.request = wire.NewRequest(s.ctx, json.RawMessage(`"webmcp-hub-work-`+w.id+`"`))
	w.request.From(r.Of())
	w.rounds = w.request.InRounds(takes)
	w.rounds.Carry(s.client.Conn, r, p.token)
	s.client.Conn.WantsLogs(w.request, logs)
	if err := s.client.Conn.Begin(w.request); err != nil {
		w.request.Cancel(nil)
		return wire.Reply{Err: err}
	}
	if s.client.Sessionless {
		s.work = w
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
		w.answer <- answer // only after done is set: whoever receives the answer may call outlives at once
		if attended {
			return
		}
		w.session.client.Conn.Done(w.request, nil, nil)
		var limit wire.TimeoutError
		switch cause := context.Cause(w.request.Ctx); {
		case task != nil:
			w.leave()
		case cause != nil && !errors.As(cause, &limit): // nobody will come back for it
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
			w.rounds.Leave()
			w.session.client.Conn.Rest(w.request, r)
			return wire.Reply{Lost: w.expire, Result: jsonrpc.MustEncode(struct {
				Type     string          `json:"resultType"`
				Requests json.RawMessage `json:"inputRequests"`
				State    string          `json:"requestState"`
			}{"input_required", questions, state})}
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
	w.round++
	w.of.parked[w.id] = w
	w.timer = time.AfterFunc(PageRequestTimeout, w.expire)
	return w.of.sign(w.id, strconv.Itoa(w.round), w.begun)
}

// expire ends work whose client didn't come back, or can't.
func (w *work) expire() {
	w.of.mu.Lock()
	waits := w.of.parked[w.id] == w
	delete(w.of.parked, w.id)
	w.of.mu.Unlock()
	if waits {
		w.request.Cancel(errNotContinued)
		w.forget()
	}
}

// forget removes the work from those that wait. A round that is waiting for its answer goes on.
func (w *work) forget() {
	w.of.mu.Lock()
	delete(w.of.parked, w.id)
	delete(w.of.tasks, w.id)
	if w.timer != nil {
		w.timer.Stop()
	}
	w.of.mu.Unlock()
	w.leave()
}

// leave ends the session that was kept for the work.
func (w *work) leave() {
	w.of.mu.Lock()
	left := w.left
	w.left = nil
	w.of.mu.Unlock()
	if left != nil {
		left()
	}
}

// outlives reports whether the work still needs its session after the request that began it is answered. If so, end
// is called when it no longer does.
func (w *work) outlives(end func()) bool {
	if w == nil {
		return false
	}
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	if w.done && w.of.parked[w.id] != w || w.of.tasks[w.id] != w && w.of.parked[w.id] != w && !w.attended {
		return false
	}
	w.left = end
	return true
}

// resume returns the work to which a requestState belongs. Only one request can continue it.
func (ws *works) resume(state, begun string) (*work, error) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(state, stateMark), ".")
	round, _, _ := strings.Cut(rest, ".")
	if !hmac.Equal([]byte(state), []byte(ws.sign(id, round, begun))) {
		return nil, errors.New("this requestState does not belong to this request: its name or its arguments differ " +
			"from the first round's, or the hub was started again since. Send the request without requestState")
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.parked[id]
	if w == nil || strconv.Itoa(w.round) != round {
		return nil, fmt.Errorf("what this requestState belongs to is over: it was continued, answered or cancelled "+
			"already, its page is gone, or the answer came after more than %v. Send the request without requestState",
			PageRequestTimeout)
	}
	delete(ws.parked, id)
	w.timer.Stop()
	w.attended = true
	return w, nil
}

// sign returns the requestState of one round.
func (ws *works) sign(id, round, begun string) string {
	mac := hmac.New(sha256.New, ws.key)
	mac.Write([]byte(id + "\n" + round + "\n" + begun))
	return stateMark + id + "." + round + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
