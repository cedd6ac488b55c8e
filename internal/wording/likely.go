package wording

import (
	"slices"
	"strings"
)

// stems are found anywhere in a name whose words are joined: newPassword2 contains "password".
var stems = []string{
	"password", "passwd", "passcode", "passphrase", "passwort", "kennwort", "contraseña", "contrasena", "motdepasse",
	"wachtwoord", "senha", "pwd",
	"secret", "credential", "token", "bearer", "authoriz", "authoris", "cookie", "apikey", "privatekey", "accesskey",
	"secretkey", "encryptionkey", "sshkey",
	"cardno", "cardnum", "creditcard", "debitcard", "cvv", "cvc", "securitycode", "accountnum", "socialsecurity",
	"taxid",
	"recoveryphrase", "recoverycode", "recoverykey", "seedphrase", "backupcode", "mnemonic", "onetimecode",
	"onetimepass", "verificationcode", "authcode", "sessionid", "sessionkey",
}

// secretWords are too short to be looked for within words.
var secretWords = []string{"pass", "pin", "auth", "csc", "ssn", "otp", "totp", "iban", "mfa", "jwt", "pan", "tan"}

// LikelySecret reports whether something of this name may be secret. It errs on the side of true (maxTokens is one),
// for code that keeps secrets out of files; [Secret] is for code that warns.
func LikelySecret(name string) bool {
	if Secret(name) {
		return true
	}
	var joined strings.Builder
	for _, word := range Words(name) {
		word = strings.Trim(word, "0123456789")
		joined.WriteString(word)
		if slices.Contains(secretWords, word) || slices.Contains(secretWords, strings.TrimSuffix(word, "s")) {
			return true
		}
	}
	all := strings.ToLower(joined.String())
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(all, stem) })
}
