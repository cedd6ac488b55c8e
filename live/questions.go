package live

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// question is a question that waits for an answer.
type question struct {
	calls.Question
	since   time.Time
	until   time.Time // the zero time if the question waits for as long as its call
	text    string
	about   *Action // what the client wants to do, if the question describes it in parts
	legend  string
	name    string               // of the form's field that offers the choices
	choices []Choice             // the possible answers
	dates   []Date               // dates that may be given with the answer
	values  map[string]any       // what each choice means, by the choice's value
	answer  chan json.RawMessage // has room for one
	call    uint64               // the id of the call that waits for the answer; 0 if unknown
}

// waits returns the id of the running call to which a question belongs, or 0. A question names its client and tool. If
// several calls have these, it belongs to the one that began last.
func (s *State) waits(q *question) (id uint64) {
	for _, c := range s.running {
		if c.Session == q.Session && c.ID >= id && (q.about == nil || q.about.HubName == c.Name) {
			id = c.ID
		}
	}
	return id
}

// Action is what an agent wants to do, in parts. Tool, HubName, Shown, To, Args, Besides, On and Description have words
// of the page or of the agent.
type Action struct {
	Tool        string         `json:"tool"`
	HubName     string         `json:"hubName"`
	Kind        string         `json:"kind"`
	Origin      string         `json:"origin"`
	Tab         registry.TabID `json:"tabId"`
	Browser     string         `json:"browser"`
	To          string         `json:"to"`
	Why         []string       `json:"why"`
	Shown       Member         `json:"shown"` // what would go to another site
	Args        []Member       `json:"args"`
	Besides     []Member       `json:"besides"`
	On          Member         `json:"on"`
	OnMore      string         `json:"onMore"`
	Changed     string         `json:"changed"`
	Description Member         `json:"description"`
}

// Person asks the page's user what a client can't ask its own user. It is used as [calls.Oversight].Person. It waits
// until somebody has answered or ctx ends.
func (s *Server) Person(ctx context.Context, q calls.Question) (json.RawMessage, error) {
	pending, err := readQuestion(q)
	if err != nil {
		return nil, err
	}
	id := rand.Text()
	pending.until, _ = ctx.Deadline()
	s.store.tell(func(b *store) {
		pending.call = b.state.waits(pending)
		b.questions[id] = pending
	})
	s.log.Info("a client's call waits for an answer on the hub's live page", "client", q.Client, "session", q.Session)
	defer s.store.tell(func(b *store) { delete(b.questions, id) })
	select {
	case answer := <-pending.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// errForm is returned for questions for which the page has no form.
var errForm = errors.New("the hub's live page can't show this question")

// decline is the answer that is not one of the form's choices.
const decline = "decline"

// field is a field of a form.
type field struct {
	Type        string   `json:"type"`
	Format      string   `json:"format"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	EnumNames   []string `json:"enumNames"`
}

// readQuestion reads the params of an elicitation/create. Its form must have one field that offers choices, and may
// have fields for dates.
func readQuestion(q calls.Question) (*question, error) {
	var p struct {
		Message string `json:"message"`
		Meta    struct {
			About *Action `json:"webmcp-hub/question"`
		} `json:"_meta"`
		RequestedSchema struct {
			Properties map[string]field `json:"properties"`
			Required   []string         `json:"required"`
		} `json:"requestedSchema"`
	}
	if json.Unmarshal(q.Params, &p) != nil {
		return nil, errForm
	}
	a := &question{Question: q, since: time.Now(), text: p.Message, about: p.Meta.About, values: map[string]any{},
		answer: make(chan json.RawMessage, 1)}
	for name, f := range p.RequestedSchema.Properties {
		if f.Type == "string" && f.Format == "date" && !slices.Contains(p.RequestedSchema.Required, name) {
			a.dates = append(a.dates, Date{Name: name, Title: f.Title, Description: f.Description})
		} else if a.name != "" || !a.chooses(name, f) {
			return nil, errForm
		}
	}
	if a.name == "" {
		return nil, errForm
	}
	slices.SortFunc(a.dates, func(a, b Date) int { return cmp.Compare(a.Name, b.Name) })
	a.choices = append(a.choices, Choice{Value: decline, Title: "Don't answer: the call ends"})
	return a, nil
}

// chooses makes a field the one that offers the choices. It returns false if the field can't do so.
func (a *question) chooses(name string, f field) bool {
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
		return false
	}
	return true
}

func (a *question) add(value, title string, means any) {
	a.choices = append(a.choices, Choice{Value: value, Title: title})
	a.values[value] = means
}

// answerTo returns the answer that a choice stands for, with the dates that were given. It returns nil for a value that
// isn't a choice.
func (a *question) answerTo(choice string, date func(name string) string) json.RawMessage {
	if choice == decline {
		return json.RawMessage(`{"action":"decline"}`)
	}
	value, is := a.values[choice]
	if !is {
		return nil
	}
	content := map[string]any{a.name: value}
	for _, d := range a.dates {
		if given := date(d.Name); given != "" {
			content[d.Name] = given
		}
	}
	return sanitize.Encode(map[string]any{"action": "accept", "content": content})
}
