// Goroutines, channels, select, timers, the garbage collector, recovery from faults.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

type node struct {
	left, right *node
	value       float64
}

func grow(depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{grow(depth - 1), grow(depth - 1), float64(depth)}
}

func (n *node) sum() float64 {
	if n == nil {
		return 0
	}
	return n.left.sum() + n.right.sum() + n.value
}

func recovered(name string, work func()) {
	defer func() { fmt.Println(name, recover()) }()
	work()
}

func main() {
	results := make(chan int)
	var group sync.WaitGroup
	for i := 0; i < 100; i++ {
		i := i // one variable an iteration, which Go before 1.22 does not have by itself
		group.Add(1)
		go func() { defer group.Done(); results <- i * i }()
	}
	go func() { group.Wait(); close(results) }()
	sum := 0
	for result := range results {
		sum += result
	}
	fmt.Println(sum)

	var lock sync.Mutex
	counts := map[string]int{}
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 1000; j++ {
				lock.Lock()
				counts[fmt.Sprint("key", j%5)]++
				lock.Unlock()
			}
		}()
	}
	group.Wait()
	keys := []string{}
	for key := range counts {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	fmt.Println(keys, counts["key3"])

	timeout := time.After(time.Minute)
	ticks := time.NewTicker(3 * time.Millisecond)
	count := 0
loop:
	for {
		select {
		case <-ticks.C:
			if count++; count == 5 {
				break loop
			}
		case <-timeout:
			break loop
		}
	}
	fmt.Println(count)

	total := 0.0
	for i := 0; i < 20; i++ {
		total += grow(12).sum()
	}
	runtime.GC()
	var statistics runtime.MemStats
	runtime.ReadMemStats(&statistics)
	fmt.Printf("%.3f %v\n", total, statistics.NumGC > 0)

	recovered("nil", func() { var n *node; n.value = 1 })
	recovered("index", func() { var empty []int; _ = empty[len(os.Args)] })
	recovered("panic", func() { panic(strings.Repeat("ha", 3)) })
	spin := make(chan bool)
	go func() {
		for {
		}
	}()
	go func() { spin <- true }()
	fmt.Println(<-spin)
	if len(os.Args) > 1 {
		os.Exit(3)
	}
}
