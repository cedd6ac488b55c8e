package hubtest

import (
	"testing"

	"webmcphub/actors"
	"webmcphub/extlink/exttest"
)

// Join connects another browser for the rest of the test.
func (h *TestHub) Join(b *exttest.Browser) *exttest.Browser {
	h.T.Cleanup(b.Die)
	h.AddExtension(b.Connect())
	h.Quiet()
	return b
}

func (h *TestHub) Status() string { return h.Pub.Current().BrowserStatus() }

// NewExtHub is a hub that waits for extensions and has no Chrome.
func NewExtHub(t *testing.T, set ...func(*actors.Options)) *TestHub {
	set = append([]func(*actors.Options){func(o *actors.Options) { o.Lazy, o.Extension = true, true }}, set...)
	return NewHub(t, set...)
}
