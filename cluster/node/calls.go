package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"webmcphub/actors"
	"webmcphub/cluster/api"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/pages"
	"webmcphub/cluster/transport"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

const (
	// maxPart is how many bytes of a result go into one message.
	maxPart = 1 << 20
	// maxUnsent is how many messages may wait to be sent on the stream of a call or a watch. Further ones are dropped,
	// except those that must arrive.
	maxUnsent = 1000
)

// sendAll sends messages in order. It stops at the first error and returns it.
func sendAll[M any](stream interface{ Send(M) error }, all []M) error {
	for _, m := range all {
		if err := stream.Send(m); err != nil {
			return err
		}
	}
	return nil
}

type callStream = grpc.BidiStreamingServer[api.CallRequest, api.CallResponse]

// work carries a call out, and returns soon after ctx has ended.
type work func(ctx context.Context, at begun) *api.CallResponse_Result

// Call carries out a call of a page's tool, of a page's own server, or of a browser tool.
func (s services) Call(stream callStream) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	r := &running{unsent: mailbox.New[*api.CallResponse](maxUnsent), counts: true, held: true,
		party: first.GetStart().GetParty()}
	do := s.workOf(first.GetStart(), r)
	if do == nil {
		return status.Error(codes.InvalidArgument, "the stream must begin with a call that this build knows")
	}
	return s.carryOut(stream.Context(), r, func(ctx context.Context, at begun) error {
		done := make(chan *api.CallResponse_Result, 1)
		s.life.workers.Run(func() { done <- do(ctx, at) })
		go s.listen(r, stream)
		for {
			select {
			case <-r.unsent.Ready():
				if err := sendAll(stream, r.unsent.Take()); err != nil {
					r.cancel(err)
					<-done
					return err
				}
			case result := <-done:
				if err := sendAll(stream, r.unsent.Take()); err != nil {
					return err
				}
				return sendResult(stream, result)
			}
		}
	})
}

// listen handles what the gateway sends during a call, until the stream ends.
func (n *Node) listen(r *running, stream callStream) {
	for {
		m, err := stream.Recv()
		if err != nil {
			return
		}
		switch e := m.Event.(type) {
		case *api.CallRequest_Answer_:
			n.box.Put(func() { n.answered(r, e.Answer) })
		case *api.CallRequest_Cancel_:
			r.cancel(errors.New(e.Cancel.GetWhy()))
		}
	}
}

// sendResult sends a result. It sends a large one in parts.
func sendResult(stream callStream, r *api.CallResponse_Result) error {
	if len(r.Json) > transport.MaxMessage {
		r = &api.CallResponse_Result{Error: &api.Error{
			Message: fmt.Sprintf("the call's result is larger than %d MiB", transport.MaxMessage>>20)}}
	}
	for len(r.Json) > maxPart {
		part := r.Json[:maxPart]
		r.Json = r.Json[maxPart:]
		if err := stream.Send(&api.CallResponse{Event: &api.CallResponse_Part{Part: part}}); err != nil {
			return err
		}
	}
	return stream.Send(&api.CallResponse{Event: &api.CallResponse_Result_{Result: r}})
}

// maxProgress is how many bytes a page's progress notification may have. Larger ones are dropped, as in a hub.
const maxProgress = 16 << 10

// workOf returns the work of a call, or nil if this build doesn't know that kind of call.
func (n *Node) workOf(start *api.CallRequest_Start, r *running) work {
	var progress func(json.RawMessage)
	if start.GetProgress() {
		progress = func(params json.RawMessage) {
			if len(params) > maxProgress {
				return
			}
			r.unsent.Put(&api.CallResponse{Event: &api.CallResponse_Progress{Progress: params}})
		}
	}
	switch what := start.GetWhat().(type) {
	case *api.CallRequest_Start_Tool:
		r.in = serverOf(what.Tool.GetDocument())
		return func(ctx context.Context, _ begun) *api.CallResponse_Result {
			return n.call(ctx, what.Tool, start.Trace, progress)
		}
	case *api.CallRequest_Start_Ask:
		r.in = serverOf(what.Ask.GetDocument())
		return func(ctx context.Context, _ begun) *api.CallResponse_Result {
			result, err := n.hub.Ask(ctx, r.in, what.Ask.GetMethod(), what.Ask.GetParams(), progress)
			return &api.CallResponse_Result{Json: result, Error: pages.Error(err)}
		}
	case *api.CallRequest_Start_Automation:
		r.client = what.Automation.GetClient()
		return func(ctx context.Context, at begun) *api.CallResponse_Result {
			done, err := n.carryOutAutomation(ctx, what.Automation, at, progress)
			result := &api.CallResponse_Result{Json: done.GetResult(), Error: pages.Error(err), Automated: done}
			if done != nil {
				done.Result = nil // result.Json has it
			}
			return result
		}
	}
	return nil
}

// call calls the tool that the gateway's client saw, and no other. If the tool has changed and the newest catalog
// doesn't show that yet, the tab's actor finds the change.
func (n *Node) call(ctx context.Context, c *api.ToolCall, parent string,
	progress func(json.RawMessage)) *api.CallResponse_Result {
	began := time.Now()
	over, meta := func(string) {}, json.RawMessage(c.Meta)
	if trace := n.options.Trace; trace != nil {
		var own string
		own, over = trace("node", parent)
		meta = sanitize.WithTraceParent(meta, own)
	}
	var r registry.Result
	if tool, err := pages.Find(n.current.Load(), c); err != nil {
		r = sanitize.ErrorResult(registry.Sentence(err.Error()))
		r.Ending = sanitize.EndingGone
	} else {
		r = n.hub.Call(ctx, tool, c.Args, actors.CallExtras{Progress: progress, Meta: meta, Extensions: c.Extensions,
			Exactly: tool.Source()})
	}
	over(n.called(r, time.Since(began)))
	return &api.CallResponse_Result{Json: r.JSON, Called: &api.Called{IsError: r.IsError, Ending: valid(r.Ending),
		FrameUrl: valid(r.FrameURL), Opened: valid(r.Opened), Connects: r.Connects}}
}

// valid returns a text as valid UTF-8, which protobuf needs.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func serverOf(d *api.Document) registry.DocumentRef {
	return registry.DocumentRef{Page: registry.PageID(d.GetPage()), Frame: registry.FrameID(d.GetFrame()),
		Doc: offer.Gen(d.GetGeneration())}
}

func documentOf(s registry.DocumentRef) *api.Document {
	return &api.Document{Page: string(s.Page), Frame: string(s.Frame), Generation: uint64(s.Doc)}
}
