package main

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/cluster/gateway"
)

const token = "a-long-random-text-1"

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TENANTS_TEST_TOKEN", "a-long-random-text-2")
	write(t, filepath.Join(dir, "secret"), token+"\n", 0o600)
	path := filepath.Join(dir, "tenants.yaml")
	// Without a token in it others may read it.
	write(t, path, "tenants:\n  - {name: x, token: {file: secret}, quota: 3}\n  - name: y\n    tokens: [{env: TENANTS_TEST_TOKEN}, {file: other}]\n", 0o644)
	write(t, filepath.Join(dir, "other"), "a-long-random-text-3", 0o600)
	all, files, err := readTenants(path)
	if err != nil || len(all) != 2 || len(files) != 3 {
		t.Fatalf("%+v %q %v", all, files, err)
	}
	if x := all[0]; x.Name != "x" || x.Quota != 3 || len(x.Tokens) != 1 || x.Tokens[0] != sha256.Sum256([]byte(token)) {
		t.Errorf("x is %+v", x)
	}
	if y := all[1]; y.Name != "y" || y.Quota != 0 || len(y.Tokens) != 2 {
		t.Errorf("y is %+v", y)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1: the file is empty"},
		{"tenant: []", `line 1: there must be "tenants:"`},
		{"tenants:\n- {name: X, token: " + token + "}", "line 2: a tenant's name"},
		{"tenants:\n- {name: x, token: " + token + "}\n- {name: x, token: another-" + token + "}", "line 3: the name x is given a second time; the first is in line 2"},
		{"tenants:\n- {name: x, token: " + token + "}\n- {name: y, token: " + token + "}", "line 3: the token is the same as in line 2"},
		{"tenants:\n- {name: x, tokens: [" + token + ", " + token + "]}", "line 2: the token is the same"},
		{"tenants:\n- {name: x, token: short}", "line 2: a token must be one word"},
		{"tenants:\n- {name: x}", "line 2: the tenant x has no token"},
		{"tenants:\n- {token: " + token + "}", "line 2: the tenant has no name"},
		{"tenants:\n- {name: x, token: " + token + ", tokens: [another-" + token + "]}", "both token and tokens"},
		{"tenants:\n- {name: x, token: " + token + ", quota: 0}", "quota must be"},
		{"tenants:\n- {name: x, token: " + token + ", quota: many}", "quota must be"},
		{"tenants:\n- {name: x, " + token + "}", "one key is none of these"},
		{"tenants:\n- {name: x, token: {env: NOT_SET_IN_TESTS}}", "NOT_SET_IN_TESTS is not set"},
		{"tenants:\n- {name: x, token: {env: " + token + "}}", "must be the name"},
		{"tenants:\n- {name: x, token: {file: missing}}", "no such file"},
		{"tenants: []", "tenants: none"},
		{"tenants:", "must be a list"},
		{"tenants: [] # none", "tenants: none"},
		{"tenants: []\n---\ntenants: []", "more than one document"},
	} {
		path := filepath.Join(t.TempDir(), "tenants.yaml")
		write(t, path, c.text, 0o600)
		_, _, err := readTenants(path)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		} else if strings.Contains(err.Error(), token) {
			t.Errorf("the error repeats the token: %v", err)
		}
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	path := filepath.Join(t.TempDir(), "tenants.yaml")
	text := "tenants:\n- {name: x, token: " + token + "}"
	write(t, path, text, 0o644)
	if _, _, err := readTenants(path); err == nil || !strings.Contains(err.Error(), "may be read by other users") {
		t.Error(err)
	}
	write(t, path, text, 0o620)
	if _, _, err := readTenants(path); err == nil || !strings.Contains(err.Error(), "can be written by others") {
		t.Error(err)
	}
}

// Versions with a mistake change nothing; a file that is named is followed, too.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		path, secret := filepath.Join(dir, "tenants.yaml"), filepath.Join(dir, "secret")
		write(t, secret, token, 0o600)
		write(t, path, "tenants:\n- {name: x, token: {file: secret}}", 0o600)
		f, err := OpenTenants(path, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		sets := make(chan []gateway.Tenant, 10)
		over := make(chan struct{})
		go func() {
			f.Follow(ctx, func(now []gateway.Tenant) { sets <- now })
			close(over)
		}()
		synctest.Wait()
		write(t, path, "tenants:\n- {name: x, token: {file: nowhere}}", 0o600)
		<-time.After(10 * time.Second)
		synctest.Wait()
		if len(sets) > 0 {
			t.Errorf("a mistake is taken: %+v", <-sets)
		}
		write(t, filepath.Join(dir, "nowhere"), "a-long-random-text-2", 0o600)
		if now := <-sets; len(now) != 1 || now[0].Tokens[0] != sha256.Sum256([]byte("a-long-random-text-2")) {
			t.Errorf("got %+v", now)
		}
		write(t, filepath.Join(dir, "nowhere"), "a-long-random-text-4-rotated", 0o600)
		if now := <-sets; now[0].Tokens[0] != sha256.Sum256([]byte("a-long-random-text-4-rotated")) {
			t.Errorf("got %+v", now)
		}
		write(t, path, "tenants: []", 0o600)
		<-time.After(10 * time.Second)
		synctest.Wait()
		if len(sets) > 0 {
			t.Errorf("an empty list is taken: %+v", <-sets)
		}
		write(t, path, "tenants: none\n", 0o600)
		if now := <-sets; len(now) != 0 {
			t.Errorf("got %+v", now)
		}
		cancel()
		<-over
	})
}
