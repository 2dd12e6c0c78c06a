// Threads, files, a child process, an HTTP server on loopback, and a heap that fits the sandbox.
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.stream.IntStream;

public class Compat {
  interface Check {
    boolean holds() throws Exception;
  }

  static void check(String name, Check check) throws Exception {
    boolean holds = check.holds();
    System.out.println((holds ? "ok " : "not ok ") + name);
    if (!holds) System.exit(1);
  }

  static boolean serveOnce() throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, 2);
      exchange.getResponseBody().write("42".getBytes());
      exchange.close();
    });
    server.start();
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    server.stop(0);
    return response.body().equals("42");
  }

  public static void main(String[] args) throws Exception {
    check("parallel_sum", () -> IntStream.rangeClosed(1, 1000).parallel().sum() == 500500);
    check("files", () -> Files.readString(Files.writeString(Files.createTempFile("compat", ""), "x")).equals("x"));
    check("child", () -> new ProcessBuilder("true").start().waitFor() == 0);
    check("http_on_loopback", Compat::serveOnce);
    check("processors", () -> Runtime.getRuntime().availableProcessors() >= 1);
    check("garbage", () -> IntStream.range(0, 200).map(i -> new byte[1 << 20].length).sum() == 200 << 20);
  }
}
