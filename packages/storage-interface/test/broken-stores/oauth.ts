import { clientId, epochSeconds, seconds, type EpochSeconds, type GrantRecord } from '@mintmark/storage-interface'
import { type ConsumeOutcome, secretDigest } from '@mintmark/storage-interface/stores'
import { adminLaws } from '@mintmark/storage-interface/contract'
import { aDigest, aFamilyRecord } from '@mintmark/storage-interface/fixtures'
import { brokenAdministrationStores } from './administration.ts'
import { brokenDecoupledRequests } from './decoupled-requests.ts'
import { brokenCustomResources } from './custom-resources.ts'
import { brokenChangeStores } from './changes.ts'
import { brokenDeliveryStores } from './deliveries.ts'
import { brokenSessionStores } from './sessions.ts'
import { brokenRevocationStores } from './revocations.ts'
import { brokenGroupStores } from './groups.ts'
import { brokenLists } from './lists.ts'
import { brokenProviderStores } from './provisioned-users.ts'
import {
  letOthersGoFirst,
  breakStore,
  breakEveryMethod,
  type Call,
  type Method,
  type BrokenStore,
} from './break-store.ts'

const owner = clientId('client-1')
const inserted = { outcome: 'inserted' } as const
const revoked = { outcome: 'revoked' } as const
const aSecondEarlier = (now: EpochSeconds): EpochSeconds => epochSeconds(now - 1)

const cutAtQuote = (text: string): string => text.split("'")[0] ?? ''
const foldCase = (text: string): string => text.toLowerCase()

/**
 * One broken store for each law, by the name of the law. The stores for OAuth records are all here: each is a few lines, and
 * reads best next to similar ones.
 */
export const brokenStores: Readonly<Record<string, BrokenStore>> = {
  ...forLaws('round trip: ', () =>
    breakEveryMethod((method, { args }) => method(...args.map((value) => mapStrings(value, cutAtQuote)))),
  ),
  ...forLaws('identifiers: ', () =>
    breakEveryMethod((method, { args }) => method(...args.map((value) => mapStrings(value, foldCase)))),
  ),
  ...forLaws('ownership: ', returnStoredObjects),
  ...forLaws('isolation: ', () => (store) => ({ ...store, open: () => store.open('https://issuer.example') })),
  ...brokenAdministrationStores,
  ...brokenRevocationStores,
  ...brokenDeliveryStores,
  ...brokenChangeStores,
  ...brokenProviderStores,
  ...brokenGroupStores,
  ...brokenDecoupledRequests,
  ...brokenCustomResources,
  ...brokenLists,

  'purge: rows that are honoured are not removed': breakStore('purge', (honest) => ({
    purgeExpired: (request) => honest.purgeExpired({ ...request, now: epochSeconds(request.now + 4000) }),
  })),
  'purge: anything refused before is refused afterwards': breakStore('users', (honest) => ({
    insert: async (user) => (await honest.insert(user), inserted),
  })),
  'purge: a used code stays used while it could be presented': breakStore('codes', (honest) => ({
    consume: async (...call) => forgetReplays(await honest.consume(...call)),
  })),
  'purge: a tombstone of a family stays while its code could be redeemed': breakStore('families', (honest) => ({
    insert: async (family) => (await honest.insert(family), inserted),
  })),
  'purge: a family stays for a day after its refresh token has expired': breakStore('purge', (honest) => ({
    purgeExpired: (request) => honest.purgeExpired({ ...request, now: epochSeconds(request.now + 1) }),
  })),
  'purge: a revoked grant is removed, and the grant that replaced it stays': breakStore('grants', () => ({
    findUnrevoked: () => Promise.resolve(undefined),
  })),
  'purge: no call removes more rows than its limit, and repeated calls remove all': breakStore('purge', (honest) => ({
    purgeExpired: (request) => honest.purgeExpired({ ...request, limit: 1000 }),
  })),
  'purge: an issuer removes only its own rows': (store) => ({
    ...store,
    open: () => store.open('https://issuer.example'),
  }),

  'codes: a digest is inserted at most once, and the first record stays': breakStore('codes', (honest) => ({
    insert: async (code) => (await honest.insert(code), inserted),
  })),
  'codes: the first presentation of a code wins, and later ones are replays with the same record': breakStore(
    'codes',
    (honest) => ({
      consume: async (...call) => forgetReplays(await honest.consume(...call)),
    }),
  ),
  'codes: of 16 concurrent presentations exactly one wins': breakStore('codes', (honest, _storage, seen) => ({
    consume: async (digest, client, now) => {
      const record = await honest.find(digest, client, now)
      if (record === undefined) return { outcome: 'absent' }
      if (seen.has(digest)) return { outcome: 'replayed', record }

      await letOthersGoFirst()
      seen.set(digest, true)
      return { outcome: 'won', record }
    },
  })),
  'codes: reading a code does not consume it': breakStore('codes', (honest) => ({
    find: async (...call) => {
      const result = await honest.consume(...call)
      return result.outcome === 'absent' ? undefined : result.record
    },
  })),
  'codes: a presentation by another client changes nothing': breakStore('codes', (honest) => ({
    consume: async (digest, client, now) => {
      const result = await honest.consume(digest, client, now)
      if (result.outcome === 'absent') await honest.consume(digest, owner, now)
      return result
    },
  })),
  'codes: a code is absent once its expiry time is reached': breakStore('codes', (honest) => ({
    find: (digest, client, now) => honest.find(digest, client, aSecondEarlier(now)),
    consume: (digest, client, now) => honest.consume(digest, client, aSecondEarlier(now)),
  })),

  'families: the current token rotates': breakStore('families', (honest, storage) => ({
    rotate: async (request) => {
      const before = await storage.status.ofRefreshHandle(request.handleDigest)
      const result = await honest.rotate(request)
      return before !== undefined && result.outcome === 'rotated' ? { ...result, record: before.family } : result
    },
  })),
  'families: the previous token gets the same successor again within the retry window': breakStore(
    'families',
    (honest) => ({
      rotate: async (request) => {
        const result = await honest.rotate(request)
        if (result.outcome !== 'retried' || result.record.refresh === undefined) return result
        return {
          ...result,
          record: { ...result.record, refresh: { ...result.record.refresh, successorSalt: request.successorSalt } },
        }
      },
    }),
  ),
  'families: presenting the previous token after the retry window is reuse and revokes the family': breakStore(
    'families',
    (honest) => ({
      rotate: (request) => honest.rotate({ ...request, retryWindow: seconds(3600) }),
    }),
  ),
  'families: an accepted retry starts the retry window again, and a retry after that window is reuse': breakStore(
    'families',
    (honest) => ({
      rotate: (request) => honest.rotate({ ...request, retryWindow: seconds(request.retryWindow - 1) }),
    }),
  ),
  'families: all retries end six retry windows after the rotation': breakStore('families', (honest) => ({
    rotate: (request) => honest.rotate({ ...request, retryWindow: seconds(request.retryWindow + 1) }),
  })),
  'families: a rotation ends the retries of the rotation before': breakStore('families', (honest) => ({
    rotate: async (request) => {
      const result = await honest.rotate(request)
      if (result.outcome !== 'rotated' || result.record.refresh === undefined) return result
      return { ...result, record: { ...result.record, refresh: { ...result.record.refresh, retriedAt: request.now } } }
    },
  })),
  'families: a window of 0 never allows a retry': breakStore('families', (honest) => ({
    rotate: (request) => honest.rotate({ ...request, retryWindow: seconds(Math.max(1, request.retryWindow)) }),
  })),
  'families: a token that is its own successor stays current, even in 16 concurrent presentations': breakStore(
    'families',
    (honest) => {
      const presented = new Set<string>()
      return {
        rotate: async (request) => {
          const isRepeated = presented.has(request.presentedDigest)
          presented.add(request.presentedDigest)
          const isKept = request.presentedDigest === request.successorDigest
          return isKept && isRepeated ? { outcome: 'absent' } : honest.rotate(request)
        },
      }
    },
  ),
  'families: presenting a token older than the previous one is reuse and revokes the family, even within the retry window':
    forgetOldTokens(),
  'families: presenting a token that was never issued, with a valid handle, is reuse': forgetOldTokens(),
  'families: a rotation with an unknown handle, by another client or of an expired family is absent and changes nothing':
    breakStore('families', (honest) => ({
      rotate: (request) => honest.rotate({ ...request, clientId: owner }),
    })),
  'families: no refresh token is rotated once the expiry time of the family is reached': breakStore(
    'families',
    (honest) => ({
      insert: (family) => honest.insert({ ...family, expiresAt: epochSeconds(family.expiresAt + 1) }),
    }),
  ),
  'families: of 16 concurrent rotations of one token exactly one rotates': breakStore(
    'families',
    (honest, storage) => ({
      rotate: async (request) => {
        const before = await storage.status.ofRefreshHandle(request.handleDigest)
        await letOthersGoFirst()
        const result = await honest.rotate(request)
        const wasCurrent = before?.family.refresh?.currentDigest === request.presentedDigest
        return wasCurrent && result.outcome === 'retried' ? { ...result, outcome: 'rotated' } : result
      },
    }),
  ),
  'families: after a reuse that races with a rotation, no token rotates again': breakStore(
    'families',
    (honest, storage) => ({
      rotate: async (request) => {
        const before = await storage.status.ofRefreshHandle(request.handleDigest)
        const isReuse = before?.family.refresh?.previousDigest === request.presentedDigest && request.retryWindow === 0
        return isReuse ? { outcome: 'reused', record: before.family } : honest.rotate(request)
      },
    }),
  ),

  'families: an identifier or a handle is inserted at most once': breakStore('families', (honest) => ({
    insert: async (family) => (await honest.insert(family), inserted),
  })),
  'families: families without a refresh token do not conflict': breakStore('families', (honest) => ({
    insert: (family) => {
      const refresh = family.refresh ?? aFamilyRecord().refresh
      return honest.insert({ ...family, refresh: refresh && { ...refresh, handleDigest: secretDigest('') } })
    },
  })),
  'families: a family whose tombstone was inserted first is never active': breakStore('families', (honest) => ({
    insertTombstone: async (family, now) => void (await honest.revoke(family.familyId, now)),
  })),
  'families: a tombstone revokes a family that was inserted before, and a second one does not change the time':
    breakStore('families', (honest) => ({
      insertTombstone: async (family, now) => void (await honest.insert({ ...family, revokedAt: now })),
    })),
  'families: the family is revoked whichever of insertion and tombstone comes first': breakStore(
    'families',
    (honest) => ({
      insertTombstone: async (family, now) => {
        if ((await honest.revoke(family.familyId, now)).outcome !== 'absent') return
        await letOthersGoFirst()
        await honest.insert({ ...family, revokedAt: now })
      },
    }),
  ),
  'families: a revocation is reported once, a later one does not change its time, and no token rotates after it':
    breakStore('families', (honest) => ({
      revoke: async (...call) => (await honest.revoke(...call), revoked),
    })),
  'families: after a revocation that races with rotations, no token rotates': breakStore('families', () => ({
    revoke: async () => revoked,
  })),

  'users: a new user is active, with generation 0 and version 1': breakStore('users', (honest) => ({
    insert: async (user) => {
      const result = await honest.insert(user)
      await honest.deactivate(user.userId, user.createdAt)
      return result
    },
  })),
  'users: an identifier is inserted at most once, and the first record stays': breakStore('users', (honest) => ({
    insert: async (user) => (await honest.insert(user), inserted),
  })),
  'users: deactivation advances the generation once and is reported to one caller': breakStore('users', (honest) => ({
    deactivate: async (userId, now) => {
      await honest.reactivate(userId, now)
      return honest.deactivate(userId, now)
    },
  })),
  'users: reactivation makes the user active and keeps the generation': breakStore('users', (honest) => ({
    reactivate: async (userId, now) => {
      const result = await honest.reactivate(userId, now)
      return result.outcome === 'changed' ? { ...result, record: { ...result.record, generation: 0 } } : result
    },
  })),
  'users: a revocation of all access advances only the generation and the time': breakStore('users', (honest) => ({
    revokeAccess: async (userId, now) => {
      await honest.deactivate(userId, now)
      const result = await honest.reactivate(userId, now)
      return result.outcome === 'absent' ? result : { ...result, outcome: 'revoked' }
    },
  })),
  'users: no concurrent revocation of all access is lost': breakStore('users', (honest, _storage, seen) => ({
    revokeAccess: async (userId, now) => {
      const record = seen.has('revoked') ? await honest.find(userId) : undefined
      seen.set('revoked', true)
      return record === undefined ? honest.revokeAccess(userId, now) : { outcome: 'revoked', record }
    },
  })),
  'users: of 8 concurrent deactivations one changes the user': breakStore('users', (honest) => ({
    deactivate: async (...call) => {
      const result = await honest.deactivate(...call)
      return result.outcome === 'absent' ? result : { ...result, outcome: 'changed' }
    },
  })),
  'users: a removed user is absent for every method, and the identifier stays taken': breakStore(
    'users',
    (honest, _storage, seen) => ({
      remove: async (userId, now) => {
        seen.set(userId, true)
        return honest.remove(userId, now)
      },
      insert: async (user) => (seen.has(user.userId) ? inserted : honest.insert(user)),
    }),
  ),
  'users: replacing claims changes neither active nor generation': breakStore('users', (honest) => ({
    replaceClaims: async (change) => {
      const result = await honest.replaceClaims(change)
      await honest.reactivate(change.userId, change.now)
      return result
    },
  })),
  'users: of concurrent writers that read the same version of the claims, one succeeds': breakStore(
    'users',
    (honest) => ({
      replaceClaims: async (change) => {
        const current = await honest.find(change.userId)
        return honest.replaceClaims({ ...change, version: current?.version ?? change.version })
      },
    }),
  ),
  'users: a deactivation that races with new claims is not lost': breakStore('users', (honest) => ({
    replaceClaims: async (change) => {
      const row = await honest.find(change.userId)
      await letOthersGoFirst()
      if (row?.active === true) await honest.reactivate(change.userId, change.now)
      return honest.replaceClaims(change)
    },
  })),

  'grants: a user and a client have at most one unrevoked grant': breakStore('grants', (honest) => ({
    insert: async (grant) => (await honest.insert(grant), inserted),
  })),
  'grants: each pair of user and client has its own grant': breakStore('grants', (honest) => ({
    findUnrevoked: async (userId) => (await honest.listByUser(userId))[0],
  })),
  'grants: after a revocation, a new grant can be inserted': breakStore('grants', (honest, _storage, seen) => ({
    insert: async (grant) => {
      const pair = `${grant.userId} ${grant.clientId}`
      const first = seen.get(pair) as GrantRecord | undefined
      seen.set(pair, first ?? grant)
      return first === undefined ? honest.insert(grant) : { outcome: 'taken', record: first }
    },
  })),
  'grants: a revocation is reported once, and a later one does not change its time': breakStore('grants', (honest) => ({
    revoke: async (...call) => (await honest.revoke(...call), revoked),
  })),
  'grants: of concurrent writers that read the same version, one replaces the consent': breakStore(
    'grants',
    (honest, storage) => ({
      replaceConsent: async (change) => {
        const current = await storage.status.ofGrant(change.grantId)
        return honest.replaceConsent({ ...change, version: current?.grant.version ?? change.version })
      },
    }),
  ),
  'grants: the consent of a revoked grant cannot be replaced': breakStore('grants', (honest, storage) => ({
    replaceConsent: async (change) => {
      const status = await storage.status.ofGrant(change.grantId)
      if (status?.grant.revokedAt === undefined) return honest.replaceConsent(change)
      return { outcome: 'swapped', record: { ...status.grant, scopes: change.scopes } }
    },
  })),
  "grants: a user's unrevoked grants are listed newest first": breakStore('grants', (honest) => ({
    listByUser: async (userId) => (await honest.listByUser(userId)).toReversed(),
  })),

  'clients: a client_id is inserted at most once, and the first record stays': breakStore('clients', (honest) => ({
    insert: async (client) => (await honest.insert(client), inserted),
  })),
  'clients: a disabled client is found with disabledAt': breakStore('clients', (honest) => ({
    find: async (id) => {
      const client = await honest.find(id)
      return client?.disabledAt === undefined ? client : undefined
    },
  })),
  'clients: of concurrent writers that read the same version, one succeeds': breakStore('clients', (honest) => ({
    compareAndSwap: async (client, version) => {
      const current = await honest.find(client.clientId)
      return honest.compareAndSwap(client, current?.version ?? version)
    },
  })),
  'clients: compareAndSwap compares the version that was read, not the version in the record': breakStore(
    'clients',
    (honest) => ({
      compareAndSwap: (client) => honest.compareAndSwap(client, client.version),
    }),
  ),
  'clients: recording the use of a secret changes nothing else': breakStore('clients', (honest) => ({
    touchSecret: async (id, digest, now) => {
      const client = await honest.find(id)
      if (client === undefined) return
      const secrets = client.secrets.map((secret) =>
        secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
      )
      await honest.compareAndSwap({ ...client, secrets }, client.version)
    },
  })),

  'interactions: a handle is inserted at most once, and the first record stays': breakStore(
    'interactions',
    (honest) => ({
      insert: async (interaction) => (await honest.insert(interaction), inserted),
    }),
  ),
  "interactions: another browser's interaction is absent, and attempts on it change nothing": breakStore(
    'interactions',
    (honest) => ({
      consume: (digest, _browserDigest, now) => honest.consume(digest, aDigest('browser-1'), now),
    }),
  ),
  'interactions: an interaction is absent once its expiry time is reached': breakStore('interactions', (honest) => ({
    find: (digest, browserDigest, now) => honest.find(digest, browserDigest, aSecondEarlier(now)),
  })),
  'interactions: of concurrent writers that read the same version, one records the login': breakStore(
    'interactions',
    (honest) => ({
      recordLogin: async (change) => {
        const current = await honest.find(change.digest, change.browserDigest, change.now)
        return honest.recordLogin({
          ...change,
          version: typeof current === 'object' ? current.version : change.version,
        })
      },
    }),
  ),
  'interactions: an interaction is completed once, and later attempts are replays with the same record': breakStore(
    'interactions',
    (honest) => ({
      consume: async (...call) => forgetReplays(await honest.consume(...call)),
    }),
  ),
  'interactions: of 16 concurrent completions exactly one wins': breakStore(
    'interactions',
    (honest, _storage, seen) => ({
      consume: async (digest, browserDigest, now) => {
        const record = await honest.find(digest, browserDigest, now)
        if (typeof record !== 'object') return { outcome: 'absent' }
        if (seen.has(digest)) return { outcome: 'replayed', record }

        await letOthersGoFirst()
        seen.set(digest, true)
        return { outcome: 'won', record }
      },
    }),
  ),
  'interactions: a completed interaction is found as consumed and accepts no login': breakStore(
    'interactions',
    (honest) => ({
      recordLogin: async (change) => {
        const result = await honest.recordLogin(change)
        if (result.outcome !== 'absent') return result
        const consumed = await honest.consume(change.digest, change.browserDigest, change.now)
        return consumed.outcome === 'absent' ? consumed : { outcome: 'swapped', record: consumed.record }
      },
    }),
  ),

  'pushed requests: a digest is inserted at most once, and the first record stays': breakStore(
    'pushedRequests',
    (honest) => ({
      insert: async (request) => (await honest.insert(request), inserted),
    }),
  ),
  'pushed requests: reading a request does not consume it': breakStore('pushedRequests', (honest) => ({
    find: async (...call) => {
      const result = await honest.consume(...call)
      if (result.outcome === 'replayed') return 'consumed'
      return result.outcome === 'absent' ? undefined : result.record
    },
  })),
  'pushed requests: only the first use succeeds, and each later one is reported as a replay with the same record':
    breakStore('pushedRequests', (honest) => ({
      consume: async (...call) => forgetReplays(await honest.consume(...call)),
    })),
  'pushed requests: of 16 concurrent uses exactly one wins': breakStore('pushedRequests', (honest, _storage, seen) => ({
    consume: async (digest, client, now) => {
      const record = await honest.find(digest, client, now)
      if (typeof record !== 'object') return { outcome: 'absent' }
      if (seen.has(digest)) return { outcome: 'replayed', record }

      await letOthersGoFirst()
      seen.set(digest, true)
      return { outcome: 'won', record }
    },
  })),
  'pushed requests: a client can neither find nor use the request of another client': breakStore(
    'pushedRequests',
    (honest) => ({
      consume: (digest, _client, now) => honest.consume(digest, owner, now),
    }),
  ),
  'pushed requests: a request is absent once its expiry time is reached': breakStore('pushedRequests', (honest) => ({
    find: (digest, client, now) => honest.find(digest, client, aSecondEarlier(now)),
  })),

  ...brokenSessionStores,

  'opaque tokens: a digest is inserted at most once, and the first record stays': breakStore(
    'opaqueTokens',
    (honest) => ({
      insert: async (token) => (await honest.insert(token), inserted),
    }),
  ),
  'opaque tokens: a token is not found once its expiry time is reached': breakStore('opaqueTokens', (honest) => ({
    find: (digest, now) => honest.find(digest, aSecondEarlier(now)),
  })),
  'opaque tokens: a revoked token is not found, and the revocation is reported once': breakStore(
    'opaqueTokens',
    () => ({
      revoke: async () => revoked,
    }),
  ),
  'opaque tokens: a token is revoked only by the client it was issued to': breakStore('opaqueTokens', (honest) => ({
    revoke: (digest, _clientId, now) => honest.revoke(digest, owner, now),
  })),

  "signing keys: of 8 servers that offer an algorithm's first key, one inserts it": breakStore(
    'signingKeys',
    (honest, _storage, seen) => ({
      insert: (key) => {
        seen.set(key.keyId, true)
        return honest.insert({ ...key, ordinal: seen.size })
      },
    }),
  ),
  'signing keys: a kid is unique, and each algorithm has its own ordinals': breakStore('signingKeys', (honest) => ({
    insert: (key) => honest.insert({ ...key, algorithm: 'ES256' }),
  })),
  'signing keys: all keys are listed, oldest first': breakStore('signingKeys', (honest) => ({
    list: async () => (await honest.list()).toReversed(),
  })),
  'signing keys: a key is dropped once, and dropping it again does not change the time': breakStore(
    'signingKeys',
    (honest) => ({
      drop: async (dropped) => (await honest.drop(dropped), revoked),
    }),
  ),
  'signing keys: removing a key removes only that key': breakStore('signingKeys', (honest) => ({
    remove: async (keyId) => ({
      outcome:
        (await honest.drop({ keyId, droppedAt: epochSeconds(0), rowMac: undefined })).outcome === 'revoked'
          ? 'removed'
          : 'absent',
    }),
  })),

  'replays: a value is fresh once, and seen after that': breakStore('replays', () => ({
    markUsed: async () => ({ outcome: 'fresh' }),
  })),
  'replays: of 16 concurrent uses exactly one is fresh': breakStore('replays', (_honest, _storage, seen) => ({
    markUsed: async ({ value }) => {
      if (seen.has(value)) return { outcome: 'seen' }
      await letOthersGoFirst()
      seen.set(value, true)
      return { outcome: 'fresh' }
    },
  })),
  'replays: once its expiry time is reached, a value is fresh again for one use': breakStore('replays', (honest) => ({
    markUsed: (claim) => honest.markUsed({ ...claim, now: epochSeconds(0) }),
  })),
  'replays: a use with the outcome seen does not change the expiry': breakStore(
    'replays',
    (_honest, _storage, seen) => ({
      markUsed: async ({ value, expiresAt, now }) => {
        const outcome = now < Number(seen.get(value)) ? 'seen' : 'fresh'
        seen.set(value, expiresAt)
        return { outcome }
      },
    }),
  ),
  'replays: using a value does not revoke a token with the same identifier, and revoking a token uses no value':
    breakStore('revocations', (_honest, { replays }) => ({
      isTokenRevoked: async (tokenId, now) => {
        const { outcome } = await replays.markUsed({
          purpose: 'client_assertion_jti',
          value: tokenId,
          expiresAt: now,
          now,
        })
        return outcome === 'seen'
      },
    })),
  'replays: values of any length and content are distinguished': breakStore('replays', (honest) => ({
    markUsed: (claim) => honest.markUsed({ ...claim, value: claim.value.slice(0, 1000) }),
  })),

  'status: ofGrant returns a grant with its client, its user and a session, as their stores return them': cacheStatus(),
  'status: ofFamily and ofRefreshHandle return a family with its grant, client, user and session': cacheStatus(),
  'status: ofSession returns a session with its user': cacheStatus(),
  'status: ofFamilies returns the families that exist, each as ofFamily does': breakStore('status', (honest) => ({
    ofFamilies: async (familyIds) => (await honest.ofFamilies(familyIds)).slice(0, 1),
  })),
  'status: ofAccessToken returns what ofFamily returns, unless the token was revoked': breakStore(
    'status',
    (honest) => ({
      ofAccessToken: ({ familyId }) => honest.ofFamily(familyId),
    }),
  ),
  'status: a missing related row is undefined, and the row itself is found': breakStore('status', (honest) => ({
    ofGrant: async (grantId) => {
      const status = await honest.ofGrant(grantId)
      return status?.user === undefined ? undefined : status
    },
  })),

  'round trip: grants that are inserted as revoked': breakStore('grants', (honest) => ({
    insert: (grant) => honest.insert({ ...grant, revokedAt: undefined }),
  })),
  'round trip: opaque tokens that are inserted as revoked': breakStore('opaqueTokens', (honest) => ({
    insert: (token) => honest.insert({ ...token, revokedAt: undefined }),
  })),
  'round trip: sessions of the host that a client joins': breakStore('sessions', (honest) => ({
    join: (request) => honest.join({ ...request, session: { ...request.session, location: undefined } }),
  })),
  'round trip: sessions that are inserted as revoked': breakStore('sessions', (honest) => ({
    insert: (session) => honest.insert({ ...session, revokedAt: undefined }),
  })),
  'round trip: families that are rotated': breakStore('families', (honest) => ({
    rotate: (request) => honest.rotate({ ...request, successorSalt: '' }),
  })),
}

function forLaws(prefix: string, makeBrokenStore: () => BrokenStore): Readonly<Record<string, BrokenStore>> {
  const names = adminLaws.map(({ name }) => name).filter((name) => name.startsWith(prefix))
  return Object.fromEntries(names.map((name) => [name, makeBrokenStore()]))
}

function forgetReplays<R>(result: ConsumeOutcome<R>): ConsumeOutcome<R> {
  return result.outcome === 'replayed' ? { outcome: 'absent' } : result
}

/** A store that knows the current token and the previous one, and treats every other token as unknown. */
function forgetOldTokens(): BrokenStore {
  return breakStore('families', (honest, storage) => ({
    rotate: async (request) => {
      const refresh = (await storage.status.ofRefreshHandle(request.handleDigest))?.family.refresh
      const known = [refresh?.currentDigest, refresh?.previousDigest]
      return known.includes(request.presentedDigest) ? honest.rotate(request) : { outcome: 'absent' }
    },
  }))
}

function cacheStatus(): BrokenStore {
  return (store) => {
    const cache = new Map<string, unknown>()
    return breakEveryMethod((method, call) =>
      call.name.startsWith('status.') ? memoize(cache, method, call) : method(...call.args),
    )(store)
  }
}

/** A store that returns the same object for each equal call, not a copy. */
function returnStoredObjects(): BrokenStore {
  return (store) => {
    const rows = new Map<string, unknown>()
    return breakEveryMethod((method, call) => memoize(rows, method, call))(store)
  }
}

async function memoize(answers: Map<string, unknown>, method: Method, call: Call): Promise<unknown> {
  const key = JSON.stringify([call.name, call.args])
  const answer: unknown = answers.has(key) ? answers.get(key) : mapStrings(await method(...call.args), (text) => text)
  answers.set(key, answer)
  return answer
}

/** Returns a copy of plain data with every string in it changed. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((member: unknown) => mapStrings(member, change))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapStrings(member, change)]))
}
