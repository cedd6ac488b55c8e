package registry

// laundry remembers what laundering schemas and _meta gave, by their text: pages take
// tools away and register them again, and tabs of one site have the same tools.
// It belongs to its State.
type laundry struct {
	young, old map[schemas]*laundered // what was used since the last turnover, and before it
	bytes      int                    // of the texts in young
}

// schemas are a tool's two schemas and its _meta as the page gave them, and if
// there is any _meta, whose it is.
type schemas struct{ input, output, meta, origin string }

// maxLaundry bounds the texts of each generation, in bytes. What is used at
// least once a generation is kept.
const maxLaundry = 1 << 20

// do gives what comes of a tool's schemas and _meta.
func (l *laundry) do(t *PageTool, k metaKeys) *laundered {
	origin := ""
	if len(t.Meta) > 0 {
		origin = k.origin
	}
	// Written out, so that the compiler needs no copies for it.
	if was := l.young[schemas{string(t.InputSchema), string(t.OutputSchema), string(t.Meta), origin}]; was != nil {
		return was
	}
	done := l.old[schemas{string(t.InputSchema), string(t.OutputSchema), string(t.Meta), origin}]
	if done == nil {
		done = launderSchemas(t, k)
	}
	size := len(t.InputSchema) + len(t.OutputSchema) + len(t.Meta) + 256 // for the entry itself
	if l.young == nil || l.bytes+size > maxLaundry {
		l.young, l.old, l.bytes = map[schemas]*laundered{}, l.young, 0
	}
	l.young[schemas{string(t.InputSchema), string(t.OutputSchema), string(t.Meta), origin}] = done
	l.bytes += size
	return done
}
