//go:build linux

package native_test

import (
	"testing"

	"seisin/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main(m, nil, actor)
}
