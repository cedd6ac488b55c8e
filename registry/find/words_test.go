package find

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"addToCart", "add to cart addtocart"},
		{"HTMLPage2Go", "html page2 go htmlpage2go"},
		{"get_order-items.all", "get order items all"},
		{"Čeština ŁÓDŹ Straße ﬁ", "cestina lodz strasse ﬁ"},
		{"naïve cafe\u0301", "naive cafe"},
		{"ＡＢＣ１２", "abc12"},
		{"東京駅へ", "東京 京駅 駅へ"},
		{"本", "本"},
		{"マップ", "マッ ップ"},
		{"จองโต๊ะ", "จอง องโ งโต โตะ"},
		{"हिन्दी में", "हिन्दी में"},
		{"مُحَمَّد أحمد", "محمد احمد"},
		{"Ελλάδα ΣΟΦΟΣ", "ελλαδα σοφοσ"},
		{"Ёлка й", "елка и"},
		{"user's l'eau", "user s l eau"},
		{"a/b?c=d&e", "a b c d e"},
		{"", ""},
		{"\xff\xfe", ""},
	} {
		var got []string
		wordsOf(c.text, func(w word) bool { got = append(got, w.text); return true })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %s", c.text, got, c.want)
		}
	}
}

// Forms of a word meet.
func TestStem(t *testing.T) {
	for _, forms := range []string{
		"book books booking booked bookings", "ship ships shipping shipped shipment", "cancel cancels cancelled canceled cancelling cancellation",
		"buy buys buying bought", "delivery deliveries deliver delivered delivering", "translate translates translated translating translation translations",
		"city cities", "box boxes", "search searches searching searched", "address addresses", "status", "news", "pay paid payment payments paying",
		"location locate located", "movie movies", "stop stopped stopping", "sell selling sells sold", "person people",
	} {
		var stems []string
		for _, f := range strings.Fields(forms) {
			if s := stem(f); !slices.Contains(stems, s) {
				stems = append(stems, s)
			}
		}
		if len(stems) != 1 {
			t.Errorf("%s: %q", forms, stems)
		}
	}
	for _, pair := range [][2]string{{"new", "news"}, {"ship", "shop"}, {"station", "state"}, {"address", "add"}, {"business", "busy"}} {
		if stem(pair[0]) == stem(pair[1]) {
			t.Errorf("%q are one", pair)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"search", "search", 0}, {"serach", "search", 1}, {"seach", "search", 1}, {"searchh", "search", 1}, {"saerhc", "search", 2}, {"abc", "xyz", 3},
	} {
		if got := Distance([]rune(c.a), []rune(c.b), 2); min(got, 3) != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// Every word of the table is one that a query can have.
func TestSynonyms(t *testing.T) {
	for of, are := range synonyms() {
		if len(are) > 60 {
			t.Errorf("%s has %d synonyms", of, len(are))
		}
		for _, part := range strings.Fields(of + " " + strings.Join(are, " ")) {
			if part != strings.ToLower(part) || strings.ContainsAny(part, "_,;-") {
				t.Errorf("%q is no word", part)
			}
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("addToCart 東京 Ёлка จองโต๊ะ \xff")
	f.Fuzz(func(t *testing.T, text string) {
		wordsOf(text, func(w word) bool {
			if w.text == "" || len(w.text) > maxWord {
				t.Errorf("%q has the word %q", text, w.text)
			}
			stem(w.text)
			beginnings(w.text)
			return true
		})
	})
}
