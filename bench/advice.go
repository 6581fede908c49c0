package main

import (
	"fmt"
	"strings"

	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/bench/internal/ours"
)

// advice draws a short "what to pick" from the figures, the columns in which we lose included.
func advice(figs []measure.Figure) []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf("- "+format, args...)) }
	for _, policy := range []measure.Policy{measure.Poll, measure.Block} {
		c, ok := busiest(figs, policy)
		if !ok {
			continue
		}
		where := fmt.Sprintf("%d producers and a consumer that %ss", c.Producers, strings.ToLower(string(policy)))
		ordered := fastest(figs, c, func(f *measure.Figure) bool { return f.Ours && !strings.HasPrefix(f.Subject, "lanes") })
		if ordered != nil && ordered.ToChannel != nil {
			say("%s, one order for all: %s, at %s ns %s.", where, ordered.Subject, short(ordered.Ns.Median), against(ordered))
		}
		values := fastest(figs, c, func(f *measure.Figure) bool { return f.Ours && strings.HasSuffix(f.Subject, ours.Values) })
		if values != nil && values.ToChannel != nil {
			say("%s, plain values from anywhere: %s, at %s ns %s.", where, values.Subject, short(values.Ns.Median), against(values))
		}
		handles := fastest(figs, c, func(f *measure.Figure) bool { return f.Subject == ours.Name("lanes", ours.Handle) })
		if handles != nil && handles.ToChannel != nil {
			say("%s, a handle for each and no order between them: %s, at %s ns %s.", where, handles.Subject,
				short(handles.Ns.Median), against(handles))
		}
	}
	for _, g := range groups(figs) {
		for _, c := range g.columns {
			best := fastest(figs, c, func(f *measure.Figure) bool { return f.Ours })
			peer := fastest(figs, c, func(f *measure.Figure) bool { return !f.Ours })
			if best != nil && peer != nil && peer.Ns.Median < best.Ns.Median {
				say("%s (%s): %s is the fastest at %s ns; our best, %s, takes %s.", label(c), waits(c), peer.Subject,
					short(peer.Ns.Median), best.Subject, short(best.Ns.Median))
			}
		}
	}
	if len(lines) == 0 {
		say("too little was measured to say anything.")
	}
	return lines
}

// busiest is the column of that policy with most producers, up to 8: more than that is rare.
func busiest(figs []measure.Figure, policy measure.Policy) (c measure.Column, ok bool) {
	for _, f := range figs {
		fits := f.Column.Kind == measure.Flow && f.Column.Policy == policy && f.Column.Chunk < 2 && f.Column.Procs == 0
		if fits && f.Column.Producers <= 8 && f.Column.Producers > c.Producers {
			c, ok = f.Column, true
		}
	}
	return c, ok
}

func fastest(figs []measure.Figure, c measure.Column, among func(*measure.Figure) bool) (best *measure.Figure) {
	for i := range figs {
		f := &figs[i]
		if f.Column == c && among(f) && (best == nil || f.Ns.Median < best.Ns.Median) {
			best = f
		}
	}
	return best
}

// against says how a figure of ours compares.
func against(f *measure.Figure) string {
	s := fmt.Sprintf("%.2f times the channel's", f.ToChannel.Value)
	if f.ToBestPeer != nil && f.BestPeer != measure.Channel {
		s += fmt.Sprintf(", %.2f times the best peer's (%s)", f.ToBestPeer.Value, f.BestPeer)
	}
	return s
}

// waits says how the consumer of a column waits.
func waits(c measure.Column) string {
	switch {
	case c.Kind != measure.Flow:
		return "nobody waits"
	case c.Policy == measure.Block:
		return "sleeping"
	default:
		return "polling"
	}
}
