package leases

import (
	"encoding/json"
	"strings"
)

// Entry is one key of the cluster's state, with its value and its revisions in etcd.
type Entry struct {
	Key     string // without the cluster's own prefix
	Value   []byte
	Created int64 // the revision at which the key was created
	Version int64 // the revision of its last change
	Session int64 // the session with which the key ends; 0 if the key ends with none
}

// Tx is a transaction: it is carried out completely, or not at all.
type Tx struct {
	// Epoch is the [Listed].Epoch to which the conditions belong. In another epoch the transaction isn't carried out.
	Epoch  string
	If     []If
	Put    []Put
	Delete []string
}

// MaxOps is how many conditions, and how many changes, a [Tx] may have. etcd takes 128 of each.
const MaxOps = 120

// If is a condition of a [Tx]: the key has this version. Version 0 means that the key doesn't exist.
type If struct {
	Key     string
	Version int64
}

// Put is a change of a [Tx]: it sets a key to a value.
type Put struct {
	Key   string
	Value []byte
	// Session says that the key ends with the session of the process that puts it.
	Session bool
	// SameSession says that the key exists already, and that it still ends with the session of the process that put it
	// first.
	SameSession bool
}

// The keys, with the types of their values:
//
//	members/ROLE/NAME      a member [Member]; ends with the session of its process
//	browsers/NODE/BROWSER  a browser that was granted and hasn't begun another life since [record]
//	requests/ID            a request that isn't granted [queued]; ends with the session of its gateway
//	turns                  when each tenant was served [turns]
//	limits                 what tenants may have [Limits]
//	election/CANDIDATE     a candidate in the election; the backend puts it, and it ends with the backend's session
const (
	ElectionAt = "election/"
	membersAt  = "members/"
	browsersAt = "browsers/"
	requestsAt = "requests/"
	turnsAt    = "turns"
	limitsAt   = "limits"
)

// record describes a browser that was granted. There is one key for each browser, so a browser has one holder.
type record struct {
	Life  string
	Lease *Lease `json:",omitempty"` // nil once the lease has ended: the browser is spent
	// Pending says that the gateway hasn't confirmed the lease yet. Until then it ends with its request.
	Pending bool `json:",omitempty"`
	// Ended is when the lease ended: Unix time in milliseconds.
	Ended int64 `json:",omitempty"`
	// broken says that the record can't be read. Its browser isn't granted.
	broken bool
}

// queued is a request that isn't granted.
type queued struct {
	ID      string `json:"-"`
	Tenant  string
	Labels  []string `json:",omitempty"`
	Profile string   `json:",omitempty"`
	NoWait  bool     `json:",omitempty"` // the leader refuses the request if no browser is free
	// Turn is the number of the last grant when the request came.
	Turn uint64
	// Admitted says that the leader lets the request wait. Refused says why the leader doesn't; the gateway then
	// deletes the request.
	Admitted bool   `json:",omitempty"`
	Refused  Reason `json:",omitempty"`
}

// turns say when each tenant was served. Each transaction that grants leases changes them. It compares their version,
// so it isn't carried out if another transaction has changed them.
type turns struct {
	Turn uint64            // the number of the last grant
	Last map[string]uint64 `json:",omitempty"` // the last turn of each tenant that holds something or waits
}

// kept is the decoded value of an entry, with the entry's revisions.
type kept[T any] struct {
	value                     T
	created, version, session int64
}

func read[T any](e Entry) (kept[T], bool) {
	k := kept[T]{created: e.Created, version: e.Version, session: e.Session}
	err := json.Unmarshal(e.Value, &k.value)
	return k, err == nil
}

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil { // all values of this package can be encoded
		panic(err)
	}
	return raw
}

func memberKey(m Member) string { return membersAt + string(m.Role) + "/" + m.Name }

func nodeKey(name string) string { return membersAt + string(Node) + "/" + name }

// split returns the node and the browser of NODE/BROWSER.
func split(name string) (node, browser string) {
	node, browser, _ = strings.Cut(name, "/")
	return node, browser
}
