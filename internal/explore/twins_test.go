package explore_test

import (
	"reflect"
	stdsync "sync"
	stdatomic "sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/explore/atomic"
	"github.com/taskwork/taskwork/internal/explore/park"
	"github.com/taskwork/taskwork/internal/explore/sync"
)

// TestTwinsLayout: code that pads by size must lay out the same in the overlay.
func TestTwinsLayout(t *testing.T) {
	for _, pair := range [][2]any{
		{atomic.Bool{}, stdatomic.Bool{}},
		{atomic.Int32{}, stdatomic.Int32{}},
		{atomic.Int64{}, stdatomic.Int64{}},
		{atomic.Uint32{}, stdatomic.Uint32{}},
		{atomic.Uint64{}, stdatomic.Uint64{}},
		{atomic.Uintptr{}, stdatomic.Uintptr{}},
		{atomic.Pointer[int]{}, stdatomic.Pointer[int]{}},
		{atomic.Value{}, stdatomic.Value{}},
		{sync.Mutex{}, stdsync.Mutex{}},
		{sync.Once{}, stdsync.Once{}},
	} {
		twin, real := reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1])
		require.Equal(t, real.Size(), twin.Size(), real)
		require.Equal(t, real.Align(), twin.Align(), real)
		// The twin has every method of the original.
		for i := range reflect.PointerTo(real).NumMethod() {
			m := reflect.PointerTo(real).Method(i)
			n, ok := reflect.PointerTo(twin).MethodByName(m.Name)
			require.True(t, ok, "%s.%s", real, m.Name)
			require.Equal(t, m.Type.NumIn(), n.Type.NumIn())
		}
	}
}

// TestTwinsAlone: outside of an exploration the twins do what the originals do, also among real goroutines.
func TestTwinsAlone(t *testing.T) {
	var x atomic.Int64
	var p atomic.Pointer[int]
	var raw unsafe.Pointer
	var once sync.Once
	var wg sync.WaitGroup
	var mu sync.Mutex
	pool := sync.Pool{New: func() any { return 7 }}
	sum := 0
	for range 4 {
		wg.Go(func() {
			for range 100 {
				x.Add(1)
				mu.Lock()
				sum++
				mu.Unlock()
				once.Do(func() { p.Store(new(int)) })
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 400, x.Load())
	require.Equal(t, 400, sum)
	require.True(t, mu.TryLock())
	require.NotNil(t, p.Load())
	require.True(t, atomic.CompareAndSwapPointer(&raw, nil, unsafe.Pointer(&x)))
	require.Equal(t, unsafe.Pointer(&x), atomic.LoadPointer(&raw))
	require.Equal(t, 7, pool.Get())
	require.Equal(t, 3, sync.OnceValue(func() int { return 3 })())

	parker := park.NewParker()
	go parker.Unpark()
	parker.Park()
	d := park.After(time.Millisecond)
	parker.ParkUntil(nil, d)
	require.True(t, d.Passed())
	done := make(chan struct{})
	close(done)
	parker.ParkUntil(done, nil)

	c := sync.NewCond(&sync.Mutex{})
	ready := false
	go func() {
		c.L.Lock()
		ready = true
		c.L.Unlock()
		c.Broadcast()
	}()
	c.L.Lock()
	for !ready {
		c.Wait()
	}
	c.L.Unlock()
}

func TestCond(t *testing.T) {
	queue := func(wake func(c *sync.Cond)) explore.Result {
		return explore.Check(explore.Config{}, func(m *explore.M) {
			var mu sync.Mutex
			c := sync.NewCond(&mu)
			items := 0
			for range 2 {
				m.Go("consumer", func() {
					mu.Lock()
					for items == 0 {
						c.Wait()
					}
					items--
					mu.Unlock()
				})
			}
			m.Go("producer", func() {
				mu.Lock()
				items = 2
				mu.Unlock()
				wake(c)
			})
		})
	}
	res := queue((*sync.Cond).Broadcast)
	require.Nil(t, res.Failure)
	require.True(t, res.Exhausted)
	res = queue((*sync.Cond).Signal)
	require.NotNil(t, res.Failure, "one signal for two waiters")
	require.Equal(t, "deadlock", res.Failure.Kind)
}

func TestOnceAndPool(t *testing.T) {
	res := explore.Check(explore.Config{}, func(m *explore.M) {
		var once sync.Once
		var calls atomic.Int32
		var pool sync.Pool
		for range 2 {
			m.Go("caller", func() {
				once.Do(func() { calls.Add(1) })
				m.Assert(calls.Load() == 1, "Do returned before the call had")
				if pool.Get() == nil {
					pool.Put(1)
				}
			})
		}
	})
	require.Nil(t, res.Failure)
	require.True(t, res.Exhausted)
}

// TestDeadlineAndContext: the three ways in which a wait can end, alone and together.
func TestDeadlineAndContext(t *testing.T) {
	requireOutcomes(t, []string{"canceled", "passed", "canceled passed", "token"}, func(m *explore.M, out func(string)) {
		ctx, cancel := m.Context()
		p := park.NewParker()
		m.Event("cancel", cancel)
		m.Event("unpark", p.Unpark)
		m.Go("sleeper", func() {
			d := park.After(time.Hour)
			p.ParkUntil(ctx.Done(), d)
			canceled, passed := ctx.Err() != nil, d.Passed()
			switch {
			case canceled && passed:
				out("canceled passed")
			case canceled:
				out("canceled")
			case passed:
				out("passed")
			default:
				out("token")
			}
		})
	})
}
