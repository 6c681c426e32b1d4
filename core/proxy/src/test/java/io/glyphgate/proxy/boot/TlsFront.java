package io.glyphgate.proxy.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Takes TLS connections and passes their bytes on to a plain server: a vLLM server with a certificate. */
final class TlsFront implements AutoCloseable {
    private final SSLServerSocket listener;
    private final int behind;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final List<String> names = new CopyOnWriteArrayList<>();
    private final List<String> clients = new CopyOnWriteArrayList<>();

    TlsFront(SSLContext context, boolean needsClient, int behind) throws IOException {
        this.behind = behind;
        listener = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listener.setNeedClientAuth(needsClient);
        Thread.ofVirtual().start(this::accept);
    }

    URI uri() {
        return URI.create("https://127.0.0.1:" + listener.getLocalPort());
    }

    /** The names that clients asked for (SNI). */
    List<String> names() {
        return names;
    }

    /** The names in the certificates that clients showed. */
    List<String> clients() {
        return clients;
    }

    /** How many connections are open. */
    int connections() {
        return open.size();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                SSLSocket socket = (SSLSocket) listener.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(SSLSocket socket) {
        open.add(socket);
        try (socket;
                Socket server = new Socket(InetAddress.getLoopbackAddress(), behind)) {
            socket.startHandshake();
            ExtendedSSLSession session = (ExtendedSSLSession) socket.getSession();
            session.getRequestedServerNames().forEach(name -> names.add(((SNIHostName) name).getAsciiName()));
            if (socket.getNeedClientAuth()) {
                clients.add(((X509Certificate) session.getPeerCertificates()[0]).getSubjectX500Principal().getName());
            }
            Thread up = Thread.ofVirtual().start(() -> pass(socket, server));
            pass(server, socket);
            up.join();
        } catch (SSLPeerUnverifiedException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            // a handshake that failed, or either side left: what the test looks at
            var unused = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(socket);
        }
    }

    private static void pass(Socket from, Socket to) {
        try {
            byte[] bytes = new byte[8192];
            for (int count = from.getInputStream().read(bytes); count >= 0; count = from.getInputStream().read(bytes)) {
                to.getOutputStream().write(bytes, 0, count);
                to.getOutputStream().flush();
            }
        } catch (IOException e) {
            var unused = e; // it broke: the other side must hear of it
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            var unused = e; // it is closed all the same
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        open.forEach(TlsFront::closeQuietly);
    }
}
