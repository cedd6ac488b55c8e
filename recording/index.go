package recording

import (
	"bytes"
	"encoding/json"

	"webmcphub/internal/jsonrpc"
)

// index finds recorded requests quickly; a session may have many thousands.
type index struct {
	exact  map[key]*queue
	masked map[key][]*queue  // requests with a masked value, by method and tool
	lines  map[int]*exchange // by the line of the request
	hashed bool              // some requests have only a hash
}

// key is what a request asks for. args are canonical, or a hash of that.
type key struct{ method, tool, args string }

// queue has the requests that ask for the same, in order.
type queue struct {
	all  []*exchange
	next int // earlier ones were answered
}

func newIndex() index {
	return index{exact: map[key]*queue{}, masked: map[key][]*queue{}, lines: map[int]*exchange{}}
}

func (x *index) add(e *exchange) {
	x.lines[e.asked] = e
	k := keyOf(e.method, e.what)
	if e.what.hash != "" {
		k.args, x.hashed = e.what.hash, true
	}
	q := x.exact[k]
	if q == nil {
		q = &queue{}
		x.exact[k] = q
		if k.args != "" && bytes.Contains(e.what.args, []byte(Masked)) {
			of := key{method: k.method, tool: k.tool}
			x.masked[of] = append(x.masked[of], q)
		}
	}
	q.all = append(q.all, e)
}

// keyOf returns the key of a request. For initialize the client's version doesn't count.
func keyOf(method string, what asking) key {
	if method == initialize {
		return key{method: method}
	}
	return key{method, what.tool, string(what.args)}
}

// find returns the first recorded request that asked the same and has not been answered, or nil, and the last of
// those that have been answered, or nil.
func (x *index) find(method string, now asking) (first, last *exchange) {
	k := keyOf(method, now)
	among := []*queue{x.exact[k]}
	if method != initialize {
		if x.hashed {
			among = append(among, x.exact[key{method, now.tool, jsonrpc.HashArguments(now.args)}])
		}
		var n any
		for i, q := range x.masked[key{method: method, tool: now.tool}] {
			if i == 0 && json.Unmarshal(now.args, &n) != nil {
				break
			}
			if r, ok := q.all[0].arguments(); ok && q != among[0] && len(differences("", r, n)) == 0 {
				among = append(among, q)
			}
		}
	}
	for _, q := range among {
		if q == nil {
			continue
		}
		for q.next < len(q.all) && q.all[q.next].used {
			q.next++
		}
		if q.next > 0 && (last == nil || last.asked < q.all[q.next-1].asked) {
			last = q.all[q.next-1]
		}
		if q.next < len(q.all) && (first == nil || q.all[q.next].asked < first.asked) {
			first = q.all[q.next]
		}
	}
	return first, last
}

// arguments returns the decoded arguments, and decodes them only once.
func (e *exchange) arguments() (v any, ok bool) {
	if !e.read {
		e.read, e.readable = true, json.Unmarshal(e.what.args, &e.value) == nil
	}
	return e.value, e.readable
}
