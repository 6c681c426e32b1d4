package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.config.ProxyConfig.Ready;
import io.glyphgate.proxy.render.Renderer;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.spi.ChatTemplate;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What happens before clients come. */
@Timeout(60)
class WarmUpTest {
    @TempDir
    private Path folder;

    private Setup setup(String doors) throws IOException {
        Path file = Files.writeString(folder.resolve("glyphgate.yaml"), """
                doors: { %s }
                models: { m: { tokenizer: { source: "%s" } } }
                pools: { p: { model: m, tokenizer: proxy, endpoints: ["http://127.0.0.1:1"] } }
                """.formatted(doors, Stage.QWEN3.toUri()));
        return Setup.of(ConfigReader.read(file, Map.of()), Stage.REGISTRY);
    }

    /** The model, with templates that another engine compiles. */
    private static List<ServedModel> models(Setup setup, ChatTemplateProvider engine) {
        ServedModel model = setup.router().models().getFirst();
        Renderer renderer = new Renderer(engine, Map.of(), "{{ messages }}", Optional.empty(), Map.of(), Clock.systemUTC());
        return List.of(new ServedModel(
                model.name(), model.config(), model.tokenizer(), model.parsers(), model.samplingDefaults(), renderer));
    }

    /** What a template is compiled with. */
    private record Engine(Work work) implements ChatTemplateProvider {
        private interface Work {
            ChatTemplate compile() throws ChatTemplateException;
        }

        @Override
        public String name() {
            return "jinja";
        }

        @Override
        public ChatTemplate compile(String source) throws ChatTemplateException {
            return work.compile();
        }
    }

    @Test
    void itIsNotReadyBeforeTheFirstPromptsAreMade() throws Exception {
        try (Setup setup = setup("openai: true")) {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch compiled = new CountDownLatch(1);
            ChatTemplateProvider engine = new Engine(() -> {
                begun.countDown();
                try {
                    compiled.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                throw new ChatTemplateException("no such filter", 1, "x|y");
            });
            WarmUp warmUp = WarmUp.start(setup.config().doors(), models(setup, engine));
            Readiness readiness = new Readiness(setup.router(), Ready.STARTED, warmUp::over);
            begun.await();
            assertThat(readiness.ready()).isFalse();
            compiled.countDown();
            warmUp.await(); // also when a template is wrong: outputs can be made without
            assertThat(readiness.ready()).isTrue();
        }
    }

    @Test
    void nothingIsDoneWhereNobodyCanChat() throws IOException {
        try (Setup setup = setup("openai: false, anthropic: false, render: false")) {
            AtomicInteger compiled = new AtomicInteger();
            ChatTemplateProvider engine = new Engine(() -> {
                compiled.incrementAndGet();
                throw new AssertionError();
            });
            WarmUp.start(setup.config().doors(), models(setup, engine)).await();
            assertThat(compiled).hasValue(0);
        }
    }
}
