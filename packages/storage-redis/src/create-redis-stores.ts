import type { ExpiringStores } from '@mintmark/storage-interface'
import { createRedisReplays } from './replays.ts'
import { createRedisCodes } from './codes.ts'
import { createRedisInteractions } from './interactions.ts'
import { createKeySpace } from './key-space.ts'
import { createRedisOpaqueTokens } from './opaque-tokens.ts'
import type { RedisClient } from './redis-client.ts'
import { createScriptRunner } from './script-runner.ts'

/** What is given to `createRedisStores`. */
export interface RedisStorageOptions {
  /**
   * A connected client of node-redis (single, pool, cluster or sentinel) or of ioredis (`Redis` or `Cluster`). It stays
   * the host's: with its `error` listener, its reconnecting and its closing. Best without an offline queue and without
   * re-sending (`disableOfflineQueue: true`; for ioredis `enableOfflineQueue: false, autoResendUnfulfilledCommands:
   * false`): a command that runs after its caller was told 503 uses up a code that nobody gets.
   */
  readonly client: RedisClient
  /** The issuer identifier that the handle is bound to (RFC 8414 §2). */
  readonly issuer: string
  /**
   * What every key begins with. A `{hash tag}` in it gives one master of a cluster all keys.
   * @defaultValue `mintmark`. Other programs in the same Redis are not in the way.
   */
  readonly prefix?: string
  /**
   * After how many milliseconds an unanswered command counts as an outage.
   * @defaultValue 3000. A person still waits so long, and a proxy does.
   */
  readonly timeoutMilliseconds?: number
}

/**
 * What expires, in Redis 7 or later: authorization codes, interactions, claims and opaque access tokens. Join it with a
 * durable storage: `composeStorage({ durable, expiring: createRedisStores({ client, issuer }) })`.
 *
 * Every operation is one Lua script on one key, sent to that key's master, and atomic there; it runs on Redis Cluster.
 * The caller's `now` decides what has expired; every key has a time to live that ends a little later. Keys carry
 * digests.
 *
 * What the host has to set, because Redis confirms a write before it is safe:
 * - `maxmemory-policy noeviction`. Any other policy drops replay marks and revocations when memory is short, in
 *   silence. With it a full server refuses, and that is an outage.
 * - `appendonly yes`. Without it a restart brings back the last snapshot: consumed codes are whole again, revoked
 *   tokens too. With `appendfsync everysec` a crash loses up to two seconds; `always` loses nothing that was confirmed.
 * - Replication is asynchronous, also in a cluster and under Sentinel: a failover loses what had not reached the
 *   replica that takes over. `min-replicas-to-write 1` with `min-replicas-max-lag 1` makes a master that is cut off
 *   refuse after two or three seconds, which bounds the loss to those. `WAIT` would narrow it further and not close it;
 *   it is not sent.
 *
 * What such a loss may do, until the record in question expires and no longer:
 * - A code that was consumed can be won once more. The family that it founds is a row of the durable storage: there the
 *   second redemption shows, and ends what the first was given. No second set of tokens lives.
 * - A client assertion can be used once more, by somebody who has read it in transit.
 * - An access token that was revoked by itself (RFC 7009) is honoured again. One that ended with its family, grant,
 *   client or user is not: those are rows of the durable storage.
 * - An interaction can be completed once more by the same browser; a new code, token or interaction may be gone.
 * Where that is too much, keep these stores in SQL.
 *
 * @throws StorageUnavailableError from every method, while Redis cannot answer: never "absent" instead. Whether a
 * command that was under way has been carried out is then unknown: one that has used up a code leaves it used up.
 */
export function createRedisStorage(options: RedisStorageOptions): ExpiringStores {
  const { client, issuer, prefix = 'mintmark', timeoutMilliseconds = 3000 } = options
  const run = createScriptRunner(client, timeoutMilliseconds)
  const keyOf = createKeySpace({ prefix, issuer })

  return {
    issuer,
    codes: createRedisCodes(run, keyOf),
    interactions: createRedisInteractions(run, keyOf),
    replays: createRedisReplays(run, keyOf),
    opaqueTokens: createRedisOpaqueTokens(run, keyOf),
  }
}
