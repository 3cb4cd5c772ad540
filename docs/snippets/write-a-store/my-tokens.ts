import { type OAuthStorage, retryWindowsInTotal, type TokenFamilyRecord } from '@mintmark/storage-interface'
import { writeRevocation, type Tables } from './my-database.ts'

/** Creates the stores whose methods are conditional updates of one row. */
export function createTokenStores(
  tables: Tables,
): Pick<OAuthStorage, 'codes' | 'interactions' | 'pushedRequests' | 'families' | 'opaqueTokens' | 'replays'> {
  const { codes, interactions, pushedRequests, families, opaqueTokens } = tables

  function revokeFamily(family: TokenFamilyRecord, now: TokenFamilyRecord['createdAt']) {
    writeRevocation(tables, { revocation: { kind: 'family', familyId: family.familyId }, revokedAt: now })
    return families.put(family.familyId, { ...family, revokedAt: now })
  }

  return {
    codes: {
      async insert(code) {
        if (codes.has(code.digest)) return { outcome: 'taken' }
        codes.put(code.digest, { record: code, consumed: false })
        return { outcome: 'inserted' }
      },
      async find(digest, clientId, now) {
        const code = codes.get(digest)?.record
        return code?.clientId === clientId && now < code.expiresAt ? code : undefined
      },
      async consume(digest, clientId, now) {
        const code = codes.get(digest)
        if (code?.record.clientId !== clientId || now >= code.record.expiresAt) return { outcome: 'absent' }
        codes.put(digest, { ...code, consumed: true })
        return { outcome: code.consumed ? 'replayed' : 'won', record: code.record }
      },
    },

    interactions: {
      async insert(interaction) {
        if (interactions.has(interaction.digest)) return { outcome: 'taken' }
        interactions.put(interaction.digest, { record: interaction, consumed: false })
        return { outcome: 'inserted' }
      },
      async find(digest, browser, now) {
        const found = interactions.get(digest)
        if (found?.record.browserDigest !== browser || now >= found.record.expiresAt) return undefined
        return found.consumed ? 'consumed' : found.record
      },
      async recordLogin({ digest, browserDigest, login, version, now }) {
        const found = interactions.get(digest)
        if (found?.record.browserDigest !== browserDigest || found.consumed) return { outcome: 'absent' }
        if (now >= found.record.expiresAt) return { outcome: 'absent' }
        if (found.record.version !== version) return { outcome: 'conflict' }
        const record = { ...found.record, login, version: version + 1 }
        interactions.put(digest, { record, consumed: false })
        return { outcome: 'swapped', record }
      },
      async consume(digest, browser, now) {
        const found = interactions.get(digest)
        if (found?.record.browserDigest !== browser || now >= found.record.expiresAt) return { outcome: 'absent' }
        interactions.put(digest, { ...found, consumed: true })
        return { outcome: found.consumed ? 'replayed' : 'won', record: found.record }
      },
    },

    pushedRequests: {
      async insert(request) {
        if (pushedRequests.has(request.digest)) return { outcome: 'taken' }
        pushedRequests.put(request.digest, { record: request, consumed: false })
        return { outcome: 'inserted' }
      },
      async find(digest, clientId, now) {
        const found = pushedRequests.get(digest)
        if (found?.record.clientId !== clientId || now >= found.record.expiresAt) return undefined
        return found.consumed ? 'consumed' : found.record
      },
      async consume(digest, clientId, now) {
        const found = pushedRequests.get(digest)
        if (found?.record.clientId !== clientId || now >= found.record.expiresAt) return { outcome: 'absent' }
        pushedRequests.put(digest, { ...found, consumed: true })
        return { outcome: found.consumed ? 'replayed' : 'won', record: found.record }
      },
    },

    families: {
      async insert(family) {
        const handle = family.refresh?.handleDigest
        const sameHandle = families.where(({ refresh }) => handle !== undefined && refresh?.handleDigest === handle)
        if (families.has(family.familyId) || sameHandle.length > 0) return { outcome: 'revoked' }
        families.put(family.familyId, family)
        return { outcome: 'inserted' }
      },
      async rotate({
        handleDigest,
        presentedDigest,
        clientId,
        successorDigest,
        successorSalt,
        expiresAt,
        now,
        ...rest
      }) {
        const [family] = families.where(({ refresh }) => refresh?.handleDigest === handleDigest)
        const refresh = family?.refresh
        if (family === undefined || refresh === undefined) return { outcome: 'absent' }
        if (family.clientId !== clientId || family.revokedAt !== undefined) return { outcome: 'absent' }
        if (now >= refresh.expiresAt || now >= family.expiresAt) return { outcome: 'absent' }
        if (presentedDigest === refresh.currentDigest) {
          const current = { handleDigest, currentDigest: successorDigest, previousDigest: presentedDigest }
          const rotated = {
            ...family,
            refresh: { ...current, successorSalt, rotatedAt: now, retriedAt: undefined, expiresAt },
          }
          return { outcome: 'rotated', record: families.put(family.familyId, rotated) }
        }
        const isRetry =
          rest.retryWindow > 0 &&
          presentedDigest === refresh.previousDigest &&
          now < (refresh.retriedAt ?? refresh.rotatedAt ?? 0) + rest.retryWindow &&
          now < (refresh.rotatedAt ?? 0) + rest.retryWindow * retryWindowsInTotal
        if (isRetry) {
          const retried = { ...family, refresh: { ...refresh, retriedAt: now } }
          return { outcome: 'retried', record: families.put(family.familyId, retried) }
        }
        return { outcome: 'reused', record: revokeFamily(family, now) }
      },
      async revoke(familyId, now) {
        const family = families.get(familyId)
        if (family === undefined) return { outcome: 'absent' }
        if (family.revokedAt !== undefined) return { outcome: 'unchanged' }
        revokeFamily(family, now)
        return { outcome: 'revoked' }
      },
      async insertTombstone(family, now) {
        const existing = families.get(family.familyId)
        if (existing?.revokedAt === undefined) revokeFamily(existing ?? family, now)
      },
    },

    opaqueTokens: {
      async insert(token) {
        if (opaqueTokens.has(token.digest)) return { outcome: 'taken' }
        opaqueTokens.put(token.digest, token)
        return { outcome: 'inserted' }
      },
      async find(digest, now) {
        const token = opaqueTokens.get(digest)
        return token?.revokedAt === undefined && now < (token?.expiresAt ?? 0) ? token : undefined
      },
      async revoke(digest, clientId, now) {
        const token = opaqueTokens.get(digest)
        if (token?.clientId !== clientId) return { outcome: 'absent' }
        if (token.revokedAt !== undefined) return { outcome: 'unchanged' }
        opaqueTokens.put(digest, { ...token, revokedAt: now })
        return { outcome: 'revoked' }
      },
    },

    replays: {
      async markUsed({ purpose, value, expiresAt, now }) {
        const key = JSON.stringify([purpose, value])
        if (now < (tables.replays.get(key)?.expiresAt ?? now)) return { outcome: 'seen' }
        tables.replays.put(key, { expiresAt })
        return { outcome: 'fresh' }
      },
    },
  }
}
