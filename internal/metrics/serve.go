package metrics

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"webmcphub/mcpserver/mcphttp"
)

// Handler answers GET for the paths that mcphttp names:
//
//   - /metrics: all figures, as Prometheus reads them;
//   - /pressure: [Pressure] as JSON;
//   - /healthz: 200 as long as the hub answers at all, and a process of a cluster from within;
//   - /readyz: 200 while clients can use a browser's pages, else 503. That a Chrome
//     is started only when a client needs it counts as ready. A process of a cluster says
//     itself when it is ready.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(mcphttp.MetricsPath, promhttp.HandlerFor(m.all, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))
	mux.HandleFunc(mcphttp.HealthPath, func(w http.ResponseWriter, req *http.Request) {
		ctx, cancel := context.WithTimeout(req.Context(), answersWithin)
		defer cancel()
		if m.asks.alive(ctx) != nil { // why names nothing that anybody may know
			say(w, http.StatusServiceUnavailable, "no answer from within")
			return
		}
		say(w, http.StatusOK, "ok")
	})
	mux.HandleFunc(mcphttp.ReadyPath, func(w http.ResponseWriter, _ *http.Request) {
		if why := m.asks.ready(); why != "" {
			say(w, http.StatusServiceUnavailable, why)
			return
		}
		say(w, http.StatusOK, "ok")
	})
	mux.HandleFunc(mcphttp.PressurePath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(m.Pressure()) // whoever asked may be gone
	})
	return mux
}

// asks is where the figures come from that are asked for.
type asks struct {
	load     func() Load
	pressure func() Pressure
	alive    func(context.Context) error
	// ready says why it is not ready, "" if it is. Anybody may ask this, so no words of others'
	// are in it: they may name addresses.
	ready func() (why string)
}

func (m *Metrics) ownReady() string {
	if m.options.OnNeed || m.Load().Connected > 0 {
		return ""
	}
	return "no browser is connected"
}

// answersWithin is how long a process of a cluster may take to answer from within.
const answersWithin = time.Second

// maxScrapes is how many may read the figures at a time.
const maxScrapes = 4

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// Pressure says how near the hub is to what it can carry, for whatever starts more
// hubs.
type Pressure struct {
	// Pressure is the highest of the shares below: from 0, nothing to do, to 1, where
	// the next is refused. It may be more than 1 where the limit concerns less than
	// what is counted: tabs beyond the limit are open, but their tools aren't listed.
	Pressure float64 `json:"pressure"`
	Requests Share   `json:"requests"` // of clients, in flight
	Pages    Share   `json:"pages"`
	Clients  Share   `json:"clients"`
}

// Share is how much of a limit is used.
type Share struct {
	Now   int `json:"now"`
	Limit int `json:"limit"`
}

func (s Share) used() float64 {
	if s.Limit == 0 { // there is none of it
		return 0
	}
	return float64(s.Now) / float64(s.Limit)
}

// Pressure says how near the hub is to what it can carry, now.
func (m *Metrics) Pressure() Pressure { return m.asks.pressure() }

func (m *Metrics) ownPressure() Pressure {
	l := m.Load()
	return pressed(Pressure{
		Requests: Share{l.InFlight, mcphttp.MaxRunning},
		Pages:    Share{l.Pages, m.options.MaxPages},
		Clients:  Share{l.Clients, m.options.MaxClients},
	})
}

// pressed fills in the highest of the shares.
func pressed(p Pressure) Pressure {
	p.Pressure = max(p.Requests.used(), p.Pages.used(), p.Clients.used())
	return p
}
