/** A name as it stands in a filter, a path or a list of attributes (RFC 7644 §3.10), not yet looked up. */
export interface AttributeName {
  /** The schema's URN before the last colon, as written. */
  readonly urn: string | undefined
  readonly name: string
  readonly subName: string | undefined
}

/** Reads `[URN ":"] ATTRNAME ["." ATTRNAME]` (RFC 7644 §3.4.2.2). @returns undefined for anything else. */
export function parseAttributeName(text: string): AttributeName | undefined {
  // A URN has dots and colons too; what follows its last colon has no colon.
  const colon = text.lastIndexOf(':')
  const urn = colon === -1 ? undefined : text.slice(0, colon)
  const [name = '', subName, ...rest] = text.slice(colon + 1).split('.')
  if (rest.length > 0 || !attributeName.test(name)) return undefined
  if (subName !== undefined && !attributeName.test(subName)) return undefined
  return urn === undefined || urnCharacters.test(urn) ? Object.freeze({ urn, name, subName }) : undefined
}

/** The text that `parseAttributeName` reads. */
export const printAttributeName = ({ urn, name, subName }: AttributeName): string =>
  `${urn === undefined ? '' : `${urn}:`}${name}${subName === undefined ? '' : `.${subName}`}`

/** RFC 7643 §2.1, and `$ref`. */
const attributeName = /^[A-Za-z$][A-Za-z0-9$_-]*$/
const urnCharacters = /^urn:[A-Za-z0-9:._-]+$/i
