//go:build !linux

package sandboxtest

import "errors"

func runAs(uid int, args []string) (int, error) {
	return 0, errors.New("the tests of boxes need Linux; run the others as an ordinary user")
}
