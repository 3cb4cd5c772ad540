import { revocationRetention } from '../../revocation.ts'
import { after, seconds } from '../../values.ts'
import { law, type StorageLaw } from '../law.ts'
import { aClientRecord, aLogin, now } from '../fixtures.ts'
import * as records from '../complete-records.ts'

/** Every method that reads a record returns every member as it was written. */
export const roundTripLaws: readonly StorageLaw[] = [
  law('round trip: clients', async ({ storage, same }) => {
    for (const client of [records.fullClient, records.sparseClient]) {
      await storage.clients.insert(client)
      same(await storage.clients.find(client.clientId), client, 'as inserted')

      const replaced = aClientRecord({ clientId: client.clientId })
      const swap = await storage.clients.compareAndSwap(replaced, client.version)
      same(swap, { outcome: 'swapped', record: { ...replaced, version: client.version + 1 } }, 'as swapped')
      await storage.clients.compareAndSwap({ ...client, version: 0 }, client.version + 1)
      same(await storage.clients.find(client.clientId), { ...client, version: client.version + 2 }, 'as swapped back')
    }
  }),

  law('round trip: users', async ({ storage, same }) => {
    for (const user of [records.fullUser, records.sparseUser]) {
      await storage.users.insert(user)
      const found = await storage.users.find(user.userId)
      same(found, { ...user, active: true, generation: 0, updatedAt: user.createdAt, version: 1 }, 'as inserted')

      const change = { userId: user.userId, now: user.createdAt }
      await storage.users.replaceClaims({ ...change, claims: { other: true }, version: 1 })
      const result = await storage.users.replaceClaims({ ...change, claims: user.claims, version: 2 })
      same(result, { outcome: 'swapped', record: { ...found, version: 3 } }, 'as replaced')
      same(await storage.users.find(user.userId), { ...found, version: 3 }, 'as read after that')
    }
  }),

  law('round trip: grants', async ({ storage, same }) => {
    const unrevoked = { ...records.fullGrant, revokedAt: undefined }
    for (const grant of [unrevoked, records.sparseGrant]) {
      await storage.grants.insert(grant)
      same(await storage.grants.findUnrevoked(grant.userId, grant.clientId), grant, 'through findUnrevoked')
      same(await storage.grants.listByUser(grant.userId), [grant], 'through listByUser')
      same((await storage.status.ofGrant(grant.grantId))?.grant, grant, 'through its status')
      same(await storage.grants.insert(grant), { outcome: 'taken', record: grant }, 'through a refused insertion')

      const resources = [...grant.resources, 'https://more.example']
      const { grantId, version } = grant
      const authorizationDetails = [...grant.authorizationDetails, { type: 'more', amount: '1.00' }]
      const clientDigest = grant.clientDigest === undefined ? 'digest' : undefined
      const change = {
        grantId,
        scopes: [...grant.scopes, 'more'],
        resources,
        authorizationDetails,
        clientDigest,
        version,
      }
      const widened = {
        ...grant,
        scopes: change.scopes,
        resources,
        authorizationDetails,
        clientDigest,
        version: version + 1,
      }
      same(
        await storage.grants.replaceConsent(change),
        { outcome: 'swapped', record: widened },
        'through replaceConsent',
      )
    }
  }),

  law('round trip: grants that are inserted as revoked', async ({ storage, same }) => {
    same(await storage.grants.insert(records.fullGrant), { outcome: 'inserted' }, 'the insertion')
    same((await storage.status.ofGrant(records.fullGrant.grantId))?.grant, records.fullGrant, 'through its status')
    const unrevoked = await storage.grants.findUnrevoked(records.fullGrant.userId, records.fullGrant.clientId)
    same(unrevoked, undefined, 'the unrevoked grant of the user and the client')
  }),

  law('round trip: codes', async ({ storage, same }) => {
    for (const code of [records.fullCode, records.sparseCode, records.emptyCode]) {
      await storage.codes.insert(code)
      same(await storage.codes.find(code.digest, code.clientId, now), code, 'through find')
      same(await storage.codes.consume(code.digest, code.clientId, now), { outcome: 'won', record: code }, 'as won')
      same(
        await storage.codes.consume(code.digest, code.clientId, now),
        { outcome: 'replayed', record: code },
        'as replayed',
      )
    }
  }),

  law('round trip: families', async ({ storage, same }) => {
    for (const family of [records.fullFamily, records.sparseFamily]) {
      same(await storage.families.insert(family), { outcome: 'inserted' }, 'the insertion')
      same((await storage.status.ofFamily(family.familyId))?.family, family, 'through ofFamily')
    }
    const handle = records.fullFamily.refresh.handleDigest
    same((await storage.status.ofRefreshHandle(handle))?.family, records.fullFamily, 'through ofRefreshHandle')
  }),

  law('round trip: tombstones of families', async ({ storage, same }) => {
    for (const family of [records.fullFamily, records.sparseFamily]) {
      await storage.families.insertTombstone({ ...family, revokedAt: undefined }, now)
      same((await storage.status.ofFamily(family.familyId))?.family, { ...family, revokedAt: now }, 'through ofFamily')
    }
  }),

  law('round trip: families that are rotated', async ({ storage, same }) => {
    const family = { ...records.fullFamily, revokedAt: undefined }
    const { refresh } = family
    const request = {
      ...refresh,
      clientId: family.clientId,
      successorDigest: refresh.currentDigest,
      now: family.createdAt,
    }
    const rotation = {
      ...request,
      presentedDigest: refresh.previousDigest,
      successorSalt: 'salt',
      retryWindow: seconds(60),
    }
    await storage.families.insert({
      ...family,
      refresh: { ...refresh, currentDigest: refresh.previousDigest, previousDigest: undefined },
    })

    const rotated = { ...refresh, successorSalt: 'salt', rotatedAt: family.createdAt, retriedAt: undefined }
    const record = { ...family, refresh: rotated }
    same(await storage.families.rotate(rotation), { outcome: 'rotated', record }, 'as rotated')
    const retried = { ...record, refresh: { ...rotated, retriedAt: family.createdAt } }
    same(await storage.families.rotate(rotation), { outcome: 'retried', record: retried }, 'as retried')
    const reused = await storage.families.rotate({ ...rotation, retryWindow: seconds(0) })
    same(reused, { outcome: 'reused', record: { ...retried, revokedAt: family.createdAt } }, 'as reused')
  }),

  law('round trip: opaque tokens', async ({ storage, same }) => {
    for (const token of [records.fullOpaqueToken, records.sparseOpaqueToken]) {
      await storage.opaqueTokens.insert(token)
      same(await storage.opaqueTokens.find(token.digest, now), token, 'through find')
    }
  }),

  law('round trip: opaque tokens that are inserted as revoked', async ({ storage, same }) => {
    await storage.opaqueTokens.insert({ ...records.fullOpaqueToken, revokedAt: now })
    same(await storage.opaqueTokens.find(records.fullOpaqueToken.digest, now), undefined, 'through find')
  }),

  law('round trip: pushed requests', async ({ storage, same }) => {
    for (const request of [records.fullPushedRequest, records.sparsePushedRequest]) {
      const { digest, clientId: owner } = request
      await storage.pushedRequests.insert(request)
      same(await storage.pushedRequests.find(digest, owner, now), request, 'through find')
      same(await storage.pushedRequests.consume(digest, owner, now), { outcome: 'won', record: request }, 'as won')
      const replayed = await storage.pushedRequests.consume(digest, owner, now)
      same(replayed, { outcome: 'replayed', record: request }, 'as replayed')
    }
  }),

  law('round trip: interactions', async ({ storage, same }) => {
    for (const interaction of [records.fullInteraction, records.sparseInteraction]) {
      const { digest, browserDigest, version } = interaction
      await storage.interactions.insert(interaction)
      same(await storage.interactions.find(digest, browserDigest, now), interaction, 'through find')

      const login = records.fullInteraction.login
      await storage.interactions.recordLogin({ digest, browserDigest, login: aLogin(), version, now })
      const swap = await storage.interactions.recordLogin({ digest, browserDigest, login, version: version + 1, now })
      const record = { ...interaction, login, version: version + 2 }
      same(swap, { outcome: 'swapped', record }, 'through recordLogin')
      same(await storage.interactions.consume(digest, browserDigest, now), { outcome: 'won', record }, 'as won')
      same(
        await storage.interactions.consume(digest, browserDigest, now),
        { outcome: 'replayed', record },
        'as replayed',
      )
    }
  }),

  law('round trip: sessions', async ({ storage, same }) => {
    for (const session of [{ ...records.fullSession, revokedAt: undefined }, records.sparseSession]) {
      await storage.sessions.insert(session)
      same(await storage.sessions.find(session.sessionId), session, 'through find')
      const listed = await storage.sessions.listByUser(session.userId, now)
      same(
        listed.find(({ sessionId }) => sessionId === session.sessionId),
        session,
        'through listByUser',
      )
    }
    const withCookie = (await storage.status.ofSession(records.fullSession.digest))?.session
    same(withCookie, { ...records.fullSession, revokedAt: undefined }, 'through ofSession')
  }),

  law('round trip: sessions that are inserted as revoked', async ({ storage, same }) => {
    await storage.sessions.insert(records.fullSession)
    same(
      (await storage.status.ofSession(records.fullSession.digest))?.session,
      records.fullSession,
      'through ofSession',
    )
    same(await storage.sessions.find(records.fullSession.sessionId), records.fullSession, 'through find')
    same(await storage.sessions.listByUser(records.fullSession.userId, now), [], 'through listByUser')
  }),

  law('round trip: sessions of the host that a client joins', async ({ storage, same }) => {
    const { joinedSession: session } = records
    const { createdAt } = records.fullSession
    await storage.sessions.join({ session, clientId: records.fullClient.clientId, now: createdAt })
    const joined = { ...session, createdAt, lastSeenAt: createdAt }
    same(await storage.sessions.find(session.sessionId), joined, 'through find')
    await storage.sessions.revoke({ sessionId: session.sessionId, reason: 'replaced', now, tombstoneUntil: undefined })
    const keptUntil = after(now, revocationRetention)
    const ended = { ...joined, keptUntil, revokedAt: now, endReason: 'replaced' }
    same(await storage.sessions.find(session.sessionId), ended, 'through find, after its end')
    same(
      await storage.sessions.participants(session.sessionId),
      [
        {
          sessionId: session.sessionId,
          clientId: records.fullClient.clientId,
          firstAt: createdAt,
          lastAt: createdAt,
        },
      ],
      'through participants',
    )
  }),

  law('round trip: signing keys', async ({ storage, same }) => {
    await storage.signingKeys.insert(records.sparseSigningKey)
    await storage.signingKeys.insert(records.fullSigningKey)
    same(await storage.signingKeys.list(), [records.sparseSigningKey, records.fullSigningKey], 'through list')
  }),
]
