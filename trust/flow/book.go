package flow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"webmcphub/registry/names"
)

// Mode says what the book does with a flow that no pair allows.
type Mode string

// None is the [Decision].Mode of an action that carries no data, or only data that may go where the action leads.
const None Mode = "none"

// The modes, as the flag --flow names them.
const (
	Off     Mode = "off"     // nothing is remembered
	Log     Mode = "log"     // the guard reports the flow, and allows it
	Ask     Mode = "ask"     // a person is asked
	Enforce Mode = "enforce" // it is refused
)

// Options are fixed for the life of a [Book].
type Options struct {
	Mode Mode
	// Domain returns the registered domain of a host, or "" if it has none.
	Domain func(host string) string
	// Strict makes every origin a site of its own.
	Strict bool
	// Pairs are the flows that are allowed.
	Pairs []Pair
}

// Limits of what a [Book] remembers for one client.
const (
	maxOrigins = 1000    // origins that the client has read
	maxHashes  = 1 << 18 // passages and values that it has read, together some megabytes of text
	maxRead    = 1 << 19 // bytes of text of one result
	maxOwn     = 1 << 14 // passages and values that the client has said before it read them
	maxTargets = 1000    // sites to which it has sent data, and tabs in which it has run scripts
	maxTail    = 8       // texts that it has last sent to one site
	maxPiece   = 32      // bytes of each of these
)

// Costs of data that can't be compared, but may carry what the client has read: an action's choice and time, and
// numbers and single letters of unknown origin. Above maxUnseen an action counts as a flow.
const (
	maxUnseen  = 12
	actCost    = 1
	digitCost  = 3
	letterCost = 1
	shortCost  = 4 // of an action that says one or two letters
)

// Book remembers what each client has read.
type Book struct {
	options Options
	clients map[string]*client
	learned map[exactly]bool // flows that a person allowed for good later
}

// client holds what the book remembers of one client.
type client struct {
	sources map[string]*source // by origin
	more    *source            // for the origins that are not remembered; nil if there are none
	hashes  int                // of all sources
	filter  filter             // of the hashes of all sources
	own     map[uint64]bool    // hashes of what it said before it read it: its user's words
	targets map[string]*target // by site, or by origin if it belongs to none
	scripts map[string]string  // the origins on which it has run scripts, by the tab
	// anywhere reports that it has run scripts in more than maxTargets tabs.
	anywhere bool
	decided  struct { // the last decision
		action string // its key
		flows  bool
	}
}

// source holds what a client has read from one origin.
type source struct {
	place
	seen map[uint64]Kind
	// visited reports that the client has read more than a tab's title.
	visited bool
	// private reports that the client has read a number, an address or a field's value. opaque reports that seen lacks
	// a part, such as a picture.
	private, opaque bool
}

// target holds what a client has sent to a site.
type target struct {
	tail   []string // the last texts
	unseen int      // the cost of data that can't be compared
}

// place is a parsed origin.
type place struct {
	names.Origin
	site string // identifies its site; "" if it belongs to none
}

// Kind is a set of kinds of data.
type Kind uint8

// The kinds of data.
const (
	PageText Kind = 1 << iota // what a page shows
	Result                    // what a page's tool, resource or prompt returned
	Field                     // a field's value
	Unseen                    // data that the hub can't compare
	alone                     // no other origin can have written it
	common                    // only a number that is everywhere, such as a year
)

// String names the kinds.
func (k Kind) String() string {
	var all []string
	for i, name := range []string{"text of its page", "a tool's result", "a field's value",
		"something that can't be compared"} {
		if k&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, " and ")
}

// New returns an empty Book. A mode that doesn't exist counts as Enforce.
func New(o Options) *Book {
	if !slices.Contains([]Mode{Off, Log, Ask, Enforce}, o.Mode) {
		o.Mode = Enforce
	}
	return &Book{options: o, clients: map[string]*client{}, learned: map[exactly]bool{}}
}

// Read notes that the hub may send a client data of these origins. session is "" for all clients without a session.
// Read reports whether the client has read a new origin.
func (b *Book) Read(session string, origins ...string) (news bool) {
	if b.options.Mode == Off {
		return false
	}
	c := b.client(session)
	for _, o := range origins {
		more := c.more != nil
		if s := b.source(c, o); s != nil && !s.visited {
			s.visited, news = true, true
		}
		news = news || !more && c.more != nil
	}
	return news
}

// source returns a client's source for an origin, or nil if there is no room for another origin.
func (b *Book) source(c *client, origin string) *source {
	s := c.sources[origin]
	switch {
	case s != nil:
	case len(c.sources) < maxOrigins:
		s = &source{place: b.place(origin), seen: map[uint64]Kind{}}
		c.sources[origin] = s
	case c.more == nil:
		c.more = &source{private: true, opaque: true}
	}
	return s
}

// ReadContent notes the content of these origins that the hub sends to a client: a result or another JSON value.
func (b *Book) ReadContent(session string, kind Kind, raw json.RawMessage, origins ...string) {
	if b.options.Mode == Off {
		return
	}
	c := b.client(session)
	for _, o := range origins {
		s := b.source(c, o)
		if s == nil {
			continue
		}
		is := kind
		if !slices.ContainsFunc(origins, func(other string) bool { return other != o }) {
			is |= alone
		}
		in := content{add: func(h uint64, kind Kind) {
			if _, had := s.seen[h]; !had && c.hashes >= maxHashes {
				s.opaque = true
				return
			} else if !had {
				c.hashes++
				c.note(h)
			}
			if kind != common {
				kind |= is
			}
			s.seen[h] |= kind | is&alone
		}}
		in.json(raw, false)
		s.private, s.opaque = s.private || in.private || in.opaque, s.opaque || in.opaque
	}
}

// note adds a hash to the filter. The caller then adds it to a source.
func (c *client) note(hash uint64) {
	if c.filter.add(hash); c.hashes*filterBits < len(c.filter)*64 {
		return
	}
	c.filter = make(filter, max(64, 4*len(c.filter)))
	for _, s := range c.sources {
		for h := range s.seen {
			c.filter.add(h)
		}
	}
	c.filter.add(hash)
}

func (b *Book) client(session string) *client {
	c := b.clients[session]
	if c == nil {
		c = &client{sources: map[string]*source{}, own: map[uint64]bool{}, targets: map[string]*target{},
			scripts: map[string]string{}}
		b.clients[session] = c
	}
	return c
}

// Gone forgets a client whose session has ended.
func (b *Book) Gone(session string) {
	if session != "" {
		delete(b.clients, session)
	}
}

// Allow lets data of one origin go to another from now on, for all clients.
func (b *Book) Allow(from, to string) { b.learned[exactly{from, to}] = true }

// SetPairs replaces all flows that are allowed.
func (b *Book) SetPairs(pairs []Pair) { b.options.Pairs, b.learned = pairs, map[exactly]bool{} }

// Action describes what a client wants to do.
type Action struct {
	Session string
	// Origin is the origin of the document on which the client acts.
	Origin string
	// To is the address to which the action leads a tab; "" if there is none.
	To string
	// Noticeable reports that the target's page can notice the action, even if it has no texts.
	Noticeable bool
	// Texts are the texts that the target receives.
	Texts []string
	// Names are the names of members in the arguments that may carry data to the target.
	Names []string
	// Opaque reports that the target receives data that can't be compared: a file, or what a script computes.
	Opaque bool
	// Takes is an origin whose data the action may take along, whether the client has read it or not.
	Takes string
	// Tab is the tab in which the action happens. Script reports that it runs a script there.
	Tab    string
	Script bool
}

// Flow is data of one origin that an action would pass on.
type Flow struct {
	From string // the origin
	Kind Kind
	Text string // the part that would go; "" if unknown
}

// Decision is the decision of a [Book] about an action.
type Decision struct {
	Mode  Mode   // None, or the mode of the Book's Options
	Flows []Flow // the data that the action would carry and that no pair allows, by its origins
	To    string // the origin that would receive the data
}

// PairTexts returns the pairs that would allow the action, as --allow-flow takes them.
func (d Decision) PairTexts() (pairs []string) {
	for _, f := range d.Flows {
		pairs = append(pairs, word(f.From)+"->"+word(d.To))
	}
	return pairs
}

// Exact reports whether a person who reads [Decision.Text] can allow these flows for longer than once: the text names
// each origin, and each name stands for that origin alone. The only pattern for an opaque or unknown origin is *,
// which other documents match, too.
func (d Decision) Exact() bool {
	vague := func(origin string) bool { return word(origin) == "*" }
	return len(d.Flows) <= maxNamed && len(d.Text()) <= maxText && !vague(d.To) &&
		!slices.ContainsFunc(d.Flows, func(f Flow) bool { return vague(f.From) })
}

// maxNamed is how many origins a text names. Readers are certain to see all of a text of at most maxText bytes.
// maxQuoted is how many characters of each passage a text quotes.
const (
	maxNamed  = 5
	maxText   = 400
	maxQuoted = 80
)

// word returns the pattern that names an origin.
func word(origin string) string {
	if names.ParseAddress(origin) == (names.Origin{}) {
		return "*"
	}
	return origin
}

// Decide decides about an action, by everything that its client has read and said.
func (b *Book) Decide(a Action) Decision {
	c := b.clients[a.Session]
	if c == nil && (a.Takes == "" || b.options.Mode == Off) {
		return Decision{Mode: None}
	} else if c == nil {
		c = &client{}
	}
	key := a.key()
	a, to := b.withTarget(c, a)
	if !a.Noticeable && len(a.Texts) == 0 && !a.Opaque {
		return Decision{Mode: None}
	}
	d := Decision{Mode: b.options.Mode, To: to}
	is := b.place(to)
	foreign := b.foreign(c, a, to, is)
	if len(foreign) == 0 {
		return Decision{Mode: None}
	}
	before := c.targets[is.key(to)]
	if before == nil {
		before = &target{}
	}
	p := newPayload(before.tail, a.Texts, a.Names, c.filter)
	costly := a.Opaque || before.unseen+c.cost(a, is.site) > maxUnseen
	known := sync.OnceValue(func() bool { return c.known(slices.Concat(a.Texts, a.Names), is.site) })
	for _, name := range foreign {
		f := Flow{From: name, Kind: Unseen}
		from := c.sources[name]
		switch {
		case name == "" && c.more != nil:
			from = c.more
		case from == nil:
			from = &source{private: true}
		}
		var found []item
		for _, i := range p.items {
			if kind := from.seen[i.hash] &^ (alone | common); kind != 0 && !c.free(i, is.site) {
				found, f.Kind = append(found, i), f.Kind&^Unseen|kind
			}
		}
		f.Text = p.quote(found)
		if len(found) > 0 || p.cut || costly && from.private || name == a.Takes || from.opaque && !known() {
			d.Flows = append(d.Flows, f)
		}
	}
	c.decided.action, c.decided.flows = key, len(d.Flows) > 0
	if len(d.Flows) == 0 {
		return Decision{Mode: None}
	}
	return d
}

func (c *client) visited(origin string) bool {
	return c.sources[origin] != nil && c.sources[origin].visited
}

// key returns a text that is equal for equal actions.
func (a Action) key() string {
	return strings.Join(slices.Concat([]string{a.Origin, a.To, a.Tab}, a.Texts, a.Names), "\x00")
}

// cost returns the cost of the data in an action that can't be compared.
func (c *client) cost(a Action, site string) (cost int) {
	if !a.Noticeable {
		return 0
	}
	n := 0
	for i, texts := range [][]string{a.Texts, a.Names} {
		s := squeeze(strings.Join(texts, " "))
		n += len(s.bytes)
		s.parts(s.word, func(from, to int) {
			b := s.bytes[from:to]
			switch h := hash(b); {
			case len(b) == 1 && !hasDigit(b):
				cost += letterCost
			case i > 0: // a name with digits is also in Texts
			case c.own[h] || c.shown(h, site):
			default:
				cost += digitCost * len(bytes.Map(digits, b))
			}
		})
	}
	if n > 0 && n <= 2 {
		cost = max(cost, shortCost)
	}
	return cost + actCost
}

// digits returns a digit unchanged, and -1 for all other characters.
func digits(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

// known reports whether a target may receive all of these texts in any case.
func (c *client) known(texts []string, site string) bool {
	return !slices.ContainsFunc(plain(texts).items, func(i item) bool { return !c.free(i, site) })
}

// free reports whether a target may receive an item in any case: the client's user said it, or the target's site has
// shown it itself. A site can show all short numbers, so for these its showing doesn't count.
func (c *client) free(i item, site string) bool {
	if c.own[i.hash] {
		return true
	}
	return !i.few && c.shown(i.hash, site)
}

// shown reports whether a site itself has shown the text with this hash.
func (c *client) shown(hash uint64, site string) bool {
	if !c.filter.has(hash) {
		return false
	}
	for _, s := range c.sources {
		if site != "" && s.site == site && s.seen[hash]&alone != 0 {
			return true
		}
	}
	return false
}

// withTarget returns an action with all texts that its target receives, and the target's origin.
func (b *Book) withTarget(c *client, a Action) (full Action, to string) {
	from := c.scripts[a.Tab]
	if from == "" && c.anywhere {
		from = names.OpaqueOrigin
	}
	if a.To != "" && from != "" && a.Takes == "" {
		a.Takes = from // the script may have left something in the tab
	}
	switch {
	case a.To == "":
		return a, a.Origin
	case a.To == "about:blank":
		return Action{}, ""
	}
	to = names.DocumentOrigin("", a.To)
	if names.ParseAddress(to) == (names.Origin{}) { // the client has written this page or script
		a.Noticeable, a.Opaque, a.Texts = true, true, append(slices.Clone(a.Texts), a.To)
		return a, to
	}
	alone := to != "" && strings.TrimSuffix(a.To, "/") == to
	if a.Noticeable = true; !alone || !c.visited(to) {
		a.Texts = slices.Concat(a.Texts, b.address(c, to, a.To))
	}
	return a, to
}

// address returns the parts of an address that may carry data.
func (b *Book) address(c *client, to, address string) []string {
	is := names.ParseAddress(to)
	domain := cmp.Or(b.domain(is.Host), is.Host)
	parts := strings.Split(strings.TrimSuffix(is.Host, domain), ".")
	if !c.visited(to) && strings.ContainsAny(domain, "0123456789") {
		parts = append(parts, domain)
	}
	if !c.visited(to) && !strings.HasSuffix(to, is.Host) {
		parts = append(parts, is.Port)
	}
	parts = append(parts, strings.FieldsFunc(strings.TrimPrefix(address, to),
		func(r rune) bool { return strings.ContainsRune("/?&=#", r) })...)
	return slices.DeleteFunc(parts, func(text string) bool { return text == "" || text == "www" })
}

func (b *Book) domain(host string) string {
	if b.options.Domain == nil {
		return ""
	}
	return b.options.Domain(host)
}

// foreign returns the origins whose data the client could carry to a target without a pair that allows it, sorted.
func (b *Book) foreign(c *client, a Action, target string, to place) (from []string) {
	open := slices.DeleteFunc(slices.Clone(b.options.Pairs), func(p Pair) bool { return !p.to.Matches(to.Origin) })
	add := func(name string, is place) {
		if to.site != "" && is.site == to.site || b.learned[exactly{name, target}] ||
			slices.ContainsFunc(open, func(p Pair) bool { return p.from.Matches(is.Origin) }) {
			return
		}
		from = append(from, name)
	}
	for name, s := range c.sources {
		add(name, s.place)
	}
	if c.more != nil && c.sources[""] == nil {
		add("", place{})
	}
	if a.Takes != "" && c.sources[a.Takes] == nil {
		add(a.Takes, b.place(a.Takes))
	}
	slices.Sort(from)
	return from
}

// Started notes that an action was allowed and that the hub is about to carry it out.
func (b *Book) Started(a Action) {
	if b.options.Mode == Off {
		return
	}
	c := b.client(a.Session)
	switch {
	case !a.Script || a.Tab == "":
	case len(c.scripts) < maxTargets || c.scripts[a.Tab] != "":
		c.scripts[a.Tab] = a.Origin
	default:
		c.anywhere = true
	}
	flows := c.decided.flows
	if c.decided.action != a.key() {
		flows = b.Decide(a).Mode != None
	}
	a, to := b.withTarget(c, a)
	is := b.place(to)
	at := c.targets[is.key(to)]
	if at == nil {
		if len(c.targets) >= maxTargets {
			clear(c.targets)
		}
		at = &target{}
		c.targets[is.key(to)] = at
	}
	at.unseen += c.cost(a, is.site)
	c.noteOwn(slices.Concat(a.Texts, a.Names))
	if flows {
		*at = target{} // the decision covered all of it
		return
	}
	for _, text := range a.Texts {
		at.tail = append(at.tail, text[max(0, len(text)-maxPiece):])
	}
	at.tail = slices.Clone(at.tail[max(0, len(at.tail)-maxTail):])
}

// noteOwn notes texts of the client that it has not read: its user's words. The client may have computed a number from
// others, so numbers count only while it has read nothing private.
func (c *client) noteOwn(texts []string) {
	private := c.more != nil
	for _, s := range c.sources {
		private = private || s.private
	}
	own := func(h uint64, number bool) {
		if len(c.own) < maxOwn && !(number && private) && !c.read(h) {
			c.own[h] = true
		}
	}
	p := plain(texts)
	for _, i := range p.items {
		own(i.hash, i.digits)
	}
	all := squeeze(strings.Join(texts, " "))
	all.parts(all.word, func(i, j int) { own(hash(all.bytes[i:j]), hasDigit(all.bytes[i:j])) })
}

// read reports whether the client has read the text with this hash, or may have read it.
func (c *client) read(hash uint64) bool {
	if c.more != nil {
		return true
	}
	for _, s := range c.sources {
		if _, is := s.seen[hash]; is || s.opaque {
			return true
		}
	}
	return false
}

// key returns the key of a target at an origin: its site, or the origin if it belongs to no site.
func (p place) key(origin string) string { return cmp.Or(p.site, origin) }

// place parses an origin.
func (b *Book) place(origin string) place {
	o := names.ParseAddress(origin)
	host := o.Host
	switch {
	case o == names.Origin{}:
		return place{}
	case b.options.Strict:
		host += ":" + o.Port
	default:
		host = cmp.Or(b.domain(host), host)
	}
	return place{o, o.Scheme + "://" + host}
}

// Text describes the flows for a person or an agent.
func (d Decision) Text() string {
	var from []string
	for i, f := range d.Flows {
		if i == maxNamed {
			from = append(from, fmt.Sprintf("%d more", len(d.Flows)-i))
			break
		}
		from = append(from, named(f.From)+" ("+f.Kind.String()+")")
	}
	return fmt.Sprintf("it would send to %s what this client has read from %s", named(d.To), strings.Join(from, ", "))
}

// Shown returns the parts that would go to the target, one line for each origin.
func (d Decision) Shown() string {
	var lines []string
	for _, f := range d.Flows[:min(len(d.Flows), maxNamed)] {
		if f.Text != "" {
			lines = append(lines, "from "+named(f.From)+": "+f.Text)
		}
	}
	return strings.Join(lines, "\n")
}

func named(origin string) string {
	switch origin {
	case "":
		return "an unknown origin"
	case names.OpaqueOrigin:
		return "an opaque origin"
	}
	return origin
}
