import { isAllowedText } from '../values/text.ts'

/** What a SCIM address names, below the base of one identity provider (RFC 7644 §3.2). */
export interface ScimPath {
  /** As it stands in the address; it may be anything. */
  readonly providerId: string
  /** In lower case, and with everything behind it when that is more than an `id`: then no route has it. */
  readonly collection: string
  /** Decoded; empty for the collection. */
  readonly id: string
}

/** Where the addresses of all providers begin: the issuer's path, and what the specification puts behind it. */
export const scimRoot = (issuer: string): string => `${issuer}/scim/v2/enterprise-idps/`

/** The SCIM Tenant URL of a provider: what its administrator pastes. */
export const tenantUrl = (issuer: string, providerId: string): string => scimRoot(issuer) + providerId

/**
 * Reads the path below `scimRoot`. Administrators paste base addresses with a slash at the end, and identity providers write
 * `/Users` and `/users`: both lead to the same place.
 * @param rest percent-encoding included.
 */
export function parseScimPath(rest: string): ScimPath {
  const [providerId = '', ...below] = rest
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .split('/')
  const [collection = '', segment = '', ...deeper] = below
  const id = decodeSegment(segment)
  if (deeper.length > 0 || id === undefined) return { providerId, collection: below.join('/'), id: '' }
  return { providerId, collection: collection.toLowerCase(), id }
}

/** Undefined for what is not well-formed, and for characters that no identifier has and not every database can look for. */
export function decodeSegment(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment)
    return isAllowedText(text, 'line') ? text : undefined
  } catch {
    // `decodeURIComponent` knows no other way to say that an escape is broken.
    return undefined
  }
}
