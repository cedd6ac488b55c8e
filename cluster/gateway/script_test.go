package gateway_test

import (
	"io"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"webmcphub/cluster/api"
	"webmcphub/cluster/transport"
)

type (
	watchStream = grpc.BidiStreamingServer[api.WatchRequest, api.WatchResponse]
	callStream  = grpc.BidiStreamingServer[api.CallRequest, api.CallResponse]
)

// script is a node that says what a test has it say.
type script struct {
	api.UnimplementedNodeServer
	told func(watchStream) error
	call func(*api.CallRequest_Start) *api.CallResponse_Result
}

// Watch says hello and what the script tells, and answers pings.
func (s script) Watch(stream watchStream) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	hello := &api.WatchResponse_Hello{Incarnation: "n"}
	if err := stream.Send(&api.WatchResponse{Event: &api.WatchResponse_Hello_{Hello: hello}}); err != nil {
		return err
	}
	if err := s.told(stream); err != nil {
		return err
	}
	for {
		m, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if ping := m.GetPing(); ping != nil {
			pong := &api.WatchResponse_Pong{Seq: ping.Seq}
			if err := stream.Send(&api.WatchResponse{Event: &api.WatchResponse_Pong_{Pong: pong}}); err != nil {
				return err
			}
		}
	}
}

// Call gives the script's result.
func (s script) Call(stream callStream) error {
	m, err := stream.Recv()
	if err != nil {
		return err
	}
	if s.call == nil {
		return status.Error(codes.Unimplemented, "no call")
	}
	return stream.Send(&api.CallResponse{Event: &api.CallResponse_Result_{Result: s.call(m.GetStart())}})
}

// serve serves the script as a node, and returns its address.
func (s script) serve(t *testing.T, name string) string {
	t.Helper()
	server, err := transport.Listen(transport.ServerOptions{Node: name, Listen: "127.0.0.1:0", Logger: logger(t)})
	if err != nil {
		t.Fatal(err)
	}
	api.RegisterNodeServer(server, s)
	server.Serve()
	t.Cleanup(server.Close)
	return server.Addr()
}

// delta has a stream send deltas.
func delta(all ...*api.Delta) func(watchStream) error {
	return func(stream watchStream) error {
		for _, d := range all {
			if err := stream.Send(&api.WatchResponse{Event: &api.WatchResponse_Delta{Delta: d}}); err != nil {
				return err
			}
		}
		return nil
	}
}

// onePage is a node with the page "p" at http://NAME.test/, which offers a tool.
func onePage(name string, tool *api.Tool) *api.Delta {
	tool.Document, tool.Runtime, tool.Number = 1, "native", 1
	return &api.Delta{Version: 1, Browsers: &api.Browsers{All: []*api.Browser{{Name: "b"}}}, Pages: []*api.Page{{Id: "p",
		Info:  &api.PageInfo{Browser: "b", Url: "http://" + name + ".test/", Origin: "http://" + name + ".test", Document: 1},
		Tools: &api.Tools{Numbers: []uint64{1}, New: []*api.Tool{tool}}}}}
}

// scriptedNode is a node with the tool "buy" of one page. It carries out calls as the test says. It returns its
// address.
func scriptedNode(t *testing.T, name string, call func(*api.CallRequest_Start) *api.CallResponse_Result) string {
	t.Helper()
	return script{told: delta(onePage(name, &api.Tool{Name: "buy"})), call: call}.serve(t, name)
}
