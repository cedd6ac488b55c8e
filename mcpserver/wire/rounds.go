package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Rounds carry one piece of work over several requests of protocol 2026-07-28. That
// protocol has no requests to the client: what a page asks goes out in a result that
// asks for input, and the client sends its request again with the answers. The work
// has a [Request] of its own, which stays in flight; the client's requests are its
// rounds, one after another.
//
// Any goroutine may use it.
type Rounds struct {
	takes func(method string) bool
	asked chan struct{} // a question came, one token

	mu        sync.Mutex
	carrier   carrier
	questions []*question // that the client has not answered, the oldest first
	last      int         // the number of the newest
	// names are those that the page gave its questions so far, at most maxNames.
	names map[string]bool
}

// maxNames is how many questions a page may name in one piece of work.
const maxNames = 1000

// carriage is what a request has to do with rounds.
type carriage struct {
	rounds *Rounds // not nil: it is the request of the work, which they carry. Set before it begins

	// The rest belongs to the Conn of the work.
	resting bool     // it is between two rounds
	work    *Request // of which it is a round
}

// carrier is the client's request of the current round; the zero value between two.
type carrier struct {
	conn    *Conn
	request *Request
	token   json.RawMessage // its progressToken, or nil
}

// question is one request of a page that the client is asked by a result.
type question struct {
	key    string
	method string
	params json.RawMessage
	answer chan answered
}

type answered struct {
	result json.RawMessage
	err    error
}

// InRounds makes r the request of work that is carried by rounds. takes says which
// requests of pages the client answers, by method. It must be called before r begins.
func (r *Request) InRounds(takes func(method string) bool) *Rounds {
	r.carry.rounds = &Rounds{takes: takes, asked: make(chan struct{}, 1)}
	return r.carry.rounds
}

// Takes says whether what a page asks can be asked of the client by rounds: anything
// at all, and requests of that method.
func (r *Request) Takes(method string) (anything, this bool) {
	if rounds := r.inRounds(); rounds != nil {
		return true, rounds.takes(method)
	}
	return false, false
}

// inRounds are the rounds that carry what r, or the request that it is a part of, does;
// nil if none do.
func (r *Request) inRounds() *Rounds {
	if r == nil {
		return nil
	}
	return r.Whole().carry.rounds
}

// Asked has a token when there may be questions to put.
func (rs *Rounds) Asked() <-chan struct{} { return rs.asked }

// Carry makes r, a request of conn, the one that carries the work.
func (rs *Rounds) Carry(conn *Conn, r *Request, token json.RawMessage) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.carrier = carrier{conn, r, token}
}

// Leave says that the request which carries the work is being answered.
func (rs *Rounds) Leave() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.carrier = carrier{}
}

// Questions are the inputRequests of a result: all that the client has not answered.
// It is nil if there are none.
func (rs *Rounds) Questions() json.RawMessage {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if len(rs.questions) == 0 {
		return nil
	}
	all := make(map[string]any, len(rs.questions))
	for _, q := range rs.questions {
		params := q.params
		if params == nil {
			params = json.RawMessage("{}")
		}
		all[q.key] = map[string]any{"method": q.method, "params": params}
	}
	return jsonrpc.MustEncode(all)
}

// Answered takes the client's inputResponses. What answers no question is ignored,
// and so is what is no object: the question is put again.
func (rs *Rounds) Answered(responses json.RawMessage) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for key, response := range jsonrpc.Members(responses) {
		for i, q := range rs.questions {
			if q.key == key && jsonrpc.IsObject(response) {
				rs.questions = append(rs.questions[:i:i], rs.questions[i+1:]...)
				q.answer <- answered{result: response}
				break
			}
		}
	}
	if len(rs.questions) > 0 {
		signal(rs.asked)
	}
}

// Refuse answers all questions that the client has not answered: nobody will.
func (rs *Rounds) Refuse(why string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, q := range rs.questions {
		q.answer <- answered{err: notPassedOn(q.method, why)}
	}
	rs.questions = nil
}

// ask puts a page's question and waits for the answer, as [Conn.Ask] does.
func (rs *Rounds) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	rs.mu.Lock()
	if len(rs.questions) >= MaxAsks {
		rs.mu.Unlock()
		return nil, notPassedOn(method, fmt.Sprintf("the agent's client has %d requests to answer already", MaxAsks))
	}
	rs.last++
	q := &question{key: rs.keyFor(params), method: method, params: params, answer: make(chan answered, 1)}
	rs.questions = append(rs.questions, q)
	signal(rs.asked)
	rs.mu.Unlock()

	select {
	case a := <-q.answer:
		return a.result, a.err
	case <-ctx.Done():
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for i, is := range rs.questions {
		if is == q {
			rs.questions = append(rs.questions[:i:i], rs.questions[i+1:]...)
		}
	}
	return nil, notAnswered(ctx, method)
}

// keyFor is the newest question's key: the name that its page gives it, unless an earlier one had that. A client may
// send an earlier answer once more.
func (rs *Rounds) keyFor(params json.RawMessage) string {
	var said struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(params, &said)
	name, _ := jsonrpc.Text(said.Meta[sanitize.RequestNameKey])
	if name == "" || rs.names[name] || len(rs.names) == maxNames {
		return fmt.Sprint("page-", rs.last)
	}
	if rs.names == nil {
		rs.names = map[string]bool{}
	}
	rs.names[name] = true
	return name
}

// now is what a message that belongs to the work goes out by; nil between rounds.
func (rs *Rounds) now() (conn *Conn, r *Request, token json.RawMessage) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.carrier.conn, rs.carrier.request, rs.carrier.token
}

// Rest says that the client has to begin another round of work. Until then list_changed
// waits for work no longer than for the answer to round.
func (c *Conn) Rest(work, round *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	work.carry.resting = true
	round.carry.work = work
	c.owed.held.instead(work, round)
}

// GoOn says that another round of work has begun.
func (c *Conn) GoOn(work *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	work.carry.resting = false
}

// Done says that work is over, and its answer that of round, a request of on; or of no
// round if that is nil.
func (c *Conn) Done(work, round *Request, on *Conn) {
	if round != nil {
		c.mu.Lock()
		at, changes := work.asked, work.changesList
		c.mu.Unlock()
		on.mu.Lock() // changes of lists wait until the answer is written
		round.asked, round.changesList = at, changes
		on.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if round != nil {
		round.carry.work = work
		c.owed.held.instead(work, round)
	}
	if work.over {
		return
	}
	work.over = true
	delete(c.requests.inflight, string(work.ID))
	c.owed.answered(work)
	c.queue.wakeWriter()
	if c.stopping && len(c.requests.inflight) == 0 {
		close(c.idle)
	}
}

// Carried is the work that r is a round of, once r is being answered, or nil.
func (r *Request) Carried() *Request { return r.carry.work }

func notPassedOn(method, why string) error {
	return registry.PageError{Code: jsonrpc.CodeInternal, Text: method + " was not passed on: " + why}
}

// notAnswered says why what was asked within ctx was not answered.
func notAnswered(ctx context.Context, method string) error {
	return registry.PageError{Code: jsonrpc.CodeInternal, Text: method + " was not answered: " + reason(ctx)}
}

func reason(ctx context.Context) string {
	if timeout := (TimeoutError{}); errors.As(context.Cause(ctx), &timeout) {
		return timeout.Error()
	}
	return "it was cancelled"
}
