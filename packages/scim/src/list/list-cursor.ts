import { decodeBase64url, encodeBase64url, equalInConstantTime, hmacSha256 } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'
import type { ListPosition } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import type { ScimCaller } from '../providers/authenticate-provider.ts'
import { isActiveSecret } from '../providers/registration.ts'
import { isArray } from '../values/json.ts'
import { isAllowedText } from '../values/text.ts'

/** The position at which the next page begins. */
export interface CursorPosition {
  /** The index of the resource type to continue with. */
  readonly type: number
  /** The position in the list of that type; undefined at its start. */
  readonly after: ListPosition | undefined
}

/** The search that a cursor belongs to. The cursor is invalid for any other. */
interface CursorScope {
  readonly caller: ScimCaller
  /** Resource types, filter and order, as one string. */
  readonly query: string
  readonly count: number
  readonly now: EpochSeconds
  /** In seconds. */
  readonly lifetime: number
}

/**
 * Mints a cursor for the next page (RFC 9865 §2), signed with HMAC-SHA-256. It is neither a credential nor a secret: the request
 * that presents it is authenticated. The key is the digest of the provider's newest secret, so that all processes share it,
 * nothing is stored, and revoking the secret revokes its cursors.
 */
export async function mintListCursor({ type, after }: CursorPosition, scope: CursorScope): Promise<string> {
  const payload = encodeBase64url(JSON.stringify([type, after ?? null, scope.count, scope.now]))
  const [newest] = keysOf(scope)
  return `${payload}.${await signature(payload, newest, scope)}`
}

/**
 * Verifies a cursor and returns its position.
 * @throws ScimError invalidCursor — reason `cursor_invalid`, for any cursor that was not issued for this search; expiredCursor —
 * reason `cursor_expired`; invalidCount — reason `count_changed`.
 */
export async function verifyListCursor(cursor: string, scope: CursorScope): Promise<CursorPosition> {
  const payload = cursor.slice(0, Math.min(Math.max(cursor.indexOf('.'), 0), maximumLength))
  const signatures = await Promise.all(keysOf(scope).map((key) => signature(payload, key, scope)))
  // RFC 9865 §2.1 invalidCursor: issued for another provider or query, signed with a revoked secret, or forged.
  if (!signatures.some((candidate) => equalInConstantTime(`${payload}.${candidate}`, cursor)))
    throw refuse('cursor_invalid')
  const { position, count, issuedAt } = readPayload(payload)
  if (scope.now - issuedAt >= scope.lifetime) throw refuse('cursor_expired')
  // RFC 9865 §2: all parameters except the cursor must stay the same.
  if (count !== scope.count) throw refuse('count_changed')
  return position
}

/**
 * Returns the signing keys: the digests of active secrets, newest first. A provider that only uses access tokens may
 * have no secret; its id is then the key.
 */
function keysOf({ caller: { provider }, now }: CursorScope): readonly [string, ...string[]] {
  const activeDigests = provider.secrets.filter((secret) => isActiveSecret(secret, now)).map(({ digest }) => digest)
  const [newest = provider.providerId, ...older] = activeDigests.toReversed()
  return [newest, ...older]
}

async function signature(payload: string, key: string, { caller, query }: CursorScope): Promise<string> {
  const signed = JSON.stringify(['scim list cursor', caller.provider.providerId, query, payload])
  return encodeBase64url(await hmacSha256(new TextEncoder().encode(key), new TextEncoder().encode(signed)))
}

interface CursorPayload {
  readonly position: CursorPosition
  readonly count: number
  readonly issuedAt: number
}

/**
 * Parses and checks a signed payload. The provider knows its secret and could sign any payload, so none may reach
 * storage unchecked.
 */
function readPayload(payload: string): CursorPayload {
  const [type, after, count, issuedAt] = parsePayload(payload)
  const isValid =
    Number.isSafeInteger(type) &&
    Number.isSafeInteger(count) &&
    Number.isSafeInteger(issuedAt) &&
    (after === null || isPosition(after))
  // RFC 9865 §2.1 invalidCursor: forged.
  if (!isValid) throw refuse('cursor_invalid')
  return {
    position: { type: Number(type), after: after ?? undefined },
    count: Number(count),
    issuedAt: Number(issuedAt),
  }
}

function parsePayload(payload: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(decodeBase64url(payload)))
    return isArray(parsed) ? parsed : []
  } catch {
    // Not base64url or not JSON: the caller refuses the empty payload.
    return []
  }
}

/** Returns whether a value is a position that may be passed to storage. */
const isPosition = (after: unknown): after is ListPosition => typeof after === 'string' && isAllowedText(after, 'lines')

/** Longer than any valid cursor. One of a sorted list contains a value, which its text may double in length. */
const maximumLength = 9216
