import { encodeBase64url, equalInConstantTime, hmacSha256 } from '@mintmark/core/runtime'
import type { EpochSeconds, ListPosition } from '@mintmark/storage-interface'

import type { ScimCaller } from '../authentication/scim-caller.ts'
import { refusal } from '../error/refusal.ts'
import { isActiveSecret } from '../providers/registration.ts'
import { decodeBase64url } from '../text/base64url.ts'
import { isArray } from '../values/json.ts'
import { isAllowedText } from '../values/text.ts'
import { listLimits } from './search-request.ts'

/** How far a walk through the lists of one or several types has come. */
export interface CursorPosition {
  /** Which of the types is shown next, counted from 0. */
  readonly type: number
  /** Where in its list; undefined at its beginning. */
  readonly after: ListPosition | undefined
}

/** What a cursor belongs to: it leads nowhere in another walk. */
interface CursorScope {
  readonly caller: ScimCaller
  /** Types, filter and order, as one text. */
  readonly query: string
  readonly count: number
  readonly now: EpochSeconds
}

/**
 * A cursor for the next page (RFC 9865 §2), signed with HMAC-SHA-256. It opens nothing and hides nothing: whoever presents it
 * has proved who they are. The key is the digest of the provider's newest secret, so that all processes agree on it, nothing
 * has to be stored, and ending the secret ends the cursors.
 */
export async function mintListCursor({ type, after }: CursorPosition, walk: CursorScope): Promise<string> {
  const payload = encodeBase64url(JSON.stringify([type, after ?? null, walk.count, walk.now]))
  const [newest] = keysOf(walk)
  return `${payload}.${await signature(payload, newest, walk)}`
}

/**
 * Where a cursor leads.
 * @throws ScimError invalidCursor — reason `cursor_invalid`, for anything that was not issued for this very walk;
 * expiredCursor — reason `cursor_expired`; invalidCount — reason `count_changed`.
 */
export async function verifyListCursor(cursor: string, walk: CursorScope): Promise<CursorPosition> {
  const payload = cursor.slice(0, Math.min(Math.max(cursor.indexOf('.'), 0), maximumLength))
  const signatures = await Promise.all(keysOf(walk).map((key) => signature(payload, key, walk)))
  // RFC 9865 §2.1 invalidCursor: another provider's, another query's, of a secret that has ended, or made up.
  if (!signatures.some((own) => equalInConstantTime(`${payload}.${own}`, cursor))) throw refusal('cursor_invalid')
  const { place, count, issuedAt } = readPayload(payload)
  // RFC 9865 §2.1 expiredCursor.
  if (walk.now - issuedAt >= listLimits.cursorLifetime) throw refusal('cursor_expired')
  // RFC 9865 §2: all parameters but the cursor stay as they were.
  if (count !== walk.count) throw refusal('count_changed')
  return place
}

/** Live secrets, the newest first. A provider whose clients come with access tokens alone may have none. */
function keysOf({ caller: { provider }, now }: CursorScope): readonly [string, ...string[]] {
  const live = provider.secrets.filter((secret) => isActiveSecret(secret, now)).map(({ digest }) => digest)
  const [newest = provider.providerId, ...older] = live.toReversed()
  return [newest, ...older]
}

async function signature(payload: string, key: string, { caller, query }: CursorScope): Promise<string> {
  const signed = JSON.stringify(['scim list cursor', caller.provider.providerId, query, payload])
  return encodeBase64url(await hmacSha256(new TextEncoder().encode(key), new TextEncoder().encode(signed)))
}

interface CursorPayload {
  readonly place: CursorPosition
  readonly count: number
  readonly issuedAt: number
}

/** Whoever holds the secret can sign what we did not write, and must not reach storage with it. */
function readPayload(payload: string): CursorPayload {
  const [type, after, count, issuedAt] = parsePayload(payload)
  const isOurs =
    Number.isSafeInteger(type) &&
    Number.isSafeInteger(count) &&
    Number.isSafeInteger(issuedAt) &&
    (after === null || isPosition(after))
  // RFC 9865 §2.1 invalidCursor: made up.
  if (!isOurs) throw refusal('cursor_invalid')
  return { place: { type: Number(type), after: after ?? undefined }, count: Number(count), issuedAt: Number(issuedAt) }
}

function parsePayload(payload: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(decodeBase64url(payload)))
    return isArray(parsed) ? parsed : []
  } catch {
    // Neither base64url nor JSON: no payload of ours, as its reader says.
    return []
  }
}

/** What a store may be asked to begin behind: an age and an id. */
const isPosition = (after: unknown): after is ListPosition => typeof after === 'string' && isAllowedText(after, 'line')

/** Longer than any cursor of ours. */
const maximumLength = 2048
