/**
 * Returns the filter (RFC 7644 §3.4.2.2) for a text that an administrator has typed: the text itself if it has an
 * operator of SCIM; otherwise a search for the text in the names. Names are compared exactly, so the usual spellings
 * are searched as well.
 */
export function userFilter(text: string): string {
  if (/\s(?:eq|ne|co|sw|ew|gt|ge|lt|le|pr)\b|[()"]/i.test(text)) return text
  const spellings = new Set([text, text.toLowerCase(), capitalized(text)])
  const matches = [...spellings].flatMap((spelling) =>
    searchedClaims.map((claim) => `claims.${claim} co ${JSON.stringify(spelling)}`),
  )
  return [...matches, `id eq ${JSON.stringify(text)}`].join(' or ')
}

const searchedClaims = ['name', 'preferred_username', 'email']

const capitalized = (text: string): string =>
  text.toLowerCase().replaceAll(/(?<=^|[\s-])\p{L}/gu, (letter) => letter.toUpperCase())
