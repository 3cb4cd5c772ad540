import type { GrantRecord, OAuthStorage, TokenFamilyRecord, UserRecord } from '@mintmark/storage-interface'
import { epochSeconds, revocationRetention } from '@mintmark/storage-interface'
import { createTables, writeRevocation, type Tables } from './my-database.ts'
import { createSessionStore } from './my-sessions.ts'
import { createTokenStores } from './my-tokens.ts'

/** Creates a database that several servers and issuers share. */
export function createMyDatabase() {
  const issuers = new Map<string, Tables>()
  return {
    storageFor(issuer: string): OAuthStorage {
      const tables = issuers.get(issuer) ?? createTables()
      issuers.set(issuer, tables)
      return createMyStorage(issuer, tables)
    },
  }
}

function createMyStorage(issuer: string, tables: Tables): OAuthStorage {
  const { clients, users, grants, codes, interactions, families, opaqueTokens, sessions, signingKeys } = tables

  function boundSession(id: TokenFamilyRecord['boundSessionId']) {
    const session = id === undefined ? undefined : sessions.get(id)
    return session && { sessionId: session.sessionId, userId: session.userId, revokedAt: session.revokedAt }
  }
  const statusOfGrant = (grant: GrantRecord | undefined, boundTo: TokenFamilyRecord['boundSessionId']) =>
    grant && {
      grant,
      client: clients.get(grant.clientId),
      user: users.get(grant.userId),
      session: boundSession(boundTo),
    }
  const isTokenRevoked = (tokenId: string, now: number) => now < (tables.revokedTokens.get(tokenId)?.expiresAt ?? now)
  const statusOfFamily = (family: TokenFamilyRecord | undefined) =>
    family && {
      family,
      grant: grants.get(family.grantId),
      client: clients.get(family.clientId),
      user: users.get(family.userId),
      session: boundSession(family.boundSessionId),
    }

  function setActive(id: UserRecord['userId'], active: boolean, now: UserRecord['updatedAt']) {
    const user = users.get(id)
    if (user === undefined) return { outcome: 'absent' } as const
    if (user.active === active) return { outcome: 'unchanged', record: user } as const
    if (!active)
      writeRevocation(tables, {
        revocation: { kind: 'generation', userId: id, generation: user.generation },
        revokedAt: now,
      })
    const generation = active ? user.generation : user.generation + 1
    const block = active ? {} : { blockedAt: now, activeAfterBlock: true }
    const lifecycle = { active, blockedAt: undefined, activeAfterBlock: undefined, ...block, generation }
    const record = users.put(id, { ...user, ...lifecycle, updatedAt: now, version: user.version + 1 })
    return { outcome: 'changed', record: record ?? user } as const
  }

  return {
    issuer,
    ...createTokenStores(tables),

    clients: {
      async insert(client) {
        if (clients.has(client.clientId)) return { outcome: 'taken' }
        clients.put(client.clientId, client)
        return { outcome: 'inserted' }
      },
      find: async (id) => clients.get(id),
      async list({ after, limit }) {
        const present = clients.where((client) => client !== undefined).flatMap((client) => client ?? [])
        const following = present.filter(({ clientId }) => after === undefined || clientId > after)
        return following.toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1)).slice(0, limit)
      },
      async compareAndSwap(client, version) {
        const current = clients.get(client.clientId)
        if (current === undefined) return { outcome: 'absent' }
        if (current.version !== version) return { outcome: 'conflict' }
        const { clientId } = client
        if (current.disabledAt === undefined && client.disabledAt !== undefined)
          writeRevocation(tables, { revocation: { kind: 'client', clientId }, revokedAt: client.disabledAt })
        if (current.disabledAt !== undefined && client.disabledAt === undefined)
          writeRevocation(tables, { revocation: { kind: 'client_in_use', clientId }, revokedAt: current.disabledAt })
        const record = { ...client, version: version + 1 }
        clients.put(clientId, record)
        return { outcome: 'swapped', record }
      },
      async touchSecret(id, digest, now) {
        const client = clients.get(id)
        if (client === undefined) return
        const secrets = client.secrets.map((secret) =>
          secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
        )
        clients.put(id, { ...client, secrets })
      },
      async remove(clientId, now) {
        if (clients.get(clientId) === undefined) return { outcome: 'absent' }
        clients.put(clientId, undefined)
        writeRevocation(tables, { revocation: { kind: 'client', clientId }, revokedAt: now })
        return { outcome: 'removed' }
      },
    },

    users: {
      async insert(user) {
        if (users.has(user.userId)) return { outcome: 'taken' }
        const notBlocked = { active: true, providerId: undefined, blockedAt: undefined, activeAfterBlock: undefined }
        users.put(user.userId, { ...user, ...notBlocked, generation: 0, updatedAt: user.createdAt, version: 1 })
        return { outcome: 'inserted' }
      },
      find: async (id) => users.get(id),
      async replaceClaims({ userId, claims, version, now }) {
        const user = users.get(userId)
        if (user === undefined) return { outcome: 'absent' }
        if (user.version !== version) return { outcome: 'conflict' }
        const record = { ...user, claims, updatedAt: now, version: version + 1 }
        users.put(userId, record)
        return { outcome: 'swapped', record }
      },
      deactivate: async (id, now) => setActive(id, false, now),
      reactivate: async (id, now) => setActive(id, true, now),
      async revokeAccess(userId, now) {
        const user = users.get(userId)
        if (user === undefined) return { outcome: 'absent' }
        const { generation } = user
        const record = { ...user, generation: generation + 1, updatedAt: now }
        users.put(userId, record)
        writeRevocation(tables, { revocation: { kind: 'generation', userId, generation }, revokedAt: now })
        return { outcome: 'revoked', record }
      },
      async remove(userId, now) {
        if (users.get(userId) === undefined) return { outcome: 'absent' }
        users.put(userId, undefined)
        writeRevocation(tables, { revocation: { kind: 'account', userId }, revokedAt: now })
        return { outcome: 'removed' }
      },
    },

    grants: {
      async insert(grant) {
        const [record] = grants.where(
          ({ clientId, userId, revokedAt }) =>
            clientId === grant.clientId && userId === grant.userId && revokedAt === undefined,
        )
        if (record !== undefined) return { outcome: 'taken', record }
        if (grants.has(grant.grantId)) throw new Error('A grant with this random identifier already exists.')
        grants.put(grant.grantId, grant)
        return { outcome: 'inserted' }
      },
      async findUnrevoked(user, client) {
        const matches = ({ userId, clientId, revokedAt }: GrantRecord) =>
          userId === user && clientId === client && revokedAt === undefined
        return grants.where(matches)[0]
      },
      async replaceConsent({ grantId, scopes, resources, authorizationDetails, clientDigest, version }) {
        const grant = grants.get(grantId)
        if (grant === undefined || grant.revokedAt !== undefined) return { outcome: 'absent' }
        if (grant.version !== version) return { outcome: 'conflict' }
        return {
          outcome: 'swapped',
          record: grants.put(grantId, {
            ...grant,
            scopes,
            resources,
            authorizationDetails,
            clientDigest,
            version: version + 1,
          }),
        }
      },
      async revoke(grantId, now) {
        const grant = grants.get(grantId)
        if (grant === undefined) return { outcome: 'absent' }
        if (grant.revokedAt !== undefined) return { outcome: 'unchanged' }
        grants.put(grantId, { ...grant, revokedAt: now })
        writeRevocation(tables, { revocation: { kind: 'grant', grantId }, revokedAt: now })
        return { outcome: 'revoked' }
      },
      async listByUser(user) {
        const unrevoked = grants.where(({ userId, revokedAt }) => userId === user && revokedAt === undefined)
        return unrevoked.toSorted((a, b) => b.createdAt - a.createdAt)
      },
    },

    sessions: createSessionStore(tables),

    signingKeys: {
      async insert(key) {
        const same = signingKeys.where(
          ({ algorithm, ordinal }) => algorithm === key.algorithm && ordinal === key.ordinal,
        )
        if (signingKeys.has(key.keyId) || same.length > 0) return { outcome: 'taken' }
        signingKeys.put(key.keyId, key)
        return { outcome: 'inserted' }
      },
      list: async () => signingKeys.where(() => true).toSorted((a, b) => a.createdAt - b.createdAt),
      async drop({ keyId, droppedAt, rowMac }) {
        const key = signingKeys.get(keyId)
        if (key === undefined) return { outcome: 'absent' }
        if (key.droppedAt !== undefined) return { outcome: 'unchanged' }
        signingKeys.put(keyId, { ...key, droppedAt, rowMac })
        writeRevocation(tables, { revocation: { kind: 'key', keyId }, revokedAt: droppedAt })
        return { outcome: 'revoked' }
      },
      remove: async (keyId) => ({ outcome: signingKeys.delete(keyId) ? 'removed' : 'absent' }),
    },

    revocations: {
      async revokeToken({ tokenId, expiresAt, now }) {
        if (tables.revokedTokens.has(tokenId)) return
        tables.revokedTokens.put(tokenId, { expiresAt })
        writeRevocation(tables, { revocation: { kind: 'token', tokenId }, revokedAt: now })
      },
      isTokenRevoked: async (tokenId, now) => isTokenRevoked(tokenId, now),
      async list({ from = 0, revokedSince, limit }) {
        const records = tables.revocations.where(
          ({ position, revokedAt }) => position >= from && revokedAt >= revokedSince,
        )
        return { records: records.slice(0, limit), completeSince: epochSeconds(0) }
      },
    },

    status: {
      ofGrant: async (grantId, boundTo) => statusOfGrant(grants.get(grantId), boundTo),
      ofFamily: async (familyId) => statusOfFamily(families.get(familyId)),
      ofAccessToken: async ({ familyId, tokenId, now }) =>
        isTokenRevoked(tokenId, now) ? undefined : statusOfFamily(families.get(familyId)),
      ofFamilies: async (familyIds) => familyIds.flatMap((familyId) => statusOfFamily(families.get(familyId)) ?? []),
      ofRefreshHandle: async (digest) =>
        statusOfFamily(families.where(({ refresh }) => refresh?.handleDigest === digest)[0]),
      async ofSession(digest) {
        const [session] = sessions.where((row) => row.digest === digest)
        return session && { session, user: session.userId && users.get(session.userId) }
      },
    },

    purge: {
      async purgeExpired({ now, limit }) {
        const hasExpired = ({ expiresAt }: { readonly expiresAt: number }) => expiresAt <= now
        const recordHasExpired = ({ record }: { readonly record: { readonly expiresAt: number } }) => hasExpired(record)
        const steps = [
          (max: number) => codes.purge(recordHasExpired, max),
          (max: number) => interactions.purge(recordHasExpired, max),
          (max: number) => tables.pushedRequests.purge(recordHasExpired, max),
          ...[opaqueTokens, families, tables.replays, tables.revokedTokens].map(
            (table) => (max: number) => table.purge(hasExpired, max),
          ),
          (max: number) =>
            sessions.purge(({ idleExpiresAt = now, keptUntil }) => idleExpiresAt <= now && keptUntil <= now, max),
          (max: number) => grants.purge(({ revokedAt }) => revokedAt !== undefined, max),
          (max: number) => tables.revocations.purge(({ revokedAt }) => revokedAt + revocationRetention <= now, max),
        ]
        const removed = steps.reduce((sum, purge) => sum + purge(limit - sum), 0)
        // Participants are deleted with their session, in the same transaction. They are not counted.
        tables.participants.purge(({ sessionId }) => !sessions.has(sessionId), Infinity)
        return { removed, done: removed < limit }
      },
    },
  }
}
