import type { OpaqueTokenStore } from '@mintmark/storage-interface/stores'
import { jsonCodec, opaqueTokens } from '@mintmark/storage-interface/records'
import type { KeyOf } from './key-space.ts'
import { type RunScript, unexpectedReply } from './script-runner.ts'
import { insertScript, reading, timeToLive, writing } from './scripts.ts'
import { parseStored, storedJson } from './stored-json.ts'

export function createRedisOpaqueTokens(run: RunScript, keyOf: KeyOf): OpaqueTokenStore {
  const { revokedAt: _, ...storedFields } = opaqueTokens.fields
  const { decode } = jsonCodec(storedFields, 'null')

  return {
    async insert({ revokedAt, ...token }) {
      // The record has no time of issue, so Redis's own clock decides how long the key is kept. If the key expires too
      // early, its token does too, which is safe.
      const timeToLiveArguments = timeToLive({ from: undefined, until: token.expiresAt })
      const fields = ['owner', token.clientId, 'expiresAt', token.expiresAt, 'record', storedJson(token)]
      const endedFields = revokedAt === undefined ? [] : ['endedAt', revokedAt]

      const [outcome] = await run(insertScript, await keyOf('token', token.digest), [
        ...timeToLiveArguments,
        ...fields,
        ...endedFields,
      ])
      if (outcome === 'inserted' || outcome === 'taken') return { outcome }
      throw unexpectedReply(outcome)
    },

    async find(digest, now) {
      const [outcome, record] = await run(findUnrevokedScript, await keyOf('token', digest), [now])
      if (outcome === 'absent') return undefined
      if (outcome === 'found') return { ...decode(parseStored(record)), revokedAt: undefined }
      throw unexpectedReply(outcome)
    },

    async revoke(digest, clientId, now) {
      const [outcome] = await run(revokeScript, await keyOf('token', digest), [clientId, now])
      if (outcome === 'revoked' || outcome === 'unchanged' || outcome === 'absent') return { outcome }
      throw unexpectedReply(outcome)
    },
  }
}

/**
 * ARGV: now. Does not compare the owner: anybody who holds the token may use it. Answers `found` with the record, or
 * `absent`.
 */
const findUnrevokedScript = reading(`#!lua flags=allow-oom
local expiresAt, endedAt, record = unpack(redis.call('HMGET', KEYS[1], 'expiresAt', 'endedAt', 'record'))
if not expiresAt or endedAt then return {'absent'} end
if not (tonumber(ARGV[1]) < tonumber(expiresAt)) then return {'absent'} end
return {'found', record}
`)

/**
 * RFC 7009 §2.1: a token is revoked only by the client it was issued to.
 * ARGV: owner, now. Answers `revoked`, `unchanged` or `absent`.
 */
const revokeScript = writing(`#!lua
local owner, endedAt = unpack(redis.call('HMGET', KEYS[1], 'owner', 'endedAt'))
if not owner or owner ~= ARGV[1] then return {'absent'} end
if endedAt then return {'unchanged'} end
redis.call('HSET', KEYS[1], 'endedAt', ARGV[2])
return {'revoked'}
`)
