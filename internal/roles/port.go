package roles

import (
	"fmt"
	"strconv"
	"strings"
)

// ports reads a list of ports of the box: an integer, or "HOST:BOX".
func (n *node) ports() ([]Port, error) {
	example := "3000"
	if one, ok := n.value.(int64); ok {
		example = fmt.Sprint(one)
	}
	items, err := n.items(example)
	if err != nil {
		return nil, err
	}
	list := make([]Port, len(items))
	host, box := make(map[uint16]int), make(map[uint16]int)
	for i, v := range items {
		p, bad := parsePort(v)
		p.Line = n.lineOf(i)
		if bad != nil {
			return nil, n.fail(p.Line, bad.hint, "%s %s", brief(v), bad.why)
		}
		if first := host[p.Host]; first != 0 {
			return nil, n.fail(p.Line, "remove one, or give it another port of the host", "port %d of the host stands here twice, first in line %d", p.Host, first)
		}
		if first := box[p.Box]; first != 0 {
			return nil, n.fail(p.Line, "remove one", "port %d of the box stands here twice, first in line %d", p.Box, first)
		}
		host[p.Host], box[p.Box] = p.Line, p.Line
		list[i] = p
	}
	return list, nil
}

func parsePort(v any) (Port, *fault) {
	const hint = `write a port of the box, such as 3000, or "HOST:BOX", such as "8080:5173"`
	switch v := v.(type) {
	case int64:
		n, ok := portNumber(strconv.FormatInt(v, 10))
		if !ok {
			return Port{}, &fault{"is not a port", "a port is a number from 1 to 65535"}
		}
		return Port{Text: Text{Value: fmt.Sprint(v)}, Host: n, Box: n}, nil
	case string:
		host, box, two := strings.Cut(v, ":")
		h, ok := portNumber(host)
		switch {
		case !two && ok:
			return Port{}, &fault{"is a string", "write " + host + " without quotes"}
		case !two || !ok:
			return Port{}, &fault{"is not a port", hint}
		}
		b, ok := portNumber(box)
		if !ok {
			return Port{}, &fault{"is not a port", hint}
		}
		return Port{Text: Text{Value: v}, Host: h, Box: b, Exact: true}, nil
	default:
		return Port{}, &fault{"is " + kindOf(v) + " where a port belongs", hint}
	}
}

// portNumber reads a port in the one way it is written.
func portNumber(s string) (uint16, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return uint16(n), err == nil && n > 0 && s[0] != '0' && s[0] != '+'
}
