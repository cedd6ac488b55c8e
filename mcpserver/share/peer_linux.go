package share

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// checkPeer refuses processes of other users. The folder's permissions already keep them out; this works even if
// these are changed later.
func checkPeer(c net.Conn) error {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	var peer *syscall.Ucred
	var failure error
	err = raw.Control(func(fd uintptr) {
		peer, failure = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	switch {
	case err != nil:
		return err
	case failure != nil:
		return failure
	case int(peer.Uid) != os.Geteuid():
		return fmt.Errorf("process %d belongs to another user (%d)", peer.Pid, peer.Uid)
	}
	return nil
}
