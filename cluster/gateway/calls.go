package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"

	"webmcphub/cluster/api"
	"webmcphub/cluster/pages"
	"webmcphub/cluster/transport"
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

const (
	// maxHeld is how many bytes a gateway keeps of one node's results that have only come in part.
	maxHeld = 2 * transport.MaxMessage
	// maxQuestions is how many questions of a page may wait for answers during a call.
	maxQuestions = 64
)

// NodeLost says that a node was lost while it carried out a request. The request may still have had its effect.
type NodeLost struct{ Node, Why string }

func (e *NodeLost) Error() string { return "the node " + e.Node + " was lost: " + e.Why }

// pending is a running call to a node. Its caller's goroutine receives the node's messages.
type pending struct {
	*nodeSession
	conn   *conn
	tenant *tenantServer        // the tenant that calls
	in     registry.DocumentRef // the document that carries it out, as the gateway names it; zero for none
	start  *api.CallRequest_Start
	stream grpc.BidiStreamingClient[api.CallRequest, api.CallResponse]
	// words is how long to wait for the result after the call was cancelled; 0 means not at all.
	words    time.Duration
	progress func(json.RawMessage) // nil if the caller wants no progress

	sending   sync.Mutex                         // held during a send
	asking    sync.Mutex                         // guards questions
	questions map[uint64]context.CancelCauseFunc // by id: the functions that withdraw questions without an answer
}

// connected returns the session with a node and its connection, or an error if there is none.
func (g *Gateway) connected(node string) (*nodeSession, *conn, error) {
	s := g.sessionWith(node)
	if s == nil {
		return nil, nil, &NodeLost{node, "the gateway no longer has this node"}
	}
	c := s.conn.Load()
	if c == nil {
		return nil, nil, fmt.Errorf("the node %s is not connected: %s", node, *s.why.Load())
	}
	return s, c, nil
}

// failed returns why a call ended without a result: its context's cause, the node's refusal, or the node's loss.
func (s *nodeSession) failed(ctx context.Context, c *conn, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, errTooLarge) {
		return err
	}
	if why, refused := transport.Refusal(err); refused {
		return errors.New(why)
	}
	if lost := c.lost.Load(); lost != nil {
		err = *lost
	}
	return &NodeLost{s.node, transport.Reason(err)}
}

// nodeConn is a [grpc.ClientConnInterface] that uses a node's current connection. Its errors are reasons for clients,
// and may be a [NodeLost].
type nodeConn struct {
	*Gateway
	node   string
	counts bool // whether unary calls count as running
}

// asks returns a client for requests to a node that aren't calls of tools.
func (g *Gateway) asks(node string) api.NodeClient { return api.NewNodeClient(nodeConn{g, node, true}) }

// Invoke implements [grpc.ClientConnInterface].
func (n nodeConn) Invoke(ctx context.Context, method string, args, reply any, o ...grpc.CallOption) error {
	s, c, err := n.connected(n.node)
	if err != nil {
		return err
	}
	if n.counts {
		s.running.Add(1)
		defer s.running.Add(-1)
	}
	if err = c.Invoke(ctx, method, args, reply, o...); err != nil {
		return s.failed(ctx, c, err)
	}
	return nil
}

// NewStream implements [grpc.ClientConnInterface].
func (n nodeConn) NewStream(ctx context.Context, d *grpc.StreamDesc, method string,
	o ...grpc.CallOption) (grpc.ClientStream, error) {
	s, c, err := n.connected(n.node)
	if err != nil {
		return nil, err
	}
	stream, err := c.NewStream(ctx, d, method, o...)
	if err != nil {
		return nil, s.failed(ctx, c, err)
	}
	return nodeStream{stream, func(err error) error { return s.failed(ctx, c, err) }}, nil
}

// nodeStream is a stream of a [nodeConn].
type nodeStream struct {
	grpc.ClientStream
	failed func(error) error
}

// RecvMsg implements [grpc.ClientStream].
func (s nodeStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil && err != io.EOF {
		err = s.failed(err)
	}
	return err
}

// call makes a node carry out a call of the tenant. It returns when the call is over, or p.words after ctx has ended.
// The error may be a [NodeLost].
func (r *tenantServer) call(ctx context.Context, node string, p *pending) (*api.CallResponse_Result, error) {
	var err error
	if p.nodeSession, p.conn, err = r.connected(node); err != nil {
		return nil, err
	}
	p.tenant, p.questions, p.start.Party = r, map[uint64]context.CancelCauseFunc{}, r.tenant
	p.start.Progress = p.progress != nil
	p.running.Add(1)
	defer p.running.Add(-1)
	within := ctx
	if p.words > 0 {
		within = context.WithoutCancel(ctx)
	}
	within, end := context.WithCancel(within)
	defer end()
	if p.stream, err = p.conn.node.Call(within); err != nil {
		return nil, p.failed(ctx, p.conn, err)
	}
	if err := p.stream.Send(&api.CallRequest{Event: &api.CallRequest_Start_{Start: p.start}}); err != nil {
		if _, recvErr := p.stream.Recv(); recvErr != nil { // the error of Recv says why
			err = recvErr
		}
		return nil, p.failed(ctx, p.conn, err)
	}
	if p.words > 0 {
		defer context.AfterFunc(ctx, func() {
			time.AfterFunc(p.words, end)
			p.send(&api.CallRequest{Event: &api.CallRequest_Cancel_{
				Cancel: &api.CallRequest_Cancel{Why: context.Cause(ctx).Error()}}})
		})()
	}
	result, err := p.receive(within)
	if err != nil {
		return nil, p.failed(ctx, p.conn, err)
	}
	return result, errorOf(result.Error)
}

// send sends the node a message during the call. It ignores errors, since the call is over then.
func (p *pending) send(m *api.CallRequest) {
	p.sending.Lock()
	defer p.sending.Unlock()
	_ = p.stream.Send(m)
}

// receive handles the node's messages until the result has come, and returns it.
func (p *pending) receive(ctx context.Context) (*api.CallResponse_Result, error) {
	var parts []byte
	defer func() { p.held.Add(-int64(len(parts))) }()
	for {
		m, err := p.stream.Recv()
		if err != nil {
			return nil, err
		}
		switch e := m.Event.(type) {
		case *api.CallResponse_Progress:
			if p.progress != nil {
				p.progress(e.Progress)
			}
		case *api.CallResponse_Question_:
			p.question(ctx, e.Question)
		case *api.CallResponse_QuestionOver:
			if withdraw := p.answered(e.QuestionOver); withdraw != nil {
				withdraw(errors.New("the page no longer waits for the answer"))
			}
		case *api.CallResponse_Part:
			parts = append(parts, e.Part...)
			if p.held.Add(int64(len(e.Part))) > maxHeld || len(parts) > transport.MaxMessage {
				return nil, errTooLarge
			}
		case *api.CallResponse_Result_:
			r := e.Result
			if parts != nil {
				r.Json = append(parts, r.Json...)
			}
			return r, nil
		}
	}
}

// errTooLarge is why the gateway stops receiving a result.
var errTooLarge = errors.New("the call's result is not passed on: the results that its node is sending are too " +
	"large together. The call has run, and may have had an effect")

// answered removes a waiting question, and returns the function that withdraws it; nil if the question didn't wait.
func (p *pending) answered(id uint64) (withdraw context.CancelCauseFunc) {
	p.asking.Lock()
	defer p.asking.Unlock()
	withdraw = p.questions[id]
	delete(p.questions, id)
	return withdraw
}

// errorOf returns the error that a node has sent, or nil.
func errorOf(e *api.Error) error {
	switch {
	case e == nil:
		return nil
	case e.Code != 0:
		return registry.PageError{Code: int(e.Code), Text: e.Message}
	}
	return errors.New(e.Message)
}

// serverOf returns the gateway's reference to a node's document.
func serverOf(node string, d *api.Document) registry.DocumentRef {
	return registry.DocumentRef{Page: registry.PageID(pages.Named(node, d.GetPage())),
		Frame: registry.FrameID(d.GetFrame()), Doc: offer.Gen(d.GetGeneration())}
}

// question passes a page's question to the tenant's client, and the answer back, unless the page may not ask.
func (p *pending) question(ctx context.Context, q *api.CallResponse_Question) {
	at := serverOf(p.node, q.GetDocument())
	answer := func(result json.RawMessage, e *api.Error) {
		p.send(&api.CallRequest{Event: &api.CallRequest_Answer_{
			Answer: &api.CallRequest_Answer{Id: q.GetId(), Result: result, Error: e}}})
	}
	refusal := ""
	p.asking.Lock()
	waiting, again := len(p.questions), p.questions[q.GetId()] != nil
	p.asking.Unlock()
	switch {
	case at != p.in:
		refusal = "a page may ask only while it carries out a call of an agent"
	case again:
		return
	case waiting >= maxQuestions:
		refusal = "too many of the page's questions are waiting for answers"
	}
	if refusal != "" {
		answer(nil, &api.Error{Code: jsonrpc.CodeMethodNotFound,
			Message: q.GetMethod() + " was not passed on: " + refusal})
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	p.asking.Lock()
	p.questions[q.GetId()] = cancel
	p.asking.Unlock()
	go func() {
		defer cancel(nil)
		result, err := p.tenant.server.PageRequest(ctx, offer.PageRequest{Server: at, Origin: q.GetOrigin(),
			PageOrigin: q.GetPageOrigin(), Method: q.GetMethod(), Params: q.GetParams()})
		p.answered(q.GetId())
		answer(result, pages.Error(err))
	}()
}
