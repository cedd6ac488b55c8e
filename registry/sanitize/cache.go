package sanitize

// Cache caches the sanitized forms of tools by their texts, because pages remove tools and register them again, and
// tabs of one site have the same tools. The zero value is empty. A Cache belongs to one goroutine.
type Cache struct {
	young, old map[texts]*Tool // used since the last turnover, and before it
	bytes      int             // of the texts in young
}

// texts has the texts as a key, with the document's origin if there is a _meta.
type texts struct{ input, output, meta, origin string }

// maxCache limits the texts of each generation, in bytes. An entry that is used at least once per generation is kept.
const maxCache = 1 << 20

func (c *Cache) tool(t Raw, k MetaKeys) *Tool {
	origin := ""
	if len(t.Meta) > 0 {
		origin = k.Origin
	}
	// This is written out so that the compiler doesn't copy the texts.
	if was := c.young[texts{string(t.Input), string(t.Output), string(t.Meta), origin}]; was != nil {
		return was
	}
	done := c.old[texts{string(t.Input), string(t.Output), string(t.Meta), origin}]
	if done == nil {
		done = newTool(t, k)
	}
	size := len(t.Input) + len(t.Output) + len(t.Meta) + 256 // 256 for the entry itself
	if c.young == nil || c.bytes+size > maxCache {
		c.young, c.old, c.bytes = map[texts]*Tool{}, c.young, 0
	}
	c.young[texts{string(t.Input), string(t.Output), string(t.Meta), origin}] = done
	c.bytes += size
	return done
}
