package io.glyphgate.jinja.builtin;

import java.text.Normalizer;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;

/** Upper and lower case, and the other properties of characters that Python's text has methods for. */
final class Casing {
    private static final Pattern SHAPED_DIGIT = Pattern.compile("\\(?[0-9][).,]?");

    private Casing() {}

    static String upper(String text) {
        return text.toUpperCase(Locale.ROOT);
    }

    static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Lower case for comparisons, in which ß is ss. */
    static String fold(String text) {
        return lower(upper(text));
    }

    static String capitalize(String text) {
        if (text.isEmpty()) {
            return text;
        }
        int end = text.offsetByCodePoints(0, 1);
        return title(text.codePointAt(0)) + lower(text.substring(end));
    }

    /** Each run of letters with a capital. */
    static String title(String text) {
        StringBuilder out = new StringBuilder(text.length());
        boolean inWord = false;
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            out.append(inWord ? lower(Character.toString(codePoint)) : title(codePoint));
            inWord = isCased(codePoint);
            i += Character.charCount(codePoint);
        }
        return out.toString();
    }

    static String swap(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            String character = Character.toString(c);
            out.append(Character.isUpperCase(c)
                    ? lower(character)
                    : Character.isLowerCase(c) ? upper(character) : character);
        });
        return out.toString();
    }

    private static String title(int codePoint) {
        int single = Character.toTitleCase(codePoint);
        String several = upper(Character.toString(codePoint));
        boolean one = several.codePointCount(0, several.length()) == 1;
        if (single != codePoint || one) {
            return Character.toString(single);
        }
        int first = several.offsetByCodePoints(0, 1);
        return several.substring(0, first) + lower(several.substring(first));
    }

    static boolean isCased(int codePoint) {
        return Character.isUpperCase(codePoint) || Character.isLowerCase(codePoint) || Character.isTitleCase(codePoint);
    }

    static boolean isUpper(String text) {
        return text.codePoints().anyMatch(Character::isUpperCase)
                && text.codePoints().noneMatch(c -> Character.isLowerCase(c) || Character.isTitleCase(c));
    }

    static boolean isLower(String text) {
        return text.codePoints().anyMatch(Character::isLowerCase)
                && text.codePoints().noneMatch(c -> Character.isUpperCase(c) || Character.isTitleCase(c));
    }

    static boolean isTitle(String text) {
        boolean inWord = false;
        boolean any = false;
        for (int c : text.codePoints().toArray()) {
            boolean capital = Character.isUpperCase(c) || Character.isTitleCase(c);
            if ((capital && inWord) || (Character.isLowerCase(c) && !inWord)) {
                return false;
            }
            inWord = isCased(c);
            any |= inWord;
        }
        return any;
    }

    /** Whether there is a character and all of them have a property. */
    static boolean all(String text, IntPredicate property) {
        return !text.isEmpty() && text.codePoints().allMatch(property);
    }

    static boolean isDecimal(int codePoint) {
        return Character.getType(codePoint) == Character.DECIMAL_DIGIT_NUMBER;
    }

    /** A decimal digit, or one in another shape, such as ² and ①. */
    static boolean isDigit(int codePoint) {
        if (isDecimal(codePoint)) {
            return true;
        }
        return Character.getType(codePoint) == Character.OTHER_NUMBER
                && SHAPED_DIGIT.matcher(Normalizer.normalize(Character.toString(codePoint), Normalizer.Form.NFKC)).matches();
    }

    static boolean isNumeric(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER -> true;
            default -> false;
        };
    }

    static boolean isAlphanumeric(int codePoint) {
        return Character.isLetter(codePoint) || isNumeric(codePoint);
    }

    static boolean isIdentifier(String text) {
        if (text.isEmpty()) {
            return false;
        }
        int first = text.codePointAt(0);
        return (first == '_' || Character.isUnicodeIdentifierStart(first))
                && text.codePoints().skip(1).allMatch(Character::isUnicodeIdentifierPart);
    }
}
