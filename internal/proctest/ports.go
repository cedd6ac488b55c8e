package proctest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// The ports from which FreePorts takes its own: below those that systems give to whoever asks for any, which a
// client's connection could have when a process that was ended comes back to its port.
const firstPort, lastPort = 20000, 32000

// FreePorts are so many addresses of this machine's loopback that nobody listens at. Another
// program may take one before it is used: whoever uses it says so then.
func FreePorts(n int) (addresses []string, err error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	for tries := 0; len(held) < n; tries++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(lastPort-firstPort)))
		switch {
		case err == nil:
			held = append(held, l)
			addresses = append(addresses, l.Addr().String())
		case tries > 100*n:
			return nil, errors.Join(errors.New("no free ports were found"), err)
		}
	}
	return addresses, nil
}
