package automation

import (
	"fmt"
	"time"
)

// theTrace is what a browser has one of, for one client at a time. Other such things,
// the window's size and the folder for downloads, automation leaves alone.
const theTrace = "the browser's performance trace"

// lease is the use of such a thing by one client.
type lease struct {
	client, name string
	since        time.Time
}

// lease gives a thing to a client until it is released, or the client is gone; or says
// who has it.
func (s *Service) lease(what string, c *Client) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if held, taken := s.leases[what]; taken && held.client != c.ID {
		return fmt.Errorf("%s is in use by another client, %s, for %v now. Try again once that has ended", what, held.name, time.Since(held.since).Round(time.Second))
	}
	s.leases[what] = lease{c.ID, c.Name, time.Now()}
	return nil
}

// release ends a client's use of a thing.
func (s *Service) release(what string, c *Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases[what].client == c.ID {
		delete(s.leases, what)
	}
}
