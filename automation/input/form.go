package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"webmcphub/automation/page"
)

// Field is a form field and the values to fill in.
type Field struct {
	Node   Node
	Values []string // as for Fill
}

// FieldResult is the result of filling one field.
type FieldResult struct {
	*Outcome
	Err error
}

// ErrNotFilled says that FillForm stopped before it came to this field.
var ErrNotFilled = errors.New("not filled: the form could not be gone on with")

// FillForm fills fields one after the other, within one turn. If a field can't be filled, FillForm goes on with the
// others. If a dialog opens, a navigation begins or ctx ends, it stops, and the remaining fields get ErrNotFilled. It
// waits for the requests that the fields began after the last field.
func (t *Tab) FillForm(ctx context.Context, fields []Field, l Limits) ([]FieldResult, error) {
	before := t.done.Load()
	release, err := t.turn(ctx, l)
	if err != nil {
		return nil, err
	}
	defer release()
	all := t.watch("")
	defer all.close()
	l.unawaited = true
	results := make([]FieldResult, len(fields))
	stopped := false
	var last *FieldResult
	for i, f := range fields {
		if stopped {
			results[i].Err = ErrNotFilled
			continue
		}
		if i > 0 || t.done.Load() != before {
			f.Node.Checked = time.Time{} // filling other fields may have changed this one
		}
		out, err := t.during(ctx, f.Node, l, func(ctx context.Context, e *element) (*Outcome, error) {
			return t.fill(ctx, e, f.Values, l)
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
			r.Popups, r.Downloads = nil, nil // all.settle reports those of all fields
		}
	}
	navigation := last.Navigation
	last.Err = all.settle(ctx, last.Outcome)
	last.Navigation = cmp.Or(last.Navigation, navigation)
	return results, nil
}

// EndedAmong returns an error if the page ended while fields were filled. The error says how many fields were filled
// before.
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
