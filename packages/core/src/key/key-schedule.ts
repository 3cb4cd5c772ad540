import { seconds, type DurationSeconds } from '@mintmark/storage-interface'
import * as z from 'zod/mini'

import { documentMaxAge } from '../discovery/public-document.ts'
import { inWords } from '../error/in-words.ts'

/**
 * When a signing key changes its state. It is announced when it is made, and published from then on; it signs when its
 * announcement is over, until the next key does; then it is retired, still published and accepted; then it is dropped.
 */
export interface KeySchedule {
  /**
   * How long a key is published before it signs. At least as long as a copy of `/jwks` may be old, so that whoever
   * checks a signature has the key by then: its max-age and `staleness`, 305 seconds.
   * @defaultValue 86400, 1 day. Also caches that keep it for longer than they were told have it by then.
   */
  readonly announce: DurationSeconds
  /**
   * How long a key signs. At least `announce` and `retire` together.
   * @defaultValue 7776000, 90 days. Long enough to be no event, short enough that it is practised.
   */
  readonly sign: DurationSeconds
  /**
   * How long a key is published after it has signed its last. No token may live longer.
   * @defaultValue 1209600, 14 days. ID tokens come back as hints after they have expired (OIDC Core §3.1.2.1).
   */
  readonly retire: DurationSeconds
  /**
   * How old the picture may be that a server has of the keys in storage. What one process does, a dropped key above
   * all, the others know after so long at the latest.
   * @defaultValue 5. A key that leaked is gone everywhere within seconds, for one read of a few rows in five seconds.
   */
  readonly staleness: DurationSeconds
}

/** A schedule as a host writes it: any of its members, in seconds. */
export type KeyScheduleOptions = { readonly [Member in keyof KeySchedule]?: number }

/** @throws TypeError that names the member and says what to change. */
export function parseKeySchedule(options: KeyScheduleOptions): KeySchedule {
  const result = schema.safeParse(options, inWords)
  if (!result.success) throw new TypeError(`Invalid schedule of keys:\n${z.prettifyError(result.error)}`)
  return result.data
}

const day = 86_400

const duration = (least: number, fallback: number) =>
  z.pipe(z.prefault(z.int().check(z.minimum(least), z.maximum(3650 * day)), fallback), z.transform(seconds))

const schema = z
  .strictObject({
    announce: duration(0, day),
    sign: duration(1, 90 * day),
    retire: duration(1, 14 * day),
    staleness: duration(0, 5),
  })
  .check(
    // OIDC Core §10.1.1: a key is in the key set before it signs, also in the copies of the set that may still be in use.
    z.refine(({ announce, staleness }) => announce >= documentMaxAge + staleness, {
      path: ['announce'],
      error: `must be at least ${documentMaxAge} and staleness together: so old may a copy of /jwks be`,
    }),
    // With less, a key would be announced while the one before the last is still needed.
    z.refine(({ announce, sign, retire }) => sign >= announce + retire, {
      path: ['sign'],
      error: 'must be at least announce and retire together',
    }),
  )
