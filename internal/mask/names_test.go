package mask

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for name := range strings.FieldsSeq(`password passwords password2 newpassword NEW_PASSWORD pwd userPwd pass userPass token refresh_token api_token tokens
		authorization Authorisation auth bearer cookie session-cookie credentials client_secrets api_key apiKeys apikey2 cardNo card_number card-no2 securityCode
		cvv2 pin pins PIN pin1 otp otps recoveryPhrase seed.phrase contraseña Passwort jwt idToken verificationCode card_2_number passphrase iban csrf csrfToken xsrf twoFactorCode two_factor 2faCode 2fa mfa smsCode loginCode`) {
		if !Name(name) {
			t.Errorf("%s is none", name)
		}
	}
	for name := range strings.FieldsSeq(`name words query q shipping author passenger passage compass card discard address spinner pinned email code country value text key monkey panel cc zipCode countryCode`) {
		if Name(name) {
			t.Errorf("%s is one", name)
		}
	}
}
