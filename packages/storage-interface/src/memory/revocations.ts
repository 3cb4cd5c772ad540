import type { RevocationRecord, RevocationStore } from '../revocation.ts'
import { epochSeconds, type EpochSeconds } from '../values.ts'
import type { ClientTable } from './client-table.ts'
import { isTokenRevoked, writeRevocation, type RevocationTable } from './revocation-table.ts'
import type { SchedulerHook } from './rows.ts'

interface Tables {
  readonly revocations: RevocationTable
  readonly clients: ClientTable
}

export function createMemoryRevocations({ revocations, clients }: Tables, scheduler: SchedulerHook): RevocationStore {
  return {
    async revokeToken({ tokenId, expiresAt, now }) {
      await scheduler()
      if (revocations.tokens.has(tokenId)) return

      revocations.tokens.set(tokenId, expiresAt)
      writeRevocation(revocations, { kind: 'token', tokenId }, now)
    },

    async isTokenRevoked(tokenId, now) {
      await scheduler()
      return isTokenRevoked(revocations, tokenId, now)
    },

    async list({ from, revokedSince, limit }) {
      await scheduler()
      const records: RevocationRecord[] = []
      const { byPosition, positions } = revocations
      for (const position of positions.from(from === undefined ? 0 : positions.countUpTo(from - 1))) {
        if (records.length === limit) break
        const record = byPosition.get(position)
        if (record !== undefined && record.revokedAt >= revokedSince) records.push(record)
      }
      return { records, completeSince: oldestClient(clients) }
    },
  }
}

/** Returns when the oldest client was created. Older tokens were issued before the process restarted, and revocations are lost then. */
function oldestClient({ byAge }: ClientTable): EpochSeconds {
  const [oldest] = byAge.slice(0, 1)
  return oldest?.createdAt ?? epochSeconds(0)
}
