import type { InitialAccessTokenRecord, InitialAccessTokenStore } from '../initial-access-token.ts'
import { compareText } from '../filter/matches-filter.ts'
import type { InitialAccessTokenId } from '../values.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'

export type InitialAccessTokenTable = ExpiringRows<InitialAccessTokenId, InitialAccessTokenRecord>

export const createInitialAccessTokenTable = (): InitialAccessTokenTable =>
  createExpiringRows(({ expiresAt }) => expiresAt)

export function createMemoryInitialAccessTokens(
  tokens: InitialAccessTokenTable,
  scheduler: SchedulerHook,
): InitialAccessTokenStore {
  return {
    async insert(token) {
      await scheduler()
      if (tokens.has(token.tokenId)) return { outcome: 'taken' }

      tokens.set(token.tokenId, frozenCopy(token))
      return { outcome: 'inserted' }
    },

    async find(tokenId) {
      await scheduler()
      return tokens.get(tokenId)
    },

    async spend(tokenId, digest, now) {
      await scheduler()
      const token = tokens.get(tokenId)
      if (token === undefined || token.digest !== digest) return { outcome: 'absent' }
      if (token.expiresAt <= now || token.revokedAt !== undefined) return { outcome: 'absent' }
      if (token.remaining < 1) return { outcome: 'exhausted' }

      const record = frozenCopy({ ...token, remaining: token.remaining - 1 })
      tokens.set(tokenId, record)
      return { outcome: 'spent', record }
    },

    async revoke(tokenId, now) {
      await scheduler()
      const token = tokens.get(tokenId)
      if (token === undefined) return { outcome: 'absent' }
      if (token.revokedAt !== undefined) return { outcome: 'unchanged' }

      tokens.set(tokenId, frozenCopy({ ...token, revokedAt: now }))
      return { outcome: 'revoked' }
    },

    async list({ after, limit }) {
      await scheduler()
      return [...tokens.rows.values()]
        .filter(({ tokenId }) => after === undefined || compareText(tokenId, after) > 0)
        .toSorted((a, b) => compareText(a.tokenId, b.tokenId))
        .slice(0, limit)
    },
  }
}
