package io.glyphgate.proxy.format;

import io.glyphgate.proxy.config.Literal;
import io.glyphgate.proxy.config.ParserConfig;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallKind;
import io.glyphgate.toolkit.CallName;
import io.glyphgate.toolkit.ChannelFormat;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The toolkit's descriptions of what the configuration says. Each component has a key of its name. */
final class Formats {
    private Formats() {}

    static ReasoningFormat reasoning(ParserConfig.Reasoning keys) {
        return new ReasoningFormat(
                keys.open().text(),
                keys.close().text(),
                keys.opensOnce(),
                keys.offWhen(),
                texts(keys.turnStarts()),
                keys.onWhen(),
                keys.openKept(),
                keys.trimmed(),
                keys.shown(),
                text(keys.answerOpen()),
                text(keys.answerClose()),
                keys.off(),
                visible(keys.visible()));
    }

    static OpenedReasoningFormat reasoning(ParserConfig.OpenedReasoning keys) {
        return new OpenedReasoningFormat(
                texts(keys.opens()),
                texts(keys.closes()),
                keys.onlyFirst(),
                text(keys.label()),
                keys.labelOpens(),
                texts(keys.dropped()),
                keys.trimmed(),
                texts(keys.turnStarts()),
                keys.promptOpens(),
                keys.untilCall(),
                text(keys.callEnd()),
                visible(keys.visible()));
    }

    static CallFormat tools(ParserConfig.Tools keys) {
        return new CallFormat(
                texts(keys.groups()),
                texts(keys.groupEnds()),
                keys.calls().stream().map(Formats::call).toList(),
                texts(keys.callEnds()),
                keys.ungrouped(),
                keys.offered(),
                keys.onlyFirst(),
                text(keys.thoughtOpen()),
                text(keys.thoughtClose()),
                CallFormat.Ids.valueOf(keys.ids().name()),
                CallFormat.Demanded.valueOf(keys.demanded().name()),
                visible(keys.visible()),
                keys.endsReasoning().map(openers -> openers.stream().map(Formats::opener).toList()),
                keys.constraint().map(Formats::constraint));
    }

    private static CallConstraint constraint(ParserConfig.Constraint keys) {
        return new CallConstraint(
                keys.call().text(),
                text(keys.free()),
                keys.required().text(),
                text(keys.named()),
                keys.always(),
                text(keys.content()));
    }

    private static CallKind call(ParserConfig.Call keys) {
        return new CallKind(
                opener(keys.opener()),
                new CallName(
                        texts(keys.name().ends()),
                        texts(keys.name().stops()),
                        text(keys.name().idMark()),
                        CallFormat.Names.valueOf(keys.name().names().name())),
                arguments(keys.arguments()),
                CallFormat.WhiteSpace.valueOf(keys.whiteSpace().name()),
                keys.closed(),
                keys.first());
    }

    static ChannelFormat messages(ParserConfig.Messages keys) {
        return new ChannelFormat(
                keys.start().text(),
                keys.role().text(),
                keys.channel().text(),
                keys.constrain().text(),
                keys.open().text(),
                texts(keys.ends()),
                keys.recipient().text(),
                keys.functions().text(),
                Set.copyOf(keys.own()),
                Set.copyOf(keys.reasoning()),
                Set.copyOf(keys.content()),
                keys.constraint().map(Formats::constraint));
    }

    static Arguments arguments(ParserConfig.Arguments keys) {
        return keys.tagged().<Arguments>map(Formats::tagged)
                .or(() -> keys.jsonValue().map(given -> new Arguments.JsonValue()))
                .or(() -> keys.jsonCalls().map(given -> new Arguments.JsonCalls(jsonCall(given.call()))))
                .or(() -> keys.pythonCalls().map(given -> new Arguments.PythonCalls(text(given.separator()))))
                .or(() -> keys.keyValues().map(given -> new Arguments.KeyValues(given.quote().text())))
                .orElseGet(() -> jsonCall(keys.jsonCall()));
    }

    private static Arguments.JsonCall jsonCall(ParserConfig.JsonCall keys) {
        return new Arguments.JsonCall(keys.nameKey(), keys.argumentKeys(), keys.quoted());
    }

    private static Arguments.Tagged tagged(ParserConfig.Tagged keys) {
        return new Arguments.Tagged(
                keys.keyOpen().text(),
                keys.keyClose().text(),
                text(keys.valueOpen()),
                keys.valueClose().text(),
                keys.spaced(),
                Arguments.Tagged.Space.valueOf(keys.space().name()),
                keys.scalars(),
                keys.attributes(),
                keys.wrappers());
    }

    private static ToolOpener opener(ParserConfig.Opener keys) {
        return new ToolOpener(keys.marker().text(), texts(keys.followedBy()));
    }

    private static Optional<Set<String>> visible(Optional<List<Literal>> markers) {
        return markers.map(given -> Set.copyOf(texts(given)));
    }

    private static String text(Optional<Literal> literal) {
        return literal.map(Literal::text).orElse("");
    }

    private static List<String> texts(List<Literal> literals) {
        return literals.stream().map(Literal::text).toList();
    }
}
