package records

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"webmcphub/registry/sanitize"
)

// RequestDetail is everything that is known about one request.
type RequestDetail struct {
	Request
	Redirects    []Request // the requests that led to this one, first to last
	RequestBody  *BodyPart
	ResponseBody *BodyPart
}

// Leading replaces addresses of other documents in headers by what shown returns: the address where the request came
// from, and the one to which a document's response leads. shown keeps addresses that may be shown.
func (d *RequestDetail) Leading(shown func(address string) string) {
	d.Sent.Headers = slices.Clone(d.Sent.Headers) // the record's own headers stay as they are
	for i, h := range d.Sent.Headers {
		if strings.EqualFold(h.Name, "referer") {
			d.Sent.Headers[i].Value = shown(h.Value)
		}
	}
	base, err := url.Parse(d.URL)
	if err != nil || d.Type != "document" {
		return
	}
	d.Response.Headers = slices.Clone(d.Response.Headers)
	for i, h := range d.Response.Headers {
		to := h.Value
		switch strings.ToLower(h.Name) {
		case "location":
		case "refresh":
			_, to, _ = strings.Cut(to, "=")
		default:
			continue
		}
		there, err := base.Parse(strings.Trim(to, ` '"`))
		if err != nil {
			continue
		}
		if is := shown(there.String()); is != there.String() {
			d.Response.Headers[i].Value = is
		}
	}
}

// Text returns the request as text for a model.
func (d *RequestDetail) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "reqid=%d %s %s\n", d.ID, line(d.Method, 20), line(d.URL, maxURL))
	fmt.Fprintf(&b, "Status: %s", d.Outcome())
	if d.StatusText != "" && d.StatusText != "OK" {
		fmt.Fprintf(&b, " (%s)", line(d.StatusText, 100))
	}
	b.WriteByte('\n')
	at := newAddresses([]Document{{URL: d.URL}})
	if len(d.Redirects) > 0 {
		b.WriteString("Redirect chain:\n")
		for i := range d.Redirects {
			b.WriteString("  " + d.Redirects[i].line(at))
		}
	}
	if d.RedirectedTo > 0 {
		fmt.Fprintf(&b, "Redirected to: reqid=%d\n", d.RedirectedTo)
	}
	fmt.Fprintf(&b, "Type: %s", d.Type)
	for _, also := range []struct{ name, value string }{{"priority", d.Sent.Priority}, {"initiator", d.Sent.Initiator},
		{"protocol", d.Response.Protocol}, {"from", d.Response.Remote}} {
		if also.value != "" {
			fmt.Fprintf(&b, "; %s %s", also.name, line(also.value, 500))
		}
	}
	fmt.Fprintf(&b, "\nSize: %s, %s over the network\n", bytesText(d.Response.Bytes), bytesText(d.Response.Transferred))
	d.writeTiming(&b)
	writeHeaders(&b, "Request headers", d.Sent.Headers)
	d.RequestBody.write(&b, "Request body")
	writeHeaders(&b, "Response headers", d.Response.Headers)
	d.ResponseBody.write(&b, "Response body")
	d.Stream.write(&b)
	return b.String()
}

func (d *RequestDetail) writeTiming(b *strings.Builder) {
	var parts []string
	if d.Started > 0 {
		parts = append(parts, "started "+clock(d.Started))
	}
	for _, p := range d.Timing {
		if p.MS >= 0.05 {
			parts = append(parts, fmt.Sprintf("%s %.1f ms", p.Name, p.MS))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "Timing: %s\n", strings.Join(parts, ", "))
	}
}

func writeHeaders(b *strings.Builder, title string, headers []Header) {
	if len(headers) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", title)
	for _, h := range headers {
		fmt.Fprintf(b, "  %s: %s\n", line(h.Name, 200), line(h.Value, 4<<10))
	}
}

func (p *BodyPart) write(b *strings.Builder, title string) {
	switch {
	case p == nil:
	case p.SavedTo != "":
		fmt.Fprintf(b, "%s: saved to %s (%s).\n", title, p.SavedTo, bytesText(int64(p.Total)))
	case p.Missing != "":
		fmt.Fprintf(b, "%s: %s\n", title, p.Missing)
	case p.Binary:
		fmt.Fprintf(b, "%s: binary data, %s; save it to a file to read it.\n", title, bytesText(int64(p.Total)))
	case p.Total == 0:
		fmt.Fprintf(b, "%s: empty.\n", title)
	default:
		part := ""
		if p.Offset > 0 || p.Next > 0 {
			part = fmt.Sprintf(" (bytes %d to %d of %d", p.Offset, p.Offset+len(p.Text), p.Total)
			if p.Next > 0 {
				part += fmt.Sprintf("; go on with offset %d", p.Next)
			}
			part += ")"
		}
		fmt.Fprintf(b, "%s%s:\n%s\n", title, part, sanitize.Text(p.Text, maxBodyPart+64))
	}
}

func (s *Stream) write(b *strings.Builder) {
	if s == nil {
		return
	}
	fmt.Fprintf(b, "Messages: %d sent (%s), %d received (%s)", s.Sent, bytesText(s.SentBytes), s.Received,
		bytesText(s.ReceivedBytes))
	if s.Closed {
		b.WriteString(", closed")
	}
	if all := s.Sent + s.Received; all > len(s.Last) {
		fmt.Fprintf(b, "; the last %d", len(s.Last))
	}
	b.WriteByte('\n')
	for _, f := range s.Last {
		arrow := "←"
		if f.Out {
			arrow = "→"
		}
		fmt.Fprintf(b, "  %s %.0f ms %s %s: %s\n", arrow, f.Time, line(f.Kind, 100), bytesText(int64(f.Length)),
			line(f.Data, maxFrame))
	}
}
