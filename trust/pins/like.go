package pins

import (
	"hash/maphash"
	"slices"
	"sync"
	"unicode"
)

// Limits for the comparison of two tools.
const (
	minSkeleton = 6 // letters that a name needs to be compared
	minWords    = 6 // different words that a description needs to be compared
	maxWords    = 300
	maxSkeleton = 64  // bytes of a skeleton that are looked at: one for an ASCII letter, two for another one
	nearly      = 0.8 // part of all their words that both descriptions must have
	bands       = 8
	rows        = 2
)

var seed = maphash.MakeSeed() // signatures are not stored anywhere

// signature holds the properties of a tool by which tools are compared. It is immutable.
type signature struct {
	skeleton string
	words    []uint64 // the description's words, sorted; nil if there are too few
	keys     []uint64 // under which similar tools are found
}

// sign computes a tool's signature.
func sign(name, description string) signature {
	s := signature{skeleton: skeleton(name)}
	if len(s.skeleton) >= minSkeleton {
		s.keys = shortened(make([]uint64, 0, len(s.skeleton)+1+bands), s.skeleton)
	}
	if s.words = wordsOf(description); s.words != nil {
		s.keys = bandsOf(s.keys, s.words)
	}
	return s
}

// signs caches the signatures of definitions, by their written hash. Successive books share it. Any goroutine may use
// it.
type signs struct {
	mu       sync.Mutex
	new, old map[Hash]*signature
}

// maxSigns is how many signatures each of the two generations of the cache holds.
const maxSigns = 20_000

func (s *signs) of(d *Definition, written Hash) *signature {
	s.mu.Lock()
	is := s.new[written]
	if is == nil {
		is = s.old[written]
	}
	s.mu.Unlock()
	if is == nil {
		made := sign(d.Name, d.Description)
		is = &made
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.new == nil || len(s.new) >= maxSigns {
		s.new, s.old = map[Hash]*signature{}, s.new
	}
	s.new[written] = is
	return is
}

// shortened adds the key of a name, and the keys of the name without one of its letters. Names that differ by one
// letter share one of these keys.
func shortened(keys []uint64, name string) []uint64 {
	const base = 0x9E3779B97F4A7C15
	var ends, powers [maxSkeleton + 1]uint64 // ends: hashes of the letters from each index on
	power := uint64(1)
	for i := len(name) - 1; i >= 0; i-- {
		ends[i] = ends[i+1] + uint64(name[i])*power
		powers[len(name)-1-i] = power
		power *= base
	}
	keys = append(keys, mix(ends[0], 'n'))
	start := uint64(0) // hash of the letters before i
	for i := range name {
		if i == 0 || name[i] != name[i-1] {
			keys = append(keys, mix(start*powers[len(name)-1-i]+ends[i+1], 'n'))
		}
		start = start*base + uint64(name[i])
	}
	return keys
}

func mix(h, by uint64) uint64 {
	h ^= by * 0x9E3779B97F4A7C15
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// lookalike maps each letter to the ASCII letter that it looks like.
var lookalike = map[rune]byte{
	'0': 'o', '1': 'l', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '$': 's', '@': 'a', '|': 'l', '!': 'i',
	'а': 'a', 'в': 'b', 'е': 'e', 'ё': 'e', 'з': 'e', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k', 'м': 'm', 'н': 'h',
	'о': 'o', 'р': 'p', 'с': 'c', 'т': 't', 'у': 'y', 'х': 'x', 'ѕ': 's', 'ԁ': 'd', 'ɡ': 'g', 'ո': 'n', 'ս': 'u',
	'α': 'a', 'β': 'b', 'ε': 'e', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x',
	'η': 'n',
	'à': 'a', 'á': 'a', 'â': 'a', 'ã': 'a', 'ä': 'a', 'å': 'a', 'ā': 'a', 'ą': 'a', 'ç': 'c', 'ć': 'c', 'č': 'c',
	'ď': 'd', 'è': 'e', 'é': 'e', 'ê': 'e', 'ë': 'e', 'ē': 'e', 'ę': 'e', 'ě': 'e',
	'ì': 'i', 'í': 'i', 'î': 'i', 'ï': 'i', 'ī': 'i', 'ı': 'i', 'ł': 'l', 'ñ': 'n', 'ń': 'n', 'ň': 'n', 'ò': 'o',
	'ó': 'o', 'ô': 'o', 'õ': 'o', 'ö': 'o', 'ø': 'o', 'ő': 'o', 'ř': 'r', 'ś': 's', 'š': 's', 'ș': 's', 'ť': 't',
	'ù': 'u', 'ú': 'u', 'û': 'u', 'ü': 'u', 'ů': 'u', 'ű': 'u', 'ý': 'y', 'ÿ': 'y', 'ź': 'z', 'ż': 'z', 'ž': 'z',
}

// skeleton returns a name's letters in lower case, without separators. It replaces letters that look alike by the same
// letter. l and i look alike.
func skeleton(name string) string {
	to := make([]byte, 0, maxSkeleton)
	for _, r := range name {
		if len(to) > maxSkeleton-2 {
			break
		}
		r = unicode.ToLower(r)
		if r >= 0xFF01 && r <= 0xFF5E { // full width
			r = unicode.ToLower(r - 0xFEE0)
		}
		c, folded := lookalike[r]
		switch {
		case folded:
		case r >= 'a' && r <= 'z' || r == '2' || r == '6' || r == '9':
			c = byte(r)
		case r > unicode.MaxASCII && unicode.IsLetter(r):
			to = append(to, byte(r>>8)|0x80, byte(r)|0x80)
			continue
		default:
			continue
		}
		if c == 'i' {
			c = 'l'
		}
		to = append(to, c)
	}
	return string(to)
}

// wordsOf returns the different words of a text, hashed and sorted. It returns nil if there are too few to mean
// anything.
func wordsOf(text string) []uint64 {
	if len(text) > 4096 {
		text = text[:4096]
	}
	var room [64]uint64
	all := room[:0]
	var word maphash.Hash
	word.SetSeed(seed)
	inside := false
	for _, r := range text {
		switch letter := unicode.IsLetter(r) || unicode.IsDigit(r); {
		case letter:
			r = unicode.ToLower(r)
			_, _ = word.Write([]byte{byte(r), byte(r >> 8), byte(r >> 16)})
			inside = true
		case inside && len(all) < maxWords:
			all = append(all, word.Sum64())
			fallthrough
		default:
			word.Reset()
			inside = false
		}
	}
	if inside {
		all = append(all, word.Sum64())
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) < minWords {
		return nil
	}
	return slices.Clone(all)
}

// bandsOf adds a text's keys. Two texts that have nearly all words in common very likely share a key (MinHash).
func bandsOf(keys, words []uint64) []uint64 {
	var least [bands * rows]uint64
	for i := range least {
		least[i] = ^uint64(0)
		salt := uint64(i+1) * 0xD6E8FEB86659FD93
		for _, w := range words {
			h := (w ^ salt) * 0x9E3779B97F4A7C15
			least[i] = min(least[i], h^h>>29)
		}
	}
	for b := range bands {
		h := uint64('d' + b)
		for r := range rows {
			h = mix(h, least[b*rows+r])
		}
		keys = append(keys, h)
	}
	return keys
}

// nameLike reports whether two names look alike.
func (s *signature) nameLike(o *signature) bool {
	a, b := s.skeleton, o.skeleton
	if len(a) < minSkeleton || len(b) < minSkeleton {
		return false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return a[i:] == b[i:] || // the same
		i < len(b) && a[i:] == b[i+1:] || // one letter more
		i < len(a) && len(a) == len(b) && a[i+1:] == b[i+1:] || // one letter differs
		i+1 < len(a) && len(a) == len(b) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] // two swapped
}

// textLike reports whether two descriptions have nearly the same words.
func (s *signature) textLike(o *signature) bool {
	if s.words == nil || o.words == nil {
		return false
	}
	both, i, j := 0, 0, 0
	for i < len(s.words) && j < len(o.words) {
		switch a, b := s.words[i], o.words[j]; {
		case a == b:
			both, i, j = both+1, i+1, j+1
		case a < b:
			i++
		default:
			j++
		}
	}
	return float64(both) >= nearly*float64(len(s.words)+len(o.words)-both)
}
