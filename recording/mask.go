package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/internal/canonical"
	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/wording"
)

// Mask says what of a client's arguments is left out of the file.
type Mask string

const (
	// Secrets leaves out the values of parameters that are called like passwords, keys and
	// the numbers of cards, or whose schema says that they are.
	Secrets Mask = "secrets"
	// Everything leaves out all arguments, as the audit log does, and writes their hash.
	Everything Mask = "all"
)

// Masked stands for a value that is left out.
const Masked = "[masked]"

// A secret that a result repeats is masked there, too: the last maxSecrets, unless they are
// so short that they are found by chance.
const (
	maxSecrets = 64
	minSecret  = 6
)

// maxNames is how many names are remembered, secret or not.
const maxNames = 4096

// deepest is how deep a message is looked into; what is deeper is left out altogether.
const deepest = 64

// mask keeps secrets out of what is written. It belongs to the writer.
type mask struct {
	kind    Mask
	named   []string        // parameters that the user calls secret
	schemas map[string]bool // parameters that a schema calls secret
	names   map[string]bool // what is known of names, without schemas
	known   [][]byte        // values, as they stand between the quotes of JSON
}

// client masks a message of the client's. hash is that of its arguments, where they are
// left out as a whole.
func (m *mask) client(message json.RawMessage) (masked json.RawMessage, hash string) {
	if m.kind != Everything {
		if m.has(message, 0) {
			message = m.members(message, 0)
		}
		return m.repeated(message), ""
	}
	return rewrite(message, func(name string, value json.RawMessage) json.RawMessage {
		switch name {
		case "result": // what a person answered
			return json.RawMessage("{}")
		case "params":
			return rewrite(value, func(name string, value json.RawMessage) json.RawMessage {
				switch name {
				case "arguments":
					hash = canonical.Hash(value)
					return nil
				case "inputResponses":
					return json.RawMessage("{}")
				}
				return value
			})
		}
		return value
	}), hash
}

// hub masks what the hub says where it repeats a secret.
func (m *mask) hub(message json.RawMessage) json.RawMessage { return m.repeated(message) }

// has says whether there is something to mask in a value. Mostly there isn't, and this is
// much faster than [mask.members].
func (m *mask) has(v json.RawMessage, depth int) bool {
	switch {
	case len(v) == 0 || v[0] != '{' && v[0] != '[':
		return false
	case depth > deepest:
		return true
	case v[0] == '[':
		for is := range jsonrpc.Elements(v) {
			if m.has(is, depth+1) {
				return true
			}
		}
		return false
	}
	for name, is := range jsonrpc.Members(v) {
		if name != "_meta" && (depth > 0 && m.secret(name) || m.has(is, depth+1)) {
			return true
		}
	}
	return false
}

// members masks the secrets in a value: the same bytes if there are none.
func (m *mask) members(v json.RawMessage, depth int) json.RawMessage {
	if depth > deepest {
		return jsonrpc.MustEncode(Masked)
	}
	if len(v) > 0 && v[0] == '[' {
		return m.elements(v, depth)
	}
	return rewrite(v, func(name string, value json.RawMessage) json.RawMessage {
		switch {
		case name == "_meta":
			return value
		case depth > 0 && m.secret(name) && string(value) != "null":
			m.learn(value)
			return jsonrpc.MustEncode(Masked)
		}
		return m.members(value, depth+1)
	})
}

func (m *mask) elements(list json.RawMessage, depth int) json.RawMessage {
	var all [][]byte
	same := true
	for is := range jsonrpc.Elements(list) {
		now := m.members(is, depth+1)
		same = same && bytes.Equal(now, is)
		all = append(all, now)
	}
	if same {
		return list
	}
	return slices.Concat([]byte("["), bytes.Join(all, []byte(",")), []byte("]"))
}

func (m *mask) secret(name string) bool {
	is, known := m.names[name]
	if !known {
		is = wording.Secret(name) || slices.Contains(m.named, name)
		if len(m.names) < maxNames {
			m.names[strings.Clone(name)] = is
		}
	}
	return is || m.schemas[name]
}

// learn remembers the texts of a secret value, to find them in what is said later.
func (m *mask) learn(v json.RawMessage) {
	if len(v) == 0 {
		return
	}
	switch v[0] {
	case '{':
		for _, is := range jsonrpc.Members(v) {
			m.learn(is)
		}
		return
	case '[':
		for is := range jsonrpc.Elements(v) {
			m.learn(is)
		}
		return
	}
	text := bytes.Trim(v, `"`)
	if len(text) < minSecret || slices.ContainsFunc(m.known, func(k []byte) bool { return bytes.Equal(k, text) }) {
		return
	}
	m.known = append(m.known, bytes.Clone(text))
	m.known = m.known[max(0, len(m.known)-maxSecrets):]
}

// repeated masks the secrets that are known in the texts of a message.
func (m *mask) repeated(message json.RawMessage) json.RawMessage {
	if !slices.ContainsFunc(m.known, func(k []byte) bool { return bytes.Contains(message, k) }) {
		return message
	}
	out := make([]byte, 0, len(message))
	for i := 0; i < len(message); {
		if message[i] != '"' {
			out = append(out, message[i])
			i++
			continue
		}
		end := textEnd(message, i)
		text := message[i:end]
		if end >= len(message) || message[end] != ':' { // it is no name of a member
			for _, k := range m.known {
				text = bytes.ReplaceAll(text, k, []byte(Masked))
			}
		}
		out = append(out, text...)
		i = end
	}
	return out
}

// textEnd is where the JSON string that begins at i ends.
func textEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// tool learns from a definition which parameters are secret.
func (m *mask) tool(definition json.RawMessage) {
	if bytes.Contains(definition, []byte(`"password"`)) || bytes.Contains(definition, []byte(`"writeOnly"`)) {
		m.schema(raw(definition, "inputSchema"), 0)
	}
}

func (m *mask) schema(of json.RawMessage, depth int) {
	if depth > deepest {
		return
	}
	for name, value := range jsonrpc.Members(raw(of, "properties")) {
		format, _ := jsonrpc.Text(raw(value, "format"))
		if format == "password" || string(raw(value, "writeOnly")) == "true" {
			m.schemas[name] = true
		}
		m.schema(value, depth+1)
	}
	if items := raw(of, "items"); items != nil {
		m.schema(items, depth+1)
	}
}

// rewrite gives each member of an object another value, or takes it out where that is nil.
// An object of which nothing changes stays the same bytes, and so does what is no object.
func rewrite(object json.RawMessage, value func(name string, is json.RawMessage) json.RawMessage) json.RawMessage {
	if !jsonrpc.IsObject(object) {
		return object
	}
	out, same := []byte{'{'}, true
	for name, is := range jsonrpc.Members(object) {
		now := value(name, is)
		same = same && bytes.Equal(now, is) && now != nil
		if now == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, jsonrpc.MustEncode(name)...), ':'), now...)
	}
	if same {
		return object
	}
	return append(out, '}')
}
