package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/names"
	"webmcphub/internal/private"
	"webmcphub/internal/settings"
)

const (
	maxFile    = 1 << 20 // bytes
	maxTenants = 1000
	maxTokens  = 10 // for one tenant
	maxToken   = 4096
	minToken   = 16
	maxQuota   = 100_000
)

// reader reads one version of the file of tenants.
type reader struct {
	path    string
	files   []string                 // files that were read, or should have been
	inline  bool                     // the file itself contains a token
	tenants []gateway.Tenant         // never nil, which would mean one tenant that sees all browsers
	names   map[string]int           // lines of tenants, by name
	tokens  map[gateway.TokenSum]int // lines of tokens, by hash
}

// readTenants reads the file, and the files that it names. files has all these files, even if there is an error. An
// error begins with the line, if it concerns one.
func readTenants(path string) (all []gateway.Tenant, files []string, err error) {
	r := &reader{path: path, files: []string{path}, tenants: []gateway.Tenant{}, names: map[string]int{},
		tokens: map[gateway.TokenSum]int{}}
	err = r.read()
	return r.tenants, r.files, err
}

func (r *reader) read() error {
	text, err := private.ReadTrusted(r.path, maxFile)
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(text)) == "tenants: none" { // explicit, because it takes all tenants' browsers away
		return nil
	}
	list, err := settings.ListItems(text, "tenants")
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("the list is empty, which would end all tenants' sessions and take their browsers; if you " +
			"want that, the file must be the line \"tenants: none\" and nothing else")
	}
	if len(list) > maxTenants {
		return fmt.Errorf("%d tenants are too many; there may be at most %d", len(list), maxTenants)
	}
	for _, item := range list {
		if err := r.item(item); err != nil {
			return err
		}
	}
	if r.inline {
		if err := private.Secret(r.path); err != nil {
			return fmt.Errorf("%w; or keep the tokens elsewhere, as {file: PATH} or {env: NAME}", err)
		}
	}
	return nil
}

// item reads one tenant.
func (r *reader) item(item *yaml.Node) error {
	if item.Kind != yaml.MappingNode {
		return settings.ErrorAt(item, `a tenant has a name and a token, such as "- {name: shop, token: {file: /run/secrets/shop}}"`)
	}
	var t gateway.Tenant
	seen := map[string]bool{}
	for i := 0; i+1 < len(item.Content); i += 2 {
		key, value := item.Content[i], item.Content[i+1]
		if seen[key.Value] {
			return settings.ErrorAt(key, "%s is given a second time", key.Value)
		}
		seen[key.Value] = true
		var err error
		switch key.Value {
		case "name":
			t.Name, err = r.name(value)
		case "token":
			err = r.token(&t, value)
		case "tokens":
			err = r.list(&t, value)
		case "quota":
			if t.Quota, err = strconv.Atoi(value.Value); value.Kind != yaml.ScalarNode || err != nil || t.Quota < 1 ||
				t.Quota > maxQuota {
				err = settings.ErrorAt(value, "quota must be how many browsers the tenant may have at the same "+
					"time, 1 to %d", maxQuota)
			}
		default: // the error doesn't repeat the key, which may be a token
			err = settings.ErrorAt(key, "a tenant has name, token or tokens, and quota; one key is none of these (is "+
				"there a blank after its colon?)")
		}
		if err != nil {
			return err
		}
	}
	switch {
	case t.Name == "":
		return settings.ErrorAt(item, "the tenant has no name")
	case len(t.Tokens) == 0:
		return settings.ErrorAt(item, "the tenant %s has no token", t.Name)
	case seen["token"] && seen["tokens"]:
		return settings.ErrorAt(item, "the tenant %s has both token and tokens: give all of them as tokens", t.Name)
	}
	r.tenants = append(r.tenants, t)
	return nil
}

func (r *reader) name(n *yaml.Node) (string, error) {
	switch line, taken := r.names[n.Value]; {
	case n.Kind != yaml.ScalarNode || names.Check("tenant", n.Value) != nil: // the name may be a token
		return "", settings.ErrorAt(n, "a tenant's name must have 1 to 32 of a-z, 0-9 and -")
	case taken:
		return "", settings.ErrorAt(n, "the name %s is given a second time; the first is in line %d", n.Value, line)
	}
	r.names[n.Value] = n.Line
	return n.Value, nil
}

func (r *reader) list(t *gateway.Tenant, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode || len(n.Content) > maxTokens {
		return settings.ErrorAt(n, "tokens must be a list of at most %d tokens", maxTokens)
	}
	for _, one := range n.Content {
		if err := r.token(t, one); err != nil {
			return err
		}
	}
	return nil
}

// token reads one token, which is in the file itself or in the place that the file names.
func (r *reader) token(t *gateway.Tenant, n *yaml.Node) error {
	token, err := r.secret(n)
	switch {
	case err != nil:
		return settings.ErrorAt(n, "the token can't be read: %w", err)
	case len(token) < minToken || len(token) > maxToken || strings.ContainsAny(token, " \t\r\n"):
		return settings.ErrorAt(n, "a token must be one word of %d to %d characters", minToken, maxToken)
	}
	sum := sha256.Sum256([]byte(token))
	if line, taken := r.tokens[sum]; taken {
		return settings.ErrorAt(n, "the token is the same as in line %d: it must tell one tenant from all others", line)
	}
	r.tokens[sum] = n.Line
	t.Tokens = append(t.Tokens, sum)
	return nil
}

func (r *reader) secret(n *yaml.Node) (string, error) {
	if n.Kind == yaml.ScalarNode {
		r.inline = true
		return n.Value, nil
	}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 || n.Content[1].Kind != yaml.ScalarNode ||
		n.Content[1].Value == "" {
		return "", errors.New("it must be {file: PATH}, {env: NAME}, or the token itself")
	}
	switch where := n.Content[1].Value; n.Content[0].Value {
	case "file":
		if !filepath.IsAbs(where) {
			where = filepath.Join(filepath.Dir(r.path), where)
		}
		r.files = append(r.files, where)
		if err := private.Secret(where); err != nil {
			return "", err
		}
		text, err := private.ReadTrusted(where, maxToken)
		return strings.TrimSpace(string(text)), err
	case "env":
		if !private.IsVariable(where) { // where may be the token itself, which no error may repeat
			return "", errors.New("env must be the name of an environment variable")
		}
		if os.Getenv(where) == "" {
			return "", fmt.Errorf("the environment variable %s is not set", where)
		}
		return os.Getenv(where), nil
	}
	return "", errors.New("it must be {file: PATH}, {env: NAME}, or the token itself")
}
