package link

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// packet is a MessageBatch of protoactor's remote, as it is on the wire: frames from one of our
// actors to one of the peer's. It is written and read here, because protobuf by reflection takes
// several times as long; TestPacketsAreRemotes holds it to protobuf's.
type packet struct{ raw []byte }

// codec is gRPC's for protobuf, and takes packets as they are.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if p, is := v.(*packet); is {
		return mem.BufferSlice{mem.SliceBuffer(p.raw)}, nil
	}
	return c.CodecV2.Marshal(v)
}

func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if p, is := v.(*packet); is {
		p.raw = data.Materialize()
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}

// route is what is the same in all packets of a stream: what comes before the frames in them, and
// what comes after.
type route struct{ before, after []byte }

func newRoute(from, to *actor.PID) (r route, err error) {
	if r.before, err = proto.Marshal(&remote.MessageBatch{TypeNames: []string{typeName},
		Targets: []*actor.PID{to}}); err != nil {
		return r, err
	}
	r.after, err = proto.Marshal(&remote.MessageBatch{Senders: []*actor.PID{from}})
	return r, err
}

// The numbers of fields.
const (
	batchOf     = 1 // RemoteMessage
	typesOf     = 1 // MessageBatch
	targetsOf   = 2
	envelopesOf = 3
	sendersOf   = 4
	typeOf      = 1 // MessageEnvelope; those that aren't here have no meaning for us
	dataOf      = 2
	targetOf    = 3
	senderOf    = 4
	serializer  = 5
	idOf        = 2 // PID
)

// pack puts frames into a packet.
func (r route) pack(frames [][]byte) *packet {
	size := len(r.before) + len(r.after)
	for _, f := range frames {
		size += 1 + protowire.SizeBytes(envelopeSize(f))
	}
	b := make([]byte, 0, 1+protowire.SizeBytes(size))
	b = protowire.AppendTag(b, batchOf, protowire.BytesType)
	b = append(protowire.AppendVarint(b, uint64(size)), r.before...)
	for _, f := range frames {
		b = protowire.AppendTag(b, envelopesOf, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(envelopeSize(f)))
		b = protowire.AppendTag(b, dataOf, protowire.BytesType)
		b = protowire.AppendBytes(b, f)
		b = protowire.AppendTag(b, senderOf, protowire.VarintType)
		b = protowire.AppendVarint(b, 1)
	}
	return &packet{append(b, r.after...)}
}

// envelopeSize is that of a frame with the index of its sender.
func envelopeSize(f []byte) int { return 1 + protowire.SizeBytes(len(f)) + 2 }

// unpack gives the frames of a packet, if each goes from the peer's one actor to ours. remote would
// take other targets for processes to relay to, other types for orders to its own actors, and
// indexes beyond an end for a reason to panic.
func (p *packet) unpack(from, to string) (frames [][]byte, err error) {
	var types, targets, senders int
	each := func(field protowire.Number, data []byte, _ uint64) error {
		switch field {
		case typesOf:
			if types++; string(data) != typeName {
				return errFrame
			}
		case targetsOf:
			targets++
			if id, err := pidIn(data); err != nil || id != to {
				return fmt.Errorf("it sent something to %q, and this is %s", id, to)
			}
		case sendersOf:
			senders++
			if id, err := pidIn(data); err != nil || id != from {
				return fmt.Errorf("it sent something as %q, and it is %s", id, from)
			}
		case envelopesOf:
			f, err := frameIn(data)
			frames = append(frames, f)
			return err
		}
		return nil
	}
	batches := 0
	err = fields(p.raw, func(field protowire.Number, data []byte, _ uint64) error {
		if batches++; field != batchOf {
			return errFrame
		}
		return fields(data, each)
	})
	if err == nil && (batches != 1 || types != 1 || targets != 1 || senders != 1) {
		err = errFrame
	}
	return frames, err
}

// frameIn gives the frame in an envelope.
func frameIn(envelope []byte) (f []byte, err error) {
	sender := uint64(0)
	err = fields(envelope, func(field protowire.Number, data []byte, n uint64) error {
		switch field {
		case dataOf:
			f = data
		case senderOf:
			sender = n
		case typeOf, targetOf, serializer:
			if n != 0 {
				return errFrame
			}
		}
		return nil
	})
	if err == nil && sender != 1 {
		err = errFrame
	}
	return f, err
}

func pidIn(raw []byte) (id string, err error) {
	err = fields(raw, func(field protowire.Number, data []byte, _ uint64) error {
		if field == idOf {
			id = string(data)
		}
		return nil
	})
	return id, err
}

// fields calls each with every field of a message: a number or data, by its type on the wire, or
// neither.
func fields(raw []byte, each func(field protowire.Number, data []byte, n uint64) error) error {
	for len(raw) > 0 {
		field, kind, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return errFrame
		}
		raw = raw[size:]
		var data []byte
		var n uint64
		switch kind {
		case protowire.BytesType:
			data, size = protowire.ConsumeBytes(raw)
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(raw)
		default:
			size = protowire.ConsumeFieldValue(field, kind, raw)
		}
		if size < 0 {
			return errFrame
		}
		raw = raw[size:]
		if err := each(field, data, n); err != nil {
			return err
		}
	}
	return nil
}
