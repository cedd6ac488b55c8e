package link

import (
	"errors"
	"strings"

	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/protobuf/encoding/protowire"
)

// What a frame is. It is the first byte of the BytesValue that carries it.
const (
	whole   byte = iota // a message, or the last part of one
	part                // a part of a message; more follow
	beating             // a sign of life
)

const (
	// largestPart is how many bytes of a message one frame carries, so that a long message on a slow
	// network is itself a sign of life.
	largestPart = 32 << 10
	// largestBatch is from how many bytes on no frame is added to a batch.
	largestBatch = 32 << 10
	// typeName is the only type that is sent.
	typeName = "google.protobuf.BytesValue"
)

// frames takes a message apart. Each is a BytesValue as protobuf has it.
func frames(raw []byte) [][]byte {
	var all [][]byte
	for len(raw) > largestPart {
		all = append(all, encodeFrame(part, raw[:largestPart]))
		raw = raw[largestPart:]
	}
	return append(all, encodeFrame(whole, raw))
}

func encodeFrame(kind byte, data []byte) []byte {
	b := make([]byte, 0, len(data)+8)
	b = protowire.AppendTag(b, 1, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(data)+1))
	return append(append(b, kind), data...)
}

var errFrame = errors.New("it sent something that isn't a message of ours")

func decodeFrame(b []byte) (kind byte, data []byte, err error) {
	number, kindOf, n := protowire.ConsumeTag(b)
	if n < 0 || number != 1 || kindOf != protowire.BytesType {
		return 0, nil, errFrame
	}
	value, m := protowire.ConsumeBytes(b[n:])
	if m < 0 || n+m != len(b) || len(value) == 0 || value[0] > beating {
		return 0, nil, errFrame
	}
	return value[0], value[1:], nil
}

// parts are what has come of a message that hasn't come whole.
type parts []byte

// add takes a frame in, and gives the message that it completes, nil if it completes none.
func (p *parts) add(f []byte) (raw []byte, err error) {
	kind, data, err := decodeFrame(f)
	switch {
	case err != nil || kind == beating:
		return nil, err
	case len(*p)+len(data) > MaxMessage:
		return nil, errors.New("it sent a message that is too large")
	case kind == part:
		*p = append(*p, data...)
		return nil, nil
	case *p == nil:
		return data, nil
	}
	raw, *p = append(*p, data...), nil
	return raw, nil
}

// opening is the first thing that is said on a stream: whose it is, whom it is meant for, and which
// link it belongs to.
type opening struct {
	from, to, session string
	address           string // where from listens
}

func (o opening) message() *remote.RemoteMessage {
	return &remote.RemoteMessage{MessageType: &remote.RemoteMessage_ConnectRequest{ConnectRequest: &remote.ConnectRequest{
		ConnectionType: &remote.ConnectRequest_ServerConnection{ServerConnection: &remote.ServerConnection{
			SystemId: o.from + ">" + o.to + "#" + o.session, Address: o.address,
		}},
	}}}
}

func readOpening(m *remote.RemoteMessage) (opening, error) {
	c := m.GetConnectRequest().GetServerConnection()
	from, rest, ok := strings.Cut(c.GetSystemId(), ">")
	to, session, ok2 := strings.Cut(rest, "#")
	if !ok || !ok2 || session == "" || len(session) > 64 {
		return opening{}, errors.New("it didn't say who it is: is something else than a gateway or a node " +
			"connecting here?")
	}
	return opening{from, to, session, c.GetAddress()}, nil
}

// accepted answers an opening.
func accepted(self string) *remote.RemoteMessage {
	return &remote.RemoteMessage{MessageType: &remote.RemoteMessage_ConnectResponse{ConnectResponse: &remote.ConnectResponse{MemberId: self}}}
}
