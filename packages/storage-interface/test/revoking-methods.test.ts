import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

test('every method that writes is listed, either as revoking something that access tokens depend on or as not revoking it', () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const stores = Object.entries({ ...storage, issuer: {} }) as readonly (readonly [string, object])[]

  const methods = stores.flatMap(([name, store]) => Object.keys(store).map((verb) => `${name}.${verb}`))
  const unlisted = methods.filter(
    (verb) => !revokingMethods.includes(verb) && !otherWritingMethods.includes(verb) && !addingOrReading.test(verb),
  )

  expect(unlisted).toEqual([])
  expect(revokingMethods.filter((verb) => !methods.includes(verb))).toEqual([])
})

/** Each has a law in revocation-laws.ts or agent-laws.ts. */
const revokingMethods = [
  'clients.compareAndSwap',
  'clients.remove',
  'revocations.revokeToken',
  'families.insertTombstone',
  'families.revoke',
  'families.rotate',
  'grants.revoke',
  'identityProviders.compareAndSwap',
  'identityProviders.remove',
  'organizations.remove',
  'organizations.removeMember',
  'organizations.revokeTokens',
  'sessions.revoke',
  'sessions.revokeOfUser',
  'provisionedUsers.adopt',
  'provisionedUsers.compareAndSwap',
  'provisionedUsers.release',
  'provisionedUsers.remove',
  'users.deactivate',
  'users.remove',
  'users.revokeAccess',
]

/** Methods that change or remove something that no self-contained access token depends on. */
const otherWritingMethods = [
  'replays.markUsed',
  'codes.consume',
  'cursors.compareAndSwap',
  'decoupledRequests.decide',
  'decoupledRequests.poll',
  'customResources.compareAndSwap',
  'customResources.remove',
  'deliveries.requeue',
  'deliveries.settle',
  'grants.replaceConsent',
  'groups.change',
  'groups.remove',
  'initialAccessTokens.revoke',
  'initialAccessTokens.spend',
  'interactions.consume',
  'opaqueTokens.revoke',
  'pushedRequests.consume',
  'organizations.compareAndSwap',
  'organizations.compareAndSwapMember',
  'provisionedUsers.indexAttributes',
  'purge.purgeExpired',
  'signingKeys.drop',
  'signingKeys.remove',
  'sessions.renew',
  'users.reactivate',
  'users.replaceClaims',
  'users.upsert',
  'webhooks.compareAndSwap',
  'webhooks.remove',
]

/** Matches the names of methods that only add or read, and so cannot revoke anything. */
const addingOrReading =
  /\.(?:append|assign$|compare$|count|enqueue|find|has[A-Z]|isTokenRevoked|insert|join|lastPosition|lease|list|membersOf|nextDueAt|of[A-Z]|participants|read|record|touch)/
