package gateway

import (
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
)

// A node is told that a client is gone for no longer than the gateway has a session with it.
func TestClientGoneEndsWithTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := following(t)
		begun, told := time.Now(), make(chan struct{})
		go func() {
			Nodes{&tenantServer{Gateway: f.Gateway}}.clientGone("one", "client")
			close(told)
		}()
		fakeclock.Elapse(resendAfter + resendAfter/2)
		select {
		case <-told:
			t.Fatal("a node that doesn't answer is given up")
		default:
		}
		f.mu.Lock()
		delete(f.nodes, "one")
		f.mu.Unlock()
		close(s.over)
		<-told
		if took := time.Since(begun); took >= 2*resendAfter {
			t.Errorf("it was tried for %v", took)
		}
	})
}
