package records

// Phase is a phase of a request, with its length in milliseconds. A phase that did not occur has the length 0.
type Phase struct {
	Name string
	MS   float64
}

// resourceTiming is CDP's timing: milliseconds since RequestTime, which is in seconds. -1 means never.
type resourceTiming struct {
	RequestTime                                float64
	DNSStart, DNSEnd, ConnectStart, ConnectEnd float64
	SSLStart, SSLEnd, SendEnd                  float64
	ReceiveHeadersStart, ReceiveHeadersEnd     float64
}

// phases returns the phases of a request as far as they are known: how long Chrome waited before it began, the lookup
// of the host, the connection (with TLS) and TLS alone, the wait from the end of sending to the response's first byte,
// the rest of the response, and all together.
func (r *request) phases() (all []Phase) {
	add := func(name string, from, to float64) {
		if from >= 0 && to > from {
			all = append(all, Phase{name, to - from})
		}
	}
	if c := r.timing; c != nil && c.RequestTime > 0 {
		first := c.ReceiveHeadersStart
		if first <= 0 {
			first = c.ReceiveHeadersEnd
		}
		add("queued", 0, millis(c.RequestTime-r.started))
		add("dns", c.DNSStart, c.DNSEnd)
		add("connect", c.ConnectStart, c.ConnectEnd)
		add("tls", c.SSLStart, c.SSLEnd)
		add("waiting", c.SendEnd, first)
		if first > 0 {
			add("download", first, millis(r.ended-c.RequestTime))
		}
	}
	add("total", 0, millis(r.ended-r.started))
	return all
}

func millis(seconds float64) float64 { return seconds * 1000 }
