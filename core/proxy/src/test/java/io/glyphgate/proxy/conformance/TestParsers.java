package io.glyphgate.proxy.conformance;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenDelta;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Set;

/** Providers for tests of the run itself, and a class loader that offers them. */
public final class TestParsers {
    private TestParsers() {}

    /** All before the first bar is reasoning. */
    public static final class UpToBar implements ReasoningParserProvider {
        @Override
        public String name() {
            return "up-to-bar";
        }

        @Override
        public Set<String> markers() {
            return Set.of("|");
        }

        @Override
        public ReasoningParser create(ParseContext context) {
            return new ReasoningParser() {
                private boolean ended;

                @Override
                public void accept(TokenDelta delta, DeltaSink out) {
                    for (int i = 0; i < delta.text().length(); i++) {
                        CharSequence c = delta.text().subSequence(i, i + 1);
                        if (ended) {
                            out.content(c);
                        } else if (c.charAt(0) == '|') {
                            ended = true;
                            out.structure(c);
                        } else {
                            out.reasoning(c);
                        }
                    }
                }

                @Override
                public void finish(FinishReason reason, DeltaSink out) {}
            };
        }
    }

    /** A parser as it must not be: its output depends on the cutting. */
    public static final class Restless implements ReasoningParserProvider {
        @Override
        public String name() {
            return "restless";
        }

        @Override
        public Set<String> markers() {
            return Set.of();
        }

        @Override
        public ReasoningParser create(ParseContext context) {
            return new ReasoningParser() {
                @Override
                public void accept(TokenDelta delta, DeltaSink out) {
                    out.content(delta.text());
                    out.content(".");
                }

                @Override
                public void finish(FinishReason reason, DeltaSink out) {}
            };
        }
    }

    /** A loader that sees the providers above beside everything else. */
    static ClassLoader loader(Path folder) throws IOException {
        URL services = Files.writeString(
                        folder.resolve("services"), UpToBar.class.getName() + "\n" + Restless.class.getName() + "\n")
                .toUri()
                .toURL();
        return new ClassLoader(TestParsers.class.getClassLoader()) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                return name.equals("META-INF/services/" + ReasoningParserProvider.class.getName())
                        ? Collections.enumeration(Set.of(services))
                        : super.getResources(name);
            }
        };
    }
}
