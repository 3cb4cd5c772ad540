import { keepSeconds } from './time-to-live.ts'

// Records are hashes. `owner` is whoever alone may present the record, `expiresAt` and `endedAt` are seconds, `record`
// is JSON that Lua never parses, since its JSON cannot tell an empty list from an empty object.
//
// `#!lua` without the flag `no-writes` makes Redis refuse the whole script where a write would be refused: on a
// replica, on a master with too few replicas, with a broken disk. So reads, too, are answered by the master only.

/** ARGV: expiresAt, lifetime, margin, then names and values. Answers `inserted` or `taken`. */
export const insertScript = `#!lua
${keepSeconds}
if redis.call('EXISTS', KEYS[1]) == 1 then return {'taken'} end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('EXPIRE', KEYS[1], keepSeconds(ARGV[1], ARGV[2], ARGV[3]))
return {'inserted'}
`

/** Lua that goes on only with a record that is the owner's (ARGV[1]) and has not expired (ARGV[2] is now). */
export const liveRecord = `
local fields = {'owner', 'expiresAt', 'endedAt', 'record', 'login', 'version'}
local owner, expiresAt, endedAt, record, login, version = unpack(redis.call('HMGET', KEYS[1], unpack(fields)))
if not owner or owner ~= ARGV[1] then return {'absent'} end
if not (tonumber(ARGV[2]) < tonumber(expiresAt)) then return {'absent'} end
`

/**
 * ARGV: owner, now. Answers `found` or `ended`, each with record, login and version, or `absent`.
 * It writes nothing, so memory may be full.
 */
export const findScript = `#!lua flags=allow-oom
${liveRecord}
return {endedAt and 'ended' or 'found', record, login, version}
`

/** ARGV: owner, now. Answers `won` or `replayed`, each with record, login and version, or `absent`. */
export const consumeScript = `#!lua
${liveRecord}
if endedAt then return {'replayed', record, login, version} end
redis.call('HSET', KEYS[1], 'endedAt', ARGV[2])
return {'won', record, login, version}
`
