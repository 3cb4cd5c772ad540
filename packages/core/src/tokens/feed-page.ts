import { encodeBase64url, sha256 } from '@mintmark/internal'
import {
  after,
  type DurationSeconds,
  type EpochSeconds,
  epochSeconds,
  type RevocationRecord,
} from '@mintmark/storage-interface'
import type { Revocation, RevocationList, RevocationStore } from '@mintmark/storage-interface/stores'

import type { RevocationNames } from './access-token.ts'

/** A page of the feed. */
export interface FeedPage {
  readonly revocations: readonly DeliveredRevocation[]
  /** Marks the position after the last entry: at most 64 letters, digits, dots, hyphens and underscores. */
  readonly cursor: string
  /** For tokens issued after this time, the feed contains every revocation. */
  readonly coversAfter: EpochSeconds
  /** Whether more entries are available already. */
  readonly more: boolean
  /** The position of the last entry. */
  readonly position: number
}

export interface ReadFeedDependencies {
  readonly revocations: RevocationStore
  /** How long a revocation is delivered: longer than any access token lives. */
  readonly retention: DurationSeconds
  readonly names: RevocationNames
}

/**
 * Reads up to a thousand entries of the feed after the cursor, or from the beginning when the cursor matches no stored
 * entry, or comes from a page that left out entries because the clock of its server was ahead.
 */
export async function readFeed(
  cursor: string | undefined,
  now: EpochSeconds,
  { revocations: store, retention, names }: ReadFeedDependencies,
): Promise<FeedPage> {
  const revokedSince = epochSeconds(Math.max(now - retention, 0))
  const { before, following, completeSince, beganAt } = await listAfter(parseFeedCursor(cursor))
  const until = after(now, retention)
  const delivered = await Promise.all(
    following.slice(0, pageSize).map(({ revocation }) => deliveredRevocations(revocation, until, names)),
  )
  const count = countFittingRecords(delivered)
  const last = following[count - 1] ?? before
  return {
    revocations: delivered.slice(0, count).flat(),
    cursor: await cursorAfter(last, beganAt),
    // A receiver whose clock is ahead discards entries early, by as much as its clock is ahead.
    coversAfter: epochSeconds(Math.max(completeSince, revokedSince + clockSkew)),
    more: following.length > count,
    position: last?.position ?? 0,
  }

  async function listAfter(from: FeedPosition | undefined): Promise<EntriesAfter> {
    // `coversAfter` of this page must not be earlier than the first entry that the receiver has read.
    if (from === undefined || from.beganAt > revokedSince + clockSkew) {
      const list = await store.list({ from: undefined, revokedSince, limit: pageSize + 1 })
      return { ...list, before: undefined, following: list.records, beganAt: revokedSince }
    }
    // With a cursor, every later entry is returned, whatever the clock of this process says.
    const list = await store.list({ from: from.position, revokedSince: epochSeconds(0), limit: pageSize + 2 })
    const [before, ...following] = list.records
    const { beganAt } = from
    return (await pointsTo(from, before)) ? { ...list, before, following, beganAt } : listAfter(undefined)
  }
}

/** Returns how many records fit on a page, at least one. Receivers reject responses that are larger than expected. */
function countFittingRecords(delivered: readonly (readonly DeliveredRevocation[])[]): number {
  let length = 0
  for (const [index, entries] of delivered.entries()) {
    length += entries.reduce((sum, [, name]) => sum + 2 * name.length + entryLength, 0)
    if (length > namesOnPage) return Math.max(index, 1)
  }
  return delivered.length
}

/** The entries after a position, and the entry at the position. */
interface EntriesAfter extends Pick<RevocationList, 'completeSince'>, Pick<FeedPosition, 'beganAt'> {
  readonly before: RevocationRecord | undefined
  readonly following: readonly RevocationRecord[]
}

const pageSize = 1000

/** In characters, if every character of a name is escaped. The response is then shorter than 256 KiB in base64url. */
const namesOnPage = 160_000

/** In characters: the kind, the time and the punctuation of an entry. */
const entryLength = 32

/** In seconds: how far the clock of a receiver, or of the server of its first page, may be ahead. */
const clockSkew = 60

/** A position in the feed, with a digest of the entry at that position. */
interface FeedPosition {
  readonly position: number
  readonly entryDigest: string
  /** The first page of the receiver left out the revocations before this time. */
  readonly beganAt: EpochSeconds
}

/** Encodes the position of the entry, or of the beginning. */
async function cursorAfter(record: RevocationRecord | undefined, beganAt: EpochSeconds): Promise<string> {
  return record === undefined ? 'start' : `${record.position}.${await digestOfEntry(record)}.${beganAt}`
}

/** @returns `undefined` for the beginning and for a malformed cursor. */
function parseFeedCursor(cursor: string | undefined): FeedPosition | undefined {
  const [, position, entryDigest, beganAt] = /^([1-9]\d{0,14})\.([\w-]{22})\.(\d{1,11})$/.exec(cursor ?? '') ?? []
  if (position === undefined || entryDigest === undefined) return undefined
  return { position: Number(position), entryDigest, beganAt: epochSeconds(Number(beganAt)) }
}

/**
 * Whether the cursor points to this entry. A database that was restored from a backup, or lost its last transactions,
 * assigns positions again; continuing by position alone would skip the new entries.
 */
async function pointsTo(position: FeedPosition, record: RevocationRecord | undefined): Promise<boolean> {
  return record?.position === position.position && (await digestOfEntry(record)) === position.entryDigest
}

async function digestOfEntry({ position, revocation, revokedAt }: RevocationRecord): Promise<string> {
  const digest = await sha256(JSON.stringify([position, revocation, revokedAt]))
  return encodeBase64url(digest).slice(0, 22)
}

/**
 * A revocation as resource servers receive it. Access tokens carry the same names, so receivers can compare them.
 * `until`: when every token that depended on it has expired; 0 withdraws the entry.
 */
type DeliveredRevocation = readonly [kind: DeliveredKind, name: string, until: EpochSeconds | 0]

type DeliveredKind = 'account' | 'client' | 'family' | 'grant' | 'key' | 'session' | 'token'

export async function deliveredRevocations(
  revocation: Revocation,
  until: EpochSeconds,
  names: RevocationNames,
): Promise<readonly DeliveredRevocation[]> {
  switch (revocation.kind) {
    case 'token':
      return [['token', revocation.tokenId, until]]
    case 'family':
      return [['family', revocation.familyId, until]]
    case 'grant':
      return [['grant', revocation.grantId, until]]
    case 'session':
      return [['session', revocation.sessionId, until]]
    case 'generation':
      return (await names.ofUser(revocation.userId)).map((name) => [
        'account',
        `${name}.${revocation.generation}`,
        until,
      ])
    case 'account':
      return (await names.ofUser(revocation.userId)).map((name) => ['account', name, until])
    case 'key':
      return [['key', revocation.keyId, until]]
    case 'client':
      return (await names.ofClient(revocation.clientId)).map((name) => ['client', name, until])
    case 'client_in_use':
      break
  }
  return (await names.ofClient(revocation.clientId)).map((name) => ['client', name, 0])
}
