package leases

import "time"

// Role is what a member of the cluster does.
type Role string

// The roles.
const (
	Node    Role = "node"    // runs beside browsers
	Gateway Role = "gateway" // serves agents
)

// Member is a process of the cluster, as it says of itself.
type Member struct {
	Role Role
	// Name is [a-z0-9-]{1,32}, and one living member's of its role.
	Name    string
	Address string // host:port by which others reach it
	// Incarnation is another one after each start of the process.
	Incarnation string
	Browsers    []Browser `json:",omitempty"`
	// Leaving says that it takes no new work: its browsers are no longer granted.
	Leaving bool `json:",omitempty"`
}

// Condition is whether a browser can be granted.
type Condition string

// The conditions.
const (
	// Ready browsers run and have answered lately.
	Ready Condition = "ready"
	// Unfit browsers aren't connected or don't answer, and are not granted. Who has one keeps it.
	Unfit Condition = "unfit"
)

// Browser is one of a node's browsers.
type Browser struct {
	// Name is unique on its node. It has neither "/" nor "~" in it.
	Name string
	// Labels are what requests are held against, those of its node included.
	Labels []string `json:",omitempty"`
	// Profile is the name of the profile that it runs with; "" is a fresh one. It is granted only to
	// those who ask for that very profile.
	Profile   string `json:",omitempty"`
	Condition Condition
	// Life is another one each time that the browser begins afresh, for whatever reason. A lease ends
	// with the life for which it was granted, and no life is granted twice.
	Life string
}

// Request is what somebody wants a browser for.
type Request struct {
	Tenant  string
	Labels  []string // all of them must be among the browser's
	Profile string
	// Wait is how long to wait for one at most; 0 is not at all.
	Wait time.Duration
}

// Waiting is how a request stands that isn't answered yet.
type Waiting struct {
	Ahead int // how many of the same tenant are before it
	// Trouble is why nothing moves at all just now, in a sentence; "" if all is well.
	Trouble string
}

// Lease is a browser in the hands of a tenant.
type Lease struct {
	// Handle names the lease, and by it the browser: NODE/BROWSER~ID, see [ParseHandle].
	Handle string
	Tenant string
	Node   string
	// Browser is the browser's name on its node.
	Browser string
	Life    string // the browser's, for which the lease holds
	Since   time.Time
	// Until is when it ends at the latest.
	Until time.Time
	// Used is when it was last seen in use; zero if it never was.
	Used time.Time `json:",omitzero"`
	// Request is the ID of the request that it was granted to.
	Request string `json:",omitempty"`
}

// used is when a lease was last in use, or was granted.
func (l Lease) used() time.Time {
	if l.Used.After(l.Since) {
		return l.Used
	}
	return l.Since
}

// Snapshot is what a store knows of the cluster. It is shared: nobody changes it.
type Snapshot struct {
	Members []Member // by role and name
	Leases  []Lease  // by handle
	// Used are the browsers whose lease has ended. They aren't granted until they have begun afresh.
	Used []Used
	// Waiting is how many requests of each tenant wait.
	Waiting map[string]int
	// Stale says why the snapshot may be out of date, and what follows from that; "" while the store is
	// in touch. What is in the snapshot holds on until the store says otherwise.
	Stale string
}

// Used is a browser whose lease has ended, in the life for which it was granted. Its node ends that
// life, with all that the browser holds, and tells the next one by the update of [Store].Join. By comparing
// lives the node knows whether it has done so already.
type Used struct{ Node, Browser, Life string }
