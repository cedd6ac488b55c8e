package live

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"webmcphub/live/page"
	"webmcphub/registry/mcpserver/calls"
	"webmcphub/registry/sanitize"
)

// question waits for an answer.
type question struct {
	calls.Question
	since   time.Time
	text    string
	legend  string
	name    string               // of the form's one field
	choices []page.Choice        // what may be answered
	values  map[string]any       // by a choice's value
	answer  chan json.RawMessage // has room for one
}

// Person asks the page's user what a client can't ask its own; it is a
// [calls.Oversight].Person. It waits until somebody has answered, or ctx ends.
func (s *Server) Person(ctx context.Context, q calls.Question) (json.RawMessage, error) {
	asked, err := readQuestion(q)
	if err != nil {
		return nil, err
	}
	id := rand.Text()
	s.mu.Lock()
	s.questions[id] = asked
	s.mu.Unlock()
	s.log.Info("a client's call waits for an answer on the hub's live page", "client", q.Client, "session", q.Session)
	s.viewers.wake()
	defer func() {
		s.mu.Lock()
		delete(s.questions, id)
		s.mu.Unlock()
		s.viewers.wake()
	}()
	select {
	case answer := <-asked.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// errForm is of questions that the page has no form for.
var errForm = errors.New("the hub's live page can't show this question")

// decline is the answer that isn't one of the form's.
const decline = "decline"

// readQuestion reads the params of an elicitation/create with one field to choose in.
func readQuestion(q calls.Question) (*question, error) {
	var p struct {
		Message         string `json:"message"`
		RequestedSchema struct {
			Properties map[string]struct {
				Type      string   `json:"type"`
				Title     string   `json:"title"`
				Enum      []string `json:"enum"`
				EnumNames []string `json:"enumNames"`
			} `json:"properties"`
		} `json:"requestedSchema"`
	}
	if json.Unmarshal(q.Params, &p) != nil || len(p.RequestedSchema.Properties) != 1 {
		return nil, errForm
	}
	a := &question{Question: q, since: time.Now(), text: p.Message, values: map[string]any{}, answer: make(chan json.RawMessage, 1)}
	for name, f := range p.RequestedSchema.Properties {
		a.name, a.legend = name, f.Title
		switch {
		case f.Type == "boolean":
			a.add("false", "No", false)
			a.add("true", "Yes", true)
		case len(f.Enum) > 0 && (len(f.EnumNames) == 0 || len(f.EnumNames) == len(f.Enum)):
			for i, value := range f.Enum {
				title := value
				if len(f.EnumNames) > 0 {
					title = f.EnumNames[i]
				}
				a.add(value, title, value)
			}
		default:
			return nil, errForm
		}
	}
	a.choices = append(a.choices, page.Choice{Value: decline, Title: "Don't answer: the call ends"})
	return a, nil
}

func (a *question) add(value, title string, means any) {
	a.choices = append(a.choices, page.Choice{Value: value, Title: title})
	a.values[value] = means
}

// said is the answer that a choice is; nil of what is none.
func (a *question) said(choice string) json.RawMessage {
	if choice == decline {
		return json.RawMessage(`{"action":"decline"}`)
	}
	value, is := a.values[choice]
	if !is {
		return nil
	}
	return sanitize.Encode(map[string]any{"action": "accept", "content": map[string]any{a.name: value}})
}
