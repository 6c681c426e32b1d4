package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.glyphgate.spi.ChatTemplate;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract lets a good provider pass and each bad one fail. */
class ChatTemplateContractTest {
    private interface Law {
        void check(ChatTemplateContract contract) throws Exception;
    }

    /** Knows three sources: one that writes contents, one that refuses, and one that is broken. */
    private static class Templates implements ChatTemplateProvider {
        @Override
        public String name() {
            return "three";
        }

        @Override
        public ChatTemplate compile(String source) throws ChatTemplateException {
            if (source.equals("broken")) {
                throw new ChatTemplateException("broken", 1, "");
            }
            return new ChatTemplate() {
                @Override
                public ContentFormat contentFormat() {
                    return format();
                }

                @Override
                public String render(Map<String, ? extends @Nullable Object> variables, LocalDateTime now)
                        throws ChatTemplateException {
                    if (source.equals("refusing")) {
                        throw new ChatTemplateException(reason(), 1, "");
                    }
                    StringBuilder text = new StringBuilder();
                    for (Object message : (List<?>) Objects.requireNonNull(variables.get("messages"))) {
                        Object content = Objects.requireNonNull(((Map<?, ?>) message).get("content"));
                        text.append(written((String) content)).append('\n');
                    }
                    return text.toString();
                }
            };
        }

        ChatTemplate.ContentFormat format() {
            return ChatTemplate.ContentFormat.STRING;
        }

        String reason() {
            return "not today";
        }

        String written(String content) {
            return content;
        }
    }

    @Test
    void goodProviderPasses() throws Exception {
        ChatTemplateContract contract = contract(new Templates());
        contract.contentsAreWrittenAsTheyAre();
        contract.everyValueOfJsonCanBeGiven();
        contract.whatIsGivenIsNotChanged();
        contract.manyThreadsMayRenderAtOnce();
        contract.theContentFormatIsKnown();
        contract.refusalsSayWhy();
        contract.brokenTemplatesDoNotCompile();
    }

    @Test
    void whatChangesContentsFails() {
        List<UnaryOperator<String>> changes =
                List.of(String::strip, text -> text.replace("<", "&lt;"), text -> text.replace("{{ x }}", ""), text -> "");
        for (UnaryOperator<String> change : changes) {
            assertFails(ChatTemplateContract::contentsAreWrittenAsTheyAre, new Templates() {
                @Override
                String written(String content) {
                    return change.apply(content);
                }
            });
        }
    }

    @Test
    void whatMixesThreadsFails() {
        assertFails(ChatTemplateContract::manyThreadsMayRenderAtOnce, new Templates() {
            private String last = "";

            @Override
            String written(String content) {
                String before = last;
                last = content;
                return before;
            }
        });
    }

    @Test
    void whatTakesPartsForTextFails() {
        assertFails(ChatTemplateContract::theContentFormatIsKnown, new Templates() {
            @Override
            ChatTemplate.ContentFormat format() {
                return ChatTemplate.ContentFormat.OPENAI;
            }
        });
    }

    @Test
    void whatRefusesWithoutAReasonFails() {
        assertFails(ChatTemplateContract::refusalsSayWhy, new Templates() {
            @Override
            String reason() {
                return "";
            }
        });
    }

    @Test
    void whatCompilesEverythingFails() {
        assertFails(ChatTemplateContract::brokenTemplatesDoNotCompile, new Templates() {
            @Override
            public ChatTemplate compile(String source) throws ChatTemplateException {
                return super.compile("contents");
            }
        });
        assertFails(ChatTemplateContract::theServiceLoaderFindsTheProvider, new Templates());
    }

    private static void assertFails(Law law, Templates templates) {
        assertThat(catchThrowable(() -> law.check(contract(templates)))).isInstanceOf(AssertionError.class);
    }

    private static ChatTemplateContract contract(Templates templates) {
        return new ChatTemplateContract() {
            @Override
            protected ChatTemplateProvider provider() {
                return templates;
            }

            @Override
            protected String contents() {
                return "contents";
            }

            @Override
            protected String refusing() {
                return "refusing";
            }

            @Override
            protected String broken() {
                return "broken";
            }
        };
    }
}
