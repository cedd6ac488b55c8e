package leases

import "time"

// Role says what a member of the cluster does.
type Role string

// The roles.
const (
	Node    Role = "node"    // runs beside browsers
	Gateway Role = "gateway" // serves agents
)

// Member is a process of the cluster, as the process describes itself.
type Member struct {
	Role Role
	// Name is [a-z0-9-]{1,32}. No two living members of one role have the same name.
	Name    string
	Address string // the host:port at which others reach the process
	// Incarnation is different after each start of the process.
	Incarnation string
	Browsers    []Browser `json:",omitempty"`
	// Leaving says that the process takes no new work. Its browsers are no longer granted.
	Leaving bool `json:",omitempty"`
}

// Condition says whether a browser can be granted.
type Condition string

// The conditions.
const (
	// Ready browsers run and have answered recently.
	Ready Condition = "ready"
	// Unfit browsers aren't connected or don't answer, and are not granted. A tenant that has one keeps it.
	Unfit Condition = "unfit"
)

// Browser is one of a node's browsers.
type Browser struct {
	// Name is unique on the node. It contains neither "/" nor "~".
	Name string
	// Labels are the browser's own labels and those of its node. A request can ask for labels.
	Labels []string `json:",omitempty"`
	// Profile is the name of the profile that the browser runs with; "" is a fresh one. The browser is granted only to
	// requests for this very profile.
	Profile   string `json:",omitempty"`
	Condition Condition
	// Life is different after each fresh start of the browser, whatever its reason. A lease ends with the life for
	// which it was granted, and no life is granted twice.
	Life string
}

// Request asks for a browser. It says for which tenant, and which browsers fit.
type Request struct {
	Tenant  string
	Labels  []string // all of them must be among the browser's
	Profile string
	// Wait is how long the request may wait for a browser; with 0 it doesn't wait.
	Wait time.Duration
}

// Progress says how far a request that isn't answered yet has come.
type Progress struct {
	Ahead int // how many requests of the same tenant are before it
	// Trouble says why no request is answered now, as a clause; "" if all is well.
	Trouble string
}

// Lease says that a tenant has a browser.
type Lease struct {
	// Handle names the lease and its browser: NODE/BROWSER~ID, see [ParseHandle].
	Handle string
	Tenant string
	Node   string
	// Browser is the browser's name on its node.
	Browser string
	Life    string // the life of the browser for which the lease holds
	Since   time.Time
	// Until is when the lease ends at the latest.
	Until time.Time
	// Used is when the browser was last seen in use; zero if it never was.
	Used time.Time `json:",omitzero"`
	// Request is the ID of the request to which the lease was granted.
	Request string `json:",omitempty"`
}

// used returns when a lease was last in use, or was granted if it never was.
func (l Lease) used() time.Time {
	if l.Used.After(l.Since) {
		return l.Used
	}
	return l.Since
}

// Snapshot has what a [Store] knows of the cluster. It is shared, so nobody may change it.
type Snapshot struct {
	Members []Member // by role and name
	Leases  []Lease  // by handle
	// Spent has the browsers whose lease has ended. They aren't granted before they have begun another life.
	Spent []Spent
	// WaitingCount says how many requests of each tenant wait.
	WaitingCount map[string]int
	// Stale says why the snapshot may be out of date, and what follows from that. It is "" while the store is in touch
	// with its backend. The snapshot stays valid until the store has another one.
	Stale string
}

// Spent is a browser whose lease has ended, in the Life for which the browser was granted. Its node ends that life and
// everything that the browser holds, and reports the next life by the update of [Store].Join. The node compares lives
// to know whether it has already done so.
type Spent struct{ Node, Browser, Life string }
