import {
  clientId,
  familyId,
  grantId,
  groupId,
  initialAccessTokenId,
  keyId,
  organizationId,
  providerId,
  secretDigest,
  sessionId,
  userId,
} from '../values.ts'
import type { AdminStorage, CompleteOAuthStorage, DeliveryStorage, OAuthStorage, ScimStorage } from '../storage.ts'
import { aDecoupledRequest } from './decoupled-fixtures.ts'
import {
  aClientRecord,
  aCodeRecord,
  aDigest,
  aFamilyRecord,
  aGrantRecord,
  aRefreshRecord,
  aSessionRecord,
  aSigningKeyRecord,
  aUser,
  anInteractionRecord,
  anOpaqueTokenRecord,
  aPushedRequestRecord,
  now,
} from './fixtures.ts'
import {
  aDelivery,
  aGroup,
  aLogEntry,
  aProviderRecord,
  aProvisionedUser,
  anInitialAccessToken,
  anOrganization,
  freshUser,
  aWebhook,
  freshGroup,
} from './provisioning-fixtures.ts'

/**
 * One kind of record, for the laws that apply to every store: how to make a valid record with a given identifier, insert it
 * and read it.
 */
export interface RecordKind<Storage extends OAuthStorage> {
  readonly store: keyof AdminStorage
  readonly make: (id: string) => object
  readonly insert: (storage: Storage, record: object) => Promise<{ readonly outcome: string }>
  /** Returns the stored record, if it exists. */
  readonly read: (storage: Storage, id: string) => Promise<object | undefined>
}

/** The records of an authorization server. */
export const oauthRecords: readonly RecordKind<OAuthStorage>[] = [
  kind('clients', {
    make: (id) => aClientRecord({ clientId: clientId(id) }),
    insert: (storage, client) => storage.clients.insert(client),
    read: (storage, id) => storage.clients.find(clientId(id)),
  }),
  kind('users', {
    make: (id) => ({
      ...aUser({ userId: userId(id) }),
      active: true,
      providerId: undefined,
      blockedAt: undefined,
      activeAfterBlock: undefined,
      generation: 0,
      updatedAt: now,
      version: 1,
    }),
    insert: (storage, { userId: id, claims, createdAt }) => storage.users.insert({ userId: id, claims, createdAt }),
    read: (storage, id) => storage.users.find(userId(id)),
  }),
  kind('grants', {
    make: (id) => aGrantRecord({ grantId: grantId(id), userId: userId(id), clientId: clientId(id) }),
    insert: (storage, grant) => storage.grants.insert(grant),
    read: (storage, id) => storage.grants.findUnrevoked(userId(id), clientId(id)),
  }),
  kind('codes', {
    make: (id) => aCodeRecord({ digest: secretDigest(id) }),
    insert: (storage, code) => storage.codes.insert(code),
    read: (storage, id) => storage.codes.find(secretDigest(id), clientId('client-1'), now),
  }),
  kind('families', {
    make: (id) =>
      aFamilyRecord({ familyId: familyId(id), refresh: aRefreshRecord({ handleDigest: secretDigest(id) }) }),
    insert: (storage, family) => storage.families.insert(family),
    read: async (storage, id) => (await storage.status.ofRefreshHandle(secretDigest(id)))?.family,
  }),
  kind('opaqueTokens', {
    make: (id) => anOpaqueTokenRecord({ digest: secretDigest(id) }),
    insert: (storage, token) => storage.opaqueTokens.insert(token),
    read: (storage, id) => storage.opaqueTokens.find(secretDigest(id), now),
  }),
  kind('interactions', {
    make: (id) => anInteractionRecord({ digest: secretDigest(id) }),
    insert: (storage, interaction) => storage.interactions.insert(interaction),
    read: async (storage, id) => {
      const found = await storage.interactions.find(secretDigest(id), aDigest('browser-1'), now)
      return typeof found === 'object' ? found : undefined
    },
  }),
  kind('pushedRequests', {
    make: (id) => aPushedRequestRecord({ digest: secretDigest(id) }),
    insert: (storage, request) => storage.pushedRequests.insert(request),
    read: async (storage, id) => {
      const found = await storage.pushedRequests.find(secretDigest(id), clientId('client-1'), now)
      return typeof found === 'object' ? found : undefined
    },
  }),
  kind('sessions', {
    make: (id) => aSessionRecord({ digest: secretDigest(id), sessionId: sessionId(id) }),
    insert: (storage, session) => storage.sessions.insert(session),
    read: async (storage, id) => (await storage.status.ofSession(secretDigest(id)))?.session,
  }),
  kind('signingKeys', {
    make: (id) => aSigningKeyRecord({ keyId: keyId(id), algorithm: id }),
    insert: (storage, key) => storage.signingKeys.insert(key),
    read: async (storage, id) => (await storage.signingKeys.list()).find((key) => key.keyId === keyId(id)),
  }),
]

/** The records of deliveries. */
export const deliveryRecords: readonly RecordKind<DeliveryStorage>[] = [
  kind('deliveries', {
    make: (id) => {
      const delivery = aDelivery(id)
      return {
        ...delivery,
        state: 'pending' as const,
        attempts: 0,
        dueAt: delivery.createdAt,
        leaseToken: undefined,
        lastFailure: undefined,
        settledAt: undefined,
      }
    },
    insert: async (storage, delivery) => {
      const { inserted } = await storage.deliveries.enqueue([delivery])
      return { outcome: inserted === 1 ? 'inserted' : 'taken' }
    },
    read: (storage, id) => storage.deliveries.find(id),
  }),
]

/** The records of a SCIM server. */
export const scimRecords: readonly RecordKind<ScimStorage>[] = [
  kind('identityProviders', {
    make: (id) => aProviderRecord({ providerId: providerId(id) }),
    insert: (storage, provider) => storage.identityProviders.insert(provider),
    read: (storage, id) => storage.identityProviders.find(providerId(id)),
  }),
  kind('provisionedUsers', {
    make: (id) => freshUser(aProvisionedUser(id, { userId: userId(id) })),
    insert: (storage, { providerId: provider, userId: id, createdAt, ...rest }) => {
      const state = { ...rest, comparable: { userName: id } }
      return storage.provisionedUsers.insert({ providerId: provider, userId: id, state, createdAt })
    },
    read: (storage, id) => storage.provisionedUsers.find(providerId('provider-1'), userId(id)),
  }),
  kind('groups', {
    make: (id) => freshGroup(aGroup(id, { groupId: groupId(id) })),
    insert: (storage, { providerId: provider, groupId: id, createdAt, ...rest }) => {
      const state = { ...rest, comparable: {} }
      return storage.groups.insert({ providerId: provider, groupId: id, state, memberIds: [], createdAt })
    },
    read: (storage, id) => storage.groups.find(providerId('provider-1'), groupId(id)),
  }),
]

/** The records of an authorization server with all features but directories. */
export const completeRecords: readonly RecordKind<CompleteOAuthStorage>[] = [
  kind('organizations', {
    make: (id) => anOrganization({ organizationId: organizationId(id) }),
    insert: (storage, organization) => storage.organizations.insert(organization),
    read: (storage, id) => storage.organizations.find(organizationId(id)),
  }),
  kind('decoupledRequests', {
    make: (id) => aDecoupledRequest({ digest: secretDigest(id), userCodeDigest: undefined }),
    insert: (storage, request) => storage.decoupledRequests.insert(request),
    read: (storage, id) => storage.decoupledRequests.find(secretDigest(id), now),
  }),
  kind('webhooks', {
    make: (id) => aWebhook({ webhookId: id }),
    insert: (storage, webhook) => storage.webhooks.insert(webhook),
    read: (storage, id) => storage.webhooks.find(id),
  }),
  kind('initialAccessTokens', {
    make: (id) => anInitialAccessToken({ tokenId: initialAccessTokenId(id) }),
    insert: (storage, token) => storage.initialAccessTokens.insert(token),
    read: (storage, id) => storage.initialAccessTokens.find(initialAccessTokenId(id)),
  }),
  kind('logs', {
    make: (id) => aLogEntry({ entryId: id }),
    insert: (storage, entry) => storage.logs.append(entry),
    read: async (storage, id) =>
      (await storage.logs.list({ log: 'admin', before: undefined, limit: 1000 })).find(({ entryId }) => entryId === id),
  }),
]

/** All records. */
export const allRecords: readonly RecordKind<AdminStorage>[] = [
  ...oauthRecords,
  ...deliveryRecords,
  ...scimRecords,
  ...completeRecords,
]

function kind<Storage extends OAuthStorage, Of extends object>(
  store: RecordKind<Storage>['store'],
  of: {
    readonly make: (id: string) => Of
    readonly insert: (storage: Storage, record: Of) => Promise<{ readonly outcome: string }>
    readonly read: RecordKind<Storage>['read']
  },
): RecordKind<Storage> {
  return {
    store,
    make: of.make,
    // `make` created the record, so it has the type `Of`. Some stores return more than the outcome.
    insert: async (storage, record) => ({ outcome: (await of.insert(storage, record as Of)).outcome }),
    read: of.read,
  }
}
