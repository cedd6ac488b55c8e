package input

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"webmcphub/automation/input/keys"
	"webmcphub/automation/page"
)

// maxTyped bounds how many characters are typed in one action.
const maxTyped = 20000

// TypeOptions say where to type.
type TypeOptions struct {
	Node   *Node // gets the focus first, the caret behind what it holds; else the focus stays
	Limits Limits
}

// Type types a text key by key, as far as there are keys for it. Line breaks are Enter.
func (t *Tab) Type(ctx context.Context, text string, o TypeOptions) (*Outcome, error) {
	if n := utf8.RuneCountInString(text); n > maxTyped {
		return nil, fmt.Errorf("%d characters are too many to type key by key (%d at most): use fill", n, maxTyped)
	}
	o.Limits.work = time.Duration(len(text)) * perKey
	return t.keyAction(ctx, o.Node, o.Limits, func(ctx context.Context) error { return t.typeText(ctx, text) })
}

// batch is how many characters are typed before Chrome's answers are waited for.
const batch = 50

func (t *Tab) typeText(ctx context.Context, text string) error {
	var events []page.Command
	send := func() error {
		past, release, err := t.aside(ctx)
		if err != nil {
			return err
		}
		defer release()
		err = t.enter(ctx, past, "", events...)
		events = events[:0]
		return err
	}
	for _, r := range text {
		if len(events) >= 2*batch {
			if err := send(); err != nil {
				return err
			}
		}
		name := string(r)
		switch r {
		case '\n':
			name = "Enter"
		case '\t':
			name = "Tab"
		}
		k, _ := keys.Named(name)
		if k.Code == "" {
			events = append(events, page.Command{Method: "Input.insertText", Params: map[string]any{"text": string(r)}})
			continue
		}
		events = append(events, keyCommands(keys.Chord{Key: k}.Events(1, t.mac))...)
	}
	return send()
}
