package native

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A call that the kernel has and a container's seccomp profile refuses is not
// to send people after a newer kernel.
func TestFailuresNameTheirCause(t *testing.T) {
	for _, tt := range []struct {
		name, step, release string
		errno               unix.Errno
		feature, fix        string
	}{
		{"OldKernel", stepTree, "5.15.0-91-generic", unix.ENOSYS, "Linux 6.1 or newer", "use Linux 6.1 or newer"},
		{"FirstKernel", stepTree, "6.1.0", unix.ENOSYS, "call that boxes are built with", "seccomp profile"},
		{"NewKernel", stepTree, "7.0-rc1", unix.ENOSYS, "call that boxes are built with", "seccomp profile"},
		{"UnknownKernel", stepTree, "", unix.ENOSYS, "Linux 6.1 or newer", "use Linux 6.1 or newer"},
		{"LandlockRefused", stepLandlock, "6.8.0", unix.EPERM, "Landlock", "landlock_restrict_self"},
		{"LandlockOff", stepLandlock, "6.8.0", unix.EOPNOTSUPP, "Landlock", "lsm="},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := newFailure("keeper", tt.step, tt.errno).errOn(tt.release)
			e, ok := errors.AsType[*sandbox.UnsupportedError](err)
			if !ok || e.Feature != tt.feature || !strings.Contains(e.Fix, tt.fix) {
				t.Errorf("got %+v, want feature %q and fix %q", err, tt.feature, tt.fix)
			}
		})
	}
}
