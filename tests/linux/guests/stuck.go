// A goroutine that nobody will ever answer.
package main

func main() {
	<-make(chan int)
}
