package page

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// answerMost is how long the browser may take to close a dialog.
const answerMost = 2 * time.Second

// AnswerDialogs answers the dialogs that open until ctx ends. The action is "accept" (also ""), "dismiss", or a text
// for prompts. For each dialog, may says whether AnswerDialogs may answer it, and how the dialog is to be described.
// may is called in a goroutine of its own. When ctx has ended, the channel delivers a text that describes the dialogs
// that were answered.
func (p *Page) AnswerDialogs(ctx context.Context, action string,
	may func(Dialog) (description string, answer bool)) <-chan string {
	answered := make(chan string, 1)
	watch := p.Watch()
	p.ask(func(o *owner) { o.answering++ })
	go func() {
		defer p.ask(func(o *owner) { o.answering-- })
		defer watch.Close()
		var text strings.Builder
		for seen := 0; ; {
			var newest Dialog
			err := watch.Wait(ctx, func(h Happened) bool {
				if len(h.Dialogs) <= seen {
					return false
				}
				newest = h.Dialogs[seen]
				return true
			})
			if err != nil {
				answered <- text.String()
				return
			}
			seen++
			description, ok := may(newest)
			if !ok {
				continue
			}
			prompt := ""
			if action != "accept" && action != "dismiss" {
				prompt = cmp.Or(action, newest.Default)
			}
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerMost)
			_, err = p.HandleDialog(last, newest.Number, action != "dismiss", prompt)
			cancel()
			if err == nil && seen <= 10 {
				fmt.Fprintf(&text, "The script opened a dialog (%s), which was answered: %s\n", newest.Kind,
					description)
			}
		}
	}()
	return answered
}

// Answered waits while a running [Page.AnswerDialogs] may answer the dialog with the given number, for answerMost at
// most, and says whether the dialog has closed.
func (p *Page) Answered(ctx context.Context, number int) (closed bool) {
	ctx, cancel := context.WithTimeout(ctx, answerMost)
	defer cancel()
	err := p.await(ctx, func(o *owner) (bool, error) {
		closed = o.open == nil || o.open.Number != number
		return closed || o.answering == 0, nil
	})
	return err == nil && closed
}

// StopHanging stops a navigation that was given up before its document came. While a navigation to another site is
// under way, Chrome doesn't answer questions about the current document.
func (w *Watch) StopHanging() {
	for _, n := range w.Seen().Navigations {
		if n.Main && n.Committed {
			return // its document is there and only still loading
		}
	}
	w.p.Post("", "Page.stopLoading", nil)
}
