package taskwork_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// stressFor makes the stress long:
//
//	go test . -taskwork.stress=10m
//
// It is shared out: half of it for the queues' stress, two fifths for the consumers' storms, a tenth for recorded histories.
// Anything much longer needs go test's own -timeout, too.
var stressFor = flag.Duration("taskwork.stress", 0, "how long all stress takes together; 0: a few seconds")

func TestMain(m *testing.M) {
	flag.Parse()
	if *stressFor > 0 {
		// The stress has a watch of its own. The default of -timeout, ten minutes, would end the binary before ten minutes of
		// stress are over; go test itself waits a minute longer.
		if err := flag.Set("test.timeout", "0"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
