import type { PushedRequestStore } from '@mintmark/storage-interface/stores'
import { jsonCodec, pushedRequests } from '@mintmark/storage-interface/records'
import type { KeyOf } from './key-space.ts'
import { type RunScript, unexpectedReply } from './script-runner.ts'
import { consumeScript, findScript, insertScript, timeToLive } from './scripts.ts'
import { parseStored, storedJson } from './stored-json.ts'

export function createRedisPushedRequests(run: RunScript, keyOf: KeyOf): PushedRequestStore {
  const { decode } = jsonCodec(pushedRequests.fields, 'null')

  return {
    async insert(request) {
      const timeToLiveArguments = timeToLive({ from: request.createdAt, until: request.expiresAt })
      const fields = ['owner', request.clientId, 'expiresAt', request.expiresAt, 'record', storedJson(request)]

      const [outcome] = await run(insertScript, await keyOf('pushed', request.digest), [
        ...timeToLiveArguments,
        ...fields,
      ])
      if (outcome === 'inserted' || outcome === 'taken') return { outcome }
      throw unexpectedReply(outcome)
    },

    async find(digest, clientId, now) {
      const [outcome, record] = await run(findScript, await keyOf('pushed', digest), [clientId, now])
      if (outcome === 'absent') return undefined
      if (outcome === 'ended') return 'consumed'
      if (outcome === 'found') return decode(parseStored(record))
      throw unexpectedReply(outcome)
    },

    async consume(digest, clientId, now) {
      const [outcome, record] = await run(consumeScript, await keyOf('pushed', digest), [clientId, now])
      if (outcome === 'absent') return { outcome }
      if (outcome === 'won' || outcome === 'replayed') return { outcome, record: decode(parseStored(record)) }
      throw unexpectedReply(outcome)
    },
  }
}
