package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"webmcphub/automation/page"
)

// Field is a form field with what it is to hold.
type Field struct {
	Node   Node
	Values []string // as for Fill
}

// FieldResult is what became of a field.
type FieldResult struct {
	*Outcome
	Err error
}

// ErrNotFilled says that a form's field wasn't reached.
var ErrNotFilled = errors.New("not filled: the form could not be gone on with")

// FillForm fills fields one after the other, in one turn. A field that can't be filled doesn't
// keep the others from it; a dialog, a navigation or the end of ctx does, and the rest has
// ErrNotFilled. The requests that the fields begin are waited for after the last one.
func (t *Tab) FillForm(ctx context.Context, fields []Field, o FillOptions) ([]FieldResult, error) {
	before := t.done.Load()
	release, err := t.turn(ctx, o.Limits)
	if err != nil {
		return nil, err
	}
	defer release()
	all := t.watch("")
	defer all.close()
	o.Limits.unawaited = true
	results := make([]FieldResult, len(fields))
	stopped := false
	var last *FieldResult
	for i, f := range fields {
		if stopped {
			results[i].Err = ErrNotFilled
			continue
		}
		if i > 0 || t.done.Load() != before {
			f.Node.Checked = time.Time{} // what was filled may have changed the others
		}
		out, err := t.during(ctx, f.Node, o.Limits, func(ctx context.Context, e *element) (*Outcome, error) {
			return t.fill(ctx, e, f.Values, o)
		})
		results[i] = FieldResult{out, err}
		all.loads = append(all.loads, f.Node.Frame.ID)
		if err == nil {
			last = &results[i]
		}
		var open *page.DialogOpen
		switch {
		case errors.As(err, &open), ctx.Err() != nil, t.page.Err() != nil:
			stopped = true
		case out != nil:
			stopped = out.Dialog != nil || out.Navigation != nil && !out.Navigation.Within
		}
	}
	if last == nil || stopped {
		return results, nil
	}
	for _, r := range results {
		if r.Outcome != nil {
			r.Popups, r.Downloads = nil, nil // those of all fields are seen again
		}
	}
	navigation := last.Navigation
	last.Err = all.settle(ctx, o.Limits.navigation(), last.Outcome)
	last.Navigation = cmp.Or(last.Navigation, navigation)
	return results, nil
}

// EndedAmong is an error if the page ended while fields were filled: there is nothing more to tell
// of it than how many were.
func EndedAmong(filled []FieldResult) error {
	done := 0
	for _, result := range filled {
		if ended := new(page.Ended); errors.As(result.Err, &ended) {
			return fmt.Errorf("filled %d of %d fields: %w", done, len(filled), ended)
		}
		if result.Err == nil && result.Undone() == nil {
			done++
		}
	}
	return nil
}
