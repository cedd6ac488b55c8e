package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"webmcphub/cdpclient"
)

// A StorageState has cookies and local storage, in the format of Playwright's storageState.
type StorageState struct {
	Cookies []Cookie `json:"cookies"`
	Origins []struct {
		Origin       string `json:"origin"`
		LocalStorage []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"localStorage"`
	} `json:"origins"`
}

// A Cookie is one cookie of a [StorageState].
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"`
	Path     string  `json:"path"`
	Expires  float64 `json:"expires,omitempty"` // in seconds since 1970; less than 0 is a session's
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite,omitempty"`
}

// ReadStorageState reads a file that Playwright wrote.
func ReadStorageState(text []byte) (*StorageState, error) {
	var s StorageState
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	if s.Cookies == nil && s.Origins == nil {
		return nil, errors.New("it has neither cookies nor origins")
	}
	for i := range s.Cookies {
		if s.Cookies[i].Expires < 0 {
			s.Cookies[i].Expires = 0
		}
	}
	return &s, nil
}

// restore sets the cookies in a Chrome that was started for the check.
func (b *Browser) restore(ctx context.Context) error {
	s := b.options.StorageState
	if s == nil || len(s.Cookies) == 0 {
		return nil
	}
	if err := b.conn.Call(ctx, "", "Storage.setCookies", map[string]any{"cookies": s.Cookies}, nil); err != nil {
		return fmt.Errorf("the cookies of the storage state can't be set: %w", err)
	}
	return nil
}

// filling is a script that fills the local storage of an origin's documents before their own scripts run. It keeps
// values that a page has stored since then.
const filling = `for (const o of STATE) if (o.origin === location.origin) for (const { name, value } of o.localStorage ?? []) try {
  if (localStorage.getItem(name) === null) localStorage.setItem(name, value);
} catch {}`

// fill returns the commands that make a tab fill the local storage.
func (b *Browser) fill() []command {
	s := b.options.StorageState
	if s == nil || len(s.Origins) == 0 {
		return nil
	}
	state, err := json.Marshal(s.Origins)
	if err != nil {
		return nil // can't happen: the state was JSON
	}
	return []command{{cdpclient.PageAddScriptToEvaluateOnNewDocument,
		cdpclient.AddScriptParams{Source: "(() => { const STATE = " + string(state) + "; " + filling + " })()", WorldName: world}}}
}
