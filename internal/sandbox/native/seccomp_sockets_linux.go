//go:build amd64 || arm64

package native

import "golang.org/x/sys/unix"

// socketType is the part of a socket's type that is no flag.
const socketType = 0xf // SOCK_TYPE_MASK of <linux/net.h>

// socketRows are about sockets.
func socketRows() []row {
	both := []call{{unix.SYS_SOCKET, "socket"}, {unix.SYS_SOCKETPAIR, "socketpair"}}
	return []row{
		{
			calls:  both,
			when:   []test{isNot(0, unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)},
			answer: refuse(unix.EAFNOSUPPORT), why: "vsock leaves the network namespace, and of the rest most have been a way into the kernel",
		},
		{
			calls:  both,
			when:   []test{is(0, unix.AF_NETLINK), isNot(2, unix.NETLINK_ROUTE)},
			answer: refuse(unix.EAFNOSUPPORT), why: "programs ask for their addresses by the route protocol; the others tell of the machine, or configure it",
		},
		{
			// sendto, sendmsg and sendmmsg take an address and need no
			// connect, and it lies in memory. RAW turns into DGRAM.
			calls:  both,
			when:   []test{is(0, unix.AF_UNIX), typeIs(unix.SOCK_DGRAM, unix.SOCK_RAW)},
			answer: refuse(unix.EPROTONOSUPPORT), why: "reaches any datagram socket of the host that has a name: journal, syslog, the service manager (F3)",
		},
		{
			calls:  both,
			when:   []test{is(0, unix.AF_INET), typeIs(unix.SOCK_PACKET)},
			answer: refuse(unix.EAFNOSUPPORT), why: "the old name of the packet family, which the kernel turns into that one",
		},
		{
			calls:  []call{{unix.SYS_CONNECT, "connect"}},
			answer: notified, why: "the address lies in memory: the keeper reads it once, judges what it names, and connects to that (LX-8, F6)",
		},
	}
}

// typeIs holds if a socket's type, whatever its flags, is one of values.
func typeIs(values ...uint32) test { return test{arg: 1, mask: socketType, values: values} }
