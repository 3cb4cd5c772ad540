// One file, because the five stores of expiring rows are small and nearly alike, and `composeStorage` replaces them together.
import type { AuthorizationCodeRecord, AuthorizationCodeStore } from '../authorization-code.ts'
import type { ClientId, SecretDigest, EpochSeconds } from '../values.ts'
import type { InteractionRecord, InteractionStore } from '../interaction.ts'
import type { OpaqueTokenRecord, OpaqueTokenStore } from '../opaque-token.ts'
import type { PushedRequestRecord, PushedRequestStore } from '../pushed-request.ts'
import type { ReplayPurpose, ReplayStore } from '../replay.ts'
import { type ExpiringRows, createExpiringRows } from './expiring-rows.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'

interface StoredCode {
  readonly record: AuthorizationCodeRecord
  readonly consumed: boolean
}

export type CodeTable = ExpiringRows<SecretDigest, StoredCode>

export const createCodeTable = (): CodeTable => createExpiringRows(({ record }) => record.expiresAt)

export function createMemoryCodes(codes: CodeTable, scheduler: SchedulerHook): AuthorizationCodeStore {
  return {
    async insert(code) {
      await scheduler()
      if (codes.has(code.digest)) return { outcome: 'taken' }

      codes.set(code.digest, { record: frozenCopy(code), consumed: false })
      return { outcome: 'inserted' }
    },

    async find(digest, clientId, now) {
      await scheduler()
      return findUnexpired(codes.get(digest), clientId, now)?.record
    },

    async consume(digest, clientId, now) {
      await scheduler()
      const stored = findUnexpired(codes.get(digest), clientId, now)
      if (stored === undefined) return { outcome: 'absent' }
      if (stored.consumed) return { outcome: 'replayed', record: stored.record }

      codes.set(digest, { record: stored.record, consumed: true })
      return { outcome: 'won', record: stored.record }
    },
  }
}

/** RFC 6749 §4.1.3: the code is valid for the client it was issued to, and only until it expires. */
function findUnexpired(stored: StoredCode | undefined, clientId: ClientId, now: EpochSeconds): StoredCode | undefined {
  if (stored === undefined || stored.record.clientId !== clientId) return undefined
  return now < stored.record.expiresAt ? stored : undefined
}

interface StoredInteraction {
  readonly record: InteractionRecord
  readonly consumed: boolean
}

export type InteractionTable = ExpiringRows<SecretDigest, StoredInteraction>

export const createInteractionTable = (): InteractionTable => createExpiringRows(({ record }) => record.expiresAt)

export function createMemoryInteractions(interactions: InteractionTable, scheduler: SchedulerHook): InteractionStore {
  return {
    async insert(interaction) {
      await scheduler()
      if (interactions.has(interaction.digest)) return { outcome: 'taken' }

      interactions.set(interaction.digest, { record: frozenCopy(interaction), consumed: false })
      return { outcome: 'inserted' }
    },

    async find(digest, browserDigest, now) {
      await scheduler()
      const stored = findUnexpiredInteraction(interactions.get(digest), browserDigest, now)
      return stored?.consumed === true ? 'consumed' : stored?.record
    },

    async recordLogin({ digest, browserDigest, login, version, now }) {
      await scheduler()
      const stored = findUnexpiredInteraction(interactions.get(digest), browserDigest, now)
      if (stored === undefined || stored.consumed) return { outcome: 'absent' }
      if (stored.record.version !== version) return { outcome: 'conflict' }

      const record = frozenCopy({ ...stored.record, login, version: version + 1 })
      interactions.set(digest, { record, consumed: false })
      return { outcome: 'swapped', record }
    },

    async consume(digest, browserDigest, now) {
      await scheduler()
      const stored = findUnexpiredInteraction(interactions.get(digest), browserDigest, now)
      if (stored === undefined) return { outcome: 'absent' }
      if (stored.consumed) return { outcome: 'replayed', record: stored.record }

      interactions.set(digest, { record: stored.record, consumed: true })
      return { outcome: 'won', record: stored.record }
    },
  }
}

function findUnexpiredInteraction(
  stored: StoredInteraction | undefined,
  browserDigest: SecretDigest,
  now: EpochSeconds,
): StoredInteraction | undefined {
  if (stored === undefined || stored.record.browserDigest !== browserDigest) return undefined
  return now < stored.record.expiresAt ? stored : undefined
}

interface StoredPushedRequest {
  readonly record: PushedRequestRecord
  readonly consumed: boolean
}

export type PushedRequestTable = ExpiringRows<SecretDigest, StoredPushedRequest>

export const createPushedRequestTable = (): PushedRequestTable => createExpiringRows(({ record }) => record.expiresAt)

export function createMemoryPushedRequests(requests: PushedRequestTable, scheduler: SchedulerHook): PushedRequestStore {
  const findOf = (digest: SecretDigest, clientId: ClientId, now: EpochSeconds): StoredPushedRequest | undefined => {
    const stored = requests.get(digest)
    if (stored === undefined || stored.record.clientId !== clientId) return undefined
    return now < stored.record.expiresAt ? stored : undefined
  }

  return {
    async insert(request) {
      await scheduler()
      if (requests.has(request.digest)) return { outcome: 'taken' }

      requests.set(request.digest, { record: frozenCopy(request), consumed: false })
      return { outcome: 'inserted' }
    },

    async find(digest, clientId, now) {
      await scheduler()
      const stored = findOf(digest, clientId, now)
      return stored?.consumed === true ? 'consumed' : stored?.record
    },

    async consume(digest, clientId, now) {
      await scheduler()
      const stored = findOf(digest, clientId, now)
      if (stored === undefined) return { outcome: 'absent' }
      if (stored.consumed) return { outcome: 'replayed', record: stored.record }

      requests.set(digest, { record: stored.record, consumed: true })
      return { outcome: 'won', record: stored.record }
    },
  }
}

export type OpaqueTokenTable = ExpiringRows<SecretDigest, OpaqueTokenRecord>

export const createOpaqueTokenTable = (): OpaqueTokenTable => createExpiringRows(({ expiresAt }) => expiresAt)

export function createMemoryOpaqueTokens(tokens: OpaqueTokenTable, scheduler: SchedulerHook): OpaqueTokenStore {
  return {
    async insert(token) {
      await scheduler()
      if (tokens.has(token.digest)) return { outcome: 'taken' }

      tokens.set(token.digest, frozenCopy(token))
      return { outcome: 'inserted' }
    },

    async find(digest, now) {
      await scheduler()
      const token = tokens.get(digest)
      return token !== undefined && token.revokedAt === undefined && now < token.expiresAt ? token : undefined
    },

    async revoke(digest, clientId, now) {
      await scheduler()
      const token = tokens.get(digest)
      // RFC 7009 §2.1: a token is revoked only by the client it was issued to.
      if (token === undefined || token.clientId !== clientId) return { outcome: 'absent' }
      if (token.revokedAt !== undefined) return { outcome: 'unchanged' }

      tokens.set(digest, frozenCopy({ ...token, revokedAt: now }))
      return { outcome: 'revoked' }
    },
  }
}

/** The time from which each used value may be used again. */
export type ReplayTable = Map<ReplayPurpose, ExpiringRows<string, EpochSeconds>>

export const createReplayTable = (): ReplayTable => new Map()

export function createMemoryReplays(replays: ReplayTable, scheduler: SchedulerHook): ReplayStore {
  return {
    async markUsed({ purpose, value, expiresAt, now }) {
      await scheduler()
      const ofPurpose = replays.get(purpose) ?? createExpiringRows<string, EpochSeconds>((until) => until)
      replays.set(purpose, ofPurpose)
      const usedUntil = ofPurpose.get(value)
      if (usedUntil !== undefined && now < usedUntil) return { outcome: 'seen' }

      ofPurpose.set(value, expiresAt)
      return { outcome: 'fresh' }
    },
  }
}
