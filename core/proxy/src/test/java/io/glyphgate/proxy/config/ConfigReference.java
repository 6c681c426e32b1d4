package io.glyphgate.proxy.config;

import io.glyphgate.proxy.config.ValueType.Plain;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the configuration records say, as a page in Markdown. */
final class ConfigReference {
    private static final String START =
            """
            # Configuration

            <!-- Generated from the configuration records by ConfigReferenceTest, which fails when it is stale. -->

            One YAML file. The reader is strict: an unknown key, a key given twice, a value of the wrong type or
            without its unit is an error that names the file, the line and the key, and the nearest known name where
            there is one. Errors are told together, in rounds: those of the file, then plugins and their options, then
            tokenizers. `glyphgate check --config FILE` reads a file and exits with 1 if anything is wrong with it.

            - **Values are what they look like.** Text needs no quotes, and `no`, `on` and `1.10` stay text where text
              is asked for. True and false are written `true` and `false`, numbers in decimal digits. A key without a
              value is an error, except where a block is asked for.
            - **Text of the output**, as parsers look for it, is taken as it stands, white space too. Put it in double quotes,
              where `\\n` is a new line.
            - **Durations** are whole numbers with a unit: `250ms`, `2s`, `10m`, `1h`. **Sizes** too: `512B`, `1KiB`,
              `32MiB`, `1GiB`. **Shares** are whole numbers with a percent sign: `20%`.
            - **Addresses** start with `http://` or `https://` and name a host; a port is usual.
            - Editors that know JSON Schema can use `config/glyphgate.schema.json`.

            ## Environment variables

            A variable overrides one key. Its name is `GLYPHGATE_` and the way to the key, in upper case, with `_` for
            everything that is no letter or digit; items of a list are numbered from 0:

            | variable | key |
            |---|---|
            | `GLYPHGATE_SERVER_PORT=9000` | `server.port` |
            | `GLYPHGATE_POOLS_DECODE_TOKENS_ENDPOINTS_0=http://a:8000` | `pools.decode-tokens.endpoints[0]` |
            | `GLYPHGATE_MODELS_QWEN2_5_TOKENIZER_SOURCE=t.json` | `models.'qwen2.5'.tokenizer.source` |

            Models, pools, parsers and the options of plugins must be in the file already; a list can grow at its end. A
            variable that sets no key is an error, and so is one that could mean two. Kubernetes makes such variables
            for a service called `glyphgate`; set `enableServiceLinks: false` in the pod, or give the service another
            name.
            """;

    private ConfigReference() {}

    /** The page as the file has it. */
    static String text() {
        StringBuilder page = new StringBuilder(START);
        section("The file", ProxyConfig.class, "", page);
        return page.toString();
    }

    /** Adds a block, and then the blocks in it. */
    private static void section(String title, Class<?> block, String path, StringBuilder page) {
        List<Key> keys = Key.of(block);
        page.append("\n## ").append(title).append("\n\n");
        keys.stream()
                .filter(Key::shorthand)
                .forEach(key -> page.append("May be written as the value of `" + key.name() + "` alone.\n\n"));
        if (keys.isEmpty()) {
            page.append("It has no keys; write `{}`.\n");
            return;
        }
        page.append("| key | type | default | meaning |\n|---|---|---|---|\n");
        for (Key key : keys) {
            page.append("| ")
                    .append(key.rest() ? "any other key" : "`" + key.name() + "`")
                    .append(" | ")
                    .append(type(key, path))
                    .append(" | ")
                    .append(otherwise(key))
                    .append(" | ")
                    .append(cell(key.doc()))
                    .append(" |\n");
        }
        for (Key key : keys) {
            innerPath(key, path).ifPresent(inner -> {
                if (innermost(key.type()) instanceof ValueType.BlockOf type) {
                    section("`" + inner + "`", type.type(), inner + ".", page);
                }
            });
        }
    }

    /** The title of the section about what is in a key; empty if there is none. */
    private static Optional<String> innerPath(Key key, String path) {
        String whole = path + key.name();
        return switch (key.type()) {
            case ValueType.BlockOf block -> Optional.of(whole);
            case ValueType.MapOf map when map.value() instanceof ValueType.BlockOf -> Optional.of(whole + ".<name>");
            case ValueType.MapOf map -> Optional.empty();
            case ValueType.ListOf list when list.item() instanceof ValueType.BlockOf -> Optional.of(whole + "[]");
            case ValueType.ListOf list -> Optional.empty();
            case ValueType.Choice choice -> Optional.empty();
            case Plain plain -> Optional.empty();
        };
    }

    private static ValueType innermost(ValueType type) {
        return switch (type) {
            case ValueType.MapOf map -> map.value();
            case ValueType.ListOf list -> list.item();
            case ValueType.BlockOf block -> block;
            case ValueType.Choice choice -> choice;
            case Plain plain -> plain;
        };
    }

    private static String type(Key key, String path) {
        if (key.rest()) {
            return "text";
        }
        Optional<String> inner = innerPath(key, path);
        String kind = key.type() instanceof ValueType.ListOf ? "list of blocks" : "block";
        return inner.map(title -> kind + ", see [`" + title + "`](#" + anchor(title) + ")")
                .orElseGet(() -> type(key.type(), key.range()));
    }

    private static String type(ValueType type, @Nullable Range range) {
        return switch (type) {
            case Plain plain -> plain(plain) + limits(plain, range);
            case ValueType.Choice choice -> "one of "
                    + choice.names().stream().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
            case ValueType.ListOf list -> "list (" + type(list.item(), range) + ")";
            case ValueType.MapOf map -> "block (" + type(map.value(), range) + ")";
            case ValueType.BlockOf block -> "block";
        };
    }

    private static String plain(Plain type) {
        return switch (type) {
            case FLAG -> "true or false";
            case LITERAL -> "text of the output";
            case VALUE -> "true, false, number or text";
            case TEXT, NUMBER, DURATION, SIZE, PERCENT, PATH, ADDRESS -> type.name().toLowerCase(Locale.ROOT);
        };
    }

    private static String limits(Plain type, @Nullable Range range) {
        if (range == null) {
            return "";
        }
        return switch (type) {
            case NUMBER -> ", " + range.min() + " to " + range.max();
            case DURATION -> ", " + Units.TIME.shown(range.min()) + " to " + Units.TIME.shown(range.max());
            case SIZE -> ", " + Units.SIZE.shown(range.min()) + " to " + Units.SIZE.shown(range.max());
            case PERCENT -> ", " + Units.SHARE.shown(range.min()) + " to " + Units.SHARE.shown(range.max());
            case TEXT, LITERAL, VALUE, FLAG, PATH, ADDRESS -> "";
        };
    }

    private static String otherwise(Key key) {
        if (key.defaultText() != null) {
            return "`" + key.defaultText() + "`";
        }
        if (key.required()) {
            return "must be given";
        }
        if (key.type() instanceof ValueType.ListOf && key.presence() == Key.Presence.OPTIONAL) {
            return "derived";
        }
        boolean always = key.type() instanceof ValueType.BlockOf && key.presence() == Key.Presence.PLAIN;
        return always ? "as below" : "none";
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;");
    }

    /** The anchor that Markdown viewers make of a title. */
    private static String anchor(String title) {
        return title.replaceAll("[^a-z0-9-]", "");
    }
}
