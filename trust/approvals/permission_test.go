package approvals

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/internal/private"
	"webmcphub/registry/names"
)

// TestPermissionsWhenTheClockIsSetBack: what was allowed is forgotten, what was forbidden is not.
func TestPermissionsWhenTheClockIsSetBack(t *testing.T) {
	f := folder(t.TempDir() + "/answers")
	now := time.Now()
	given := []Lasting{NewPermission("https://a.example", Allow, now), NewPermission("https://b.example", Ask, now),
		NewPermission("https://c.example", Never, now), lasting("one", time.Hour)}
	if _, _, err := f.add(given, now); err != nil {
		t.Fatal(err)
	}
	before := now.Add(-24 * time.Hour)
	for range 2 { // the file that is written then is a sound one
		all, _, err := f.add(nil, before)
		if len(all) != 2 || all[0].Permission() != Ask || all[1].Permission() != Never {
			t.Fatalf("there are %+v, %v", all, err)
		}
		if err != nil && !errors.Is(err, errSetBack) {
			t.Fatal(err)
		}
	}
	if all, err := f.load(before); err != nil || len(all) != 2 {
		t.Errorf("there are %+v, %v", all, err)
	}
}

// TestPermissionsThatCantBeWrittenYet: permissions are written as soon as that is possible, the newest of a site only.
func TestPermissionsThatCantBeWrittenYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		ask := NewPermission("https://b.example", Ask, time.Now())
		h.Keep(ask)
		synctest.Wait()
		unlock, err := private.Lock(t.Context(), filepath.Join(dir, lockName))
		if err != nil {
			t.Fatal(err)
		}
		h.Keep(NewPermission("https://a.example", Never, time.Now()))
		h.Keep(lasting("two", time.Hour))
		h.Remove(ask)
		fakeclock.Elapse(private.LockWait + 2*poll)
		h.Remove(NewPermission("https://a.example", Never, time.Now()))
		h.Keep(NewPermission("https://a.example", Allow, time.Now()))
		fakeclock.Elapse(private.LockWait + 2*poll)
		unlock()
		fakeclock.Elapse(private.LockWait + 2*poll)
		if got := inFile(t, dir); got != "allow" {
			t.Errorf("the file has %q", got)
		}
		h.wants("", "", "locked")
		h.Close()
	})
}

// TestRemovalThatIsTriedAgain: a permission that another hub writes before an earlier removal succeeds stays.
func TestRemovalThatIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, site := filepath.Join(t.TempDir(), "answers"), "https://a.example"
		one := begin(t, dir)
		one.Keep(NewPermission(site, Allow, time.Now()))
		synctest.Wait()
		unlock, err := private.Lock(t.Context(), filepath.Join(dir, lockName))
		if err != nil {
			t.Fatal(err)
		}
		one.Remove(NewPermission(site, Allow, time.Now()))
		fakeclock.Elapse(private.LockWait + poll)
		if _, err := folder(dir).write([]Lasting{NewPermission(site, Never, time.Now())}, time.Now(), folder(dir).stamp()); err != nil {
			t.Fatal(err)
		}
		unlock()
		fakeclock.Elapse(private.LockWait + 2*poll)
		if got := inFile(t, dir); got != "never" {
			t.Errorf("the file has %q", got)
		}
		one.Close()
	})
}

// TestPermissionsWhenTheClockGoesBack: the newest choice counts although it seems to be older.
func TestPermissionsWhenTheClockGoesBack(t *testing.T) {
	now, site := time.Now(), "https://a.example"
	for _, back := range []time.Duration{skew / 2, 24 * time.Hour} {
		for _, was := range []Permission{Allow, Never} {
			f, later := folder(t.TempDir()+"/answers"), now.Add(-back)
			if _, _, err := f.add([]Lasting{NewPermission(site, was, now)}, now); err != nil {
				t.Fatal(err)
			}
			if _, _, err := f.add([]Lasting{NewPermission(site, Ask, later)}, later, NewPermission(site, was, later)); err != nil && !errors.Is(err, errSetBack) {
				t.Fatal(err)
			}
			if all, err := f.load(later); err != nil || len(all) != 1 || all[0].Permission() != Ask {
				t.Errorf("%v back, after %q: there are %+v, %v", back, was, all, err)
			}
			if _, _, err := f.add(nil, later, NewPermission(site, Ask, later.Add(-time.Second))); err != nil {
				t.Fatal(err)
			}
			if all, err := f.load(later); err != nil || len(all) != 0 {
				t.Errorf("%v back, after %q, taken back: there are %+v, %v", back, was, all, err)
			}
		}
	}
}

// TestPermissionsOfTwoHubs: what is chosen last for a site is the only permission for it, whichever hub it is chosen at.
func TestPermissionsOfTwoHubs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, site := filepath.Join(t.TempDir(), "answers"), "https://a.example"
		one, two := begin(t, dir), begin(t, dir)
		one.Follow(func(all []Lasting) { t.Errorf("the other hub's choice revokes %+v", all) })
		one.Keep(NewPermission(site, Never, time.Now()))
		synctest.Wait()
		two.Keep(NewPermission(site, Allow, time.Now()))
		fakeclock.Elapse(2 * poll)
		synctest.Wait()
		if got := inFile(t, dir); got != "allow" {
			t.Errorf("the file has %q", got)
		}
		one.Keep(NewPermission(site, Ask, time.Now()))
		synctest.Wait()
		one.Follow(func([]Lasting) {})
		two.Remove(NewPermission(site, Allow, time.Now()))
		synctest.Wait()
		if got := inFile(t, dir); got != "" {
			t.Errorf("then the file has %q", got)
		}
		one.Close()
		two.Close()
	})
	newer := NewPermission("https://a.example", Never, time.Now())
	older := NewPermission("https://a.example", Allow, time.Now().Add(-time.Hour)) // of a file of an earlier version
	b := NewBook()
	b.Restore([]Lasting{newer, older}, time.Now())
	if all := b.Permissions(); len(all) != 1 || all[0].Permission() != Never {
		t.Errorf("permissions are %+v", all)
	}
}

// TestDropWhenTheClockIsSetBack: what is listed can be taken back.
func TestDropWhenTheClockIsSetBack(t *testing.T) {
	dir := t.TempDir() + "/answers"
	later := time.Now().Add(24 * time.Hour)
	given := []Lasting{NewPermission("https://b.example", Ask, later), NewPermission("https://c.example", Never, later)}
	if _, _, err := folder(dir).add(given, later); err != nil {
		t.Fatal(err)
	}
	if err := Drop(dir, given[1]); err != nil {
		t.Error(err)
	}
	if all, err := List(dir); err != nil || len(all) != 1 || all[0].Permission() != Ask {
		t.Errorf("there are %+v, %v", all, err)
	}
}

// TestPermissionsWhenTheFileBreaks: what was forbidden still is while the file can't be read; what was allowed isn't. What
// the file has when it can be read again counts.
func TestPermissionsWhenTheFileBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		now := time.Now()
		for origin, p := range map[string]Permission{"https://a.example": Allow, "https://b.example": Ask, "https://c.example": Never} {
			h.Keep(NewPermission(origin, p, now))
		}
		synctest.Wait()
		path := filepath.Join(dir, fileName)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte("{"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		fakeclock.Elapse(2 * poll)
		h.wants("", "allow", "it is broken")
		if err := os.WriteFile(path, without(text, "ask"), 0o600); err != nil {
			t.Fatal(err)
		}
		fakeclock.Elapse(2 * poll)
		h.wants("", "allow ask", "were taken back")
		h.Close()
	})
}

// TestPermissionOfSeveralSites: the strictest counts, and Allow only if all have it.
func TestPermissionOfSeveralSites(t *testing.T) {
	b := NewBook()
	for origin, p := range map[string]Permission{"https://a.example": Allow, "https://a2.example": Allow, "https://b.example": Ask, "https://c.example": Never} {
		b.Permit(NewPermission(origin, p, time.Now()))
	}
	for _, c := range []struct {
		sites string
		any   bool
		want  Permission
	}{
		{"a", false, Allow}, {"aa", false, Allow}, {"ab", false, Ask}, {"bc", false, Never}, {"cb", false, Never}, {"ad", false, Default},
		{"", false, Default}, {"d", false, Default}, {"a", true, Never}, {"", true, Never},
	} {
		if got := b.PermissionOf(sitesNamed(c.sites), c.any).Permission(); got != c.want {
			t.Errorf("%s, any %v: %q, want %q", c.sites, c.any, got, c.want)
		}
	}
}

func sitesNamed(letters string) (all []names.Origin) {
	for _, l := range letters {
		all = append(all, names.ParseAddress("https://"+string(l)+".example"))
	}
	return all
}
