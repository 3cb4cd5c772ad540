import { after, seconds, type DurationSeconds, type Storage } from '@mintmark/storage-interface'

import { systemClock, type Clock } from '../runtime/clock.ts'
import { randomIdentifier, systemRandom, type Random } from '../runtime/random.ts'
import { createEndingLog, type EndingLog } from './ending-log.ts'
import { watchedStorage } from './watched-storage.ts'

/** What resource servers are told as it happens: which tokens, grants, accounts and clients have ended. */
export interface RevocationFeed extends Pick<EndingLog, 'read' | 'waitBehind'> {
  /** The storage to use everywhere instead of the one that the feed was made of: what is ended through it is told. */
  readonly storage: Storage
  /** How long an ending is told: longer than any access token lives. */
  readonly keepFor: DurationSeconds
}

export interface RevocationFeedOptions {
  /**
   * How long an ending is told, in seconds; longer than any access token lives.
   * @defaultValue 7200. Twice the hour from which a lifetime counts as unsafe.
   */
  readonly keepFor?: number
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * A revocation feed for a host that is one process: it tells what this process ends, and forgets it with the process.
 * What another process writes to the same database it does not hear of, so do not use it where there are several.
 * @example
 * ```ts
 * const feed = inProcessRevocationFeed(await createSqlStorage({ issuer, dialect }))
 * const server = createAuthorizationServer({ issuer, storage: feed.storage, revocationFeed: feed, keys, signedIn })
 * ```
 */
export function inProcessRevocationFeed(storage: Storage, options: RevocationFeedOptions = {}): RevocationFeed {
  const clock = options.clock ?? systemClock
  const keepFor = seconds(options.keepFor ?? 7200)
  const log = createEndingLog({ name: randomIdentifier(options.random ?? systemRandom), startedAt: clock(), keepFor })
  const watched = watchedStorage(storage, {
    publish: (ending) => log.append(ending, clock()),
    until: () => after(clock(), keepFor),
  })

  return { ...log, storage: watched, keepFor }
}
