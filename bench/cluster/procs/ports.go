package procs

import "net"

// FreePorts are so many addresses of this machine's loopback that nobody listens at. Another
// program may take one before it is used: whoever uses it says so then.
func FreePorts(n int) (addresses []string, err error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		held = append(held, l)
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}
