import { decodeBody } from '@mintmark/internal'

import { type DistinguishedName, MalformedDerError, type NameAttribute, readElements, readString } from './x509.ts'

/**
 * Parses the string form of a name (RFC 4514 §3), which begins with the last relative name. `undefined` when it is
 * malformed.
 */
export function parseDistinguishedName(text: string): DistinguishedName | undefined {
  const parts = split(text, ',').map((relative) => split(relative, '+').map(parseAttribute))
  const name = parts.map((attributes) => attributes.flatMap((attribute) => attribute ?? []))
  const isComplete = name.every((attributes, index) => attributes.length === parts[index]?.length)
  return isComplete && canonicalName(name) !== undefined ? name.toReversed() : undefined
}

/**
 * Whether both names are equal: the same relative names in the same order, with the same attributes. Comparing values
 * ignores case, and treats a run of spaces as one space (RFC 4517 §4.2.11, RFC 4518 §2.6.1).
 */
export function isSameName(one: DistinguishedName, other: DistinguishedName): boolean {
  const canonical = canonicalName(one)
  return canonical !== undefined && canonical === canonicalName(other)
}

/**
 * Returns the form in which names are compared; `undefined` for an empty name, and for a name with control characters:
 * some programs cut a name at a NUL, and would read it as another name.
 */
function canonicalName(name: DistinguishedName): string | undefined {
  const values = name.flatMap((attributes) => attributes.map(({ value }) => value))
  // oxlint-disable-next-line no-control-regex -- the expression finds control characters to refuse them
  if (values.length === 0 || values.some((value) => /[\u0000-\u001f\u007f]/.test(value))) return undefined
  return JSON.stringify(
    name.map((attributes) => attributes.map(({ type, value }) => `${type}=${canonicalValue(value)}`).toSorted()),
  )
}

// RFC 4518 §2.2 to §2.6: folded case, NFKC, and no insignificant spaces.
const canonicalValue = (value: string): string =>
  value.normalize('NFKC').toLowerCase().normalize('NFKC').trim().replaceAll(/ +/g, ' ')

/** Splits at each separator that is not escaped. Values in quotes are refused later. */
function split(text: string, separator: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === separator) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

function parseAttribute(text: string): NameAttribute | undefined {
  const match = /^ *([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+) *= *(.*)$/s.exec(text)
  const [, name = '', rest = ''] = match ?? []
  const type = /^\d/.test(name) ? name : attributeTypes.get(name.toLowerCase())
  const value = rest.startsWith('#') ? decodeHexValue(rest.slice(1).trimEnd()) : unescapeValue(rest)
  return match === null || type === undefined || value === undefined ? undefined : { type, value }
}

/** Decodes a value that is written as `#` and its DER encoding in hexadecimal (RFC 4514 §2.4). */
function decodeHexValue(hex: string): string | undefined {
  if (!/^(?:[0-9A-Fa-f]{2})+$/.test(hex)) return undefined
  try {
    const [element, second] = readElements(Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))
    return element === undefined || second !== undefined ? undefined : readString(element)
  } catch (error) {
    if (error instanceof MalformedDerError) return undefined
    throw error
  }
}

/** Removes the spaces at the end, except one that is escaped: an odd number of backslashes precedes it. */
function withoutTrailingSpaces(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ') end -= 1
  let backslashes = 0
  while (text[end - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1 && end < text.length ? text.slice(0, end + 1) : text.slice(0, end)
}

/**
 * Decodes a value in which a backslash escapes a special character, or a byte of UTF-8 in hexadecimal (RFC 4514 §3).
 */
function unescapeValue(text: string): string | undefined {
  const value = withoutTrailingSpaces(text)
  // RFC 4514 §3: these characters must always be escaped.
  if (value === '' || /["<>;\0]/.test(value.replaceAll(/\\./gs, ''))) return undefined
  const bytes: number[] = []
  for (let at = 0; at < value.length;) {
    const escape = /^\\(?:([0-9A-Fa-f]{2})|([ "#+,;<=>\\]))/.exec(value.slice(at, at + 3))
    if (escape === null) {
      const char = String.fromCodePoint(value.codePointAt(at) ?? 0)
      if (char === '\\') return undefined
      bytes.push(...new TextEncoder().encode(char))
      at += char.length
    } else {
      bytes.push(escape[1] === undefined ? (escape[2] ?? '').charCodeAt(0) : Number.parseInt(escape[1], 16))
      at += escape[0].length
    }
  }
  return decodeBody(Uint8Array.from(bytes))
}

/** The attribute types of RFC 4514 §3 and RFC 4519, and others in the certificates of banks and web servers. */
const attributeTypes: ReadonlyMap<string, string> = new Map([
  ['cn', '2.5.4.3'],
  ['sn', '2.5.4.4'],
  ['serialnumber', '2.5.4.5'],
  ['c', '2.5.4.6'],
  ['l', '2.5.4.7'],
  ['st', '2.5.4.8'],
  ['street', '2.5.4.9'],
  ['o', '2.5.4.10'],
  ['ou', '2.5.4.11'],
  ['title', '2.5.4.12'],
  ['businesscategory', '2.5.4.15'],
  ['postalcode', '2.5.4.17'],
  ['gn', '2.5.4.42'],
  ['givenname', '2.5.4.42'],
  ['organizationidentifier', '2.5.4.97'],
  ['uid', '0.9.2342.19200300.100.1.1'],
  ['dc', '0.9.2342.19200300.100.1.25'],
  ['emailaddress', '1.2.840.113549.1.9.1'],
  ['jurisdictioncountryname', '1.3.6.1.4.1.311.60.2.1.3'],
])
