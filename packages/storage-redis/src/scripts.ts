import type { EpochSeconds } from '@mintmark/storage-interface'

/** A Lua script on one key, and whether it may write. */
export interface Script {
  readonly text: string
  readonly writes: boolean
}

export function reading(text: string): Script {
  return { text, writes: false }
}

export function writing(text: string): Script {
  return { text, writes: true }
}

/**
 * Lua function `keepSeconds(expiresAt, lifetime, margin)`: returns for how many seconds to keep a key. The caller's `now`
 * alone decides whether a record has expired. Redis removes a record that has expired by both clocks, the caller's and its
 * own.
 */
export const keepSeconds = `
local function keepSeconds(expiresAt, lifetime, margin)
  local left = tonumber(expiresAt) - tonumber(redis.call('TIME')[1])
  return math.max(left, tonumber(lifetime)) + tonumber(margin)
end
`

/**
 * The arguments of `keepSeconds`.
 * @param life `from` is the writer's time, if the record has it; `margin` is in seconds.
 * @throws TypeError for a value that is not a time: such a key would never expire.
 */
export function timeToLive(life: {
  readonly from: EpochSeconds | undefined
  readonly until: EpochSeconds
  readonly margin?: number
}): readonly [expiresAt: number, lifetime: number, margin: number] {
  const { until, from = until, margin = secondsKeptAfterExpiry } = life
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(until))
    throw new TypeError('A time must be a whole number of seconds.')
  return [until, Math.max(0, until - from), margin]
}

/** In seconds. The caller's clock may be slow. */
const secondsKeptAfterExpiry = 300

// Records are hashes. `owner` is the client or browser that may present the record, `expiresAt` and `endedAt` are
// seconds, and `record` is JSON. Lua never parses it, because Lua's JSON cannot distinguish an empty list from an empty
// object.
//
// `#!lua` without the flag `no-writes` makes Redis refuse the whole script when it would refuse a write: on a replica,
// on a master with too few replicas, with a broken disk. So even reads are answered only by the master.

/** ARGV: expiresAt, lifetime, margin, then names and values. Answers `inserted` or `taken`. */
export const insertScript = writing(`#!lua
${keepSeconds}
if redis.call('EXISTS', KEYS[1]) == 1 then return {'taken'} end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('EXPIRE', KEYS[1], keepSeconds(ARGV[1], ARGV[2], ARGV[3]))
return {'inserted'}
`)

/** Lua that continues only with a record that belongs to the owner (ARGV[1]) and has not expired (ARGV[2] is now). */
export const unexpiredRecord = `
local fields = {'owner', 'expiresAt', 'endedAt', 'record', 'login', 'version'}
local owner, expiresAt, endedAt, record, login, version = unpack(redis.call('HMGET', KEYS[1], unpack(fields)))
if not owner or owner ~= ARGV[1] then return {'absent'} end
if not (tonumber(ARGV[2]) < tonumber(expiresAt)) then return {'absent'} end
`

/**
 * ARGV: owner, now. Answers `found` or `ended`, each with record, login and version, or `absent`. It writes nothing, so
 * it works when memory is full.
 */
export const findScript = reading(`#!lua flags=allow-oom
${unexpiredRecord}
return {endedAt and 'ended' or 'found', record, login, version}
`)

/** ARGV: owner, now. Answers `won` or `replayed`, each with record, login and version, or `absent`. */
export const consumeScript = writing(`#!lua
${unexpiredRecord}
if endedAt then return {'replayed', record, login, version} end
redis.call('HSET', KEYS[1], 'endedAt', ARGV[2])
return {'won', record, login, version}
`)
