package leases

import (
	"encoding/json"
	"strings"
)

// Entry is one key of what the cluster keeps, with its revisions as etcd has them.
type Entry struct {
	Key     string // without the cluster's own prefix
	Value   []byte
	Created int64 // the revision at which it came to be
	Version int64 // the revision of its last change
	Session int64 // the session on which it hangs; 0 if it stays
}

// Tx is a transaction: it is carried out whole, or not at all.
type Tx struct {
	// Epoch is the [Listed].Epoch to which its conditions belong: in another one it isn't carried out.
	Epoch  string
	If     []If
	Put    []Put
	Delete []string
}

// MaxOps is how many conditions, and how many changes, a [Tx] has at most: etcd takes 128.
const MaxOps = 120

// If is a condition of a [Tx]: the key is of that version. 0 is that there is none.
type If struct {
	Key     string
	Version int64
}

// Put is a change of a [Tx].
type Put struct {
	Key   string
	Value []byte
	// Session says that the key goes when the process that puts it is gone, SameSession that the key, which is there,
	// goes on hanging on the session of the process that put it first.
	Session, SameSession bool
}

// The keys: what is known of
//
//	members/ROLE/NAME      a member [Member]; hangs on its session
//	browsers/NODE/BROWSER  a browser that was granted, while it isn't fresh again [record]
//	requests/ID            a request that isn't granted [queued]; hangs on its gateway's session
//	turns                  whose turn it is [turns]
//	limits                 what tenants may have [Limits]
//	election/CANDIDATE     a candidate in the election; the store puts it, with the session's lease
const (
	ElectionAt = "election/"
	membersAt  = "members/"
	browsersAt = "browsers/"
	requestsAt = "requests/"
	turnsAt    = "turns"
	limitsAt   = "limits"
)

// record is a browser that was granted. There is one key for each browser, so it has one holder.
type record struct {
	Life  string
	Lease *Lease `json:",omitempty"` // nil once the lease has ended: the life is used up
	// Pending says that the gateway of the lease's request has not confirmed it: the lease ends with the request.
	Pending bool `json:",omitempty"`
	// Ended is when it has: Unix time in milliseconds.
	Ended int64 `json:",omitempty"`
	// broken is a record that can't be read: its browser isn't granted.
	broken bool
}

// queued is a request that isn't granted.
type queued struct {
	ID      string `json:"-"`
	Tenant  string
	Labels  []string `json:",omitempty"`
	Profile string   `json:",omitempty"`
	NoWait  bool     `json:",omitempty"` // it is refused if no browser is free
	// Turn is the turn at which it came.
	Turn uint64
	// Admitted says that the leader has let it wait, Refused why it hasn't. Its gateway takes out one that is refused.
	Admitted bool   `json:",omitempty"`
	Refused  Reason `json:",omitempty"`
}

// turns say which tenant was served when. Each transaction that grants leases changes them, and demands that nobody
// has changed them since.
type turns struct {
	Turn uint64            // the number of the last one
	Last map[string]uint64 `json:",omitempty"` // of each tenant that holds something or waits
}

// kept is a value with its revisions.
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
	if err != nil { // nothing of ours can't be encoded
		panic(err)
	}
	return raw
}

func memberKey(m Member) string { return membersAt + string(m.Role) + "/" + m.Name }

func nodeKey(name string) string { return membersAt + string(Node) + "/" + name }

// split takes NODE/BROWSER apart.
func split(name string) (node, browser string) {
	node, browser, _ = strings.Cut(name, "/")
	return node, browser
}
