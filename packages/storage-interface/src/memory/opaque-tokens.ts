import type { SecretDigest } from '../identifiers.ts'
import type { OpaqueTokenRecord, OpaqueTokenStore } from '../opaque-token.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { SchedulerHook } from './scheduler-hook.ts'

export type OpaqueTokenTable = ExpiringRows<SecretDigest, OpaqueTokenRecord>

export const createOpaqueTokenTable = (): OpaqueTokenTable => createExpiringRows(({ expiresAt }) => expiresAt)

export function createMemoryOpaqueTokens(tokens: OpaqueTokenTable, pause: SchedulerHook): OpaqueTokenStore {
  return {
    async insert(token) {
      await pause()
      if (tokens.has(token.digest)) return { outcome: 'taken' }

      tokens.set(token.digest, frozenCopy(token))
      return { outcome: 'inserted' }
    },

    async find(digest, now) {
      await pause()
      const token = tokens.get(digest)
      return token !== undefined && token.revokedAt === undefined && now < token.expiresAt ? token : undefined
    },

    async revoke(digest, clientId, now) {
      await pause()
      const token = tokens.get(digest)
      // RFC 7009 §2.1: a token is revoked only by the client it was issued to.
      if (token === undefined || token.clientId !== clientId) return { outcome: 'absent' }
      if (token.revokedAt !== undefined) return { outcome: 'unchanged' }

      tokens.set(digest, frozenCopy({ ...token, revokedAt: now }))
      return { outcome: 'ended' }
    },
  }
}
