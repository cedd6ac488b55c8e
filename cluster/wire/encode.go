package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// Message is anything that is sent between a gateway and a node.
type Message interface{ message() }

// ErrUnknownKind says that a message is of a kind that this build doesn't know.
var ErrUnknownKind = errors.New("a message of an unknown kind")

// envelope is a message as it is sent. [Encode] writes the same.
type envelope struct {
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// kinds are the messages by their names on the wire.
var kinds = map[string]Message{
	"hello": Hello{}, "want": Want{}, "request": Request{}, "cancel": Cancel{}, "answered": Answered{}, "ping": Ping{},
	"got":     Got{},
	"welcome": Welcome{}, "refused": Refused{}, "whole": Whole{}, "changes": Changes{}, "reply": Reply{},
	"progress": Progress{},
	"question": Question{}, "questionOver": QuestionOver{}, "told": Told{}, "pong": Pong{}, "leaving": Leaving{},
}

// names are those names by the messages' types.
var names = func() map[reflect.Type]string {
	all := map[reflect.Type]string{}
	for name, m := range kinds {
		all[reflect.TypeOf(m)] = name
	}
	return all
}()

// Encode gives a message as it is sent. It fails where a raw part of it isn't JSON.
func Encode(m Message) ([]byte, error) {
	name, ok := names[reflect.TypeOf(m)]
	if !ok {
		return nil, fmt.Errorf("%T: %w", m, ErrUnknownKind)
	}
	body, err := bodyOf(m)
	if err != nil {
		return nil, err
	}
	// As json.Marshal would give an envelope, which would scan the body once more.
	return slices.Concat([]byte(before+name+between), ahead(body), []byte(after)), nil
}

// What is around a kind and a body.
const before, between, after = `{"kind":"`, `","body":`, `}`

func bodyOf(m Message) ([]byte, error) {
	if c, is := m.(Changes); is && c.shared != nil {
		return c.shared.body(c)
	}
	return json.Marshal(m)
}

// Decode reads a message. The error is [ErrUnknownKind] for one of a kind that this build doesn't
// know.
func Decode(raw []byte) (Message, error) {
	if m := decodeOurs(raw); m != nil {
		return m, nil
	}
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, fmt.Errorf("a message can't be read: %w", err)
	}
	like, ok := kinds[e.Kind]
	if !ok {
		return nil, fmt.Errorf("%q: %w", e.Kind, ErrUnknownKind)
	}
	m, err := decodeBody(like, e.Body)
	if err != nil {
		return nil, fmt.Errorf("a message of kind %q can't be read: %w", e.Kind, err)
	}
	return m, nil
}

// decodeOurs reads a message whose envelope is as [Encode] writes it, without scanning the body twice. It
// gives nil for any other, and where anything is wrong.
func decodeOurs(raw []byte) Message {
	rest, starts := bytes.CutPrefix(raw, []byte(before))
	name, rest, parted := bytes.Cut(rest, []byte(between))
	body, ends := bytes.CutSuffix(rest, []byte(after))
	like, known := kinds[string(name)]
	if !starts || !parted || !ends || !known {
		return nil
	}
	m, err := decodeBody(like, body)
	if err != nil {
		return nil // as where more follows the body
	}
	return m
}

func decodeBody(like Message, body []byte) (Message, error) {
	if err := bounded(like, body); err != nil {
		return nil, err
	}
	into := reflect.New(reflect.TypeOf(like))
	if err := json.Unmarshal(body, into.Interface()); err != nil {
		return nil, err
	}
	return into.Elem().Interface().(Message), nil
}
