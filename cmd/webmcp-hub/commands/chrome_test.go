package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"webmcphub/cdpclient"
)

// scripted is a Chrome that answers each command by its method, each answer once.
type scripted struct {
	answers map[string][]string
	said    chan []byte
}

func (s *scripted) Read() ([]byte, error) {
	m, open := <-s.said
	if !open {
		return nil, cdpclient.ErrConnClosed
	}
	return m, nil
}

func (s *scripted) Write(m []byte) error {
	var command struct {
		ID     int
		Method string
	}
	if err := json.Unmarshal(m, &command); err != nil {
		return err
	}
	answer := `"result":{}`
	if all := s.answers[command.Method]; len(all) > 0 {
		answer, s.answers[command.Method] = all[0], all[1:]
	}
	s.said <- fmt.Appendf(nil, `{"id":%d,%s}`, command.ID, answer)
	if command.Method == cdpclient.TargetCloseTarget {
		close(s.said) // it is the last one
	}
	return nil
}

func (s *scripted) Close() error { return nil }

// TestTheEmptyDocumentEnds: the page that is looked at begins with an empty document, and Chrome
// refuses what waits there when the page's own comes.
func TestTheEmptyDocumentEnds(t *testing.T) {
	const object, gone = `"result":{"result":{"type":"string","value":"object"}}`, `"error":{"code":-32000,"message":"Execution context was destroyed."}`
	for _, c := range []struct {
		answers []string
		good    bool
		says    string
	}{
		{[]string{object}, true, "WebMCP is switched on"},
		{[]string{gone, strings.Replace(gone, "Execution context was destroyed.", "Inspected target navigated or closed", 1), object}, true, "WebMCP is switched on"},
		{[]string{gone, `"result":{"result":{"type":"string","value":"undefined"}}`}, false, "WebMCP is switched off"},
		{[]string{`"error":{"code":-32601,"message":"'Runtime.evaluate' wasn't found"}`}, false, "wasn't found"},
	} {
		chrome := &scripted{said: make(chan []byte, 10), answers: map[string][]string{
			cdpclient.TargetCreateTarget:   {`"result":{"targetId":"T"}`},
			cdpclient.TargetAttachToTarget: {`"result":{"sessionId":"S"}`},
			cdpclient.RuntimeEvaluate:      c.answers,
		}}
		if got := webmcp(t.Context(), chrome, "update it"); got.good != c.good || !strings.Contains(got.text, c.says) {
			t.Errorf("%q: %+v", c.answers, got)
		}
	}
}
