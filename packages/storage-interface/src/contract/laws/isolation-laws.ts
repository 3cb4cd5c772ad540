// One file, because isolation applies to every store, and each store needs only a few lines.
import type { OAuthStorage } from '../../storage.ts'
import { seconds, sessionId } from '../../values.ts'
import {
  aClientRecord,
  aCodeRecord,
  aDigest,
  aFamilyRecord,
  aGrantRecord,
  aJoin,
  aLogin,
  aSessionEnd,
  aSessionRecord,
  aSigningKeyRecord,
  aUser,
  anInteractionRecord,
  anOpaqueTokenRecord,
  aPushedRequestRecord,
  now,
  nowPlus,
} from '../fixtures.ts'
import { type StorageLaw, type Trial, law } from '../law.ts'
import type { RecordKind } from '../record-kinds.ts'

/** The laws that apply to every record: identifiers, ownership and isolation. */
export const recordLaws = <Storage extends OAuthStorage>(
  kinds: readonly RecordKind<Storage>[],
): readonly StorageLaw<Storage>[] => [
  ...kinds.map(identifierLaw),
  ...kinds.map(ownershipLaw),
  ...kinds.map(isolationLaw),
]

/** Identifiers and digests are compared byte for byte, whatever they contain (RFC 6749 §2.2). */
const identifierLaw = <Storage extends OAuthStorage>({ store, make, insert, read }: RecordKind<Storage>) =>
  law<Storage>(`identifiers: ${store} are compared byte for byte`, async ({ storage, same }) => {
    for (const id of identifiers)
      same(await insert(storage, make(id)), { outcome: 'inserted' }, `inserting ${show(id)}`)
    for (const id of identifiers) same(await read(storage, id), make(id), `reading ${show(id)}`)
    for (const id of absentIdentifiers)
      same(await read(storage, id), undefined, `reading ${show(id)}, which is not there`)
  })

/** The store keeps its own copy of each record. */
const ownershipLaw = <Storage extends OAuthStorage>({ store, make, insert, read }: RecordKind<Storage>) =>
  law<Storage>(
    `ownership: ${store} cannot be altered through a record that was passed in or returned`,
    async ({ storage, same }) => {
      const passedIn = make('id-1')
      await insert(storage, passedIn)
      spoil(passedIn)
      same(await read(storage, 'id-1'), make('id-1'), 'after the record passed in was altered')

      spoil(await read(storage, 'id-1'))
      same(await read(storage, 'id-1'), make('id-1'), 'after the record handed out was altered')
    },
  )

/** Rows that one issuer's storage wrote are not found through another issuer's storage. */
const isolationLaw = <Storage extends OAuthStorage>({ store, make, insert, read }: RecordKind<Storage>) =>
  isolation<Storage>(`${store} are read and inserted`, async ({ storage, same }, other) => {
    await insert(storage, make('id-1'))

    same(await read(other, 'id-1'), undefined, 'reading as the other issuer')
    same(await insert(other, make('id-1')), { outcome: 'inserted' }, 'inserting as the other issuer')
    same(await read(storage, 'id-1'), make('id-1'), "the first issuer's record")
  })

/** Returns a law that is checked with the storage of a second issuer. */
export function isolation<Storage extends OAuthStorage = OAuthStorage>(
  subject: string,
  check: (trial: Trial<Storage>, other: Storage) => Promise<void>,
): StorageLaw<Storage> {
  return law<Storage>(`isolation: ${subject} only by their own issuer`, async (trial) => {
    // The other issuer's identifier begins with the first one's.
    await check(trial, await trial.open(`${trial.issuer}/tenant`))
  })
}

/** Overwrites every member that can be overwritten, at every depth; a frozen record does not change. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return

  for (const key of Object.keys(value)) {
    spoil(Reflect.get(value, key))
    Reflect.set(value, key, 'spoiled')
  }
  Reflect.set(value, Array.isArray(value) ? value.length : 'spoiled', 'spoiled')
}

export const identifiers = [
  'abc',
  'ABC',
  'aBc',
  'abc ',
  ' abc',
  'äbc',
  'a\u0308bc',
  '1',
  '01',
  '1.0',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'undefined',
  "a'b",
  'a"b',
  'a\\',
  'a%',
  'a_',
  'a|b',
  'https://client.example/id?a=b#c',
  '漢字😀',
  'x'.repeat(254),
  `${'x'.repeat(254)}y`,
]

export const absentIdentifiers = ['', 'a', 'abcd', 'a%%', 'abc\n', 'toString', 'x'.repeat(255)]

export const show = (id: string): string => JSON.stringify(id.slice(0, 40))

/** No row that one issuer's storage wrote is found, changed or counted through another issuer's storage. */
export const isolationLaws: readonly StorageLaw[] = [
  isolation('clients are changed', async ({ storage, same }, other) => {
    await storage.clients.insert(client)

    same(
      await other.clients.compareAndSwap(aClientRecord({ clientName: 'x' }), 1),
      { outcome: 'absent' },
      'compareAndSwap',
    )
    await other.clients.touchSecret(client.clientId, aDigest('client-secret-1'), nowPlus(9))
    same(await storage.clients.find(client.clientId), client, "the first issuer's client")
  }),

  isolation('users are changed', async ({ storage, same }, other) => {
    await storage.users.insert(aUser())
    const before = await storage.users.find(aUser().userId)
    const change = { userId: aUser().userId, claims: {}, version: 1, now }

    same(await other.users.replaceClaims(change), { outcome: 'absent' }, 'replaceClaims')
    same(await other.users.deactivate(aUser().userId, now), { outcome: 'absent' }, 'deactivate')
    same(await other.users.reactivate(aUser().userId, now), { outcome: 'absent' }, 'reactivate')
    same(await other.users.remove(aUser().userId, now), { outcome: 'absent' }, 'remove')
    same(await storage.users.find(aUser().userId), before, "the first issuer's user")
  }),

  isolation('grants are changed and listed', async ({ storage, same }, other) => {
    await storage.grants.insert(grant)

    same(await other.grants.listByUser(grant.userId), [], 'listByUser')
    const change = {
      grantId: grant.grantId,
      scopes: [],
      resources: [],
      authorizationDetails: [],
      clientDigest: undefined,
      version: 1,
    }
    same(await other.grants.replaceConsent(change), { outcome: 'absent' }, 'replaceConsent')
    same(await other.grants.revoke(grant.grantId, now), { outcome: 'absent' }, 'revoke')
    same(await storage.grants.listByUser(grant.userId), [grant], "the first issuer's grant")
  }),

  isolation('codes are consumed', async ({ storage, same }, other) => {
    const { digest, clientId } = aCodeRecord()
    await storage.codes.insert(aCodeRecord())

    same(await other.codes.consume(digest, clientId, now), { outcome: 'absent' }, 'consume')
    await other.codes.insert(aCodeRecord())
    same((await other.codes.consume(digest, clientId, now)).outcome, 'won', "the other issuer's own code")
    same((await storage.codes.consume(digest, clientId, now)).outcome, 'won', "the first issuer's code")
  }),

  isolation('families are rotated, revoked and replaced by a tombstone', async ({ storage, same }, other) => {
    await storage.families.insert(family)
    const request = {
      handleDigest: aDigest('handle-1'),
      presentedDigest: aDigest('refresh-1'),
      clientId: family.clientId,
      successorDigest: aDigest('refresh-2'),
      successorSalt: 'salt',
      expiresAt: nowPlus(90_000),
      now,
      retryWindow: seconds(10),
    }

    same(await other.families.rotate(request), { outcome: 'absent' }, 'rotate')
    same(
      await other.families.rotate({ ...request, presentedDigest: aDigest('forged') }),
      { outcome: 'absent' },
      'a forged token',
    )
    same(await other.families.revoke(family.familyId, now), { outcome: 'absent' }, 'revoke')
    same(await other.status.ofFamily(family.familyId), undefined, 'ofFamily')
    await other.families.insertTombstone(family, now)
    same(
      (await storage.status.ofFamily(family.familyId))?.family,
      family,
      "the first issuer's family, after the other issuer's tombstone",
    )
  }),

  isolation('opaque tokens are revoked', async ({ storage, same }, other) => {
    const { digest, clientId } = anOpaqueTokenRecord()
    await storage.opaqueTokens.insert(anOpaqueTokenRecord())

    same(await other.opaqueTokens.revoke(digest, clientId, now), { outcome: 'absent' }, 'revoke')
    same(await storage.opaqueTokens.find(digest, now), anOpaqueTokenRecord(), "the first issuer's token")
  }),

  isolation('interactions are signed in to and completed', async ({ storage, same }, other) => {
    const interaction = anInteractionRecord()
    const { digest, browserDigest } = interaction
    await storage.interactions.insert(interaction)

    const login = await other.interactions.recordLogin({ digest, browserDigest, login: aLogin(), version: 1, now })
    same(login, { outcome: 'absent' }, 'recordLogin')
    same(await other.interactions.consume(digest, browserDigest, now), { outcome: 'absent' }, 'consume')
    same(await storage.interactions.find(digest, browserDigest, now), interaction, "the first issuer's interaction")
  }),

  isolation('pushed requests are used', async ({ storage, same }, other) => {
    const { digest, clientId } = aPushedRequestRecord()
    await storage.pushedRequests.insert(aPushedRequestRecord())

    same(await other.pushedRequests.consume(digest, clientId, now), { outcome: 'absent' }, 'consume')
    same(await storage.pushedRequests.find(digest, clientId, now), aPushedRequestRecord(), "the first issuer's request")
  }),

  isolation('sessions are touched, revoked, found and listed', async ({ storage, same }, other) => {
    const session = aSessionRecord()
    await storage.sessions.insert(session)

    await other.sessions.touch(session.digest, { idleExpiresAt: nowPlus(9), lastSeenAt: nowPlus(8) })
    same(await other.sessions.revoke(aSessionEnd()), { outcome: 'absent' }, 'revoke')
    same(await other.sessions.revokeOfUser(session.userId, 'user', now), [], 'revokeOfUser')
    same(await other.sessions.find(session.sessionId), undefined, 'find')
    same(await other.sessions.listByUser(session.userId, now), [], 'listByUser')
    same(await storage.sessions.listByUser(session.userId, now), [session], "the first issuer's session")
  }),

  isolation('sessions are joined', async ({ storage, same }, other) => {
    await storage.sessions.join(aJoin())

    same(await other.sessions.participants(aJoin().session.sessionId), [], 'participants')
    same(await other.sessions.participantsOfUser(aJoin().session.userId, 9), [], 'participantsOfUser')
    await other.sessions.revoke(aSessionEnd({ tombstoneUntil: nowPlus(9) }))
    same(await storage.sessions.join(aJoin()), { outcome: 'joined' }, "a join, after the other issuer's end")
    same(await other.sessions.join(aJoin()), { outcome: 'ended' }, "a join of the other issuer's session")
  }),

  isolation('signing keys are dropped and removed', async ({ storage, same }, other) => {
    const key = aSigningKeyRecord()
    await storage.signingKeys.insert(key)

    same(
      await other.signingKeys.drop({ keyId: key.keyId, droppedAt: now, rowMac: undefined }),
      { outcome: 'absent' },
      'drop',
    )
    same(await other.signingKeys.remove(key.keyId), { outcome: 'absent' }, 'remove')
    same(await storage.signingKeys.list(), [key], "the first issuer's keys")
    if (storage.signingKeys.otherIssuers !== undefined) {
      same(await storage.signingKeys.otherIssuers(), [], 'issuers besides the first, before they have keys')
      same(await other.signingKeys.otherIssuers?.(), [storage.issuer], 'issuers besides the other one')
    }
  }),

  isolation('replays are detected', async ({ storage, same }, other) => {
    const use = { purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: nowPlus(60), now } as const
    await storage.replays.markUsed(use)

    same(await other.replays.markUsed(use), { outcome: 'fresh' }, 'markUsed')
  }),

  isolation('rows of a status are joined', async ({ storage, same }, other) => {
    await storage.clients.insert(client)
    await storage.users.insert(aUser())
    await other.grants.insert(grant)
    await storage.sessions.insert(aSessionRecord({ digest: aDigest('session-2'), sessionId: boundTo }))
    await other.families.insert({ ...family, boundSessionId: boundTo })
    await other.sessions.insert(aSessionRecord())

    same(await storage.status.ofGrant(grant.grantId), undefined, 'ofGrant')
    same(
      await other.status.ofGrant(grant.grantId, boundTo),
      { grant, client: undefined, user: undefined, session: undefined },
      'the status of a grant',
    )
    const bound = { ...family, boundSessionId: boundTo }
    const expected = { family: bound, grant, client: undefined, user: undefined, session: undefined }
    same(await other.status.ofFamily(family.familyId), expected, 'the status of a family')
    same(await other.status.ofRefreshHandle(aDigest('handle-1')), expected, 'the status of a refresh token')
    const session = { session: aSessionRecord(), user: undefined }
    same(await other.status.ofSession(aDigest('session-1')), session, 'the status of a session')
  }),
]

const client = aClientRecord()
const grant = aGrantRecord()
const family = aFamilyRecord()
const boundTo = sessionId('session-2')
