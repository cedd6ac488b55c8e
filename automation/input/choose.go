package input

import (
	"context"
	"fmt"
	"strings"
)

// choice is what choosing in a select answers.
type choice struct {
	State   State    `json:"state"`
	By      string   `json:"by"`
	Word    string   `json:"word"`
	Options []string `json:"options"`
	Count   int      `json:"count"`
	Values  []string `json:"values"`
	Labels  []string `json:"labels"`
}

func (c choice) outcome(e *element) (*Outcome, error) {
	switch c.State {
	case Ready:
		return &Outcome{Delivered: true, Value: strings.Join(c.Labels, ", ")}, nil
	case "noselect":
		return nil, fmt.Errorf("%s is no list to choose from: it is %s", e, c.By)
	case "single":
		return nil, fmt.Errorf("%s takes one choice only", e)
	case "unknown":
		return nil, fmt.Errorf("%s has no option %q; it has %s", e, c.Word, c.list())
	case "optionoff":
		return nil, fmt.Errorf("the option %q of %s is disabled; the options are %s", c.Word, e, c.list())
	}
	return nil, &NotActionable{What: e.String(), State: c.State, By: c.By}
}

func (c choice) list() string {
	if len(c.Options) == 0 {
		return "no options"
	}
	var quoted []string
	for _, o := range c.Options {
		quoted = append(quoted, fmt.Sprintf("%q", o))
	}
	list := strings.Join(quoted, ", ")
	if more := c.Count - len(c.Options); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// SelectOptions are how to choose.
type SelectOptions struct{ Limits Limits }

// Select chooses exactly the options of a select element that the words mean, by value or by
// label. Options that aren't there yet are waited for.
func (t *Tab) Select(ctx context.Context, n Node, words []string, o SelectOptions) (*Outcome, error) {
	return t.on(ctx, n, o.Limits, func(ctx context.Context, e *element) (*Outcome, error) {
		return t.choose(ctx, e, words, o.Limits)
	})
}
