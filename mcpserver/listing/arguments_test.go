package listing

import "testing"

// A withheld tool is told of to who names it, however it is written, and to nobody else.
func TestSpelling(t *testing.T) {
	for _, same := range [][2]string{{"addToCart", "addtocart"}, {"add_to_cart", "Add to cart"}, {"add-to-cart", " add.to.cart "}, {"支付", "支付"}, {"Über_uns", "über uns"}} {
		if spelling(same[0]) != spelling(same[1]) {
			t.Errorf("%q is not %q", same[0], same[1])
		}
	}
	for _, other := range [][2]string{{"支付", "检索"}, {"支付", "--"}, {"add_to_cart", "add_two_cart"}, {"añadir", "aadir"}} {
		if spelling(other[0]) == spelling(other[1]) {
			t.Errorf("%q is %q", other[0], other[1])
		}
	}
}
