import type { RevocationRecord } from '@mintmark/storage-interface'

import { encodeBase64url } from '../runtime/base64url.ts'
import { sha256 } from '../runtime/digest.ts'

/** The place behind an ending: its position, and a digest that tells it from another one that may come to stand there. */
export interface FeedPlace {
  readonly position: number
  readonly mark: string
}

/** Names the place behind the ending; before the first without one. */
export async function cursorBehind(record: RevocationRecord | undefined): Promise<string> {
  return record === undefined ? 'start' : `${record.position}.${await markOf(record)}`
}

/** @returns `undefined` for the beginning, and for what names no place. */
export function parseFeedCursor(cursor: string | undefined): FeedPlace | undefined {
  const [, position = '', mark = ''] = /^([1-9]\d{0,14})\.([\w-]{22})$/.exec(cursor ?? '') ?? []
  return position === '' ? undefined : { position: Number(position), mark }
}

/**
 * Whether this is the ending behind which the place is. A database that was restored from a backup, or that has lost its last
 * transactions, gives positions again: who went on from one of before would miss what stands there now.
 */
export async function isPlaceOf(place: FeedPlace, record: RevocationRecord | undefined): Promise<boolean> {
  return record?.position === place.position && (await markOf(record)) === place.mark
}

async function markOf({ position, revocation: ending, revokedAt: endedAt }: RevocationRecord): Promise<string> {
  const digest = await sha256(JSON.stringify([position, ending, endedAt]))
  return encodeBase64url(digest).slice(0, 22)
}
