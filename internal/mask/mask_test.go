package mask

import (
	"strings"
	"testing"
)

// TestText: secrets of each shape are masked wherever they stand, and what is around them stays.
func TestText(t *testing.T) {
	long := strings.Repeat
	for text, want := range map[string]string{
		// Cards.
		"pay with 4111111111111111 now":                     "pay with [masked] now",
		"4111 1111 1111 1111":                               "[masked]",
		"4111-1111-1111-1111, thanks":                       "[masked], thanks",
		"3782 822463 10005.":                                "[masked].",
		"378282246310005":                                   "[masked]",
		"card=5555.5555.5555.4444":                          "card=[masked]",
		"30569309025904":                                    "[masked]",
		`\n6011111111111117\n`:                              `\n[masked]\n`,
		"4111111111111112":                                  "4111111111111112", // wrong check digit
		"41111111111111110":                                 "41111111111111110",
		"x4111111111111111":                                 "x4111111111111111",
		"4111 1111 1111-1111":                               "4111 1111 1111-1111",
		"order 123-4567890-1234567 of 1700000000000":        "order 123-4567890-1234567 of 1700000000000",
		"4006381333931":                                     "4006381333931", // a barcode
		"41 11 11 11 11 11 11 11":                           "41 11 11 11 11 11 11 11",
		"1234 4111 1111 1111 1111":                          "1234 [masked]",
		"x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_DEF y": "x [masked] y",
		"eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.":          "[masked]",
		"eyJhbGciOiJIUzI1NiJ9":                              "eyJhbGciOiJIUzI1NiJ9", // a cursor

		// Keys.
		"ghp_" + long("a1B2", 9):                     "[masked]",
		"x=ghp_" + long("a1B2", 9) + "&y":            "x=[masked]&y",
		"https://a.test/?k%3Dghp_" + long("a1B2", 9): "https://a.test/?k%3D[masked]",
		"ghp_short1":                       "ghp_short1",
		"AKIAIOSFODNN7EXAMPLE":             "[masked]",
		"sk_live_" + long("4eC3", 6):       "[masked]",
		"sk-ant-api03-" + long("aB3_", 24): "[masked]",
		"sk-the-quick-brown-fox":           "sk-the-quick-brown-fox",
		"glpat-" + long("x_Y1", 5):         "[masked]",
		"AIza" + long("Sy1_x", 7):          "[masked]",
		"a\nxoxb-123456789012-abcdef":      "a\n[masked]",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx": "[masked]\nx",
		"a -----BEGIN PRIVATE KEY-----\nMIIEvQ":                                   "a [masked]",
		"-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----":              "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----",
		"secret q7Zp0vXr3LkT9sBn/W2dHy6MfGc8+JeA5uQi1RoV":                         "secret [masked]",
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY":        "aws_secret_access_key = [masked]",

		// What a text names.
		"password: hunter2":                           "password: [masked]",
		"Your password is hunter2.":                   "Your password is [masked].",
		"The password is wrong":                       "The password is wrong",
		"Password: required":                          "Password: required",
		`{"newPassword":"hunter","x":1`:               `{"newPassword":"[masked]","x":1`,
		`{\"password\":\"hunter\"}`:                   `{\"password\":\"[masked]\"}`,
		`"password": "Enter your password"`:           `"password": "[masked] your password"`,
		"Authorization: Bearer abcdefgh":              "Authorization: Bearer [masked]",
		"authorization: Basic dXNlcjpwYXNz":           "authorization: Basic [masked]",
		"Your verification code is 482913.":           "Your verification code is [masked].",
		"confirmation code: 482913":                   "confirmation code: [masked]",
		"PIN: 4821":                                   "PIN: [masked]",
		"pinned: 4821":                                "pinned: 4821",
		"spin: 4821":                                  "spin: 4821",
		"https://a.test/?access_token=abcd&q=tea":     "https://a.test/?access_token=[masked]&q=tea",
		"see https://a.test/cb?code=4/0AX4XfWh&q=tea": "see https://a.test/cb?code=[masked]&q=tea",
		"https://me:hush@a.test/x":                    "https://me:[masked]@a.test/x",
		"http://a.test:8080/@me":                      "http://a.test:8080/@me",
		"max_tokens: 4096, tokens=12":                 "max_tokens: 4096, tokens=12",
		"csrf=abcd1234":                               "csrf=[masked]",
		"code: 404":                                   "code: 404",

		// What is no secret.
		"550e8400-e29b-41d4-a716-446655440000":        "550e8400-e29b-41d4-a716-446655440000",
		"da39a3ee5e6b4b0d3255bfef95601890afd80709":    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
		"getUserByIdFromV2EndpointHandlerFactoryBean": "getUserByIdFromV2EndpointHandlerFactoryBean",
		"a@b.test": "a@b.test", "": "", "@": "@", "://": "://",
	} {
		var m Masker
		if got := m.Text(text); got != want {
			t.Errorf("%s\nis   %s\nwant %s", text, got, want)
		}
	}
	m := Masker{Emails: true}
	if got := m.Text("write to Ann.B+c@mail.test, or @me"); got != "write to [masked], or @me" {
		t.Errorf("an address: %s", got)
	}
}

// TestMember: a member is judged by its name and by the shape of its value.
func TestMember(t *testing.T) {
	for _, c := range []struct {
		name, value string
		whole       bool
	}{
		{"code", "482913", true}, {"code", "482 913", true}, {"token", "12 left", false}, {"tokens", "12", false}, {"code", "SAVE20", false}, {"code", "404", false}, {"countryCode", "49000", false},
		{"card", "1111 2222 3333 4444", true}, {"card", "ace of spades", false}, {"cc", "bob@mail.test", false}, {"cc", "411111111111", true},
		{"twoFactorCode", "x1y2", true}, {"csrf", "x1y2", true}, {"pin", "1", false}, {"title", "x", false}, {"internal", "x", true},
	} {
		m := Masker{Names: []string{"internal"}}
		if got, whole := m.Member(c.name, c.value); whole != c.whole || !whole && got != c.value {
			t.Errorf("%s %q: %q %v", c.name, c.value, got, whole)
		}
	}
	for _, c := range [][3]string{
		{"text", "", ""}, {"password", "", "password"}, {"PASSWORD", "off", "password"}, {"text", "section-a Billing CC-Number", "cc-number"},
		{"text", "one-time-code webauthn", "one-time-code"}, {"text", "new-password", "password"}, {"text", "cc-name", ""}, {"tel", "tel", ""},
	} {
		if got := Field(c[0], c[1]); got != c[2] || got != "" && !FieldKind(got) {
			t.Errorf("%v is %q", c, got)
		}
	}
}

// TestAddress: the origin and the path stay.
func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.test/x?q=tea#top":                       "https://a.test/x?q=tea#top",
		"https://a.test/reset?token=abc&page=2":            "https://a.test/reset?token=[masked]&page=2",
		"https://a.test/?card=4111%201111%201111%201111&b": "https://a.test/?card=[masked]&b",
		"https://a.test/#access_token=abc":                 "https://a.test/#access_token=[masked]",
		"https://me:hush@a.test/?code=a1":                  "https://me:[masked]@a.test/?code=[masked]",
		"https://a.test/?X-Amz-Signature=hush;tokens=":     "https://a.test/?X-Amz-Signature=[masked];tokens=",
		"https://a.test/?%zz=1&a=%zz":                      "https://a.test/?%zz=[masked]&a=%zz",
		"password: hunter2":                                "password: [masked]",
	} {
		var m Masker
		if got := m.Address(address); got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
}

// TestFields: fields for secrets are known from snapshots.
func TestFields(t *testing.T) {
	var f Fields
	if !f.Secret("a1") || !f.Secret("") {
		t.Error("an unknown field is none for secrets")
	}
	f.Learn("page\n  a1 textbox \"Name\" focused value=\"my password\"\n  a2 textbox \"a \\\" b\" cc-number filled\n+ a3 textbox password\n  text \"a2 x\"\n")
	for uid, want := range map[string]bool{"a1": false, "a2": true, "a3": true, "a4": true} {
		if f.Secret(uid) != want {
			t.Errorf("%s: %v", uid, !want)
		}
	}
	f.Use([]byte(`{"uid":"a1"}`))
	if f.Secret("") {
		t.Error("what is typed into a name is secret")
	}
}
