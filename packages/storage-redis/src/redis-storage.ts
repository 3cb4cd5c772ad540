import {
  aFunction,
  anObjectWith,
  aNonEmptyString,
  checkOptions,
  type ExpiringStores,
  type OptionCheck,
  required,
  wholeNumber,
} from '@mintmark/storage-interface/stores'

import { checkConfigurationOnce } from './check-configuration.ts'
import { createRedisCodes } from './codes.ts'
import { createRedisInteractions } from './interactions.ts'
import { createRedisOpaqueTokens } from './opaque-tokens.ts'
import { createRedisPushedRequests } from './pushed-requests.ts'
import { createKeySpace } from './key-space.ts'
import { canWait, type RedisClient } from './redis-client.ts'
import { createRedisReplays } from './replays.ts'
import { createScriptRunner } from './script-runner.ts'

/** Options of `createRedisStorage`. */
export interface RedisStorageOptions {
  /**
   * A connected client of node-redis (single, pool, cluster or sentinel) or of ioredis (`Redis` or `Cluster`). The host
   * owns it, listens to its `error` event, reconnects and closes it. Turn off the offline queue and re-sending
   * (`disableOfflineQueue: true`; for ioredis `enableOfflineQueue: false, autoResendUnfulfilledCommands: false`): a
   * command that runs after its caller got a 503 uses up a code that the client never receives.
   */
  readonly client: RedisClient
  /** The issuer identifier that the storage is bound to (RFC 8414 §2). */
  readonly issuer: string
  /**
   * The prefix of every key. A `{hash tag}` in it puts all keys on one master of a cluster.
   * @defaultValue `mintmark`. Other programs can use the same Redis.
   */
  readonly prefix?: string
  /**
   * How long to wait for a response, in milliseconds. After that time the call fails with `StorageUnavailableError`.
   * @defaultValue 3000. Users and proxies still wait that long.
   */
  readonly timeoutMilliseconds?: number
  /**
   * How many replicas must have a write before it counts as done. Redis then sends `WAIT` after each write, and a write that fewer
   * replicas confirm in half of `timeoutMilliseconds` fails with `StorageUnavailableError`; it may have happened. Writes of this
   * storage then take turns.
   * @defaultValue 0. A Redis without replicas is common, and what a lost write costs is limited.
   */
  readonly waitForReplicas?: number
  /**
   * Is called with a warning if `maxmemory-policy` is not `noeviction`, and with one if `appendonly` is not `yes`. Both
   * are read once, after the first answer, from one master of a cluster. There is no warning if the user of the client
   * may not call `INFO`.
   * @defaultValue Writes to the console. If Redis loses keys, it can forget that an assertion was used.
   */
  readonly onWarning?: (message: string) => void
}

/**
 * Creates stores for records that expire, in Redis 7 or later: authorization codes, interactions, pushed authorization
 * requests, replay marks and opaque access tokens. Combine them with a durable storage:
 * `composeStorage({ durable, expiring: createRedisStorage({ client, issuer }) })`.
 *
 * Every operation is one Lua script on one key, atomic on the key's master, so it works on Redis Cluster. The caller's
 * `now` decides what has expired; every key has a time to live that ends a little later. Keys contain digests only.
 *
 * The host must configure Redis, because Redis confirms a write before the write is durable:
 * - `maxmemory-policy noeviction`. Any other policy silently drops replay marks and revocations when memory is short.
 *   With it, a full server refuses writes, which is an outage.
 * - `appendonly yes`. Otherwise a restart restores the last snapshot, where consumed codes and revoked tokens are valid
 *   again. With `appendfsync everysec` a crash loses up to two seconds; `always` loses nothing that was confirmed.
 * - Replication is asynchronous, even in a cluster and under Sentinel: a failover loses writes that had not reached the
 *   new master. `min-replicas-to-write 1` with `min-replicas-max-lag 1` makes an isolated master refuse writes after
 *   two or three seconds, which limits the loss to those. With `waitForReplicas: 1` a write counts when a replica has
 *   it, and Sentinel prefers the replica that has the most.
 *
 * The consequences of such a loss, until the record in question expires:
 * - A consumed code can be redeemed once more. The family that it creates is a row of the durable storage: the second
 *   redemption is detected there, and revokes the tokens of the first. No second set of tokens stays valid.
 * - A client assertion can be used once more by an attacker who has intercepted it.
 * - An access token that was revoked individually (RFC 7009) is accepted again. Tokens that were revoked with their
 *   family, grant, client or user are not: those are rows of the durable storage.
 * - The same browser can complete an interaction once more, and a pushed request can get one more code; a new code,
 *   token, interaction or pushed request may be missing.
 *
 * If that is too much, keep these records in SQL.
 *
 * @throws StorageUnavailableError from every method while Redis cannot answer; it never answers "absent" instead.
 * Whether a command in progress took effect is then unknown: a code that it consumed stays consumed.
 */
export function createRedisStorage(options: RedisStorageOptions): ExpiringStores {
  checkOptions('createRedisStorage', options, {
    client: required(aClient),
    issuer: required(aNonEmptyString),
    prefix: aNonEmptyString,
    timeoutMilliseconds: wholeNumber(1),
    waitForReplicas: wholeNumber(0),
    onWarning: aFunction,
  })
  const { client, issuer, prefix = 'mintmark', timeoutMilliseconds = 3000, waitForReplicas = 0 } = options
  const { onWarning = warnOn(console) } = options
  if (waitForReplicas > 0 && !canWait(client))
    throw new TypeError('createRedisStorage: waitForReplicas needs a client that can send two commands together.')
  const keyOf = createKeySpace({ prefix, issuer })
  const run = checkConfigurationOnce(
    createScriptRunner(client, { timeoutMilliseconds, waitForReplicas }),
    keyOf,
    onWarning,
  )

  return {
    issuer,
    codes: createRedisCodes(run, keyOf),
    interactions: createRedisInteractions(run, keyOf),
    pushedRequests: createRedisPushedRequests(run, keyOf),
    replays: createRedisReplays(run, keyOf),
    opaqueTokens: createRedisOpaqueTokens(run, keyOf),
  }
}

const warnOn =
  (console: Pick<Console, 'warn'>) =>
  (message: string): void =>
    console.warn(`Mintmark: ${message}`)

const aClient: OptionCheck = (value) =>
  anObjectWith('evalSha', 'eval')(value) &&
  anObjectWith('evalsha', 'eval')(value) &&
  'must be a client of node-redis or ioredis'
