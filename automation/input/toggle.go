package input

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
)

// toggle switches a checkbox, a radio button or a switch, native or ARIA, to "true" or "false" by clicking it, unless
// it has that state already.
func (t *Tab) toggle(ctx context.Context, e *element, is field, value string, l Limits) (*Outcome, error) {
	want, ok := ParseToggle(value)
	if !ok {
		return nil, fmt.Errorf(`%s is switched by "true" or "false", not by %q`, e, value)
	}
	if is.Value == want {
		return &Outcome{Delivered: true, Value: is.Value, Note: "It was so already."}, nil
	}
	if is.Radio && want == "false" {
		return nil, fmt.Errorf("%s is a radio button: it is switched off by choosing another one of its group", e)
	}
	out := &Outcome{}
	for range 2 { // a mixed one may need two clicks
		var err error
		if out, err = t.click(ctx, e, ClickOptions{Button: Left, Clicks: 1, Limits: l}); err != nil ||
			out.Dialog != nil {
			return out, err
		}
		var now field
		if err := e.call(ctx, &now, "field"); err != nil {
			return out.unless(err)
		}
		out.Value = now.Value
		if now.Value == want || now.State == Detached {
			return out, nil
		}
		if is.Value != "mixed" {
			break
		}
	}
	return nil, fmt.Errorf("%s was clicked, but it is %s, not %s: the page did not let it change", e,
		cmp.Or(out.Value, "gone"), want)
}

// choices returns the options that values name. For a list with multiple choice, a single value can be a JSON array
// of them.
func choices(is field, values []string) []string {
	var several []string
	if is.Multiple && len(values) == 1 && json.Unmarshal([]byte(values[0]), &several) == nil {
		return several
	}
	return values
}

// choose chooses exactly the options of a select element that the words name, by value or by label. It waits for
// options that aren't there or are disabled. first is what a look has just seen, or nil.
func (t *Tab) choose(ctx context.Context, e *element, words []string, first *seen, l Limits) (*Outcome, error) {
	var is choice
	out := &Outcome{}
	err := t.ready(ctx, e, needs{"enabled"}, first, l, func() (Observation, error) {
		is = choice{}
		if err := e.changing(ctx, out, &is, "choose", words); err != nil {
			return Observation{}, err
		}
		switch is.State {
		case Ready:
			return Observation{State: Arrived}, nil
		case "unknown", "optionoff":
			return Observation{State: is.State}, nil
		}
		_, err := is.outcome(out, e)
		return Observation{}, err
	})
	out, err = out.unless(err)
	if err != nil && is.State != "unknown" && is.State != "optionoff" || out != nil && out.Dialog != nil {
		return out, err
	}
	return is.outcome(out, e)
}
