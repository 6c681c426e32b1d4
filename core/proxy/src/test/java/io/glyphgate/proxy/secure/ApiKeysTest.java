package io.glyphgate.proxy.secure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiKeysTest {
    private static byte[] file(String text) {
        return text.replace("\\n", "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void keysAndTheirNames() throws IOException {
        ApiKeys keys = ApiKeys.parse(file("# clients\n\n  sk-one alice\r\nsk-two\n"));
        assertThat(keys.size()).isEqualTo(2);
        assertThat(keys.holder("sk-one")).contains(new ApiKeys.Holder("alice"));
        assertThat(keys.holder("sk-two")).contains(new ApiKeys.Holder(""));
        for (String other : new String[] {"", "sk", "sk-one ", "SK-ONE", "alice", "sk-one alice", "# clients"}) {
            assertThat(keys.holder(other)).as(other).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            '# only this\\n' | there is no key in it
            ''               | there is no key in it
            'a\\nb c d\\n'   | line 2 has more than a key and a name
            'a\\nklé\\n'     | the key in line 2 holds a character that is not ASCII
            'a b/c\\n'       | the name in line 1 may hold
            'a x\\na y\\n'   | the key in line 2 stands in the file twice
            """)
    void filesThatAreNone(String text, String said) {
        assertThatThrownBy(() -> ApiKeys.parse(file(text))).isInstanceOf(IOException.class).hasMessageContaining(said);
    }

    @Test
    void oneKeyForServers() throws IOException {
        assertThat(ApiKeys.parseOne(file("# vLLM\nsk-up\n"))).isEqualTo("sk-up");
        assertThatThrownBy(() -> ApiKeys.parseOne(file("a\nb\n"))).hasMessageContaining("one key");
        assertThatThrownBy(() -> ApiKeys.parseOne(file("\n"))).hasMessage("there is no key in it");
    }
}
