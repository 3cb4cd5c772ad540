import type { EndingRecord, EndingStore } from '../ending.ts'
import { epochSeconds, type EpochSeconds } from '../time.ts'
import type { ClientTable } from './clients.ts'
import { writeEnding, type EndingTable } from './ending-table.ts'
import type { Pause } from './pause.ts'

interface EndingTables {
  readonly endings: EndingTable
  readonly clients: ClientTable
}

export function createMemoryEndings({ endings, clients }: EndingTables, pause: Pause): EndingStore {
  return {
    async endToken({ tokenId, expiresAt, now }) {
      await pause()
      if (endings.tokens.has(tokenId)) return

      endings.tokens.set(tokenId, expiresAt)
      writeEnding(endings, { kind: 'token', tokenId }, now)
    },

    async hasTokenEnded(tokenId, now) {
      await pause()
      const expiresAt = endings.tokens.get(tokenId)
      return expiresAt !== undefined && now < expiresAt
    },

    async list({ from, endedSince, limit }) {
      await pause()
      const records: EndingRecord[] = []
      const { byPosition, positions } = endings
      for (const position of positions.from(from === undefined ? 0 : positions.countUpTo(from - 1))) {
        if (records.length === limit) break
        const record = byPosition.get(position)
        if (record !== undefined && record.endedAt >= endedSince) records.push(record)
      }
      return { records, completeSince: oldestClient(clients) }
    },
  }
}

/** A token that is older than every client was issued before the process was started again, and what it held is forgotten. */
function oldestClient({ byAge }: ClientTable): EpochSeconds {
  const [oldest] = byAge.slice(0, 1)
  return oldest?.createdAt ?? epochSeconds(0)
}
