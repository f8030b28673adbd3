package native

import (
	"errors"
	"time"

	"seisin/internal/sandbox"
)

// A stage is a keeper and its init, started, before they are told what to
// build.
type stage struct {
	toKeeper *wire
	toInit   *wire
	keeper   *child
}

// newStage starts a keeper in its namespaces, and its init.
func newStage() (*stage, error) {
	ours, theirs, err := newWire()
	if err != nil {
		return nil, err
	}
	initOurs, initTheirs, err := newWire()
	if err != nil {
		return nil, errors.Join(err, ours.Close(), theirs.Close())
	}
	keeper, err := spawnPair(theirs, initTheirs)
	err = errors.Join(startError(err), theirs.Close(), initTheirs.Close())
	if err != nil {
		return nil, errors.Join(err, ours.Close(), initOurs.Close())
	}
	return &stage{toKeeper: &wire{file: ours}, toInit: &wire{file: initOurs}, keeper: keeper}, nil
}

// kill ends the keeper at once, and with it the box.
func (s *stage) kill() { s.keeper.kill() }

// close closes this side's ends of the wires.
func (s *stage) close() error { return errors.Join(s.toKeeper.file.Close(), s.toInit.file.Close()) }

// wait waits for the keeper to end, for ReapGrace at most, and then kills it.
func (s *stage) wait() (killed bool) {
	select {
	case <-s.keeper.gone:
		return false
	case <-time.After(sandbox.ReapGrace):
		s.kill()
		<-s.keeper.gone
		return true
	}
}

// A beginning is a stage on its way.
type beginning struct {
	done  chan struct{} // closed once the fields below are set
	stage *stage
	err   error
}

func (p *Provider) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun != nil {
		return
	}
	b := &beginning{done: make(chan struct{})}
	p.begun = b
	go func() {
		defer close(b.done)
		b.stage, b.err = newStage()
	}()
}

// take returns what Begin started, if there is anything, and forgets it.
func (p *Provider) take() *beginning {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.begun
	p.begun = nil
	return b
}

// stage returns the begun stage, or a new one.
func (p *Provider) stage() (*stage, error) {
	b := p.take()
	if b == nil {
		return newStage()
	}
	<-b.done
	return b.stage, b.err
}

func (p *Provider) endBegun() {
	b := p.take()
	if b == nil {
		return
	}
	if <-b.done; b.err == nil {
		_ = b.stage.close() // the keeper leaves at the end of its wire
		b.stage.wait()
	}
}
