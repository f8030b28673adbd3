package homes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"syscall"
)

const (
	// ownConfig is the role's to write: git puts there what "git config
	// --global" is told, as long as it is there.
	ownConfig = ".gitconfig"
	// identityConfig is written at each start, so that it follows the person's.
	// Git reads it first, and ownConfig has the last word.
	identityConfig = ".config/git/config"
)

// plant puts seed into the home, and says what has no place there.
func plant(home *os.Root, seed Seed) (notes []string) {
	for _, s := range seed.Stands { // first: one of them may be ~/.gitconfig
		if err := stand(home, s); err != nil {
			notes = append(notes, fmt.Sprintf("~/%s is not in the role's home: %v", s.Name, err))
		}
	}
	if err := introduce(home, seed.Identity); err != nil {
		notes = append(notes, fmt.Sprintf("git's author is not carried into the role's home: %v", err))
	}
	return notes
}

// introduce tells git in the home who the person is, and nothing else of the
// person's configuration, which may hold tokens and run programs.
func introduce(home *os.Root, who Identity) error {
	f, err := home.OpenFile(ownConfig, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case err == nil:
		err = f.Close()
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	if err == nil {
		err = home.MkdirAll(path.Dir(identityConfig), 0o700)
	}
	if err != nil {
		return err
	}
	return rewrite(home, identityConfig, identityText(who))
}

func identityText(who Identity) []byte {
	var b bytes.Buffer
	b.WriteString("# Written by git seisin at each start. ~/.gitconfig is yours, and wins.\n")
	if who != (Identity{}) {
		b.WriteString("[user]\n")
	}
	for _, v := range [][2]string{{"name", who.Name}, {"email", who.Email}} {
		if v[1] != "" {
			fmt.Fprintf(&b, "\t%s = \"%s\"\n", v[0], escape.Replace(v[1]))
		}
	}
	return b.Bytes()
}

// escape is how git-config(1) has a value stand between quotes.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

// rewrite gives the file that text, if it has another: by a rename, since other
// runs of the role may be reading it.
func rewrite(home *os.Root, name string, text []byte) error {
	if is, err := read(home, name, len(text)); err == nil && bytes.Equal(is, text) {
		return nil
	}
	fresh := fmt.Sprintf("%s.%08x", name, rand.Uint32())
	f, err := home.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = home.Rename(fresh, name)
	}
	if err != nil {
		_ = home.Remove(fresh)
	}
	return err
}

// read reads what is no longer than n bytes. It waits for no FIFO.
func read(home *os.Root, name string, n int) ([]byte, error) {
	f, err := home.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, int64(n)+1))
}

// errOther is of what the role has made where something of the person's would
// stand.
var errOther = errors.New("the role has something else there")

// stand makes the link. One that is there already may lead anywhere: the role
// can turn it, and sees through it what it sees without.
func stand(home *os.Root, s Stand) error {
	if err := home.MkdirAll(path.Dir(s.Name), 0o700); err != nil {
		return err
	}
	err := home.Symlink(s.Target, s.Name)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if to, err := home.Readlink(s.Name); err != nil || to != s.Target {
		return errOther
	}
	return nil
}
