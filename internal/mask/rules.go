package mask

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed rules.txt
var keys string

// A starter finds the secret that begins at a position, or after what begins there. end is 0 if there is none.
type starter func(s string, i int) (begin, end int)

// table says which starters may find something.
type table struct {
	// starts has for the first two bytes, in lower case, the number of an entry of starters, or 0.
	starts   [1 << 16]uint16
	starters [][]starter
}

// compiled makes the table when the first text is looked at: many processes end before that.
var compiled = sync.OnceValue(func() *table {
	t := &table{}
	add := func(prefix string, r starter) {
		at := int(lower[prefix[0]])<<8 | int(lower[prefix[1]])
		if t.starts[at] == 0 {
			t.starters = append(t.starters, nil)
			t.starts[at] = uint16(len(t.starters))
		}
		list := &t.starters[t.starts[at]-1]
		*list = append(*list, r)
	}
	add("-----BEGIN", privateKey)
	add("eyJ", jwt)
	add("://", userinfo)
	for _, r := range Rules() {
		add(r.Prefix, r.find)
	}
	for _, stem := range textStems {
		add(stem, func(s string, i int) (int, int) { return named(s, i, stem) })
	}
	return t
})

// Rule describes the keys of a service. This is a line of rules.txt.
type Rule struct {
	Service, Prefix, Characters string
	Least                       int // the fewest characters that follow the prefix
}

var characters = map[string]uint8{"hex": hex, "up": up, "alnum": alnum, "word": word, "b64": b64, "dot": dot}

// Rules returns the rules of rules.txt. It panics if a line is wrong, which a test would see.
func Rules() (all []Rule) {
	for line := range strings.Lines(keys) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		least, err := 0, error(nil)
		if len(f) == 4 {
			least, err = strconv.Atoi(f[3])
		}
		if len(f) != 4 || err != nil || characters[f[2]] == 0 || len(f[1]) < 2 {
			panic(fmt.Sprintf("rules.txt: %q", line))
		}
		all = append(all, Rule{f[0], f[1], f[2], least})
	}
	return all
}

func (r Rule) find(s string, i int) (begin, end int) {
	if !strings.HasPrefix(s[i:], r.Prefix) || !begins(s, i) {
		return 0, 0
	}
	begin, of := i+len(r.Prefix), characters[r.Characters]
	least := begin + r.Least
	if least > len(s) || span(s[begin:least], of) < r.Least || !mixed(s[begin:least]) {
		return 0, 0
	}
	return i, least + span(s[least:], of)
}

// mixed reports whether a text has a digit, or letters in upper and lower case: words have neither.
func mixed(s string) bool {
	upper, small := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			return true
		case class[c]&up != 0:
			upper = true
		case class[c]&alnum != 0:
			small = true
		}
	}
	return upper && small
}

// jwt finds a JSON Web Token: its header and its claims are JSON in base64, so both begin with eyJ. The claims of an
// encrypted one don't.
func jwt(s string, i int) (begin, end int) {
	if !strings.HasPrefix(s[i:], "eyJ") || !begins(s, i) || i > 0 && class[s[i-1]]&word != 0 && class[s[i-1]]&alnum == 0 {
		return 0, 0
	}
	end = i
	for part := 0; ; part++ {
		n := 0
		for end+n < len(s) && class[s[end+n]]&word != 0 {
			n++
		}
		end += n
		switch {
		case part < 2 && n < 10:
			return 0, 0
		case part >= 1 && (end == len(s) || s[end] != '.' || part == 4):
			return i, end
		case end == len(s) || s[end] != '.':
			return 0, 0
		}
		end++
	}
}

// privateKey finds a private key in PEM. If its end is missing, all that follows is masked.
func privateKey(s string, i int) (begin, end int) {
	const label = "PRIVATE KEY"
	head := s[i:min(len(s), i+128)]
	at := strings.Index(head, label)
	if !strings.HasPrefix(head, "-----BEGIN ") || at < 0 || strings.Contains(head[len("-----BEGIN "):at], "-----") {
		return 0, 0
	}
	rest := i + at + len(label)
	foot := strings.Index(s[rest:], "-----END ")
	if foot < 0 {
		return i, len(s)
	}
	end = rest + foot + len("-----END ")
	if n := strings.Index(s[end:min(len(s), end+128)], "-----"); n >= 0 {
		end += n + len("-----")
	}
	return i, end
}

// userinfo finds the password in an address such as https://me:password@host/.
func userinfo(s string, i int) (begin, end int) {
	if !strings.HasPrefix(s[i:], "://") {
		return 0, 0
	}
	for j := i + 3; j < len(s) && j-i < 300; j++ {
		switch s[j] {
		case '@':
			if begin > 0 && begin < j {
				return begin, j
			}
			return 0, 0
		case ':':
			if begin == 0 {
				begin = j + 1
			}
		case '/', '?', '#', ' ', '"', '\'', '<', '>', '\\', '\n':
			return 0, 0
		}
	}
	return 0, 0
}

// textStems are the words in a text that are followed by a secret, as in "password: hunter2", ?access_token=… or "the
// verification code is 123456". A _ stands for nothing, for one of the characters that join words, or for a space.
var textStems = []string{
	"password", "passwd", "pass_code", "passphrase", "passwort", "kennwort", "contraseña", "mot_de_passe", "wachtwoord",
	"senha", "pwd", "secret", "token", "bearer", "authorization", "cookie", "api_key", "private_key", "access_key",
	"csrf", "xsrf", "card_number", "card_no", "security_code", "verification_code", "confirmation_code", "auth_code",
	"access_code", "login_code", "sign_in_code", "one_time_code", "one_time_password", "two_factor_code",
	"recovery_code", "backup_code", "session_id", "cvv", "cvc", "otp", "pin", "iban", "signature", "sig", "key", "code",
	"session", "sid",
}

// onlyNamed are stems that are too common: they count as a whole parameter in an address.
var onlyNamed = map[string]bool{"signature": true, "sig": true, "key": true, "code": true, "session": true,
	"sid": true}

// short are stems whose values may have digits alone. They are no parts of words.
var short = map[string]bool{"pin": true, "otp": true, "cvv": true, "cvc": true, "iban": true}

// named finds the value of what a stem names.
func named(s string, i int, stem string) (begin, end int) {
	j := i
	for k := range len(stem) {
		if stem[k] == '_' {
			if j < len(s) && (s[j] == '_' || s[j] == '-' || s[j] == ' ') {
				j++
			}
			continue
		}
		if j >= len(s) || lower[s[j]] != stem[k] {
			return 0, 0
		}
		j++
	}
	first := i
	for first > 0 && i-first < maxName && class[s[first-1]]&word != 0 {
		first--
	}
	rest := j
	for j < len(s) && j-rest < maxName && class[s[j]]&word != 0 {
		j++
	}
	query := first > 0 && (s[first-1] == '?' || s[first-1] == '&')
	if (short[stem] || onlyNamed[stem]) && (first < i && class[s[i-1]]&alnum != 0 && lower[s[i]] == s[i] || j > rest && !isDigit(s[rest])) ||
		onlyNamed[stem] && !query {
		return 0, 0
	}
	return value(s, j, query, stem)
}

// value finds the value that follows a name. query says that the name is that of a parameter in an address.
func value(s string, j int, query bool, stem string) (begin, end int) {
	quotedName := false
	for j < len(s) && (s[j] == '"' || s[j] == '\'' || s[j] == '\\' || s[j] == ']') {
		quotedName = true
		j++
	}
	j = blanks(s, j)
	separated := j < len(s) && (s[j] == '=' || s[j] == ':')
	switch {
	case separated:
		j++
		if j < len(s) && s[j] == '>' {
			j++
		}
	case strings.HasPrefix(s[j:], "is ") || strings.HasPrefix(s[j:], "is: "):
		j += 3
	case stem == "bearer" && j > 0 && s[j-1] == ' ':
	default:
		return 0, 0
	}
	j = blanks(s, j)
	quote := byte(0)
	for j < len(s) && (s[j] == '"' || s[j] == '\'' || s[j] == '\\') {
		quote = s[j]
		j++
	}
	for _, scheme := range []string{"Bearer ", "Basic ", "Token ", "bearer ", "basic "} {
		if strings.HasPrefix(s[j:], scheme) {
			j += len(scheme)
			query = true // what follows is a secret, whatever it looks like
		}
	}
	end = j
	for end < len(s) && end-j < maxValue && !ends(s[end], quote, query) {
		end++
	}
	long := end-j == maxValue
	v := strings.TrimRight(s[j:end], ".,;:!?)")
	end = j + len(v)
	if !secretive(v, query || quote != 0 && quotedName, short[stem] || strings.Contains(stem, "code") || stem == "one_time_password" || strings.HasPrefix(stem, "card")) {
		return 0, 0
	}
	for long && end < len(s) && !ends(s[end], quote, query) {
		end++
	}
	return j, end
}

func blanks(s string, j int) int {
	for most := j + 4; j < len(s) && j < most && (s[j] == ' ' || s[j] == '\t'); {
		j++
	}
	return j
}

// ends reports whether a value ends before a character.
func ends(c, quote byte, query bool) bool {
	switch c {
	case '"', '\'', '\\', '<', '>', '`':
		return true
	case ' ', '\t', '\n', '\r':
		return true
	case '&', '#':
		return query
	case ',', ';', '}', ']', '{', '[', '(':
		return quote == 0
	}
	return false
}

// secretive reports whether a value is one that a name makes secret. sure says that it is a value, and no word that
// happens to follow the name. digits says that it may be digits alone; otherwise a number is how many there are.
func secretive(v string, sure, digits bool) bool {
	numbers, letters, others := 0, 0, 0
	for i := range len(v) {
		switch {
		case isDigit(v[i]):
			numbers++
		case class[v[i]]&alnum != 0 || v[i] >= 0x80:
			letters++
		default:
			others++
		}
	}
	switch {
	case v == "" || strings.Contains(v, Masked):
		return false
	case numbers == len(v):
		return digits && numbers >= 3 && numbers <= 19 || sure && numbers >= 6 && numbers <= 19
	case sure:
		return len(v) >= 4 && v != "null" && v != "true" && v != "false" && v != "undefined"
	}
	return len(v) >= 6 && numbers > 0 && letters > 0
}
