import type { JsonObject, JsonText } from '../../json.ts'

/** Text that a careless store would cut, quote, fold or interpret. */
export const richText = `"double" 'single' \\ \`back\` -- ; /* */ %_ \${x} <b>&amp;</b>\t\r\n é e\u0301 漢字 עברית 😀 \u2028 null [object Object]`

/** Longer than a page of most databases. */
export const longText = `${'long '.repeat(20_000)}end`

/** JSON with what a careless reader would lose: keys that are names of a prototype, empty members, numbers at the edge. */
export const richJson = JSON.parse(`{
  "__proto__": { "polluted": true },
  "constructor": { "prototype": { "polluted": true } },
  "toString": "text",
  "": "empty key",
  "a.b[0]$": "path-like key",
  "empty": { "list": [], "object": {}, "text": "", "nothing": null },
  "numbers": [0, -1, 1.5, 9007199254740991, 1e-7],
  "truth": [true, false, null],
  "text": ${JSON.stringify(richText)},
  "nul": "\\u0000"
}`) as JsonObject

/** The same as a comparable form may have it: its texts hold no U+0000. */
export const richComparable: JsonObject = Object.fromEntries(Object.entries(richJson).filter(([key]) => key !== 'nul'))

/** What a store that reads JSON and writes it anew would change: white space, the order of names, a name that is there twice, numbers, escapes. */
export const richJsonText = ` {"z" : 1.0, "10":1e2,"2": 12345678901234567890, "a":"\\u0041\\/\\ud800\\u0000",
  "twice":1,"twice":2, "__proto__": {}, "text": ${JSON.stringify(richText)} }\n` as JsonText
