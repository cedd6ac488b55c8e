package hubtest

import (
	"context"
	"encoding/json"
	"testing"

	"webmcphub/actors"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/extlink/exttest"
)

// Join connects another browser for the rest of the test.
func (h *TestHub) Join(b *exttest.Browser) *exttest.Browser {
	h.T.Cleanup(b.Die)
	h.AddExtension(b.Connect())
	h.Quiet()
	return b
}

// Status returns what the catalog says about the browser, or "" if all is well.
func (h *TestHub) Status() string { return h.Pub.Current().BrowserStatus() }

// NewExtHub returns a hub that waits for extensions and has no Chrome.
func NewExtHub(t *testing.T, set ...func(*actors.Options)) *TestHub {
	set = append([]func(*actors.Options){func(o *actors.Options) { o.Lazy, o.Extension = true, true }}, set...)
	return NewHub(t, set...)
}

// PageTool is a tool of a page, whatever the page is reached by.
type PageTool struct {
	Name        string
	Description string
	Run         Execute
}

// ForExtension returns tools as an extension's tab has them, in a frame.
func ForExtension(frame int, tools []PageTool) (all []exttest.Tool) {
	for _, t := range tools {
		tool := exttest.Tool{Name: t.Name, Description: t.Description, Frame: frame}
		if t.Run != nil {
			tool.Execute = func(ctx context.Context, args json.RawMessage) (any, error) {
				v, err := t.Run(ctx, args)
				if v == cdptest.Never {
					return exttest.Never, nil
				}
				return v, err
			}
		}
		all = append(all, tool)
	}
	return all
}
