// Goroutines, files, a child process, an HTTP server on loopback.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

func check(name string, holds bool) {
	if !holds {
		fmt.Println("not ok", name)
		os.Exit(1)
	}
	fmt.Println("ok", name)
}

func parallelSum() int {
	var group sync.WaitGroup
	parts := make(chan int, 100)
	for i := 1; i <= 100; i++ {
		group.Add(1)
		go func(n int) { defer group.Done(); parts <- n }(i)
	}
	group.Wait()
	close(parts)
	sum := 0
	for part := range parts {
		sum += part
	}
	return sum
}

func copyFile() bool {
	directory, err := os.MkdirTemp("", "compat")
	if err != nil {
		return false
	}
	defer os.RemoveAll(directory)
	from, to := filepath.Join(directory, "a"), filepath.Join(directory, "b")
	os.WriteFile(from, make([]byte, 1<<20), 0o600)
	source, _ := os.Open(from)
	target, _ := os.Create(to)
	size, err := io.Copy(target, source)
	return err == nil && size == 1<<20
}

func serveOnce() bool {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return false
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "42") }))
	response, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		return false
	}
	body, _ := io.ReadAll(response.Body)
	return string(body) == "42"
}

func main() {
	check("goroutines", parallelSum() == 5050)
	check("copy_file", copyFile())
	check("child", exec.Command("true").Run() == nil)
	check("http_on_loopback", serveOnce())
}
