package wire

import (
	"bytes"
	"encoding/json"
	"sync"
)

// shared is the body of [Changes] that go to several gateways, encoded once.
type shared struct {
	once sync.Once
	raw  []byte // up to the name of the talk
	err  error
}

// noTalk is what the encoded body ends with where the talk has no name: Talk is its last field.
const noTalk = `""}`

// Shared are changes that several gateways are told: a copy with another Talk is encoded by what
// the first one's encoding came to. Nothing else of the copies may differ.
func (c Changes) Shared() Changes {
	c.shared = &shared{}
	return c
}

// body encodes changes for their talk.
func (s *shared) body(c Changes) ([]byte, error) {
	s.once.Do(func() {
		c := c
		c.Talk = ""
		s.raw, s.err = json.Marshal(c)
		s.raw = bytes.TrimSuffix(s.raw, []byte(noTalk))
	})
	if s.err != nil {
		return nil, s.err
	}
	talk, err := json.Marshal(c.Talk)
	if err != nil {
		return nil, err
	}
	all := make([]byte, 0, len(s.raw)+len(talk)+1)
	return append(append(append(all, s.raw...), talk...), '}'), nil
}
