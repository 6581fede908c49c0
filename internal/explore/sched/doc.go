// Package sched runs one execution of a concurrent test at a time, under a schedule that a [Strategy] picks step by step.
//
// Threads are goroutines of which one runs at a time, the one that holds the baton:
//
//	twin of atomic.Int64.Add         sched                                   strategy
//	────────────────────────         ─────                                   ────────
//	t := Enter(x, Add)       ──────▶ complete the operation before      ───▶ Completed(event)
//	                                 who is enabled?                    ───▶ Pick → thread
//	                                 hand over the baton, sleep
//	                         ◀────── (the baton comes back)
//	v.Add(1), the real thing
//	t.Leave(Write, changed)  ──────▶ remember what the operation did
//	local code of the thread
//	t = Enter(…)             ──────▶ …
//
// So an operation is announced, granted, performed and completed, and everything between two announcements of a thread is one
// step. Announcing before performing tells a strategy what each thread would do next, which is what partial order reduction
// lives on; and an operation is completed by what it turned out to be: a failed compare-and-swap was a read.
//
// # Who may touch what
//
// Without -race all of this is one coroutine structure: the thread that announces decides, on its own stack, and needs no
// hand-over at all if it may go on. With -race the same code runs on the goroutine that called [Machine.Run] alone, threads
// touch nothing but their own Thread and a few fixed arrays, in functions marked go:norace, and the hand-over is hidden from
// the race detector: what it reports are the races of the program, not ours, and no happens-before edge of ours hides one.
// That is why the functions on the threads' side use no maps and append to no shared slices.
//
// # The end of an execution
//
// It ends when all threads have ended, when none is enabled, when something failed, or when the strategy has seen enough. The
// threads that are left are unwound by runtime.Goexit, which no recover stops; their deferred functions run with the
// instrumentation switched off, in which state locks do not lock and nothing waits.
package sched
