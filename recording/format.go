package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"webmcphub/internal/jsonrpc"
)

// Version is the version of the format. Files of later versions can't be read.
const Version = 1

// maxLine is how long a line may be, in bytes.
const maxLine = 64 << 20

// Header is the first line of a file.
type Header struct {
	Recording int       `json:"recording"` // the version of the format
	By        string    `json:"by"`        // the program
	At        time.Time `json:"at"`        // the beginning
	Mask      Mask      `json:"mask"`
}

// A Session is the content of a file.
type Session struct {
	Header
	Lines []Line
	// Lost is how many messages are missing because they came faster than they could be written. Full says that the
	// file reached its limit, and Cut that its last line isn't complete.
	Lost      int
	Full, Cut bool
}

// A Line is one message, or a list of tools.
type Line struct {
	At time.Duration // since the beginning
	// Client and Hub are messages of the client and of the hub; at most one is set. The hub's message is as the
	// client got it, except for masked values.
	Client, Hub json.RawMessage
	// Hash is the hash of a call's arguments, if they were not written. For another request it is the hash of its
	// params without _meta, if some of them were not written.
	Hash string
	// Tools is the result of tools/list from now on. It is set together with Hub if the client asked for it, and
	// alone if the recorder did.
	Tools json.RawMessage
}

// row is a line in its written form.
type row struct {
	Recording int               `json:"recording"`
	Ms        float64           `json:"ms"`
	Client    json.RawMessage   `json:"client"`
	Hub       json.RawMessage   `json:"hub"`
	Hash      string            `json:"hash"`
	Tools     []json.RawMessage `json:"tools"`
	Also      json.RawMessage   `json:"also"`
	ID        json.RawMessage   `json:"id"`
	List      json.RawMessage   `json:"list"`
	Lost      int               `json:"lost"`
	Full      bool              `json:"full"`
}

// Read reads a file. It ignores a last line that was cut off.
func Read(from io.Reader) (*Session, error) {
	r := reader{session: &Session{}, listing: map[string]bool{}}
	in := bufio.NewReaderSize(from, 64<<10)
	for n := 1; ; n++ {
		text, err := line(in)
		if err != nil && err != io.EOF {
			return nil, err
		}
		whole := err == nil
		text = bytes.TrimSpace(text)
		if len(text) > 0 {
			failed := r.line(n, text)
			if failed != nil && (whole || n == 1) {
				return nil, fmt.Errorf("line %d: %w", n, failed)
			}
			r.session.Cut = failed != nil
		}
		if !whole {
			break
		}
	}
	if r.session.Recording == 0 {
		return nil, errors.New("it is empty")
	}
	return r.session, nil
}

// line reads to the end of a line; it returns io.EOF if the line has no end.
func line(in *bufio.Reader) (text []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		if len(text) > maxLine {
			return nil, fmt.Errorf("a line has more than %d bytes", maxLine)
		}
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

// reader puts a session together.
type reader struct {
	session *Session
	defined []json.RawMessage // all definitions of tools so far
	listing map[string]bool   // ids of the client's requests for lists of tools
}

func (r *reader) line(n int, text []byte) error {
	if n == 1 {
		return r.header(text)
	}
	var w row
	if err := json.Unmarshal(text, &w); err != nil {
		return fmt.Errorf("it is no line of a recording: %w", err)
	}
	is := Line{At: time.Duration(w.Ms * float64(time.Millisecond)), Client: jsonrpc.Member(text, "client"), Hub: jsonrpc.Member(text, "hub"),
		Hash: w.Hash}
	switch {
	case w.Recording != 0:
		return errors.New("another recording begins here; a file has one")
	case w.Lost > 0:
		r.session.Lost += w.Lost
		return nil
	case w.Full:
		r.session.Full = true
		return nil
	case is.Client != nil:
		if h := jsonrpc.Peek(is.Client); h.Method == listTools {
			r.listing[string(h.ID)] = true
		}
	case is.Hub != nil:
		if h := jsonrpc.Peek(is.Hub); h.Response && r.listing[string(h.ID)] {
			delete(r.listing, string(h.ID))
			if m, err := jsonrpc.Parse(is.Hub); err == nil {
				is.Tools = m.Outcome
			}
		}
	case w.List != nil:
		is.Tools = jsonrpc.Member(text, "list")
	case w.Tools != nil:
		return r.tools(is, text, jsonrpc.Member(text, "also"))
	default:
		return nil // a line of a later program with the same format
	}
	r.session.Lines = append(r.session.Lines, is)
	return nil
}

func (r *reader) header(text []byte) error {
	if json.Unmarshal(text, &r.session.Header) != nil || r.session.Recording < 1 {
		return errors.New(`it is no recording of "webmcp-hub record"`)
	}
	if r.session.Recording > Version {
		return fmt.Errorf("it has version %d of the format, and this program knows versions up to %d: use a newer webmcp-hub",
			r.session.Recording, Version)
	}
	return nil
}

// tools reads a list whose elements are definitions, or the numbers of earlier ones.
func (r *reader) tools(is Line, text []byte, also json.RawMessage) error {
	var all [][]byte
	for item := range jsonrpc.Elements(jsonrpc.Member(text, "tools")) {
		if jsonrpc.IsObject(item) {
			r.defined = append(r.defined, item)
			all = append(all, item)
			continue
		}
		var number int
		if json.Unmarshal(item, &number) != nil || number < 0 || number >= len(r.defined) {
			return fmt.Errorf("there is no tool %s before it", item)
		}
		all = append(all, r.defined[number])
	}
	is.Tools = result(all, also)
	if id := jsonrpc.Member(text, "id"); id != nil {
		is.Hub = jsonrpc.Result(id, is.Tools).Bytes()
		delete(r.listing, string(id))
	}
	r.session.Lines = append(r.session.Lines, is)
	return nil
}

// result returns a result of tools/list.
func result(tools [][]byte, also json.RawMessage) json.RawMessage {
	out := append([]byte(`{"tools":[`), bytes.Join(tools, []byte(","))...)
	out = append(out, ']')
	if len(also) > len("{}") {
		return append(append(out, ','), also[1:]...)
	}
	return append(out, '}')
}
