package link

import (
	"bytes"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

// batch is the message of protoactor's remote that carries frames from one actor to another.
func batch(from, to *actor.PID, frames [][]byte) *remote.RemoteMessage {
	envelopes := make([]*remote.MessageEnvelope, len(frames))
	for i, f := range frames {
		envelopes[i] = &remote.MessageEnvelope{MessageData: f, Sender: 1}
	}
	return &remote.RemoteMessage{MessageType: &remote.RemoteMessage_MessageBatch{MessageBatch: &remote.MessageBatch{
		TypeNames: []string{typeName}, Targets: []*actor.PID{to}, Senders: []*actor.PID{from}, Envelopes: envelopes,
	}}}
}

// TestPacketsAreRemotes: a packet is byte for byte what protobuf makes of remote's message, and gives
// the same frames.
func TestPacketsAreRemotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frames := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 300), 1, 5).Draw(t, "frames")
		from, to := actor.NewPID(rapid.String().Draw(t, "from"), "node/a"), actor.NewPID(rapid.String().Draw(t, "to"), "gateway/g")
		route, err := newRoute(from, to)
		if err != nil {
			t.Fatal(err)
		}
		want, err := proto.Marshal(batch(from, to, frames))
		if err != nil {
			t.Fatal(err)
		}
		p := route.pack(frames)
		if !bytes.Equal(p.raw, want) {
			t.Fatalf("packed as %x; protobuf has %x", p.raw, want)
		}
		got, err := p.unpack("node/a", "gateway/g")
		if err != nil || !bytes.Equal(bytes.Join(got, []byte("|")), bytes.Join(frames, []byte("|"))) {
			t.Fatalf("unpacked as %x, %v; it was %x", got, err, frames)
		}
	})
}

// FuzzUnpack: what a peer sends leads to no panic, and nothing is taken that isn't remote's.
func FuzzUnpack(f *testing.F) {
	from, to := actor.NewPID("x", "node/a"), actor.NewPID("y", "gateway/g")
	raw, _ := proto.Marshal(batch(from, to, frames([]byte("{}"))))
	f.Add(raw)
	f.Add([]byte{10, 3, 26, 1, 10})
	f.Fuzz(func(t *testing.T, raw []byte) {
		frames, err := (&packet{raw}).unpack("node/a", "gateway/g")
		if err != nil {
			return
		}
		var m remote.RemoteMessage
		if err := proto.Unmarshal(raw, &m); err != nil {
			return // texts that aren't UTF-8, in what isn't looked at
		}
		if n := len(m.GetMessageBatch().GetEnvelopes()); n != len(frames) {
			t.Errorf("%d frames were taken, and there are %d envelopes", len(frames), n)
		}
	})
}
