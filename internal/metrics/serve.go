package metrics

import (
	"encoding/json"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"webmcphub/registry/mcpserver/mcphttp"
)

// Handler answers GET for the paths that mcphttp names:
//
//   - /metrics: all figures, as Prometheus reads them;
//   - /pressure: [Pressure] as JSON;
//   - /healthz: 200 as long as the hub answers at all;
//   - /readyz: 200 while clients can use a browser's pages, else 503. That a Chrome
//     is started only when a client needs it counts as ready.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(mcphttp.MetricsPath, promhttp.HandlerFor(m.all, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))
	mux.HandleFunc(mcphttp.HealthPath, func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc(mcphttp.ReadyPath, func(w http.ResponseWriter, _ *http.Request) {
		// Not in what words: they may name addresses, and anybody may ask this.
		if m.options.OnNeed || m.Load().Connected > 0 {
			say(w, http.StatusOK, "ok")
		} else {
			say(w, http.StatusServiceUnavailable, "no browser is connected")
		}
	})
	mux.HandleFunc(mcphttp.PressurePath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(m.Pressure()) // whoever asked may be gone
	})
	return mux
}

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

func (s Share) used() float64 { return float64(s.Now) / float64(s.Limit) }

// Pressure says how near the hub is to what it can carry, now.
func (m *Metrics) Pressure() Pressure {
	l := m.Load()
	p := Pressure{
		Requests: Share{l.InFlight, mcphttp.MaxRunning},
		Pages:    Share{l.Pages, m.options.MaxPages},
		Clients:  Share{l.Clients, m.options.MaxClients},
	}
	p.Pressure = max(p.Requests.used(), p.Pages.used(), p.Clients.used())
	return p
}
