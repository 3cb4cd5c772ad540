import { decodeSegment } from '@mintmark/internal'

import { isAllowedText } from './text.ts'

/** A parsed SCIM path below the tenant URL of a provider (RFC 7644 §3.2). */
export interface ScimPath {
  /** As in the URL, not validated. */
  readonly providerId: string
  /** In lower case. If more than an `id` follows, it contains the whole rest of the path, so that no route matches. */
  readonly collection: string
  /** Decoded; empty for the collection. */
  readonly id: string
}

/** Returns the common prefix of all tenant URLs. */
export const scimRoot = (issuer: string): string => `${issuer}/scim/v2/enterprise-idps/`

/** Returns the SCIM tenant URL of a provider, which its administrator enters in the identity provider's console. */
export const tenantUrl = (issuer: string, providerId: string): string => scimRoot(issuer) + providerId

/**
 * Parses the path below `scimRoot`. Trailing slashes are ignored, because administrators paste them; names are case-insensitive,
 * because identity providers write `/Users` and `/users`.
 * @param rest percent-encoded.
 */
export function parseScimPath(rest: string): ScimPath {
  const [providerId = '', ...below] = rest
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .split('/')
  const [collection = '', segment = '', ...deeper] = below
  const id = decodeIdentifier(segment)
  if (deeper.length > 0 || id === undefined) return { providerId, collection: below.join('/'), id: '' }
  return { providerId, collection: collection.toLowerCase(), id }
}

/**
 * Decodes the id in a path segment. Returns undefined when it is malformed, or has characters that some databases
 * cannot compare.
 */
export function decodeIdentifier(segment: string): string | undefined {
  const text = decodeSegment(segment)
  return text !== undefined && isAllowedText(text, 'line') ? text : undefined
}
