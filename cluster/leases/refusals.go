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
	NoSuchLabels Reason = "labels"  // no browser has the labels and the profile
	OverQuota    Reason = "quota"   // the tenant has as many browsers as it may have
	QueueFull    Reason = "full"    // no more of the tenant's requests may wait
	NoneFree     Reason = "none"    // no fitting browser became free within Wait
	Unreachable  Reason = "trouble" // the request could not be decided in time
	TooLarge     Reason = "large"   // the request exceeds a limit of size
	NoTenant     Reason = "tenant"  // the tenant was removed
)

// Refusal says why a request isn't granted, and what the client can do about that.
type Refusal struct {
	Reason Reason
	Text   string
	// After is how long to wait before trying again. If it is 0, trying again helps only with another request, after a
	// browser was released, or after the cluster has got other browsers.
	After time.Duration
	Exist []string // for NoSuchLabels: the labels of all browsers; not every tenant may know them
	Held  []string // for OverQuota: the handles of the tenant's leases
}

func (r *Refusal) Error() string { return r.Text }

func noSuchLabels(w Request, exist []string) *Refusal {
	labels := " with the labels " + strings.Join(w.Labels, ", ")
	var lacks, ask string
	switch {
	case len(w.Labels) == 0 && w.Profile == "":
		lacks, ask = " without a profile", "Try again later"
	case len(w.Labels) == 0:
		lacks, ask = " with the profile "+w.Profile, "Ask for one without a profile"
	case w.Profile == "":
		lacks, ask = labels+" and without a profile", "Ask for other labels or none"
	default:
		lacks, ask = labels+" and the profile "+w.Profile, "Ask for other labels or none, without a profile"
	}
	text := fmt.Sprintf("the cluster has no browser%s. %s, or ask whoever runs this server which there are", lacks, ask)
	return &Refusal{Reason: NoSuchLabels, Text: text, Exist: exist}
}

// The limits for the size of a request. All requests of a gateway share its transactions, whose size is limited.
const (
	maxLabels = 50
	maxLabel  = 100 // bytes
)

// tooLarge returns the refusal of a request that is too large, or nil.
func tooLarge(w Request) *Refusal {
	long := func(s string) bool { return len(s) > maxLabel }
	if len(w.Labels) <= maxLabels && !slices.ContainsFunc(w.Labels, long) && !long(w.Profile) {
		return nil
	}
	return &Refusal{Reason: TooLarge,
		Text: fmt.Sprintf("a request may have at most %d labels, and each label and the profile's name may have at "+
			"most %d bytes: ask for fewer labels or shorter names", maxLabels, maxLabel)}
}

func noTenant() *Refusal {
	return &Refusal{Reason: NoTenant,
		Text: "you may no longer have browsers here: ask whoever runs this server"}
}

func overQuota(held []string, may int) *Refusal {
	return &Refusal{Reason: OverQuota, Held: held,
		Text: fmt.Sprintf("you have %d browsers, and may have %d: release one of them first (%s)", len(held), may,
			some(held))}
}

func queueFull(waiting int, after time.Duration) *Refusal {
	return &Refusal{Reason: QueueFull, After: after,
		Text: fmt.Sprintf("all browsers are taken, and %d of your requests wait for one, which is as many as may wait: "+
			"try again in %s", waiting, after)}
}

func noneFree(waited time.Duration, ahead int, after time.Duration) *Refusal {
	text := fmt.Sprintf("no browser became free within %s; %d of your requests were ahead. Try again in %s",
		waited.Round(time.Second/10), ahead, after)
	if waited < time.Second/10 {
		text = fmt.Sprintf("no browser is free now: wait for one, or try again in %s", after)
	}
	return &Refusal{Reason: NoneFree, After: after, Text: text}
}

func outOfTouch(waited time.Duration, trouble string) *Refusal {
	return &Refusal{Reason: Unreachable, After: retryLeast,
		Text: fmt.Sprintf("no browser could be leased within %s: %s. You keep the browsers that you have; try again "+
			"later", waited.Round(time.Second/10), trouble)}
}

// some returns the first few texts as a list for people.
func some(of []string) string {
	const most = 8
	if len(of) > most {
		return strings.Join(of[:most], ", ") + ", …"
	}
	return strings.Join(of, ", ")
}
