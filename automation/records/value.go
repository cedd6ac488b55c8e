package records

import (
	"encoding/json"
	"strconv"
	"strings"
)

// remoteObject is a value of the page, as a CDP event describes it.
type remoteObject struct {
	Type, Subtype, ClassName string
	Value                    json.RawMessage
	UnserializableValue      string
	Description              string
	Preview                  json.RawMessage // an objectPreview, decoded when it is rendered
}

type objectPreview struct {
	Type, Subtype, Description string
	Overflow                   bool
	Properties                 []propertyPreview
	Entries                    []struct{ Key, Value *objectPreview }
}

type propertyPreview struct {
	Name, Type, Subtype, Value string
	ValuePreview               *objectPreview
}

// format makes the text of a message as a console shows it. The first argument may contain %s, %d, %i, %f, %o, %O, %c
// and %%.
func format(args []remoteObject) string {
	var b strings.Builder
	rest := args
	if len(args) > 1 && args[0].Type == "string" {
		f := args[0].text()
		rest = args[1:]
		for {
			i := strings.IndexByte(f, '%')
			if i < 0 || i+1 >= len(f) {
				break
			}
			b.WriteString(f[:i])
			verb := f[i+1]
			f = f[i+2:]
			switch {
			case verb == '%':
				b.WriteByte('%')
			case len(rest) > 0 && strings.IndexByte("sdifoOc", verb) >= 0:
				b.WriteString(rest[0].as(verb))
				rest = rest[1:]
			default:
				b.WriteByte('%')
				b.WriteByte(verb)
			}
		}
		b.WriteString(f)
	}
	for i, a := range rest {
		if i > 0 || b.Len() > 0 {
			b.WriteByte(' ')
		}
		if b.Len() > maxText {
			break
		}
		text := a.render(maxText, true)
		if a.Subtype == "error" { // the arguments have its stack
			text = firstLines(text)
		}
		b.WriteString(text)
	}
	return clip(b.String(), maxText)
}

// as renders a value for a verb of a format.
func (o *remoteObject) as(verb byte) string {
	text := o.render(maxArg, true)
	switch verb {
	case 'c': // a style
		return ""
	case 'd', 'i':
		n, err := strconv.ParseFloat(strings.TrimSuffix(text, "n"), 64)
		if err != nil {
			return "NaN"
		}
		return strconv.FormatFloat(float64(int64(n)), 'f', -1, 64)
	case 'f':
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return "NaN"
		}
	}
	return text
}

// text returns the value of a string.
func (o *remoteObject) text() string {
	var s string
	_ = json.Unmarshal(o.Value, &s)
	return s
}

// render renders a value in at most max bytes. bare renders a string without quotes.
func (o *remoteObject) render(max int, bare bool) string {
	switch {
	case o.Type == "string" && bare:
		return clip(o.text(), max)
	case o.Type == "string":
		return clip(strconv.Quote(clip(o.text(), max)), max)
	case o.Type == "undefined":
		return "undefined"
	case o.UnserializableValue != "":
		return clip(o.UnserializableValue, max)
	case o.Subtype == "null":
		return "null"
	case len(o.Value) > 0:
		return clip(string(o.Value), max)
	case o.Type == "object" && plain[o.Subtype] && len(o.Preview) > 0:
		var p objectPreview
		if json.Unmarshal(o.Preview, &p) == nil {
			return clip(p.render(), max)
		}
	case o.Type == "function":
		return "ƒ " + clip(firstLine(o.Description), 100)
	}
	if cause := o.cause(); cause != "" {
		return clip(o.Description, max) + "\nCaused by: " + cause
	}
	return clip(o.Description, max)
}

// cause returns the beginning of the description of the error that caused an error, or "".
func (o *remoteObject) cause() string {
	var p objectPreview
	if o.Subtype != "error" || len(o.Preview) == 0 || json.Unmarshal(o.Preview, &p) != nil {
		return ""
	}
	for _, is := range p.Properties {
		if is.Name == "cause" {
			return clip(is.Value, maxArg)
		}
	}
	return ""
}

// plain are the subtypes for which a preview says more than the description.
var plain = map[string]bool{"": true, "array": true, "map": true, "set": true, "typedarray": true, "weakmap": true,
	"weakset":  true,
	"iterator": true, "generator": true, "promise": true, "arraybuffer": true, "dataview": true, "proxy": true,
	"weakref": true}

func firstLine(s string) string {
	line, _, more := strings.Cut(s, "\n")
	if more {
		return line + " …"
	}
	return line
}

func (p *objectPreview) render() string {
	var b strings.Builder
	array := p.Subtype == "array" || p.Subtype == "typedarray"
	switch {
	case array:
		b.WriteByte('[')
	case p.Description == "Object" || p.Description == "":
		b.WriteByte('{')
	default:
		b.WriteString(p.Description + " {")
	}
	sep := ""
	for i, q := range p.Properties {
		if q.Name == "size" && len(p.Entries) > 0 { // the description has the size
			continue
		}
		b.WriteString(sep)
		if !array || q.Name != strconv.Itoa(i) {
			b.WriteString(q.Name + ": ")
		}
		b.WriteString(q.render())
		sep = ", "
	}
	for _, e := range p.Entries {
		b.WriteString(sep)
		if e.Key != nil {
			b.WriteString(e.Key.inner() + " => ")
		}
		if e.Value != nil {
			b.WriteString(e.Value.inner())
		}
		sep = ", "
	}
	if p.Overflow {
		b.WriteString(sep + "…")
	}
	if array {
		b.WriteByte(']')
	} else {
		b.WriteByte('}')
	}
	return b.String()
}

func (q *propertyPreview) render() string {
	switch {
	case q.ValuePreview != nil:
		return q.ValuePreview.render()
	case q.Type == "string":
		return strconv.Quote(q.Value)
	case q.Type == "function":
		return "ƒ"
	case q.Type == "accessor":
		return "(getter)"
	case q.Subtype == "null":
		return "null"
	case q.Type == "object" && q.Value == "Object":
		return "{…}"
	}
	return q.Value
}

// inner renders a key or value of a map. Its preview may describe a primitive.
func (p *objectPreview) inner() string {
	switch {
	case p.Type == "object" && len(p.Properties)+len(p.Entries) > 0:
		return p.render()
	case p.Type == "string":
		return strconv.Quote(p.Description)
	case p.Description == "Object":
		return "{…}"
	}
	return p.Description
}
