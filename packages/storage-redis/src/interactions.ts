import type { InteractionRecord, JsonValue } from '@mintmark/storage-interface'
import type { InteractionLogin, InteractionStore } from '@mintmark/storage-interface/stores'
import { interactions, jsonCodec, loginFields } from '@mintmark/storage-interface/records'
import type { KeyOf } from './key-space.ts'
import { type RunScript, unexpectedReply } from './script-runner.ts'
import { consumeScript, findScript, insertScript, unexpiredRecord, timeToLive, writing } from './scripts.ts'
import { parseStored, storedJson } from './stored-json.ts'

export function createRedisInteractions(run: RunScript, keyOf: KeyOf): InteractionStore {
  const readInteraction = interactionReader()

  return {
    async insert(interaction) {
      const timeToLiveArguments = timeToLive({ from: interaction.createdAt, until: interaction.expiresAt })

      const key = await keyOf('interaction', interaction.digest)
      const [outcome] = await run(insertScript, key, [...timeToLiveArguments, ...fieldsOf(interaction)])
      if (outcome === 'inserted' || outcome === 'taken') return { outcome }
      throw unexpectedReply(outcome)
    },

    async find(digest, browserDigest, now) {
      const [outcome, ...stored] = await run(findScript, await keyOf('interaction', digest), [browserDigest, now])
      if (outcome === 'absent') return undefined
      if (outcome === 'ended') return 'consumed'
      if (outcome === 'found') return readInteraction(stored)
      throw unexpectedReply(outcome)
    },

    async recordLogin({ digest, browserDigest, login, version, now }) {
      const args = [browserDigest, now, version, storedJson(login), version + 1]
      const [outcome, ...stored] = await run(recordLoginScript, await keyOf('interaction', digest), args)
      if (outcome === 'absent' || outcome === 'conflict') return { outcome }
      if (outcome === 'swapped') return { outcome, record: readInteraction(stored) }
      throw unexpectedReply(outcome)
    },

    async consume(digest, browserDigest, now) {
      const [outcome, ...stored] = await run(consumeScript, await keyOf('interaction', digest), [browserDigest, now])
      if (outcome === 'absent') return { outcome }
      if (outcome === 'won' || outcome === 'replayed') return { outcome, record: readInteraction(stored) }
      throw unexpectedReply(outcome)
    },
  }
}

function fieldsOf({ login, version, ...record }: InteractionRecord): readonly (string | number)[] {
  const fields = [
    'owner',
    record.browserDigest,
    'expiresAt',
    record.expiresAt,
    'record',
    storedJson(record),
    'version',
    version,
  ]
  return login === undefined ? fields : [...fields, 'login', storedJson(login)]
}

/** Reads the record, login and version that a script returns. Login and version can change, so each has its own hash field. */
function interactionReader(): (reply: readonly (string | null)[]) => InteractionRecord {
  const { login: _login, version: _version, ...storedFields } = interactions.fields
  const { decode } = jsonCodec(storedFields, 'null')
  const { inSession, ...firstLoginFields } = loginFields
  const { decode: decodeLogin } = jsonCodec(firstLoginFields, 'null')
  // Logins that were stored before `inSession` existed lack it.
  const { decode: decodeInSession } = jsonCodec({ inSession }, 'omitted')
  const readLogin = (stored: JsonValue): InteractionLogin => ({ ...decodeLogin(stored), ...decodeInSession(stored) })

  return ([record, login, version]) => ({
    ...decode(parseStored(record)),
    login: typeof login === 'string' ? readLogin(parseStored(login)) : undefined,
    version: readVersion(version),
  })
}

function readVersion(version: string | null | undefined): number {
  if (!/^-?\d+$/.test(version ?? '')) throw new Error('A stored interaction has no valid version.')
  return Number(version)
}

/**
 * ARGV: owner, now, version, login, the next version.
 * Answers `swapped` with record, login and version, `conflict` or `absent`.
 */
const recordLoginScript = writing(`#!lua
${unexpiredRecord}
if endedAt then return {'absent'} end
if version ~= ARGV[3] then return {'conflict'} end
redis.call('HSET', KEYS[1], 'login', ARGV[4], 'version', ARGV[5])
return {'swapped', record, ARGV[4], ARGV[5]}
`)
