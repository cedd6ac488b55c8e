package leases

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrNoLease says that a tenant has no lease with a handle: the lease was released, has ended, or is another tenant's.
var ErrNoLease = errors.New("there is no such lease (it was released, it has ended, or its browser is lost): acquire " +
	"another browser")

// Reason says why a request isn't granted.
type Reason string

// The reasons.
const (
	NoSuchLabels Reason = "labels"  // no browser has them
	OverQuota    Reason = "quota"   // the tenant has as many as it may
	QueueFull    Reason = "full"    // no more of the tenant's requests may wait
	NoneFree     Reason = "none"    // all are taken, and Wait has passed
	Unreachable  Reason = "trouble" // the store couldn't be asked within Wait
	TooLarge     Reason = "large"   // the request is larger than any need be
	NoTenant     Reason = "tenant"  // the tenant was removed
)

// Refusal says why a request isn't granted, and what the client can do about that.
type Refusal struct {
	Reason Reason
	Text   string
	// After is how long to wait before trying again. 0 means that the request must change, or a browser be released,
	// before that.
	After time.Duration
	Exist []string // with NoSuchLabels: the labels that there are, which not every tenant may know
	Held  []string // with OverQuota: the handles of the tenant's leases
}

func (r *Refusal) Error() string { return r.Text }

func noSuchLabels(w Request, exist []string) *Refusal {
	wants := "with the labels " + strings.Join(w.Labels, ", ")
	if len(w.Labels) == 0 {
		wants = "without labels"
	}
	ask := "Ask for other labels or none"
	if w.Profile != "" {
		wants += " and the profile " + w.Profile
		ask += ", without a profile"
	}
	text := fmt.Sprintf("no browser %s is in the cluster. %s, or ask who runs this server which there are", wants, ask)
	return &Refusal{Reason: NoSuchLabels, Text: text, Exist: exist}
}

// What a request may be at most: all requests of a gateway share its transactions, which have bounds.
const (
	maxLabels = 50
	maxLabel  = 100 // bytes
)

// tooLarge refuses a request for its size; nil if that is within the bounds.
func tooLarge(w Request) *Refusal {
	long := func(s string) bool { return len(s) > maxLabel }
	if len(w.Labels) <= maxLabels && !slices.ContainsFunc(w.Labels, long) && !long(w.Profile) {
		return nil
	}
	return &Refusal{Reason: TooLarge,
		Text: fmt.Sprintf("a request has at most %d labels, and each of them and the profile's name at most %d bytes: "+
			"ask for less", maxLabels, maxLabel)}
}

func noTenant() *Refusal {
	return &Refusal{Reason: NoTenant,
		Text: "you are no longer among those who may have browsers here: ask who runs this server"}
}

func overQuota(held []string, may int) *Refusal {
	return &Refusal{Reason: OverQuota, Held: held,
		Text: fmt.Sprintf("you have %d browsers, and may have %d: release one of them first (%s)", len(held), may,
			some(held))}
}

func queueFull(waiting int, after time.Duration) *Refusal {
	return &Refusal{Reason: QueueFull, After: after,
		Text: fmt.Sprintf("all browsers are taken, and %d requests of yours wait for one, and no more may: try again in %s", waiting, after)}
}

func noneFree(waited time.Duration, ahead int, after time.Duration) *Refusal {
	text := fmt.Sprintf("no browser came free in %s; %d of your requests were ahead. Try again in %s",
		waited.Round(time.Second/10), ahead, after)
	if waited < time.Second/10 {
		text = fmt.Sprintf("no browser is free now: wait for one, or try again in %s", after)
	}
	return &Refusal{Reason: NoneFree, After: after, Text: text}
}

func outOfTouch(waited time.Duration, trouble string) *Refusal {
	return &Refusal{Reason: Unreachable, After: retryLeast,
		Text: fmt.Sprintf("no browser could be given in %s: %s. What you have stays yours; try again later",
			waited.Round(time.Second/10), trouble)}
}

// some are the first few of them, for reading.
func some(of []string) string {
	const most = 8
	if len(of) > most {
		return strings.Join(of[:most], ", ") + ", …"
	}
	return strings.Join(of, ", ")
}
