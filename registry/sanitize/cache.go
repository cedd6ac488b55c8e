package sanitize

// Cache remembers what sanitizing tools gave, by their text: pages take tools
// away and register them again, and tabs of one site have the same tools. The
// zero value is empty. It belongs to one goroutine.
type Cache struct {
	young, old map[texts]*Tool // what was used since the last turnover, and before it
	bytes      int             // of the texts in young
}

// texts are the same as a key, with whose the _meta is, if there is any.
type texts struct{ input, output, meta, origin string }

// maxCache bounds the texts of each generation, in bytes. What is used at
// least once a generation is kept.
const maxCache = 1 << 20

func (c *Cache) tool(t Raw, k MetaKeys) *Tool {
	origin := ""
	if len(t.Meta) > 0 {
		origin = k.Origin
	}
	// Written out, so that the compiler needs no copies for it.
	if was := c.young[texts{string(t.Input), string(t.Output), string(t.Meta), origin}]; was != nil {
		return was
	}
	done := c.old[texts{string(t.Input), string(t.Output), string(t.Meta), origin}]
	if done == nil {
		done = newTool(t, k)
	}
	size := len(t.Input) + len(t.Output) + len(t.Meta) + 256 // for the entry itself
	if c.young == nil || c.bytes+size > maxCache {
		c.young, c.old, c.bytes = map[texts]*Tool{}, c.young, 0
	}
	c.young[texts{string(t.Input), string(t.Output), string(t.Meta), origin}] = done
	c.bytes += size
	return done
}
