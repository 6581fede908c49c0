package sock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Layout of a message, all numbers little-endian:
//
//	0      4      8            16                 size
//	│ crc  │ conn │  sequence  │  payload …       │
//
// crc is the CRC-32C of everything behind it, so a message that is torn, mixed up or overwritten does not pass.
const (
	offConn = 4
	offSeq  = 8
	// MinSize is a message without payload, MaxSize a limit that keeps the buffers of thousands of clients in memory.
	MinSize = 16
	MaxSize = 1 << 20
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errChecksum = errors.New("wrong checksum")
)

// seal makes msg message number seq of connection conn. Its payload is what msg holds.
func seal(msg []byte, conn uint32, seq uint64) {
	binary.LittleEndian.PutUint32(msg[offConn:], conn)
	binary.LittleEndian.PutUint64(msg[offSeq:], seq)
	binary.LittleEndian.PutUint32(msg, crc32.Checksum(msg[offConn:], castagnoli))
}

// check tells whether msg is message number seq of connection conn, unharmed.
func check(msg []byte, conn uint32, seq uint64) error {
	if binary.LittleEndian.Uint32(msg) != crc32.Checksum(msg[offConn:], castagnoli) {
		return errChecksum
	}
	if got := binary.LittleEndian.Uint32(msg[offConn:]); got != conn {
		return fmt.Errorf("a message of connection %d", got)
	}
	if got := binary.LittleEndian.Uint64(msg[offSeq:]); got != seq {
		return fmt.Errorf("message %d, expected %d", got, seq)
	}
	return nil
}
