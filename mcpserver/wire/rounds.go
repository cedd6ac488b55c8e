package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Rounds carries one piece of work over several requests of protocol 2026-07-28. That protocol has no requests to the
// client. What a page or the hub asks is sent in a result that asks for input, and the client sends its request again
// with the answers. The work has a [Request] of its own, which stays in flight. The client's requests are its rounds, one
// after another.
//
// Any goroutine may use it.
type Rounds struct {
	takes func(method string) bool
	asked chan struct{} // holds a token when there is a new question

	mu        sync.Mutex
	carrier   carrier
	questions []*question // questions that the client has not answered, the oldest first
	last      int         // the number of the newest question
	// names are the names that questions have had so far, at most maxNames of pages' questions.
	names map[string]bool
}

// maxNames is how many questions pages may name in one piece of work.
const maxNames = 1000

// carrier is the client's request of the current round. It is the zero value between two rounds.
type carrier struct {
	conn    *Conn
	request *Request
	token   json.RawMessage // the request's progressToken, or nil
}

// question is one request of a page or of the hub, which a result puts to the client.
type question struct {
	key    string
	hubs   bool // the hub asks
	sent   bool // a result has carried the question
	method string
	params json.RawMessage
	answer chan answered
}

type answered struct {
	result json.RawMessage
	err    error
}

// InRounds makes r the request of work that is carried over rounds. takes reports which requests of pages the client
// answers, by method. InRounds must be called before r begins.
func (r *Request) InRounds(takes func(method string) bool) *Rounds {
	r.rounds = &Rounds{takes: takes, asked: make(chan struct{}, 1)}
	return r.rounds
}

// CloseToQuestions notes why the client can't be asked anything during r, as a clause that a page may read: its protocol
// has no requests to the client, and the answer to r can't ask for input. It must be called before r is carried out.
func (r *Request) CloseToQuestions(why string) { r.closed = why }

// ClosedToQuestions returns the reason given to [Request.CloseToQuestions]. It returns "" if the client may be asked,
// or if r is nil.
func (r *Request) ClosedToQuestions() string {
	if r == nil {
		return ""
	}
	return r.Whole().closed
}

// Takes reports whether the client can be asked through rounds at all, and whether it answers requests of this method.
func (r *Request) Takes(method string) (anything, this bool) {
	if rounds := r.inRounds(); rounds != nil {
		return true, rounds.takes(method)
	}
	return false, false
}

// inRounds returns the Rounds that carry the work of r, or of the request that r is a part of. It returns nil if none
// do.
func (r *Request) inRounds() *Rounds {
	if r == nil {
		return nil
	}
	return r.Whole().rounds
}

// Asked returns a channel that holds a token when there may be questions to send.
func (rs *Rounds) Asked() <-chan struct{} { return rs.asked }

// Questions returns the inputRequests of a result: all questions that the client has not answered. It returns nil if
// there are none.
func (rs *Rounds) Questions() json.RawMessage {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if len(rs.questions) == 0 {
		return nil
	}
	all := make(map[string]any, len(rs.questions))
	for _, q := range rs.questions {
		q.sent = true
		params := q.params
		if params == nil {
			params = json.RawMessage("{}")
		}
		all[q.key] = map[string]any{"method": q.method, "params": params}
	}
	return jsonrpc.MustEncode(all)
}

// Answered accepts the client's inputResponses. It ignores responses that answer no question. A page's question without
// a usable response is asked again. The hub's question without a usable response is refused, so that the hub doesn't
// ask for ever. It stays open if no result has carried it yet, or if partial says that the client may answer it later.
func (rs *Rounds) Answered(responses json.RawMessage, partial bool) {
	byKey := map[string]json.RawMessage{}
	for key, response := range jsonrpc.Members(responses) {
		byKey[key] = response
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.questions = slices.DeleteFunc(rs.questions, func(q *question) bool {
		response := byKey[q.key]
		if !jsonrpc.IsObject(response) && (partial || !q.hubs || !q.sent) {
			return false
		}
		// Trust refuses what it can't read.
		q.answer <- answered{result: response}
		return true
	})
	if len(rs.questions) > 0 {
		signal(rs.asked)
	}
}

// Refuse answers all open questions with an error, because nobody will answer them.
func (rs *Rounds) Refuse(why string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, q := range rs.questions {
		q.answer <- answered{err: notPassedOn(q.method, why)}
	}
	rs.questions = nil
}

// ask sends a question of a page or of the hub, and waits for the answer, as [Conn.Ask] does.
func (rs *Rounds) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	rs.mu.Lock()
	if len(rs.questions) >= MaxQuestions {
		rs.mu.Unlock()
		return nil, notPassedOn(method, fmt.Sprintf("the agent's client has %d requests to answer already", MaxQuestions))
	}
	rs.last++
	q := &question{method: method, params: params, answer: make(chan answered, 1)}
	q.key, q.hubs = rs.keyFor(params)
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
	rs.questions = slices.DeleteFunc(rs.questions, func(is *question) bool { return is == q })
	return nil, notAnswered(ctx, method)
}

// keyFor returns the key of the newest question, and whether the hub asks it. The key is the question's name, unless
// an earlier question had that name. Names are not used twice, because a client may send an earlier answer again.
// Pages can't give the hub's names, with or without a number (see package sanitize).
func (rs *Rounds) keyFor(params json.RawMessage) (key string, hubs bool) {
	var request struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(params, &request)
	name, _ := jsonrpc.Text(request.Meta[sanitize.RequestNameKey])
	hubs = name == sanitize.NameOfApproval || name == sanitize.NameOfPins
	switch {
	case hubs && rs.names[name]:
		return fmt.Sprint(name, "-", rs.last), hubs
	case !hubs && (name == "" || rs.names[name] || len(rs.names) >= maxNames):
		return fmt.Sprint("page-", rs.last), hubs
	case rs.names == nil:
		rs.names = map[string]bool{}
	}
	rs.names[name] = true
	return name, hubs
}

// set makes a request the one that carries the work; the zero value means none.
func (rs *Rounds) set(by carrier) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.carrier = by
}

// now returns the connection, the request and the progress token for a message that belongs to the work. It returns
// nil between rounds.
func (rs *Rounds) now() (conn *Conn, r *Request, token json.RawMessage) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.carrier.conn, rs.carrier.request, rs.carrier.token
}

// Carry makes round, a request of the connection on, the one that carries work. token is its progressToken, or nil.
func (c *Conn) Carry(work *Request, on *Conn, round *Request, token json.RawMessage) {
	work.rounds.set(carrier{on, round, token})
	c.mu.Lock()
	defer c.mu.Unlock()
	work.resting = false
}

// Rest notes that round, which carries work, is being answered, and that the client has to begin another round. Until
// then list_changed waits only for the answer to round, and not for work.
func (c *Conn) Rest(work, round *Request) {
	work.rounds.set(carrier{})
	c.mu.Lock()
	defer c.mu.Unlock()
	work.resting = true
	round.work = work
	c.pending.held.instead(work, round)
}

// Done notes that work is over. Its answer becomes the answer to round, a request of the connection on; round is nil
// if no round gets the answer.
func (c *Conn) Done(work, round *Request, on *Conn) {
	if round != nil {
		c.mu.Lock()
		at, changes := work.inquiry, work.changesList
		c.mu.Unlock()
		on.mu.Lock() // changes of lists wait until the answer is written
		round.inquiry, round.changesList = at, changes
		on.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if round != nil {
		round.work = work
		c.pending.held.instead(work, round)
	}
	if work.over {
		return
	}
	work.over = true
	c.pending.answered(work)
	c.queue.wakeWriter()
	c.gone(work)
}

// Carried returns the work of which r is a round. It returns nil if r is none, or is not being answered yet.
func (r *Request) Carried() *Request { return r.work }

func notPassedOn(method, why string) error {
	return registry.PageError{Code: jsonrpc.CodeInternal, Text: method + " was not passed on: " + why}
}

// notAnswered says why a question that was asked within ctx was not answered.
func notAnswered(ctx context.Context, method string) error {
	return registry.PageError{Code: jsonrpc.CodeInternal, Text: method + " was not answered: " + reason(ctx)}
}

func reason(ctx context.Context) string {
	if timeout := (TimeoutError{}); errors.As(context.Cause(ctx), &timeout) {
		return timeout.Error()
	}
	return "it was cancelled"
}
