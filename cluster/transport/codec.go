package transport

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	_ "google.golang.org/grpc/encoding/proto" // registers the codec
)

const (
	// maxElements is how many submessages and repeated values a message may have.
	maxElements = 1 << 18
	// numbersAnElement is how many repeated numbers count as one element.
	numbersAnElement = 16
	// small is the size in bytes up to which the elements of a message aren't counted.
	small = 64 << 10
)

// codec is gRPC's codec for protobuf with a limit for the memory that a decoded message takes.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

// Unmarshal decodes a message. It returns an error if the message has too many elements.
func (c codec) Unmarshal(data mem.BufferSlice, into any) error {
	m, is := into.(proto.Message)
	if data.Len() <= small || !is {
		return c.CodecV2.Unmarshal(data, into)
	}
	whole := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer whole.Free()
	raw := whole.ReadOnlyData()
	if elements(raw, m.ProtoReflect().Descriptor()) > maxElements*numbersAnElement {
		return fmt.Errorf("the message has more than %d elements", maxElements)
	}
	return proto.Unmarshal(raw, m)
}

// elements counts a message's submessages and repeated values, each as numbersAnElement, and repeated numbers, each as
// one. If raw isn't a valid message, the count may be wrong.
func elements(raw []byte, of protoreflect.MessageDescriptor) (n int) {
	for len(raw) > 0 && n <= maxElements*numbersAnElement {
		number, kind, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return n
		}
		raw = raw[size:]
		if size = protowire.ConsumeFieldValue(number, kind, raw); size < 0 {
			return n
		}
		field := of.Fields().ByNumber(number)
		value := raw[:size]
		raw = raw[size:]
		switch {
		case field == nil:
		case field.Message() != nil && kind == protowire.BytesType:
			inner, _ := protowire.ConsumeBytes(value)
			n += numbersAnElement + elements(inner, field.Message())
		case field.IsList() && field.IsPacked() && kind == protowire.BytesType:
			n += size
		case field.IsList():
			n += numbersAnElement
		}
	}
	return n
}
