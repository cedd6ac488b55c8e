package node

import (
	"context"
	"encoding/json"

	"webmcphub/cluster/api"
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// question is a page's question to the agent.
type question struct {
	offer.PageRequest
	answer chan answer // has room for one

	// What follows belongs to run.
	id   uint64
	call *running
}

type answer struct {
	result json.RawMessage
	err    error
}

// ask passes a page's question to the agent, and waits for the answer. It is the hub's PageRequests.
func (n *Node) ask(ctx context.Context, r offer.PageRequest) (json.RawMessage, error) {
	q := &question{PageRequest: r, answer: make(chan answer, 1)}
	if !n.box.Put(func() { n.put(q) }) {
		return nil, notAsked("the node has too much to do")
	}
	select {
	case a := <-q.answer:
		return a.result, a.err
	case <-ctx.Done():
		n.box.Must(func() { n.withdraw(q) })
		return nil, context.Cause(ctx)
	case <-n.life.ctx.Done():
		return nil, notAsked("the node is stopping")
	}
}

func notAsked(why string) error {
	return registry.PageError{Code: jsonrpc.CodeMethodNotFound, Text: "the agent was not asked: " + why}
}

func unanswered(why error) error {
	return registry.PageError{Code: jsonrpc.CodeInternal, Text: "the agent did not answer: " + why.Error()}
}

// put sends a question to the gateway whose call its document carries out.
func (n *Node) put(q *question) {
	for _, g := range n.gateways {
		for r := range g.running {
			if r.in != q.Server {
				continue
			}
			if q.call != nil && (r.gateway != q.call.gateway || r.party != q.call.party) {
				n.settle(q, nil, notAsked("the page carries out calls of several clients, and one client's "+
					"questions must not reach another; ask when only one of them is running"))
				return
			}
			q.call = r
		}
	}
	if q.call == nil {
		n.settle(q, nil, notAsked("a page may ask only while it carries out a call of an agent"))
		return
	}
	n.lastQuestion++
	q.id = n.lastQuestion
	n.questions[q.id] = q
	q.call.unsent.Put(&api.CallResponse{Event: &api.CallResponse_Question_{Question: &api.CallResponse_Question{
		Id: q.id, Method: valid(q.Method), Params: q.Params, Document: documentOf(q.Server), Origin: valid(q.Origin),
		PageOrigin: valid(q.PageOrigin)}}})
}

func (n *Node) settle(q *question, result json.RawMessage, err error) {
	delete(n.questions, q.id)
	select {
	case q.answer <- answer{result, err}:
	default: // it has an answer already
	}
}

// answered handles a gateway's answer to a question.
func (n *Node) answered(call *running, m *api.CallRequest_Answer) {
	q := n.questions[m.GetId()]
	if q == nil || q.call != call {
		return
	}
	if e := m.GetError(); e != nil {
		n.settle(q, nil, registry.PageError{Code: int(e.Code), Text: e.Message})
		return
	}
	n.settle(q, m.GetResult(), nil)
}

func (n *Node) withdraw(q *question) {
	if n.questions[q.id] == q {
		delete(n.questions, q.id)
		q.call.unsent.Put(&api.CallResponse{Event: &api.CallResponse_QuestionOver{QuestionOver: q.id}})
	}
}
