package find

import (
	"slices"
	"strings"
	"testing"

	"webmcphub/registry"
)

// town is a hub with some sites.
func town() *hub {
	h := newHub(registry.Options{})
	h.page("shop", "https://www.shoes.example/women", "Shoes & More", [2]string{"search_products", "Searches the catalogue"}, [2]string{"addToCart", "Adds a product to the cart"}, [2]string{"get_orders", "Lists the customer's orders"})
	h.page("post", "https://post.example/", "Parcel tracking", [2]string{"trackShipment", "Tracks a shipment by its number"}, [2]string{"find_branches", "Post offices near an address"}, [2]string{"changeDeliveryDate", ""})
	h.page("bank", "https://bank.example/", "Bank", [2]string{"list_transactions", "Transactions of an account"}, [2]string{"transfer_money", "Transfers money between accounts"}, [2]string{"HTMLStatement", "A statement as HTML"})
	h.page("jp", "https://ryokan.example.jp/", "旅館の予約", [2]string{"search_rooms", "空室を検索します"}, [2]string{"yoyaku_cancel", "予約をキャンセルします"})
	h.page("ru", "https://pochta.example.ru/", "Почта", [2]string{"t1", "Отследить посылку по номеру"}, [2]string{"t2", "Рассчитать стоимость доставки"})
	h.page("gr", "https://trena.example.gr/", "Τρένα", [2]string{"g1", "Αναζήτηση δρομολογίων τρένων"}, [2]string{"g2", "Ακύρωση εισιτηρίου"})
	h.page("ar", "https://matar.example/", "مطار", [2]string{"a1", "البحث عن الرحلات"}, [2]string{"a2", "حجز موقف السيارة"})
	h.page("th", "https://aharn.example/", "ร้านอาหาร", [2]string{"th1", "จองโต๊ะในร้านอาหาร"}, [2]string{"th2", "ดูรายการเมนู"})
	h.page("hi", "https://rail.example/", "रेल", [2]string{"h1", "ट्रेन की समय सारणी देखें"}, [2]string{"h2", "टिकट रद्द करें"})
	h.page("ko", "https://mart.example/", "마트", [2]string{"k1", "장바구니에 상품을 담습니다"}, [2]string{"k2", "주문을 취소합니다"})
	h.page("de", "https://bahn.example/", "Fahrplan", [2]string{"d1", "Sucht Verbindungen zwischen zwei Bahnhöfen"}, [2]string{"d2", "Storniert eine Fahrkarte"})
	return h
}

func TestSearch(t *testing.T) {
	x := town().index(t)
	for _, c := range []struct{ why, query, first string }{
		{"a name", "search_products", "search_products"},
		{"words of a name", "search products", "search_products"},
		{"parts of camelCase", "cart", "addToCart"},
		{"camelCase asked for", "addToCart", "addToCart"},
		{"all in one", "addtocart", "addToCart"},
		{"in capitals", "HTML statement", "HTMLStatement"},
		{"a plural", "product", "search_products"},
		{"plurals of what is named once", "shipments", "trackShipment"},
		{"another form", "tracking my shipment", "trackShipment"},
		{"misspelled", "transfre mony", "transfer_money"},
		{"misspelled twice", "transactoins", "list_transactions"},
		{"one letter where there are two", "ofice", "find_branches"},
		{"a synonym", "where is my parcel", "trackShipment"},
		{"a phrase", "put the shoes into my basket", "addToCart"},
		{"a tab's title", "shoes catalogue", "search_products"},
		{"a description", "post office nearby", "find_branches"},
		{"written in one", "deliverydate", "changeDeliveryDate"},
		{"Japanese", "空室 検索", "search_rooms"},
		{"Japanese, a sentence", "予約をキャンセルしたい", "yoyaku_cancel"},
		{"Russian, another case", "отследить мои посылки", "t1"},
		{"Russian", "сколько стоит доставка", "t2"},
		{"Greek without accents", "αναζητηση τρενου", "g1"},
		{"Greek capitals", "ΑΚΥΡΩΣΗ", "g2"},
		{"Arabic", "بحث عن رحلة", "a1"},
		{"Arabic with vowel signs", "حَجز موقف", "a2"},
		{"Thai", "จองโต๊ะ", "th1"},
		{"Thai in a sentence", "อยากดูเมนูอาหาร", "th2"},
		{"Hindi", "टिकट रद्द", "h2"},
		{"Korean with particles", "장바구니 담기", "k1"},
		{"Korean", "주문 취소", "k2"},
		{"German with umlauts left out", "verbindung bahnhofe", "d1"},
	} {
		found, _ := x.Search(Query{Text: c.query, Limit: 5})
		if got := namesOf(found); len(got) == 0 || got[0] != c.first {
			t.Errorf("%s: %q finds %q, want %s first", c.why, c.query, got, c.first)
		}
	}
	for _, query := range []string{"xyzzyplugh", "🦊", "qqqqqqqq wwwwwwwww"} {
		if found, total := x.Search(Query{Text: query, Limit: 5}); len(found) > 0 || total > 0 {
			t.Errorf("%q finds %q", query, namesOf(found))
		}
	}
}

// Of equals the user's tab comes first, then what was used.
func TestFirstAmongEquals(t *testing.T) {
	h := newHub(registry.Options{})
	for _, p := range []registry.PageID{"a", "b", "c"} {
		h.page(p, "https://"+string(p)+".example/", "Shop", [2]string{"search", "Searches the shop"}, [2]string{"checkout", "Pays"})
	}
	x := h.index(t)
	order := func(q Query) (pages []registry.PageID) {
		q.Limit, q.Text = 5, "search"
		found, _ := x.Search(q)
		for _, f := range found {
			pages = append(pages, f.Tab.Page)
		}
		return pages
	}
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{}, "abc"},
		{Query{Front: "c"}, "cab"},
		{Query{Recent: map[registry.PageID]map[string]float32{"b": {"search": 0.5}, "a": {"checkout": 1}}}, "bac"},
		{Query{Front: "c", Recent: map[registry.PageID]map[string]float32{"b": {"search": 0.5}}}, "cba"},
		{Query{Place: func(tab *registry.Tab, site string) bool { return site == "b.example" }}, "b"},
		{Query{Place: func(tab *registry.Tab, site string) bool { return tab.ID == 3 }}, "c"},
	} {
		got := ""
		for _, p := range order(c.q) {
			got += string(p)
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.q, got, c.want)
		}
	}
}

// Tools of one site that say the same are found once, in the user's tab if it has them.
func TestSameOfOneSite(t *testing.T) {
	h := newHub(registry.Options{})
	for _, p := range []registry.PageID{"a", "b", "c"} {
		h.page(p, "https://shop.example/"+string(p), "Shop "+string(p), [2]string{"search", "Searches the shop"})
	}
	h.page("d", "https://other.example/", "Other", [2]string{"search", "Searches the shop"})
	x := h.index(t)
	found, total := x.Search(Query{Text: "search the shop", Limit: 5, Front: "b"})
	if len(found) != 2 || total != 4 || found[0].Tab.Page != "b" || len(found[0].Also) != 2 || found[1].Tab.Page != "d" || len(found[1].Also) != 0 {
		t.Errorf("found %d of %d: %+v", len(found), total, found)
	}
}

// Tools of sites are found, those too that no tab has any more.
func TestToolsOfSites(t *testing.T) {
	h := newHub(registry.Options{Naming: "mcpb"})
	h.page("a", "https://shop.example/", "Shop", [2]string{"search", "Searches the shop"})
	h.page("b", "https://bank.example/", "Bank", [2]string{"pay", "Pays a bill"})
	x := h.index(t)
	found, _ := x.Search(Query{Text: "pay bill", Limit: 5})
	if len(found) != 1 || len(found[0].Also) != 1 || found[0].Tab == nil || found[0].Also[0].SiteTool == nil {
		t.Fatalf("found %+v", found)
	}
	if sites, _ := x.Search(Query{Text: "pay bill", Limit: 5, Place: func(tab *registry.Tab, site string) bool { return tab == nil && site == "bank.example" }}); len(sites) != 1 || sites[0].Tool.SiteTool == nil {
		t.Errorf("found %+v", sites)
	}
}

// What hostile pages say costs no more than what is said of it, and hides no other tool.
func TestHostileTexts(t *testing.T) {
	h := newHub(registry.Options{})
	h.page("good", "https://good.example/", "Good", [2]string{"find_shoes", "Finds shoes"})
	h.open("bad", "https://bad.example/", "Bad")
	var tools []*registry.PageTool
	for i := range 1500 {
		repeated := 0
		if i%500 == 0 {
			repeated = 80_000
		}
		tools = append(tools, &registry.PageTool{Name: "t" + strings.Repeat("x", i%100) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)),
			Description: random(i, 1500) + strings.Repeat(" shoes finds", repeated), InputSchema: schemaOf(`"` + random(i, 30) + `":{"description":"` + random(i+1, 500) + `"}`)})
	}
	h.report("bad", tools...)
	x := h.index(t)
	terms, postings := len(x.ids), 0
	for _, p := range x.postings {
		postings += len(p)
	}
	if each := float64(postings) / 1500; each > 64 || terms > 1500*64 {
		t.Errorf("%d terms, %.0f postings a tool", terms, each)
	}
	if found, _ := x.Search(Query{Text: "find shoes", Limit: 1}); len(found) != 1 || found[0].Tab.Page != "good" {
		t.Errorf("found %q first", namesOf(found))
	}
	for text := range x.ids {
		if len(text) > maxWord+len(beginningMark) {
			t.Errorf("a term has %d bytes", len(text))
		}
	}
}

// random is a text of words that nothing else has.
func random(seed, bytes int) string {
	var b strings.Builder
	for n := uint64(seed)*2654435761 + 1; b.Len() < bytes; {
		n = n*6364136223846793005 + 1442695040888963407
		for i := range 6 + int(n>>60) {
			b.WriteByte(byte('a' + n>>(i*3+7)%26))
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// A query is bounded, whatever it has.
func TestLongQuery(t *testing.T) {
	x := town().index(t)
	for _, query := range []string{random(1, 10_000), strings.Repeat("search products ", 700), strings.Repeat("予約", 5000), strings.Repeat("\xff\xfe", 5000), strings.Repeat("a", 10_000)} {
		if g, _ := x.groups(query, Plain{}); len(g) > maxGroups {
			t.Errorf("%d groups", len(g))
		}
		x.Search(Query{Text: query, Limit: 5})
	}
	if found, _ := x.Search(Query{Text: "search products " + random(1, 10_000), Limit: 5}); !slices.Contains(namesOf(found), "search_products") {
		t.Errorf("found %q", namesOf(found))
	}
}
