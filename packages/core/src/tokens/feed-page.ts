import {
  after,
  epochSeconds,
  type DurationSeconds,
  type EpochSeconds,
  type Revocation,
  type RevocationList,
  type RevocationRecord,
  type RevocationStore,
  type UserId,
} from '@mintmark/storage-interface'

import { encodeBase64url } from '../runtime/base64url.ts'
import { sha256 } from '../runtime/digest.ts'

/** A piece of the feed. */
export interface FeedPage {
  readonly endings: readonly DeliveredRevocation[]
  /** Names the place behind the last of them, in at most 64 letters, digits and points. */
  readonly cursor: string
  /** Of tokens that were issued later than this, the feed tells all that ended. */
  readonly coversAfter: EpochSeconds
  /** Whether there is more behind the cursor already. */
  readonly more: boolean
  /** The position of the last of them. */
  readonly position: number
}

export interface ReadFeedDependencies {
  readonly endings: RevocationStore
  /** For how long an ending is told: longer than any access token lives. */
  readonly toldFor: DurationSeconds
}

/** What is behind the cursor, at most a thousand endings; from the beginning where the cursor names no ending that is there. */
export async function readFeed(
  cursor: string | undefined,
  now: EpochSeconds,
  { endings: store, toldFor }: ReadFeedDependencies,
): Promise<FeedPage> {
  const endedSince = epochSeconds(now - toldFor)
  const place = parseFeedCursor(cursor)
  const { before, behind, completeSince } = await listBehind(place)
  const until = after(now, toldFor)
  const told = await Promise.all(
    behind.slice(0, pageSize).map(({ revocation: ending }) => deliveredRevocation(ending, until)),
  )
  const endings = told.slice(0, fitting(told))
  const last = behind[endings.length - 1] ?? before
  return {
    endings,
    cursor: await cursorBehind(last),
    // A receiver whose clock is ahead forgets endings so much earlier.
    coversAfter: epochSeconds(Math.max(completeSince, endedSince + receiverSkew)),
    more: behind.length > endings.length,
    position: last?.position ?? 0,
  }

  async function listBehind(from: typeof place): Promise<Behind> {
    if (from === undefined) {
      const list = await store.list({ from: undefined, endedSince, limit: pageSize + 1 })
      return { ...list, before: undefined, behind: list.records }
    }
    // Whoever goes on is told all, also by a process whose clock is far behind.
    const list = await store.list({ from: from.position, endedSince: epochSeconds(0), limit: pageSize + 2 })
    const [before, ...behind] = list.records
    return (await isPlaceOf(from, before)) ? { ...list, before, behind } : listBehind(undefined)
  }
}

/** How many of them one page has room for, and never none: receivers read no answer that is larger than they expect. */
function fitting(told: readonly DeliveredRevocation[]): number {
  let length = 0
  for (const [index, [, name]] of told.entries()) {
    length += name.length
    if (length > namesOnPage) return Math.max(index, 1)
  }
  return told.length
}

/** What is behind a place, and the ending before it. */
interface Behind extends Pick<RevocationList, 'completeSince'> {
  readonly before: RevocationRecord | undefined
  readonly behind: readonly RevocationRecord[]
}

const pageSize = 1000

/** In characters. Only names of clients may be long: with each of them escaped the answer is shorter than 256 KiB. */
const namesOnPage = 80_000

/** In seconds. */
const receiverSkew = 60

/** The place behind an ending: its position, and a digest that tells it from another one that may come to stand there. */
interface FeedPlace {
  readonly position: number
  readonly mark: string
}

/** Names the place behind the ending; before the first without one. */
async function cursorBehind(record: RevocationRecord | undefined): Promise<string> {
  return record === undefined ? 'start' : `${record.position}.${await markOf(record)}`
}

/** @returns `undefined` for the beginning, and for what names no place. */
function parseFeedCursor(cursor: string | undefined): FeedPlace | undefined {
  const [, position = '', mark = ''] = /^([1-9]\d{0,14})\.([\w-]{22})$/.exec(cursor ?? '') ?? []
  return position === '' ? undefined : { position: Number(position), mark }
}

/**
 * Whether this is the ending behind which the place is. A database that was restored from a backup, or that has lost its last
 * transactions, gives positions again: who went on from one of before would miss what stands there now.
 */
async function isPlaceOf(place: FeedPlace, record: RevocationRecord | undefined): Promise<boolean> {
  return record?.position === place.position && (await markOf(record)) === place.mark
}

async function markOf({ position, revocation: ending, revokedAt: endedAt }: RevocationRecord): Promise<string> {
  const digest = await sha256(JSON.stringify([position, ending, endedAt]))
  return encodeBase64url(digest).slice(0, 22)
}

/**
 * An ending as resource servers are told of it, by its kind and name. Access tokens carry the same names, so that whoever
 * receives them can compare. `until`: when no token that depended on it can be alive any more; 0 takes it back.
 */
type DeliveredRevocation = readonly [kind: ToldKind, name: string, until: EpochSeconds | 0]

type ToldKind = 'account' | 'client' | 'family' | 'grant' | 'token'

export async function deliveredRevocation(ending: Revocation, until: EpochSeconds): Promise<DeliveredRevocation> {
  switch (ending.kind) {
    case 'token':
      return ['token', ending.tokenId, until]
    case 'family':
      return ['family', ending.familyId, until]
    case 'grant':
      return ['grant', ending.grantId, until]
    case 'generation':
      return ['account', `${await accountName(ending.userId)}.${ending.generation}`, until]
    case 'account':
      return ['account', await accountName(ending.userId), until]
    case 'client':
      return ['client', ending.clientId, until]
    case 'client_in_use':
      break
  }
  return ['client', ending.clientId, 0]
}

/** A digest: a receiver that does not know the subject learns nothing of the person. */
const accountName = async (userId: UserId): Promise<string> => encodeBase64url(await sha256(userId))
