package flow

// filterBits is how many bits a filter has for each hash, at least.
const filterBits = 8

// filter quickly excludes most hashes that no source has. An action contains nearly nothing that the client has read,
// and a look-up in the map of each source takes longer than all else. Its length is zero or a power of two.
type filter []uint64

func (f filter) add(hash uint64) {
	if len(f) > 0 {
		f[hash>>6&uint64(len(f)-1)] |= 1 << (hash & 63)
	}
}

// has reports whether a hash may have been added.
func (f filter) has(hash uint64) bool {
	return len(f) > 0 && f[hash>>6&uint64(len(f)-1)]&(1<<(hash&63)) != 0
}
