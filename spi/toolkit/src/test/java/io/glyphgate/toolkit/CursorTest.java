package io.glyphgate.toolkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.toolkit.Cursor.Found;
import io.glyphgate.toolkit.Mark.Role;
import java.util.List;
import org.junit.jupiter.api.Test;

class CursorTest {
    private final Cursor cursor = new Cursor();

    private static Literals literals(String... texts) {
        return Literals.of(CallFormat.marks(List.of(texts), Role.CALL_OPEN), false);
    }

    private static Literals guarded(String text, boolean endFollows, String... followedBy) {
        return Literals.of(List.of(new Mark(text, Role.CALL_OPEN, List.of(followedBy), endFollows, false)), false);
    }

    private void expect(Found found, int length, Literals literals, boolean atEnd) {
        assertThat(cursor.seek(literals)).isTrue();
        assertThat(cursor.match(literals, atEnd)).isEqualTo(found);
        if (found != Found.OPEN) {
            assertThat(cursor.length()).isEqualTo(length);
        }
    }

    @Test
    void theLongestLiteralWins() {
        Literals literals = literals("<a", "<a b=", "<a b=\"");
        cursor.append("..<a b=");
        expect(Found.OPEN, 0, literals, false);
        assertThat(cursor.position()).isEqualTo(2);
        cursor.append("\"x");
        expect(Found.MARK, 6, literals, false);
        assertThat(cursor.mark().text()).isEqualTo("<a b=\"");
        cursor.advance(6);
        cursor.append("<a bx");
        expect(Found.MARK, 2, literals, false);
        cursor.advance(2);
        cursor.append("<a");
        expect(Found.OPEN, 0, literals, false);
        expect(Found.MARK, 2, literals, true);
    }

    @Test
    void aPartOfALiteralIsTextOnceItCannotGoOn() {
        Literals literals = literals("<<b>");
        cursor.append("<");
        expect(Found.OPEN, 0, literals, false);
        cursor.append("<");
        expect(Found.OPEN, 0, literals, false);
        cursor.append("<b>");
        expect(Found.TEXT, 1, literals, false);
        cursor.advance(1);
        expect(Found.MARK, 4, literals, false);
        cursor.advance(4);
        cursor.append("<<");
        expect(Found.OPEN, 0, literals, false);
        expect(Found.CUT, 1, literals, true);
    }

    @Test
    void aLiteralCountsWhereItsGuardFollows() {
        Literals literals = guarded("<t>", false, "{", "<f=");
        cursor.append("<t>");
        expect(Found.OPEN, 0, literals, false);
        cursor.append(" \n <");
        expect(Found.OPEN, 0, literals, false);
        cursor.append("f=");
        expect(Found.MARK, 3, literals, false);
        cursor.advance(3);
        cursor.append("<t> < f=<t>");
        cursor.advance(6);
        expect(Found.TEXT, 3, literals, false);
        cursor.advance(3);
        expect(Found.TEXT, 1, literals, false);
        cursor.advance(1);
        expect(Found.OPEN, 0, literals, false);
        expect(Found.CUT, 3, literals, true);
    }

    @Test
    void theEndMayFollowALiteral() {
        Literals literals = guarded("</p>", true, "</f>");
        cursor.append("</p>\n</");
        expect(Found.OPEN, 0, literals, false);
        expect(Found.MARK, 4, literals, true);
    }

    @Test
    void spacesMayStandInASpacedLiteral() {
        Literals literals = Literals.of(
                List.of(Mark.of("<p=", Role.KEY_OPEN), Mark.guarded("</p>", Role.VALUE_CLOSE, List.of("<p="))), true);
        cursor.append("<  p =x< / p >\n< p=< pp=");
        expect(Found.MARK, 6, literals, false);
        cursor.advance(7);
        expect(Found.MARK, 7, literals, false);
        cursor.advance(8);
        expect(Found.MARK, 4, literals, false);
        cursor.advance(4);
        expect(Found.TEXT, 1, literals, false);
        assertThat(literals("<p=").step(Literals.ROOT, ' ')).isEqualTo(Literals.NONE);
    }

    @Test
    void twoMeaningsOfOneLiteralAreRefused() {
        List<Mark> marks = List.of(Mark.of("<p>", Role.KEY_OPEN), Mark.of("<p>", Role.KEY_CLOSE));
        assertThatThrownBy(() -> Literals.of(marks, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("<p>")
                .hasMessageContaining("KEY_OPEN");
    }

    @Test
    void positionsStayTrueWhileTextIsDropped() {
        String piece = "0123456789".repeat(1000);
        for (int i = 0; i < 5; i++) {
            cursor.append(piece);
            cursor.advance(piece.length());
            cursor.structure(cursor.position() - 3, new TestSink());
            assertThat(cursor.slice(cursor.start(), cursor.end()).toString()).isEqualTo("789");
            assertThat(cursor.at(cursor.start() + 1)).isEqualTo('8');
        }
        assertThat(cursor.end()).isEqualTo(50_000);
    }
}
