/**
 * Which parts of an id a part of its percent-encoded form can stand for: `kim%40x` for `kim@x`; and `A1`, where it may be cut
 * out of the middle, for `A1` and for `:1`, which is written `%3A1`.
 * @param cut at which of its ends the part may begin or end inside an escape.
 * @returns every one that can occur in an id, which is ASCII (OIDC Core §2); none when no encoded id has such a part.
 */
export function idSpellings(encoded: string, cut: 'neither' | 'start' | 'end' | 'both'): readonly string[] {
  const uncut = { character: '', rest: encoded }
  const starts = cut === 'start' || cut === 'both' ? [uncut, ...cutStarts(encoded)] : [uncut]
  const spellings = starts.flatMap(({ character, rest }) => {
    const ends = cut === 'end' || cut === 'both' ? [...decoded(rest), ...cutEnds(rest)] : decoded(rest)
    return ends.map((end) => character + end)
  })
  const within =
    cut === 'both' ? escapes.filter(({ escape }) => escape[1] === encoded).map(({ character }) => character) : []
  return [...new Set([...spellings, ...within])]
}

/** The text behind each escape that it may begin inside of. */
const cutStarts = (encoded: string): readonly { readonly character: string; readonly rest: string }[] =>
  escapes.flatMap(({ character, escape }) =>
    [1, 2]
      .filter((length) => encoded.startsWith(escape.slice(-length)))
      .map((length) => ({ character, rest: encoded.slice(length) })),
  )

/** The text with each escape that it may end inside of. */
const cutEnds = (encoded: string): readonly string[] =>
  escapes.flatMap(({ character, escape }) =>
    [1, 2]
      .filter((length) => encoded.endsWith(escape.slice(0, length)))
      .flatMap((length) => decoded(encoded.slice(0, -length)).map((text) => text + character)),
  )

/** None when it is not what `encodeURIComponent` writes. */
function decoded(encoded: string): readonly string[] {
  try {
    const text = decodeURIComponent(encoded)
    return encodeURIComponent(text) === encoded ? [text] : []
  } catch {
    // `decodeURIComponent` and its twin know no other way to say that a text is broken.
    return []
  }
}

/** The ASCII characters that are escaped, and how. */
const escapes = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
  .map((character) => ({ character, escape: encodeURIComponent(character) }))
  .filter(({ character, escape }) => character !== escape)
