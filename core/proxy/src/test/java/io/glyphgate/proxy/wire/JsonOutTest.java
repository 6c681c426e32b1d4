package io.glyphgate.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class JsonOutTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Property
    void anyStringComesBackFromAnotherReader(@ForAll String text) throws IOException {
        byte[] bytes = new JsonOut(1).string(text).toByteArray();
        assertThat(JSON.readValue(bytes, String.class)).isEqualTo(text);
    }

    @Property
    void anyNumberComesBackFromAnotherReader(@ForAll long number) throws IOException {
        assertThat(JSON.readValue(new JsonOut(1).number(number).toByteArray(), Long.class)).isEqualTo(number);
    }

    @Test
    void aCutSurrogatePairIsWholeAgainWhenJoined() throws IOException {
        String first = JSON.readValue(new JsonOut().string("\uD83D").toByteArray(), String.class);
        String second = JSON.readValue(new JsonOut().string("\uDEF6").toByteArray(), String.class);
        assertThat(first + second).isEqualTo("🛶");
    }

    @Test
    void putsCommasBetweenValuesAndMembers() {
        JsonOut out = new JsonOut();
        byte[] raw = "\"r\":[]".getBytes(StandardCharsets.UTF_8);
        out.beginObject().name("a").number(1).rawValue(raw, 0, raw.length).name("b").beginArray();
        out.beginObject().endObject().nullValue().bool(true).number(0.5).endArray().endObject();
        assertThat(new String(out.toByteArray(), StandardCharsets.UTF_8))
                .isEqualTo("{\"a\":1,\"r\":[],\"b\":[{},null,true,0.5]}");
        assertThatThrownBy(() -> out.number(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }
}
