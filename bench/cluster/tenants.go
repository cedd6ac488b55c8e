package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// token is what the clients of a tenant send, "" where there are no tenants.
func (c *Cluster) token(tenant int) string {
	if len(c.Tenants) == 0 {
		return ""
	}
	return "a-token-of-forty-letters-for-the-tenant-" + c.Tenants[tenant]
}

// writeTenants writes the file of --tenants, if there are any.
func (c *Cluster) writeTenants() error {
	if len(c.Tenants) == 0 {
		return nil
	}
	var text strings.Builder
	text.WriteString("tenants:\n")
	for i, t := range c.Tenants {
		fmt.Fprintf(&text, "  - {name: %s, token: %q}\n", t, c.token(i))
	}
	c.tenants = filepath.Join(c.folder, "tenants.yaml")
	return os.WriteFile(c.tenants, []byte(text.String()), 0o600)
}
