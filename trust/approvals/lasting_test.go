package approvals

import (
	"testing"
	"time"
)

// An answer that holds until a time holds at the next hub for the same client, and for
// nothing else; whoever takes it back takes it from all that have it.
func TestAnswersOfAHubBefore(t *testing.T) {
	now := time.Now()
	about := Binding{Session: "stdio-1", Client: "claude", Document: "P 1", Origin: "https://shop.example", Kind: "page", Tool: "buy", Definition: "d", Args: "1", Why: "rule"}
	for choice, lasts := range map[Choice]bool{Once: false, Document: false, Hour: true, Day: true, Date: true, Refuse: false} {
		if _, is := about.Lasts(given(choice, now), now); is != lasts {
			t.Errorf("%s lasts: %v", choice, is)
		}
	}
	for name, change := range map[string]func(*Binding){
		"no session": func(b *Binding) { b.Session = "" }, "no name": func(b *Binding) { b.Client = "" }, "an address": func(b *Binding) { b.To = "https://x.example/" },
	} {
		other := about
		if change(&other); true {
			if _, lasts := other.Lasts(given(Day, now), now); lasts {
				t.Errorf("the answer about %s lasts", name)
			}
		}
	}
	l, _ := about.Lasts(given(Day, now), now)
	b := NewBook()
	b.Restore([]Lasting{l, {Tool: "nobody's", Until: now.Add(time.Hour)}, {Client: "claude", Tool: "over", Until: now}}, now.Add(time.Hour))
	if len(b.left) != 1 {
		t.Errorf("%d answers are taken in", len(b.left))
	}
	later := about
	later.Session, later.Document, later.Args = "stdio-7", "Q 2", "2"
	if !b.Allows(later, now.Add(time.Hour)) || b.Allows(later, now.Add(24*time.Hour)) {
		t.Error("it doesn't hold for as long as it was given")
	}
	for name, change := range map[string]func(*Binding){
		"another client": func(b *Binding) { b.Client = "other" }, "another definition": func(b *Binding) { b.Definition = "e" }, "no session": func(b *Binding) { b.Session = "" },
		"another origin": func(b *Binding) { b.Origin = "https://bank.example" }, "another reason": func(b *Binding) { b.Why = "flow x" }, "another tool": func(b *Binding) { b.Tool = "sell" },
	} {
		other := later
		if change(&other); b.Allows(other, now.Add(time.Hour)) {
			t.Errorf("%s has it", name)
		}
	}
	// A clock that is set back lengthens nothing: what is left is told by both.
	for _, until := range b.left {
		if !over(until, now.Add(25*time.Hour)) || !over(until, now.Round(0).Add(25*time.Hour)) {
			t.Error("its end is known by one clock only")
		}
	}
	b.Keep(about, given(Hour, now), now)
	b.Keep(about, given(Document, now), now)
	other := about
	other.Tool = "sell"
	b.Keep(other, given(Hour, now), now)
	b.Revoke([]Lasting{l})
	if b.Allows(later, now) {
		t.Error("it holds after it was taken back")
	}
	if wide := about; b.kept["stdio-1"][wide.wide(true)] != (time.Time{}) || !b.Allows(about, now) || !b.Allows(other, now) {
		t.Error("not exactly that was taken back")
	}
}

// Without sessions, the name that a client gives itself tells it from others: one's question
// shuts a tab for it, and for those that give none.
func TestClientsWithoutASessionGoByTheirNames(t *testing.T) {
	b := NewBook()
	b.Open("1", Binding{Client: "a"}, "P")
	b.Open("2", Binding{}, "Q")
	for _, c := range []struct {
		session, client, page string
		shut                  bool
	}{{"", "a", "P", true}, {"", "b", "P", false}, {"", "", "P", true}, {"", "a", "Q", true}, {"", "b", "Q", true}, {"", "", "Q", true}, {"s", "a", "P", false}} {
		if got := b.Shut(c.session, c.client, c.page); got != c.shut {
			t.Errorf("%+v: %v", c, got)
		}
	}
	open := func(client string) (n int) {
		for i := range MaxOpen {
			if b.Open(client+string(rune('A'+i)), Binding{Client: client}, "") {
				n++
			}
		}
		return n
	}
	if c, d, all := open("c"), open("d"), open(""); c != MaxOpenOf || d != MaxOpenOf || all != maxOpenSessionless-2*MaxOpenOf-2 {
		t.Errorf("%d, %d and %d are open", c, d, all)
	}
	if open("e") != 0 {
		t.Error("names make room")
	}
}
