package sandbox

import (
	"strings"
	"testing"
)

// repository is a role's box as most are: a territory, a file, scratch, a
// temporary directory, and what nobody writes.
var repository = []string{
	"write /r/src", "write /r/src/api", "write /r/NOTES.md file", "write /h/.cache",
	"closed /r/seisin.toml file", "closed /r/.git", "closed /r/src/a/gen",
	"hidden /r/.git/seisin", "hidden /r/.secrets", "hidden /h/.cache/k/e/y",
	"read /r/.secrets/dev.key file",
	"private /tmp", "shown /tmp/w/bin",
}

const (
	open       = "what is not hidden can be read"
	ungranted  = `no grant of role "dev" covers it`
	nameOf     = ": the name of a grant can be written, not removed, renamed or replaced"
	kernelOnly = ", and the kernel alone makes names in it"
	ownDev     = "the box has its own /dev"
	ownRun     = "the box has its own /run"
	leadsToGen = "it leads to /r/src/a/gen, which must stay where it is"
	leadsToBin = "it leads to /tmp/w/bin, which must stay where it is"
)

func TestVerdict(t *testing.T) {
	p := specOf(t, repository...).Plan()
	for _, tt := range []struct {
		op      Op
		name    string
		allowed bool
		rule    string
	}{
		{OpRead, "/etc/passwd", true, open},
		{OpRead, "/", true, open},
		{OpRead, "/r/seisin.toml", true, open},
		{OpRead, "/r/.git/HEAD", true, open},
		{OpRead, "/r/src/x", true, "write /r/src"},
		{OpRead, "/r/src/a/x", true, open}, // a pin gives nothing that was not there
		{OpRead, "/r/src/a/gen/x", true, "what is not hidden can be read"},
		{OpRead, "/r/.secrets", false, "hidden /r/.secrets"}, // nor a listing
		{OpRead, "/r/.secrets/qa.key", false, "hidden /r/.secrets"},
		{OpRead, "/r/.secrets/dev.key", true, "read /r/.secrets/dev.key"},
		{OpRead, "/r/.secrets/dev.key2", false, "hidden /r/.secrets"},
		{OpRead, "/r/.secrets2/x", true, open},
		{OpRead, "/r/.git/seisin/log.jsonl", false, "hidden /r/.git/seisin"},
		{OpRead, "/h/.cache/k/e/y", false, "hidden /h/.cache/k/e/y"},
		{OpRead, "/tmp/x", true, "private /tmp"},
		{OpRead, "/tmp/w/bin/x", true, "shown /tmp/w/bin"},
		{OpRead, "/proc/1/environ", true, "the box sees its own processes only"}, // SD-13

		{OpWrite, "/r/src", true, "write /r/src"},
		{OpWrite, "/r/src/x", true, "write /r/src"},
		{OpWrite, "/r/src/x/y/z", true, "write /r/src"},
		{OpWrite, "/r/src/api/x", true, "write /r/src/api"}, // the narrower words decide what is quoted
		{OpWrite, "/r/src/apifoo", true, "write /r/src"},
		{OpWrite, "/r/src/a", true, "write /r/src"},
		{OpWrite, "/r/src/a/x", true, "write /r/src"},
		{OpWrite, "/r/NOTES.md", true, "write /r/NOTES.md"},
		{OpWrite, "/h/.cache/go/x", true, "write /h/.cache"},
		{OpWrite, "/h/.cache/k/e", true, "write /h/.cache"},
		{OpWrite, "/tmp/x", true, "private /tmp"},
		{OpWrite, "/tmp/w/x", true, "private /tmp"}, // below a pin of the run's own
		{OpWrite, "/dev/null", true, ownDev},
		{OpWrite, "/dev/shm/x", true, "the box has its own /dev/shm"},
		{OpWrite, "/dev/pts/0", true, "the box has its own terminals"},
		{OpWrite, "/proc/1/comm", true, "the box sees its own processes only"},
		{OpWrite, "/proc", false, "the box sees its own processes only" + kernelOnly},
		{OpWrite, "/dev/pts", false, "the box has its own terminals" + kernelOnly},
		{OpWrite, "/r", false, ungranted},
		{OpWrite, "/r/x", false, ungranted},
		{OpWrite, "/r/srcx", false, ungranted},
		{OpWrite, "/r/NOTES.md.tmp", false, ungranted},
		{OpWrite, "/etc/passwd", false, ungranted},
		{OpWrite, "/h/.bashrc", false, ungranted},
		{OpWrite, "/", false, ungranted},
		{OpWrite, "/r/seisin.toml", false, "closed /r/seisin.toml"},
		{OpWrite, "/r/.git/index.lock", false, "closed /r/.git"},
		{OpWrite, "/r/.git/seisin/log.jsonl", false, "closed /r/.git"}, // the shallowest
		{OpWrite, "/r/src/a/gen", false, "closed /r/src/a/gen"},
		{OpWrite, "/r/src/a/gen/x", false, "closed /r/src/a/gen"},
		{OpWrite, "/r/.secrets/dev.key", false, "hidden /r/.secrets"},
		{OpWrite, "/r/.secrets/new", false, "hidden /r/.secrets"},
		{OpWrite, "/h/.cache/k/e/y/x", false, "hidden /h/.cache/k/e/y"},
		{OpWrite, "/tmp/w/bin/x", false, ungranted},
		{OpWrite, "/dev/sda", false, ownDev},
		{OpWrite, "/dev", false, ownDev},
		{OpWrite, "/run/docker.sock", false, ownRun},
		{OpWrite, "/proc/sys/kernel/core_pattern", false, "the machine's settings are read-only"},

		{OpReplace, "/r/src/x", true, "write /r/src"},
		{OpReplace, "/r/src/api", true, "write /r/src/api"}, // a redundant grant is no mount
		{OpReplace, "/r/src/a/x", true, "write /r/src"},
		{OpReplace, "/tmp/x", true, "private /tmp"},
		{OpReplace, "/dev/shm/x", true, "the box has its own /dev/shm"},
		{OpReplace, "/r/src", false, "write /r/src" + nameOf},
		{OpReplace, "/r/NOTES.md", false, "write /r/NOTES.md" + nameOf}, // C16
		{OpReplace, "/h/.cache", false, "write /h/.cache" + nameOf},
		{OpReplace, "/tmp", false, "private /tmp" + nameOf},
		{OpReplace, "/r/src/a", false, leadsToGen}, // LX-2
		{OpReplace, "/tmp/w", false, leadsToBin},
		{OpReplace, "/tmp/w/bin", false, "shown /tmp/w/bin"},
		{OpReplace, "/r/x", false, ungranted},
		{OpReplace, "/r", false, ungranted},
		{OpReplace, "/h/.cache/k/e/y", false, "hidden /h/.cache/k/e/y"},
		{OpReplace, "/r/src/a/gen", false, "closed /r/src/a/gen"},
		{OpReplace, "/r/src/a/gen/x", false, "closed /r/src/a/gen"},
		{OpReplace, "/r/seisin.toml", false, "closed /r/seisin.toml"},
		{OpReplace, "/r/.secrets/dev.key", false, "hidden /r/.secrets"},
		{OpReplace, "/dev/null", false, ownDev + nameOf},
		{OpReplace, "/dev/x", false, ownDev},
		{OpReplace, "/proc/x", false, "the box sees its own processes only" + kernelOnly},
		{OpReplace, "/proc/1/x", false, "the box sees its own processes only" + kernelOnly},
		{OpReplace, "/dev/pts/x", false, "the box has its own terminals" + kernelOnly},
		{OpReplace, "/run/x", false, ownRun},
		{OpReplace, "/", false, "outside every grant the host's files are read-only"},

		// A destination is no path.
		{OpConnect, "example.com:443", false, "network: none in this version"},
		{OpConnect, "[2001:db8::1]:80", false, "network: none in this version"},
		{OpConnect, "[::1]:80", true, "it is the box's own loopback: what listens inside answers, nothing of the host does"},
		{OpConnect, "127.0.0.1", true, "it is the box's own loopback: what listens inside answers, nothing of the host does"},
		{OpConnect, "localhost:80", true, "it is the box's own loopback: what listens inside answers, nothing of the host does"},
		{OpConnect, "/run/x.sock", false, "no sockets of the role names it: of unix sockets with a path, a box reaches those that were made in it"},
		{OpConnect, "/h/x.sock", false, "no sockets of the role names it: of unix sockets with a path, a box reaches those that were made in it"},
		{"delete", "/r/src/x", false, `"delete" is no operation`},
		{OpRead, "src/x", false, `"src/x" is no absolute path`},
		{OpReplace, "", false, `"" is no absolute path`},
	} {
		want := Verdict{Allowed: tt.allowed, Rule: tt.rule}
		if got := p.Verdict(tt.op, tt.name); got != want {
			t.Errorf("Verdict(%s, %q)\ngot  %+v\nwant %+v", tt.op, tt.name, got, want)
		}
		if got := p.Spec.Verdict(tt.op, tt.name); got != want {
			t.Errorf("Spec.Verdict(%s, %q)\ngot  %+v\nwant %+v", tt.op, tt.name, got, want)
		}
	}
}

// What every box has anew holds nothing of the host's, and no grant changes it.
func TestVerdictOfWhatEveryBoxHas(t *testing.T) {
	p := specOf(t, "hidden /dev/shm", "closed /dev", "hidden /proc", "write /dev/sda file", "closed /run").Plan()
	for name, want := range map[string]bool{
		"/dev/shm/x": true, "/dev/null": true, "/proc/self/comm": true, "/dev/sda": false, "/dev/x": false, "/run/x": false, "/proc/sys/x": false,
	} {
		if v := p.Verdict(OpWrite, name); v.Allowed != want || strings.Contains(v.Rule, "hidden") {
			t.Errorf("Verdict(write, %q) = %+v, want allowed: %v, as in every box", name, v, want)
		}
	}
}

// with the whole repository granted, what nobody writes is still
// closed, and a write beside it is not.
func TestVerdictOfTheWholeRepository(t *testing.T) {
	p := specOf(t, "write /r", "closed /r/seisin.toml file", "closed /r/.git", "hidden /r/.git/seisin", "hidden /r/k/keys").Plan()
	for _, name := range []string{"/r/seisin.toml", "/r/.git", "/r/.git/config", "/r/.git/hooks/x", "/r/.git/seisin/log", "/r/k/keys", "/r/k/keys/new"} {
		for _, op := range []Op{OpWrite, OpReplace} {
			if v := p.Verdict(op, name); v.Allowed {
				t.Errorf("Verdict(%s, %q) = %+v, want denied", op, name, v)
			}
		}
	}
	for _, name := range []string{"/r/seisin.toml.tmp", "/r/.gitignore", "/r/k/x", "/r/new/deep", "/r/seisin.toml2"} {
		for _, op := range []Op{OpWrite, OpReplace} {
			if v := p.Verdict(op, name); !v.Allowed || v.Rule != "write /r" {
				t.Errorf("Verdict(%s, %q) = %+v, want allowed by %q", op, name, v, "write /r")
			}
		}
	}
	if v := p.Verdict(OpReplace, "/r/k"); v.Allowed || v.Rule != "it leads to /r/k/keys, which must stay where it is" {
		t.Errorf("Verdict(replace, /r/k) = %+v, want denied: a key directory is below it", v)
	}
}

func TestRenameAndLink(t *testing.T) {
	p := specOf(t, append(repository, "write /r/docs")...).Plan()
	crosses := func(a, b string) Verdict {
		return Verdict{Crosses: true, Rule: a + " and " + b + " are granted apart: names cannot move between them, contents can be copied"}
	}
	denied := func(rule string) Verdict { return Verdict{Rule: rule} }
	allowed := func(rule string) Verdict { return Verdict{Allowed: true, Rule: rule} }
	for _, tt := range []struct {
		from, to     string
		rename, link Verdict
	}{
		{"/r/src/x", "/r/src/y", allowed("write /r/src"), allowed("write /r/src")},
		{"/r/src/x", "/r/src/d/y", allowed("write /r/src"), allowed("write /r/src")},
		{"/r/src/x", "/r/src/api/y", allowed("write /r/src/api"), allowed("write /r/src/api")}, // one mount
		{"/r/src/api/x", "/r/src/y", allowed("write /r/src"), allowed("write /r/src")},
		{"/tmp/x", "/tmp/y", allowed("private /tmp"), allowed("private /tmp")},

		{"/r/src/x", "/r/docs/x", crosses("/r/src", "/r/docs"), crosses("/r/src", "/r/docs")},
		{"/r/src/x", "/tmp/x", crosses("/r/src", "/tmp"), crosses("/r/src", "/tmp")},
		{"/r/src/x", "/r/src/a/x", crosses("/r/src", "/r/src/a"), crosses("/r/src", "/r/src/a")}, // LX-2: the price of a pin
		{"/tmp/w/x", "/tmp/x", crosses("/tmp/w", "/tmp"), crosses("/tmp/w", "/tmp")},

		// A link needs nothing of the old name but to be seen, and on the same mount.
		{"/etc/passwd", "/r/src/x", denied(ungranted), crosses("/", "/r/src")},
		{"/r/NOTES.md", "/r/src/x", denied("write /r/NOTES.md" + nameOf), crosses("/r/NOTES.md", "/r/src")},
		{"/r/.secrets/dev.key", "/r/src/x", denied("hidden /r/.secrets"), crosses("/r/.secrets/dev.key", "/r/src")},
		{"/r/.secrets/qa.key", "/r/src/x", denied("hidden /r/.secrets"), denied("hidden /r/.secrets")},
		{"/r/src/a/gen/x", "/r/src/a/x", denied("closed /r/src/a/gen"), crosses("/r/src/a/gen", "/r/src/a")},
		{"/r/seisin.toml", "/r/src/x", denied("closed /r/seisin.toml"), crosses("/", "/r/src")},

		// not over it, not into it, not with what leads to it.
		{"/r/src/x", "/r/seisin.toml", denied("closed /r/seisin.toml"), denied("closed /r/seisin.toml")},
		{"/r/src/x", "/r/src/a/gen/x", denied("closed /r/src/a/gen"), denied("closed /r/src/a/gen")},
		{"/r/src/x", "/r/src/a/gen", denied("closed /r/src/a/gen"), denied("closed /r/src/a/gen")},
		{"/r/src/a", "/r/src/b", denied(leadsToGen), crosses("/r/src/a", "/r/src")},
		{"/r/src/x", "/r/src/a", denied(leadsToGen), denied(leadsToGen)},
		{"/r/src", "/r/docs/src", denied("write /r/src" + nameOf), crosses("/r/src", "/r/docs")},
		{"/r/src/x", "/r/NOTES.md", denied("write /r/NOTES.md" + nameOf), denied("write /r/NOTES.md" + nameOf)}, // C16: save by rename
		{"/r/src/x", "/r/x", denied(ungranted), denied(ungranted)},
		{"/r/x", "/r/src/x", denied(ungranted), crosses("/", "/r/src")},
	} {
		if got := p.Rename(tt.from, tt.to); got != tt.rename {
			t.Errorf("Rename(%q, %q)\ngot  %+v\nwant %+v", tt.from, tt.to, got, tt.rename)
		}
		if got := p.Link(tt.from, tt.to); got != tt.link {
			t.Errorf("Link(%q, %q)\ngot  %+v\nwant %+v", tt.from, tt.to, got, tt.link)
		}
	}
}
