package approvals

import (
	"cmp"
	"slices"
	"time"

	"webmcphub/registry/names"
)

// Permission is a person's choice for a whole site: for all agents, and until the person chooses otherwise.
type Permission string

// The permissions. Default means that the person has chosen nothing: the hub's rules decide.
const (
	Default Permission = ""
	Allow   Permission = "allow" // the rules' questions about the site aren't asked
	Ask     Permission = "ask"   // the person is asked before each call that isn't read-only
	Never   Permission = "never" // agents do nothing on the site
)

// permissionKind is the Kind of the answers that are permissions. Their Tool is the permission.
const permissionKind = "permission"

// NewPermission returns a permission as an answer. It is about no client and no definition, and no time ends it.
func NewPermission(origin string, p Permission, now time.Time) Lasting {
	return Lasting{Origin: origin, Kind: permissionKind, Tool: string(p), Given: now}
}

// Permission returns the permission that an answer is, or [Default] if it is another answer.
func (l Lasting) Permission() Permission {
	if l.Kind != permissionKind {
		return Default
	}
	return Permission(l.Tool)
}

// sameSite reports whether l and other are permissions for the same site.
func (l Lasting) sameSite(other Lasting) bool {
	return l.Permission() != Default && other.Permission() != Default && l.Origin == other.Origin
}

// strictness orders the permissions that restrict agents; it is -1 for all other answers.
func (l Lasting) strictness() int { return slices.Index([]Permission{Ask, Never}, l.Permission()) }

// restricts reports whether an answer is a permission that restricts agents. Such an answer also counts when somebody
// has set the computer's clock back.
func (l Lasting) restricts() bool { return l.strictness() >= 0 }

// Permit sets the permission for a site, and returns the one that it replaces. With [Default] in l it only removes the
// earlier one.
func (b *Book) Permit(l Lasting) (before Lasting, was bool) {
	at := names.ParseAddress(l.Origin)
	before, was = b.permitted[at]
	if delete(b.permitted, at); Permission(l.Tool) != Default {
		b.permitted[at] = l
	}
	return before, was
}

// Permissions returns all permissions.
func (b *Book) Permissions() (all []Lasting) {
	for _, l := range b.permitted {
		all = append(all, l)
	}
	return all
}

// HasPermissions reports whether there are any permissions.
func (b *Book) HasPermissions() bool { return len(b.permitted) > 0 }

// PermissionOf returns the answer with the permission for an action that concerns these sites: the strictest of the
// sites' permissions, where [Allow] counts only if all sites have it. any reports that the action may concern any
// other site, too. Then the permissions of all sites that restrict agents count.
func (b *Book) PermissionOf(sites []names.Origin, any bool) (strictest Lasting) {
	stricter := func(l Lasting) {
		if order := cmp.Compare(l.strictness(), strictest.strictness()); order > 0 ||
			order == 0 && l.restricts() && l.Origin < strictest.Origin {
			strictest = l
		}
	}
	allowed := 0
	for _, at := range sites {
		l := b.permitted[at]
		if l.Permission() == Allow {
			allowed++
		}
		stricter(l)
	}
	switch {
	case any:
		for _, l := range b.permitted {
			stricter(l)
		}
	case strictest.Permission() == Default && allowed > 0 && allowed == len(sites):
		return b.permitted[sites[0]]
	}
	return strictest
}
