package mask

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"webmcphub/internal/wording"
)

// stems are found anywhere in a name whose words are joined: newPassword2 contains "password".
var stems = []string{
	"password", "passwd", "passcode", "passphrase", "passwort", "kennwort", "contraseña", "contrasena", "motdepasse",
	"wachtwoord", "senha", "pwd",
	"secret", "credential", "token", "bearer", "authoriz", "authoris", "cookie", "apikey", "privatekey", "accesskey",
	"secretkey", "encryptionkey", "sshkey", "csrf", "xsrf",
	"cardno", "cardnum", "creditcard", "debitcard", "cvv", "cvc", "securitycode", "accountnum", "socialsecurity",
	"taxid",
	"recoveryphrase", "recoverycode", "recoverykey", "seedphrase", "backupcode", "mnemonic", "onetimecode",
	"onetimepass", "verificationcode", "authcode", "sessionid", "sessionkey",
	"twofactor", "twofa", "mfacode", "smscode", "logincode", "signincode", "resetcode", "accesscode",
}

// secretWords are too short to be looked for within words.
var secretWords = []string{"pass", "pin", "auth", "csc", "ssn", "otp", "totp", "iban", "mfa", "jwt", "pan", "tan", "2fa"}

// Name reports whether something of this name may be secret. It errs on the side of true (maxTokens is one), for code
// that keeps secrets out of files; [wording.Secret] is for code that warns.
func Name(name string) bool {
	if is, known := judged.Load(name); known {
		return is.(bool)
	}
	is := secretName(name)
	if judgements.Add(1) <= maxJudged {
		judged.Store(strings.Clone(name), is)
	}
	return is
}

// judged caches the answers of Name, of the first maxJudged names.
var (
	judged     sync.Map
	judgements atomic.Int64
)

const maxJudged = 4096

func secretName(name string) bool {
	if wording.Secret(name) {
		return true
	}
	var joined strings.Builder
	for _, word := range wording.Words(name) {
		if slices.Contains(secretWords, word) {
			return true
		}
		word = strings.Trim(word, "0123456789")
		joined.WriteString(word)
		if slices.Contains(secretWords, word) || slices.Contains(secretWords, strings.TrimSuffix(word, "s")) {
			return true
		}
	}
	all := strings.ToLower(joined.String())
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(all, stem) })
}

// queryNames mean secrets in addresses, and other things elsewhere.
var queryNames = []string{"key", "sig", "signature", "session", "sid", "code"}

// QueryName reports whether a parameter of this name in an address may be secret.
func QueryName(name string) bool {
	words := wording.Words(name)
	return Name(name) || len(words) > 0 && slices.Contains(queryNames, words[len(words)-1])
}

// Likely reports whether a value is secret because of its shape and a name that alone doesn't say so: a code may be one
// for signing in or that of a country, a card one for paying or one for playing, and cc a card's or a mail's.
func Likely(name, value string) bool {
	least, most := 0, 0
	switch words := wording.Words(name); strings.Join(words, " ") {
	case "code", "security", "verification", "confirmation", "confirmation code", "verify code", "email code":
		least, most = 4, 8
	case "card", "cc", "number", "cc number", "card nr", "account":
		least, most = 12, 19
	default:
		return false
	}
	digits := 0
	for i := range len(value) {
		switch c := value[i]; {
		case isDigit(c):
			digits++
		case c != ' ' && c != '-' || i == 0 || i == len(value)-1:
			return false
		}
	}
	return digits >= least && digits <= most
}

// fieldKinds are the tokens of autocomplete that mean secrets.
var fieldKinds = []string{"current-password", "new-password", "one-time-code", "cc-number", "cc-csc", "cc-exp",
	"cc-exp-month", "cc-exp-year"}

// Field returns what kind of secret a page's field takes, by its type and autocomplete attributes: "password", or a
// token of autocomplete such as "cc-number". It returns "" for other fields.
func Field(typ, autocomplete string) string {
	if strings.EqualFold(typ, "password") {
		return "password"
	}
	for token := range strings.FieldsSeq(strings.ToLower(autocomplete)) {
		switch {
		case strings.HasSuffix(token, "password"):
			return "password"
		case slices.Contains(fieldKinds, token):
			return token
		}
	}
	return ""
}

// FieldKind reports whether a word is one that [Field] returns.
func FieldKind(word string) bool { return word == "password" || slices.Contains(fieldKinds, word) }
