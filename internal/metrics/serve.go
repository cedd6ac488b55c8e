package metrics

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"webmcphub/mcpserver"
)

// Handler answers GET for the paths that package mcpserver names:
//
//   - /metrics: all metrics, in Prometheus' format;
//   - /pressure: [Pressure] as JSON;
//   - /healthz: 200 as long as the hub answers at all; for a process of a cluster, as long as the goroutine that owns
//     its state answers;
//   - /readyz: 200 while clients can use a browser's pages, else 503. A Chrome that is started only when a client
//     needs it counts as ready. A process of a cluster decides itself when it is ready.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(mcpserver.MetricsPath, promhttp.HandlerFor(m.all, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))
	mux.HandleFunc(mcpserver.HealthPath, func(w http.ResponseWriter, req *http.Request) {
		ctx, cancel := context.WithTimeout(req.Context(), answersWithin)
		defer cancel()
		if m.asks.alive(ctx) != nil { // the text must not reveal the error to anybody
			respond(w, http.StatusServiceUnavailable, "no answer from within")
			return
		}
		respond(w, http.StatusOK, "ok")
	})
	mux.HandleFunc(mcpserver.ReadyPath, func(w http.ResponseWriter, _ *http.Request) {
		if why := m.asks.ready(); why != "" {
			respond(w, http.StatusServiceUnavailable, why)
			return
		}
		respond(w, http.StatusOK, "ok")
	})
	mux.HandleFunc(mcpserver.PressurePath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(m.Pressure()) // the client may be gone
	})
	return mux
}

// asks are the functions that report values on request.
type asks struct {
	load     func() Load
	pressure func() Pressure
	alive    func(context.Context) error
	// ready says why it is not ready, or returns "". Anybody may ask for this, so the text contains no other
	// program's words, which may name addresses.
	ready func() (why string)
}

func (m *Metrics) ownReady() string {
	if m.options.OnNeed || m.Load().Connected > 0 {
		return ""
	}
	return "no browser is connected"
}

// answersWithin is how long the state's owner in a process of a cluster may take to answer.
const answersWithin = time.Second

// maxScrapes is how many clients may read the metrics at a time.
const maxScrapes = 4

func respond(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// Pressure says how close the hub is to its capacity, for whatever starts more hubs.
type Pressure struct {
	// Pressure is the highest of the shares below: from 0, no load, to 1, where the next request is refused. It may
	// exceed 1 if the limit concerns less than what is counted: tabs beyond the limit are open, but their tools
	// aren't listed.
	Pressure float64 `json:"pressure"`
	Requests Share   `json:"requests"` // of clients, in flight
	Pages    Share   `json:"pages"`
	Clients  Share   `json:"clients"`
}

// Share says how much of a limit is used.
type Share struct {
	Now   int `json:"now"`
	Limit int `json:"limit"`
}

func (s Share) used() float64 {
	if s.Limit == 0 { // there is no limit
		return 0
	}
	return float64(s.Now) / float64(s.Limit)
}

// Pressure returns how close the hub is to its capacity now.
func (m *Metrics) Pressure() Pressure { return m.asks.pressure() }

func (m *Metrics) ownPressure() Pressure {
	l := m.Load()
	return pressed(Pressure{
		Requests: Share{l.InFlight, mcpserver.MaxRunning},
		Pages:    Share{l.Pages, m.options.MaxPages},
		Clients:  Share{l.Clients, m.options.MaxClients},
	})
}

// pressed sets Pressure to the highest of the shares.
func pressed(p Pressure) Pressure {
	p.Pressure = max(p.Requests.used(), p.Pages.used(), p.Clients.used())
	return p
}
