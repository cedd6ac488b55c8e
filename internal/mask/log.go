package mask

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler returns a handler that masks secrets in messages and attributes, and then passes them on.
func Handler(next slog.Handler) slog.Handler { return handler{next} }

type handler struct{ next slog.Handler }

func (h handler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	var m Masker
	masked := slog.NewRecord(r.Time, r.Level, m.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		masked.AddAttrs(m.attr(a))
		return true
	})
	return h.next.Handle(ctx, masked)
}

func (h handler) WithAttrs(all []slog.Attr) slog.Handler {
	var m Masker
	masked := make([]slog.Attr, len(all))
	for i, a := range all {
		masked[i] = m.attr(a)
	}
	return handler{h.next.WithAttrs(masked)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.next.WithGroup(name)} }

// Shown is a text that is logged as it is: one that the hub's user needs, such as the link to the live page.
type Shown string

// attr masks an attribute.
func (m *Masker) attr(a slog.Attr) slog.Attr {
	a.Value = a.Value.Resolve()
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(m.Address(a.Value.String()))
	case slog.KindGroup:
		var all []slog.Attr
		for _, in := range a.Value.Group() {
			all = append(all, m.attr(in))
		}
		a.Value = slog.GroupValue(all...)
	case slog.KindAny:
		if shown, is := a.Value.Any().(Shown); is {
			a.Value = slog.StringValue(string(shown))
		} else if s := fmt.Sprint(a.Value.Any()); m.Text(s) != s {
			a.Value = slog.StringValue(m.Text(s))
		}
	}
	return a
}
