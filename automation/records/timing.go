package records

// Timing says when things happened, in milliseconds since the request's start. A phase that did not occur is 0.
type Timing struct {
	Started  float64 // milliseconds since 1970
	Queued   float64 // how long before Chrome began the request
	DNS      float64 // how long
	Connect  float64 // how long, TLS included
	TLS      float64 // how long
	Waiting  float64 // from the end of sending to the response's first byte
	Download float64 // from the first byte to the last
	Total    float64 // until the request ended; 0 before that
}

// resourceTiming is CDP's timing: milliseconds since RequestTime, which is in seconds. -1 means never.
type resourceTiming struct {
	RequestTime                                         float64
	DNSStart, DNSEnd, ConnectStart, ConnectEnd          float64
	SSLStart, SSLEnd, SendStart, SendEnd                float64
	ReceiveHeadersStart, ReceiveHeadersEnd, WorkerStart float64
}

func (r *request) timed() *Timing {
	t := &Timing{Started: r.wall}
	if r.ended > r.started {
		t.Total = millis(r.ended - r.started)
	}
	c := r.timing
	if c == nil || c.RequestTime == 0 {
		return t
	}
	t.Queued = millis(max(0, c.RequestTime-r.started))
	t.DNS = phase(c.DNSStart, c.DNSEnd)
	t.Connect = phase(c.ConnectStart, c.ConnectEnd)
	t.TLS = phase(c.SSLStart, c.SSLEnd)
	first := c.ReceiveHeadersStart
	if first <= 0 {
		first = c.ReceiveHeadersEnd
	}
	t.Waiting = phase(c.SendEnd, first)
	if r.ended > 0 && first > 0 {
		t.Download = max(0, millis(r.ended-c.RequestTime)-first)
	}
	return t
}

func millis(seconds float64) float64 { return seconds * 1000 }

func phase(from, to float64) float64 {
	if from < 0 || to < from {
		return 0
	}
	return to - from
}
