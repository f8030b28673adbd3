//go:build amd64 || arm64

package native

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const upper = 1 << 32 // a bit that the kernel does not see in an int

// Verdicts by what they are about and not by the rows: a row that is wrong is
// wrong here.
func TestVerdicts(t *testing.T) {
	const (
		eperm  = uint32(unix.EPERM) | unix.SECCOMP_RET_ERRNO
		eaf    = uint32(unix.EAFNOSUPPORT) | unix.SECCOMP_RET_ERRNO
		eproto = uint32(unix.EPROTONOSUPPORT) | unix.SECCOMP_RET_ERRNO
	)
	type args = [6]uint64
	boxed, browser := newMachine(t, filterRows(filterOptions{})), newMachine(t, filterRows(filterOptions{UserNS: true}))
	for _, tt := range []struct {
		name   string
		nr     uint32
		args   args
		want   uint32
		userNS uint32 // the verdict for a role with userns, where it is another
	}{
		{"Read", unix.SYS_READ, args{}, allow, 0},
		{"Ptrace", unix.SYS_PTRACE, args{}, eperm, 0},
		{"IOURing", unix.SYS_IO_URING_SETUP, args{}, absent, 0},
		{"Connect", unix.SYS_CONNECT, args{}, notified, 0},
		{"TIOCSTI", unix.SYS_IOCTL, args{0, unix.TIOCSTI}, eperm, 0},
		{"TIOCSTIWithUpperBits", unix.SYS_IOCTL, args{0, unix.TIOCSTI | upper}, eperm, 0}, // F18
		{"TIOCLINUXWithUpperBits", unix.SYS_IOCTL, args{0, unix.TIOCLINUX | 1<<63}, eperm, 0},
		{"TCGETS", unix.SYS_IOCTL, args{0, unix.TCGETS}, allow, 0},
		{"ASignalOfTheTerminal", unix.SYS_IOCTL, args{0, fioasync}, eperm, 0},
		{"TIOCSPGRP", unix.SYS_IOCTL, args{0, unix.TIOCSPGRP}, allow, 0}, // job control
		{"Lease", unix.SYS_FCNTL, args{0, unix.F_SETLEASE | upper}, eperm, 0},
		{"GetLease", unix.SYS_FCNTL, args{0, unix.F_GETLEASE}, allow, 0},
		{"RecordLock", unix.SYS_FCNTL, args{0, unix.F_SETLK}, allow, 0},
		{"NonBlocking", unix.SYS_FCNTL, args{0, unix.F_SETFL, unix.O_NONBLOCK}, allow, 0},
		{"Asynchronous", unix.SYS_FCNTL, args{0, unix.F_SETFL, unix.O_NONBLOCK | unix.O_ASYNC}, eperm, 0},
		{"AnotherFcntlWithThatBit", unix.SYS_FCNTL, args{0, unix.F_SETFD, unix.O_ASYNC}, allow, 0},

		{"Stream", unix.SYS_SOCKET, args{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow, 0},
		{"SeqPacket", unix.SYS_SOCKET, args{unix.AF_UNIX, unix.SOCK_SEQPACKET}, allow, 0},
		{"Datagram", unix.SYS_SOCKET, args{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK}, eproto, 0}, // F3
		{"Raw", unix.SYS_SOCKET, args{unix.AF_UNIX, unix.SOCK_RAW | upper}, eproto, 0},
		{"DatagramPair", unix.SYS_SOCKETPAIR, args{unix.AF_UNIX | upper, unix.SOCK_DGRAM}, eproto, 0},
		{"TCP", unix.SYS_SOCKET, args{unix.AF_INET, unix.SOCK_STREAM}, allow, 0},
		{"UDP", unix.SYS_SOCKET, args{unix.AF_INET6, unix.SOCK_DGRAM}, allow, 0},
		{"Route", unix.SYS_SOCKET, args{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, allow, 0},
		{"Netfilter", unix.SYS_SOCKET, args{unix.AF_NETLINK | upper, unix.SOCK_RAW, unix.NETLINK_NETFILTER}, eaf, 0},
		{"Vsock", unix.SYS_SOCKET, args{unix.AF_VSOCK | upper, unix.SOCK_STREAM}, eaf, 0},
		{"Packet", unix.SYS_SOCKET, args{unix.AF_PACKET, unix.SOCK_RAW}, eaf, 0},
		{"OldPacket", unix.SYS_SOCKET, args{unix.AF_INET, unix.SOCK_PACKET}, eaf, 0},
		{"KernelCrypto", unix.SYS_SOCKET, args{unix.AF_ALG, unix.SOCK_SEQPACKET}, eaf, 0},

		{"Setuid", unix.SYS_FCHMOD, args{0, 0o4755}, eperm, 0}, // F13
		{"SetgidWithUpperBits", unix.SYS_FCHMODAT, args{0, 0, 0o2755 | upper}, eperm, 0},
		{"Sticky", unix.SYS_FCHMODAT, args{0, 0, 0o1777}, allow, 0},
		{"Created", unix.SYS_OPENAT, args{0, 0, unix.O_CREAT, 0o644}, allow, 0},
		{"CreatedSetuid", unix.SYS_OPENAT, args{0, 0, unix.O_CREAT | upper, 0o4755}, eperm, 0},
		{"UnnamedSetuid", unix.SYS_OPENAT, args{0, 0, unix.O_TMPFILE | unix.O_RDWR, 0o6755}, eperm, 0},
		{"ModeThatIsNone", unix.SYS_OPENAT, args{0, 0, unix.O_RDONLY | unix.O_DIRECTORY, ^uint64(0)}, allow, 0},
		{"SetuidNode", unix.SYS_MKNODAT, args{0, 0, unix.S_IFREG | 0o4755}, eperm, 0},
		{"Openat2", unix.SYS_OPENAT2, args{}, absent, 0},

		{"Fork", unix.SYS_CLONE, args{uint64(unix.SIGCHLD)}, allow, 0},
		{"Thread", unix.SYS_CLONE, args{unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD}, allow, 0},
		{"Clone3", unix.SYS_CLONE3, args{}, absent, 0},
		{"UserSpace", unix.SYS_CLONE, args{unix.CLONE_NEWUSER | unix.CLONE_NEWPID | uint64(unix.SIGCHLD)}, eperm, allow},
		{"MountSpace", unix.SYS_CLONE, args{unix.CLONE_NEWUSER | unix.CLONE_NEWNS}, eperm, 0},
		{"UnsharedFiles", unix.SYS_UNSHARE, args{unix.CLONE_FILES | unix.CLONE_FS}, allow, 0},
		{"UnsharedUser", unix.SYS_UNSHARE, args{unix.CLONE_NEWUSER}, eperm, allow},
		{"UnsharedMounts", unix.SYS_UNSHARE, args{unix.CLONE_NEWUSER | unix.CLONE_NEWNS}, eperm, 0},
		{"UnsharedTime", unix.SYS_UNSHARE, args{unix.CLONE_NEWTIME}, eperm, 0},
		{"UnsharedByAFlagToCome", unix.SYS_UNSHARE, args{unix.CLONE_FILES | 1<<40}, eperm, 0},
		{"Setns", unix.SYS_SETNS, args{}, eperm, 0},
		{"Mount", unix.SYS_MOUNT, args{}, eperm, 0},
		{"Chroot", unix.SYS_CHROOT, args{}, eperm, allow},

		{"PersonalityQuery", unix.SYS_PERSONALITY, args{0xffffffff}, allow, 0},
		{"PersonalityOfADebugger", unix.SYS_PERSONALITY, args{perNoRandomize}, allow, 0},
		{"PageZero", unix.SYS_PERSONALITY, args{0x100000}, eperm, 0},
		{"Seccomp", unix.SYS_SECCOMP, args{unix.SECCOMP_SET_MODE_FILTER}, allow, 0},
		{"Landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, args{}, allow, 0},
		{"NoCall", allBits, args{}, allow, 0},
	} {
		r := request{arch: auditArch, nr: tt.nr, args: tt.args}
		if got := boxed.verdict(t, r); got != tt.want {
			t.Errorf("%s: got %#x, want %#x", tt.name, got, tt.want)
		}
		want := tt.want
		if tt.userNS != 0 {
			want = tt.userNS
		}
		if got := browser.verdict(t, r); got != want {
			t.Errorf("%s, with userns: got %#x, want %#x", tt.name, got, want)
		}
	}
}

// The name of a call in the table is that of its number. The numbers are
// constants, so the sources are asked.
func TestTableNames(t *testing.T) {
	files, err := filepath.Glob("seccomp_*linux*.go")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			pair, ok := n.(*ast.CompositeLit)
			if !ok || len(pair.Elts) != 2 {
				return true
			}
			number, isNumber := pair.Elts[0].(*ast.SelectorExpr)
			text, isText := pair.Elts[1].(*ast.BasicLit)
			if !isNumber || !isText {
				return true
			}
			count++
			if want := `"` + strings.ToLower(strings.TrimPrefix(number.Sel.Name, "SYS_")) + `"`; text.Value != want {
				t.Errorf("%s: unix.%s is called %s, want %s", name, number.Sel.Name, text.Value, want)
			}
			return true
		})
	}
	if count < 70 {
		t.Errorf("%s name %d calls, want some 80", files, count)
	}
}
