package native

// Begun returns the process id of the keeper that Begin started, once it did.
func (p *Provider) Begun() int {
	b := p.begun
	<-b.done
	return b.stage.keeper.pid
}
