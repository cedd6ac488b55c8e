package mask

// card returns the length of the number of a payment card with which a text begins, or 0. The number may be written in
// groups, with spaces, hyphens or dots between them.
func card(s string) int {
	var digits [19]byte
	var groups [5]int
	n, group, end, apart := 0, 0, 0, byte(0)
	for end < len(s) {
		c := s[end]
		if isDigit(c) {
			if n == len(digits) {
				return 0 // a longer number
			}
			digits[n] = c - '0'
			n++
			groups[group]++
			end++
			continue
		}
		if n == 0 || end+1 == len(s) || !isDigit(s[end+1]) || c != ' ' && c != '-' && c != '.' || apart != 0 && c != apart {
			break
		}
		if group == len(groups)-1 {
			break
		}
		apart = c
		group++
		end++
	}
	if end < len(s) && class[s[end]]&(alnum) != 0 {
		return 0
	}
	if n < 14 || !issued(digits[:n]) || !luhn(digits[:n]) {
		return 0
	}
	switch {
	case group == 0:
	case groups[0] == 4 && groups[1] == 6 && (group == 2 && groups[2] >= 4): // 4-6-5 and 4-6-4
	case groups[0] == 4 && groups[1] == 4 && groups[2] == 4 && group >= 3:
	default:
		return 0
	}
	return end
}

// issued reports whether a number begins as the networks' do, with a length that they use.
func issued(d []byte) bool {
	n := len(d)
	two := int(d[0])*10 + int(d[1])
	four := two*100 + int(d[2])*10 + int(d[3])
	switch {
	case d[0] == 4: // Visa; those of 13 digits are no longer issued, and look like barcodes
		return n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720: // Mastercard
		return n == 16
	case two == 34 || two == 37: // American Express
		return n == 15
	case two == 36 || two == 38 || two == 39 || four >= 3000 && four <= 3059: // Diners Club
		return n == 14 || n == 16
	case four == 6011, four >= 6440 && four <= 6499, two == 65, two == 62, two == 60, two == 81: // Discover, UnionPay, RuPay
		return n >= 16
	case four >= 3528 && four <= 3589: // JCB
		return n >= 16
	case two == 50, two >= 56 && two <= 58, two == 63, two == 67, four >= 2200 && four <= 2204: // Maestro, Mir
		return n >= 16
	}
	return false
}

// luhn reports whether the last digit is the check digit of the others.
func luhn(d []byte) bool {
	sum := 0
	for i := range d {
		v := int(d[len(d)-1-i])
		if i%2 == 1 {
			v *= 2
			if v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}
