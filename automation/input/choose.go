package input

import (
	"context"
	"fmt"
	"strings"
)

// choice is the helper's answer to choosing in a select element.
type choice struct {
	State   State    `json:"state"`
	By      string   `json:"by"`
	Word    string   `json:"word"`
	Options []string `json:"options"`
	Count   int      `json:"count"`
	Values  []string `json:"values"`
	Labels  []string `json:"labels"`
}

// outcome completes the Outcome of the action that got the answer.
func (c choice) outcome(out *Outcome, e *element) (*Outcome, error) {
	switch c.State {
	case Ready:
		out.Value = strings.Join(c.Labels, ", ")
		return out, nil
	case "noselect":
		return nil, fmt.Errorf("%s is no list to choose from: it is %s", e, c.By)
	case "single":
		return nil, fmt.Errorf("%s takes one choice only", e)
	case "unknown":
		return nil, fmt.Errorf("%s has no option %q; it has %s", e, c.Word, ListOptions(c.Options, c.Count))
	case "optionoff":
		return nil, fmt.Errorf("the option %q of %s is disabled; the options are %s", c.Word, e,
			ListOptions(c.Options, c.Count))
	}
	return nil, &NotActionable{What: e.String(), State: c.State, By: c.By}
}

// changing calls a function of the helper that changes a field and reports when the change begins. If a dialog opens
// before that, Chrome makes the change when the dialog is answered.
func (e *element) changing(ctx context.Context, out *Outcome, result any, function string, args ...any) error {
	e.tab.guard++
	number := e.tab.guard
	err := e.call(ctx, result, function, append(args, number)...)
	out.Delivered, out.unsure = went(err), nil
	if opened(err) != nil && out.Delivered && !e.tab.sees(ctx, number) {
		out.Delivered, out.unsure = false, errLater
	}
	return err
}
