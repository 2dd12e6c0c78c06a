"""Sockets on loopback: TCP and UDP over IPv4 and IPv6, port 80 as an ordinary user, unix sockets with passed descriptors."""

import os
import socket
import tempfile
import threading

import compat


def exchange(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
        answers = []

        def serve():
            connection, _ = listener.accept()
            with connection:
                answers.append(connection.recv(16))

        server = threading.Thread(target=serve)
        server.start()
        with socket.create_connection(listener.getsockname()[:2], timeout=30) as client:
            client.sendall(b"hello")
        server.join()
    compat.equal(answers, [b"hello"])


def tcp():
    exchange(socket.AF_INET, ("127.0.0.1", 0))


def tcp_ipv6():
    exchange(socket.AF_INET6, ("::1", 0))


def port_80():
    exchange(socket.AF_INET, ("127.0.0.1", 80))


def any_address():
    exchange(socket.AF_INET, ("0.0.0.0", 0))


def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as first, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as second:
        first.bind(("127.0.0.1", 0))
        first.settimeout(30)
        second.sendto(b"hello", first.getsockname())
        compat.equal(first.recv(16), b"hello")


def unix_with_descriptor():
    left, right = socket.socketpair()
    with left, right, tempfile.TemporaryFile() as file:
        file.write(b"inside")
        file.flush()
        socket.send_fds(left, [b"x"], [file.fileno()])
        _, fds, _, _ = socket.recv_fds(right, 16, 1)
        compat.equal(os.pread(fds[0], 16, 0), b"inside")
        os.close(fds[0])


def unix_by_path():
    with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        listener.bind(os.path.join(directory, "socket"))
        listener.listen()
        client.connect(os.path.join(directory, "socket"))
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"hello")
        compat.equal(client.recv(16), b"hello")


def interfaces():
    compat.equal("lo" in [name for _, name in socket.if_nameindex()], True)
    compat.equal(socket.getaddrinfo("localhost", 80, socket.AF_INET)[0][4], ("127.0.0.1", 80))


compat.run(tcp, tcp_ipv6, port_80, any_address, udp, unix_with_descriptor, unix_by_path, interfaces)
