import { revocationRetention } from '../../revocation.ts'
import { after, clientId, grantId, seconds, sessionId, type EpochSeconds } from '../../values.ts'
import { law, type StorageLaw, type Trial } from '../law.ts'
import {
  aCodeRecord,
  aDigest,
  aFamilyRecord,
  aGrantRecord,
  aJoin,
  aSessionEnd,
  aSessionRecord,
  aUser,
  anInteractionRecord,
  anOpaqueTokenRecord,
  aPushedRequestRecord,
  aRefreshRecord,
  now,
  nowPlus,
} from '../fixtures.ts'

/** Purging does not change the result of any other method. Stores whose rows expire automatically may report fewer removed rows. */
export const purgeLaws: readonly StorageLaw[] = [
  law('purge: rows that are honoured are not removed', async (trial) => {
    const { storage, same } = trial
    await fill(trial)

    await purgeAll(trial, now)

    const [code, interaction, token] = [aCodeRecord(), anInteractionRecord(), anOpaqueTokenRecord()]
    const [family, session, grant] = [aFamilyRecord(), aSessionRecord(), aGrantRecord()]
    same((await storage.codes.consume(code.digest, code.clientId, now)).outcome, 'won', 'the code')
    same(
      await storage.interactions.find(interaction.digest, interaction.browserDigest, now),
      interaction,
      'the interaction',
    )
    const pushed = aPushedRequestRecord()
    same(await storage.pushedRequests.find(pushed.digest, pushed.clientId, now), pushed, 'the pushed request')
    same((await storage.status.ofFamily(family.familyId))?.family, family, 'the family')
    same((await storage.status.ofSession(session.digest))?.session, session, 'the session')
    same(await storage.opaqueTokens.find(token.digest, now), token, 'the opaque token')
    same(await storage.grants.findUnrevoked(grant.userId, grant.clientId), grant, 'the grant')
    same(await storage.replays.markUsed(use), { outcome: 'seen' }, 'the replay')
    same(await storage.revocations.isTokenRevoked('token-1', now), true, 'the revocation of a token')
  }),

  law('purge: anything refused before is refused afterwards', async (trial) => {
    const { storage, same } = trial
    await fill(trial)
    await storage.users.insert(aUser())
    await storage.users.remove(aUser().userId, now)

    await purgeAll(trial, nowPlus(10_000_000))

    const [code, family, session] = [aCodeRecord(), aFamilyRecord(), aSessionRecord()]
    same(
      await storage.codes.consume(code.digest, code.clientId, nowPlus(10_000_000)),
      { outcome: 'absent' },
      'the code',
    )
    same(await storage.status.ofFamily(family.familyId), undefined, 'the family')
    same(await storage.status.ofSession(session.digest), undefined, 'the session')
    same(await storage.users.insert(aUser()), { outcome: 'taken' }, 'the identifier of a removed user')
  }),

  law('purge: a used code stays used while it could be presented', async (trial) => {
    const { storage, same } = trial
    const code = aCodeRecord()
    await storage.codes.insert(code)
    await storage.codes.consume(code.digest, code.clientId, now)

    await purgeAll(trial, now)

    same((await storage.codes.consume(code.digest, code.clientId, now)).outcome, 'replayed', 'the second presentation')
  }),

  law('purge: a tombstone of a family stays while its code could be redeemed', async (trial) => {
    const { storage, same } = trial
    const family = aFamilyRecord()
    await storage.families.insertTombstone(family, now)

    await purgeAll(trial, now)

    same(await storage.families.insert(family), { outcome: 'revoked' }, 'inserting the family')
  }),

  law('purge: a family stays for a day after its refresh token has expired', async (trial) => {
    const { storage, same } = trial
    const refresh = aRefreshRecord()
    const family = aFamilyRecord({ refresh })
    await storage.families.insert(family)

    await purgeAll(trial, after(refresh.expiresAt, seconds(86_399)))

    same((await storage.status.ofFamily(family.familyId))?.family, family, 'the family of valid access tokens')
  }),

  law('purge: a revoked grant is removed, and the grant that replaced it stays', async (trial) => {
    const { storage, same } = trial
    const first = aGrantRecord()
    const second = aGrantRecord({ grantId: grantId('grant-2') })
    await storage.grants.insert(first)
    await storage.grants.revoke(first.grantId, now)
    await storage.grants.insert(second)

    await purgeAll(trial, now)

    same(await storage.status.ofGrant(first.grantId), undefined, 'the revoked grant')
    same(await storage.grants.findUnrevoked(second.userId, second.clientId), second, 'the unrevoked grant')
  }),

  law('purge: a session stays while clients and tokens refer to it, and its participants with it', async (trial) => {
    const { storage, same } = trial
    const [session, join] = [aSessionRecord(), aJoin()]
    await storage.sessions.insert(session)
    await storage.sessions.join(join)

    await purgeAll(trial, nowPlus(604_799))
    const kept = await storage.sessions.find(session.sessionId)
    same(kept, { ...session, keptUntil: join.session.keptUntil }, 'the expired session')
    same((await storage.sessions.participants(session.sessionId)).length, 1, 'its participants')
    await purgeAll(trial, join.session.keptUntil)
    same(await storage.sessions.find(session.sessionId), undefined, 'the session that nothing refers to')
    same(await storage.sessions.participants(session.sessionId), [], 'the participants after it')
  }),

  law('purge: a revoked session stays as long as its revocation', async (trial) => {
    const { storage, same } = trial
    await storage.sessions.join(aJoin({ keptUntil: nowPlus(1) }))
    await storage.sessions.revoke(aSessionEnd())

    await purgeAll(trial, nowPlus(revocationRetention - 1))
    same(await storage.sessions.join(aJoin({ clientId: clientId('client-2') })), { outcome: 'ended' }, 'a join')
    same((await storage.sessions.participants(aSessionEnd().sessionId)).length, 1, 'its participants')
    await purgeAll(trial, nowPlus(revocationRetention))
    same(await storage.sessions.find(aSessionEnd().sessionId), undefined, 'the session afterwards')
    same(await storage.sessions.participants(aSessionEnd().sessionId), [], 'the participants afterwards')
  }),

  law('purge: no call removes more rows than its limit, and repeated calls remove all', async ({ storage, same }) => {
    for (let index = 0; index < 5; index += 1) {
      await storage.sessions.insert(
        aSessionRecord({ digest: aDigest(`s${index}`), sessionId: sessionId(`session-${index}`) }),
      )
    }
    const later = nowPlus(10_000_000)

    const first = await storage.purge.purgeExpired({ now: later, limit: 2 })
    const second = await storage.purge.purgeExpired({ now: later, limit: 2 })
    const last = await storage.purge.purgeExpired({ now: later, limit: 2 })

    same([first.removed, second.removed, last.removed], [2, 2, 1], 'rows removed by each call')
    same([first.done, last.done], [false, true], 'whether nothing was left')
  }),

  law('purge: an issuer removes only its own rows', async ({ storage, open, same }) => {
    const session = aSessionRecord()
    await storage.sessions.insert(session)
    const other = await open('https://other.example')

    const purged = await other.purge.purgeExpired({ now: nowPlus(10_000_000), limit: 100 })

    same(purged, { removed: 0, done: true }, 'what the other issuer removed')
    same((await storage.status.ofSession(session.digest))?.session, session, 'the session')
  }),
]

async function fill({ storage }: Trial): Promise<void> {
  await storage.codes.insert(aCodeRecord())
  await storage.interactions.insert(anInteractionRecord())
  await storage.pushedRequests.insert(aPushedRequestRecord())
  await storage.families.insert(aFamilyRecord())
  await storage.sessions.insert(aSessionRecord())
  await storage.opaqueTokens.insert(anOpaqueTokenRecord())
  await storage.grants.insert(aGrantRecord())
  await storage.replays.markUsed(use)
  await storage.revocations.revokeToken({ tokenId: 'token-1', expiresAt: nowPlus(60), now })
}

async function purgeAll({ storage }: Trial, at: EpochSeconds): Promise<void> {
  while (!(await storage.purge.purgeExpired({ now: at, limit: 2 })).done);
}

const use = { purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: nowPlus(60), now } as const
