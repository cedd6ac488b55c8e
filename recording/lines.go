package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"time"

	"webmcphub/internal/jsonrpc"
)

// lastRoom is reserved for the line that says that the file is full.
const lastRoom = 128

// maxAround is more than a line contains besides a message or a list of tools.
const maxAround = 4 << 10

// lineWriter makes lines of messages, and writes them. It belongs to one goroutine.
type lineWriter struct {
	file  *os.File
	begin time.Time
	max   int64
	size  int64
	full  bool
	mask  masking
	batch []byte
	named map[[sha256.Size]byte]int // the numbers of the definitions in the file
	lists map[string]bool           // ids of the client's requests for lists of tools
	last  []byte                    // the last list of tools
	err   error                     // the first error of writing; nothing is written after it
}

func newLineWriter(file *os.File, begin time.Time, o Options) *lineWriter {
	return &lineWriter{
		file: file, begin: begin, max: o.MaxSize,
		mask:  newMasking(o),
		named: map[[sha256.Size]byte]int{}, lists: map[string]bool{},
	}
}

// message adds a message.
func (r *lineWriter) message(at time.Time, from side, message []byte) {
	if from == client && !json.Valid(message) {
		return // the hub reports the error to the client, and goes on
	}
	ms := r.stamp(at)
	switch from {
	case client:
		if h := jsonrpc.Peek(message); h.Method == listTools {
			r.lists[string(h.ID)] = true
		}
		masked, hash := r.mask.client(message)
		if !r.whole(masked, message) {
			return
		}
		if hash != "" {
			masked = append(bytes.Clone(masked), `,"hash":"`+hash+`"`...)
		}
		r.line(ms, `"client":`, masked)
	case hub:
		if h := jsonrpc.Peek(message); h.Response && r.lists[string(h.ID)] {
			delete(r.lists, string(h.ID))
			if list := jsonrpc.Member(message, "result"); list != nil {
				r.list(ms, h.ID, list, message)
				return
			}
		}
		if masked := r.mask.hub(message); r.whole(masked, message) {
			r.line(ms, `"hub":`, masked)
		}
	case ours:
		if list := jsonrpc.Member(message, "result"); list != nil {
			r.list(ms, nil, list, nil)
		}
	}
}

// whole reports whether a masked message is still JSON. It always should be. If it isn't, it counts as lost, because
// one such line would make the whole file unreadable.
func (r *lineWriter) whole(masked, message []byte) bool {
	if bytes.Equal(masked, message) || json.Valid(masked) {
		return true
	}
	r.lost(1)
	return false
}

// list adds a list of tools, with numbers for those that the file already has. message is the whole answer that the
// client got, if the client asked.
func (r *lineWriter) list(ms string, id, list json.RawMessage, message []byte) {
	if message == nil && bytes.Equal(list, r.last) {
		return
	}
	r.last = bytes.Clone(list)
	for tool := range jsonrpc.Elements(jsonrpc.Member(list, "tools")) {
		r.mask.tools.define(tool)
	}
	list = r.mask.listed(list)
	if message != nil {
		message = r.mask.repeated(message)
	}
	if len(list) > maxLine-maxAround { // check this before its tools get numbers
		r.lost(1)
		return
	}
	var tools, others [][]byte
	for name, value := range jsonrpc.Members(list) {
		if name == "tools" {
			for tool := range jsonrpc.Elements(value) {
				tools = append(tools, tool)
			}
			continue
		}
		others = append(others, slices.Concat(jsonrpc.MustEncode(name), []byte(":"), value))
	}
	also := slices.Concat([]byte("{"), bytes.Join(others, []byte(",")), []byte("}"))
	exact := bytes.Equal(result(tools, also), list)
	if exact && message != nil {
		exact = bytes.Equal(jsonrpc.Result(id, list).Bytes(), message)
	}
	if !exact {
		if message != nil {
			r.line(ms, `"hub":`, message)
		} else {
			r.line(ms, `"list":`, list)
		}
		return
	}
	out := append([]byte(nil), '[')
	for i, tool := range tools {
		if i > 0 {
			out = append(out, ',')
		}
		out = r.tool(out, tool)
	}
	out = append(out, ']')
	if len(also) > len("{}") {
		out = append(append(out, `,"also":`...), also...)
	}
	if message != nil {
		out = append(append(out, `,"id":`...), id...)
	}
	r.line(ms, `"tools":`, out)
}

// tool adds a definition, or its number.
func (r *lineWriter) tool(to, definition []byte) []byte {
	key := sha256.Sum256(definition)
	if number, ok := r.named[key]; ok {
		return strconv.AppendInt(to, int64(number), 10)
	}
	if r.full {
		return append(to, '0')
	}
	r.named[key] = len(r.named)
	return append(to, definition...)
}

func (r *lineWriter) stamp(at time.Time) string {
	return strconv.FormatFloat(float64(max(0, at.Sub(r.begin)).Microseconds())/1000, 'f', -1, 64)
}

// line adds a line, unless the file would grow beyond its limit.
func (r *lineWriter) line(ms, name string, value []byte) {
	if r.full {
		return
	}
	value = jsonrpc.OneLine(value)
	if len(value) > maxLine-maxAround {
		r.lost(1) // such a line could not be read
		return
	}
	n := int64(len(`{"ms":,}`) + len(ms) + len(name) + len(value) + 1)
	if r.size+n+lastRoom > r.max {
		r.full = true
		name, value = `"full":`, []byte("true")
	}
	before := len(r.batch)
	r.batch = append(append(append(append(append(append(r.batch, `{"ms":`...), ms...), ','), name...), value...),
		"}\n"...)
	r.size += int64(len(r.batch) - before)
}

// write writes the batch. After an error nothing more is written.
func (r *lineWriter) write() (failed bool) {
	if r.err == nil && len(r.batch) > 0 {
		_, r.err = r.file.Write(r.batch)
		failed = r.err != nil
	}
	r.batch = r.batch[:0]
	return failed
}

// lost records that messages are missing.
func (r *lineWriter) lost(n int) {
	r.line(r.stamp(time.Now()), `"lost":`, strconv.AppendInt(nil, int64(n), 10))
}
