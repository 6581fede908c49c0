// Package progress shows how far a command is and how long it will take, if a person is watching.
package progress

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar is a progress bar with the remaining time on a terminal, and nothing elsewhere. One goroutine at a time may use it.
type Bar struct {
	bar *progressbar.ProgressBar // nil where nobody is watching
}

// New returns a bar for total steps on w, which has to be a terminal for anything to be shown.
func New(w io.Writer, total int64) *Bar {
	if !IsTerminal(w) {
		return &Bar{}
	}
	return &Bar{bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetDescription("starting"),
	)}
}

// Step says that n more steps are done, and what comes next. An empty description leaves the last one.
func (b *Bar) Step(n int64, next string) {
	if b.bar == nil {
		return
	}
	if next != "" {
		b.bar.Describe(next)
	}
	// A bar that cannot be drawn is no reason to stop measuring.
	_ = b.bar.Add64(n)
}

// Done removes the bar, so that what is printed next stands alone.
func (b *Bar) Done() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}

// IsTerminal tells whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
