/**
 * Whether every store can hold a value and read it back: no text in it has U+0000 or half a surrogate pair.
 * @param value JSON, not nested deeply.
 */
export const isStorable = (value: unknown): boolean => !unstorable.test(JSON.stringify(value))

/** As JSON writes them: an escape behind an even number of backslashes. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/
