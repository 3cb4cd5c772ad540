import type { AuthorizationCodeStore } from '@mintmark/storage-interface/stores'
import { codes, jsonCodec } from '@mintmark/storage-interface/records'
import type { KeyOf } from './key-space.ts'
import { type RunScript, unexpectedReply } from './script-runner.ts'
import { consumeScript, findScript, insertScript, timeToLive } from './scripts.ts'
import { parseStored, storedJson } from './stored-json.ts'

export function createRedisCodes(run: RunScript, keyOf: KeyOf): AuthorizationCodeStore {
  const { decode } = jsonCodec(codes.fields, 'null')

  return {
    async insert(code) {
      const timeToLiveArguments = timeToLive({ from: code.issuedAt, until: code.expiresAt })
      const fields = ['owner', code.clientId, 'expiresAt', code.expiresAt, 'record', storedJson(code)]

      const [outcome] = await run(insertScript, await keyOf('code', code.digest), [...timeToLiveArguments, ...fields])
      if (outcome === 'inserted' || outcome === 'taken') return { outcome }
      throw unexpectedReply(outcome)
    },

    async find(digest, clientId, now) {
      const [outcome, record] = await run(findScript, await keyOf('code', digest), [clientId, now])
      if (outcome === 'absent') return undefined
      if (outcome === 'found' || outcome === 'ended') return decode(parseStored(record))
      throw unexpectedReply(outcome)
    },

    async consume(digest, clientId, now) {
      const [outcome, record] = await run(consumeScript, await keyOf('code', digest), [clientId, now])
      if (outcome === 'absent') return { outcome }
      if (outcome === 'won' || outcome === 'replayed') return { outcome, record: decode(parseStored(record)) }
      throw unexpectedReply(outcome)
    },
  }
}
