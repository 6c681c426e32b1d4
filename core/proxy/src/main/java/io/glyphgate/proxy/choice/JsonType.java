package io.glyphgate.proxy.choice;

/** The types of JSON values as JSON Schema knows them. A number without a fraction is an integer. */
enum JsonType {
    NULL("null"),
    BOOLEAN("boolean"),
    INTEGER("integer"),
    NUMBER("number"),
    STRING("string"),
    ARRAY("array"),
    OBJECT("object");

    private final String word;

    JsonType(String word) {
        this.word = word;
    }

    /** Whether a schema's word for a type covers this one. */
    boolean isCalled(String name) {
        return word.equals(name) || (this == INTEGER && NUMBER.word.equals(name));
    }

    /** Whether a word is one of JSON Schema's types. */
    static boolean isKnown(String name) {
        for (JsonType type : values()) {
            if (type.word.equals(name)) {
                return true;
            }
        }
        return false;
    }
}
