package metrics

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// Options are fixed for the life of Metrics.
type Options struct {
	Version string // the hub's
	// MaxPages is how many pages' tools are listed. MaxClients is how many clients may have a session over HTTP. Both
	// are more than 0.
	MaxPages, MaxClients int
	// OnNeed says that the hub connects to the browser only when a client needs it.
	OnNeed bool
}

// Metrics are the metrics of one hub, or of one process of a cluster.
type Metrics struct {
	options  Options
	all      *prometheus.Registry
	catalogs prometheus.Counter
	flushes  prometheus.Counter
	lost     prometheus.Counter
	calls    *prometheus.CounterVec
	took     *prometheus.HistogramVec
	parts    *prometheus.HistogramVec
	current  atomic.Pointer[registry.Catalog]
	server   atomic.Pointer[mcpserver.Server] // nil before Watch
	asks     asks
}

// Calls last from microseconds (a tool of the hub's own) to minutes (a question to a person).
var buckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60,
	300}

// New returns the metrics of a hub that has done nothing yet.
func New(o Options) *Metrics {
	m := begin(o.Version)
	m.options = o
	m.asks = asks{load: m.ownLoad, pressure: m.ownPressure, alive: func(context.Context) error { return nil },
		ready: m.ownReady}
	m.catalogs = counter("catalog_changes_total", "Catalogs that were published: each has at least one change of a "+
		"page, a tool, or a browser.")
	m.flushes = counter("list_changed_total", "Times at which clients were told that their lists changed.")
	m.lost = counter("browser_connections_lost_total", "Times at which the connection to the browser was lost.")
	m.current.Store(registry.StartingCatalog())
	m.all.MustRegister(m.catalogs, m.flushes, m.lost)
	m.pagesAndBrowsers()
	m.clients()
	return m
}

// begin registers the metrics that every process has.
func begin(version string) *Metrics {
	m := &Metrics{
		all: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "calls_total",
			Help: "Calls that are over, by what was called (a page's tool, or one of the hub's own) and how they ended.",
		}, []string{"of", "outcome"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "call_duration_seconds",
			Help:    "How long calls took, from the request to its answer, with the questions that were asked meanwhile.",
			Buckets: buckets,
		}, []string{"of"}),
		parts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "call_part_duration_seconds",
			Help: "How long parts of the calls took that pages were asked: queue (until the page was asked: waiting " +
				"for rules, questions, browsers and tabs), page (until the page answered, both ways included), and hub " +
				"(until the client's answer was ready).",
			Buckets: buckets,
		}, []string{"part"}),
	}
	for _, part := range []string{"queue", "page", "hub"} {
		m.parts.WithLabelValues(part) // so that each part exists from the start
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, labelled with the hub's version and that of Go.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	m.all.MustRegister(m.calls, m.took, m.parts, build,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "pressure", Help: "How near the hub is to what it can carry, as /pressure " +
				"says: 0 with nothing to do, 1 where the next is refused.",
		}, func() float64 { return m.Pressure().Pressure }),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// pagesAndBrowsers registers the numbers of pages and browsers.
func (m *Metrics) pagesAndBrowsers() {
	m.all.MustRegister(
		m.gauge("pages", "Tabs that the hub knows.", func(l Load) int { return l.Pages }),
		m.gauge("tools", "Tools of pages that are published.", func(l Load) int { return l.Tools }),
		m.gauge("browsers", "Browsers that the hub has to reach, however they stand.",
			func(l Load) int { return l.Browsers }),
		m.gauge("browsers_connected", "Those that are connected.", func(l Load) int { return l.Connected }),
	)
}

// clients registers the load that MCP clients cause.
func (m *Metrics) clients() {
	m.all.MustRegister(
		m.gauge("clients", "Clients that have a session, or a request under way.",
			func(l Load) int { return l.Clients }),
		m.gauge("requests_in_flight", "Requests of clients that are not answered yet.",
			func(l Load) int { return l.InFlight }),
		m.gauge("messages_waiting", "Messages that wait for their client to read.",
			func(l Load) int { return l.Waiting }),
		m.gauge("leases", "Tabs that clients keep to themselves.", func(l Load) int { return l.Leases }),
	)
}

const namespace = "webmcp_hub"

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func (m *Metrics) gauge(name, help string, of func(Load) int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, func() float64 {
		return float64(of(m.Load()))
	})
}

// Watch sets the server whose clients the metrics report.
func (m *Metrics) Watch(s *mcpserver.Server) { m.server.Store(s) }

// Apply records what the registry serves, as a publisher beside the MCP server. It is called by one goroutine at a
// time and never blocks.
func (m *Metrics) Apply(effects []registry.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case registry.SetCatalog:
			before := connectedBrowsers(m.current.Load())
			for name, connected := range connectedBrowsers(e.Catalog) {
				if before[name] && !connected {
					m.lost.Inc()
				}
			}
			m.current.Store(e.Catalog)
			m.catalogs.Inc()
		case registry.NotifyListChanged:
			m.flushes.Inc()
		}
	}
}

// connectedBrowsers says about each browser of a catalog whether it is connected. The key is its name, or "" if there
// is only one.
func connectedBrowsers(c *registry.Catalog) map[string]bool {
	all := c.Browsers()
	if all == nil {
		return map[string]bool{"": c.BrowserStatus() == ""}
	}
	connected := map[string]bool{}
	for _, b := range all {
		connected[b.Name] = b.Status == ""
	}
	return connected
}

// Called records a finished call; it is an mcpserver.Options.Called.
func (m *Metrics) Called(r calls.Record) {
	of := "hub"
	if r.Tool != nil {
		of = "page"
	}
	m.calls.WithLabelValues(of, r.Outcome).Inc()
	m.took.WithLabelValues(of).Observe(r.Took.Seconds())
	if r.Asked.IsZero() || r.Answered.IsZero() {
		return
	}
	for part, took := range map[string]time.Duration{
		"queue": r.Asked.Sub(r.Began), "page": r.Answered.Sub(r.Asked), "hub": r.Took - r.Answered.Sub(r.Began),
	} {
		m.parts.WithLabelValues(part).Observe(took.Seconds())
	}
}

// Load is the hub's current load.
type Load struct {
	Pages, Tools                       int
	Clients, InFlight, Waiting, Leases int
	Browsers, Connected                int
}

// Load returns the hub's current load.
func (m *Metrics) Load() Load { return m.asks.load() }

func (m *Metrics) ownLoad() (l Load) {
	c := m.current.Load()
	l.Pages, l.Tools = len(c.Tabs()), c.Len()
	for _, connected := range connectedBrowsers(c) {
		l.Browsers++
		if connected {
			l.Connected++
		}
	}
	if s := m.server.Load(); s != nil {
		f := s.Stats()
		l.Clients, l.InFlight, l.Waiting, l.Leases = f.Clients, f.InFlight, f.Waiting, f.Leases
	}
	return l
}
