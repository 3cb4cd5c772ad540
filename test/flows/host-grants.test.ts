import { defineGrant, OAuthError, registerClient, type GrantType } from '@mintmark/core'
import {
  after,
  clientId,
  familyId,
  grantId,
  seconds,
  userId,
  type Brand,
  type EpochSeconds,
  type AdminStorage,
} from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isGrantActive } from '@mintmark/core/internal'

import { basic, token } from '../support/flow.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const voucherType = 'urn:example:params:oauth:grant-type:voucher'
const badgeType = 'urn:example:params:oauth:grant-type:badge'

let site: ServerUnderTest
let client: { readonly authorization: string }
beforeAll(async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  site = await startServer({ storage, grants: [voucherGrant(new Set(['v1', 'v2'])), badgeGrant(storage)] })
  const grantTypes = [voucherType, badgeType]
  const { clientSecret = '' } = await registerClient(
    { clientId: 'kiosk', clientName: 'Kiosk', grantTypes },
    { storage },
  )
  client = { authorization: basic('kiosk', clientSecret) }
})
afterAll(() => site.close())

it('a grant type of the host issues tokens, and discovery lists it (RFC 6749 §4.5)', async () => {
  const reply = await token(site, { grant_type: voucherType, voucher: 'v1' }, client)

  expect(reply.json).toMatchObject({ token_type: 'Bearer', expires_in: 60, scope: 'api.read' })
  expect(decodeJwt(String(reply.json['access_token']))).toMatchObject({
    sub: 'kiosk',
    client_id: 'kiosk',
    aud: 'https://api.test',
  })
  expect(site.events.at(-1)).toMatchObject({ type: 'tokens.issued', grantType: voucherType, subject: 'kiosk' })
  const { json } = await site.send({ path: '/.well-known/oauth-authorization-server' })
  expect(json['grant_types_supported']).toEqual([
    'authorization_code',
    'refresh_token',
    'client_credentials',
    voucherType,
    badgeType,
  ])
})

it('a refusal by a grant type of the host uses the standard error, with the reason in the log (RFC 6749 §5.2)', async () => {
  await token(site, { grant_type: voucherType, voucher: 'v2' }, client)

  const again = await token(site, { grant_type: voucherType, voucher: 'v2' }, client)

  expect([again.status, again.json['error'], site.lastReason()]).toEqual([400, 'invalid_grant', 'grant_refused'])
})

it('a client that is not registered for a grant type of the host is rejected (RFC 6749 §5.2)', async () => {
  const reply = await token(site, { grant_type: voucherType, voucher: 'v1' })

  expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([
    400,
    'unauthorized_client',
    'grant_type_not_registered',
  ])
})

it('tokens issued by a grant type of the host are revoked with the user', async () => {
  const { json } = await token(site, { grant_type: badgeType, badge: 'U1' }, client)
  const userinfo = (): Promise<Reply> =>
    site.send({ path: '/userinfo', headers: { authorization: `Bearer ${String(json['access_token'])}` } })
  const before = await userinfo()

  await site.storage.users.deactivate(userId('U1'), site.clock.now())

  expect(decodeJwt(String(json['id_token']))).toMatchObject({ sub: 'U1', aud: 'kiosk', amr: ['hwk'] })
  expect([before.status, before.json['sub']]).toEqual([200, 'U1'])
  expect([(await userinfo()).status, site.lastReason()]).toEqual([401, 'access_token_inactive'])
  const again = await token(site, { grant_type: badgeType, badge: 'U1' }, client)
  expect([again.status, again.json['error'], site.lastReason()]).toEqual([400, 'invalid_grant', 'grant_refused'])
})

type SpentVoucher = Brand<{ readonly voucher: string }, 'SpentVoucher' | 'GrantEvidence'>

/** Issues one access token to the client itself for each voucher. */
function voucherGrant(vouchers: Set<string>): GrantType {
  const spend = (voucher = ''): SpentVoucher => {
    // RFC 6749 §5.2: the provided grant is invalid.
    if (!vouchers.delete(voucher))
      throw new OAuthError('invalid_grant', 'The voucher is not valid.', { reason: 'grant_refused' })
    return { voucher } as SpentVoucher
  }

  return defineGrant({
    grantType: voucherType,
    decide(form, presenter) {
      const evidence = spend(form.get('voucher'))
      const target = {
        audience: ['https://api.test'],
        scopes: ['api.read'],
        lifetime: seconds(60),
        format: 'jwt',
      } as const
      return Promise.resolve({ ...presenter, evidence, target, forUser: undefined, refreshToken: undefined })
    },
  })
}

type ReadBadge = Brand<{ readonly badge: string }, 'ReadBadge' | 'GrantEvidence'>

/** Issues tokens, under a revocable grant and in a new token family, for a user whose badge the client has read. */
const badgeGrant = (storage: AdminStorage): GrantType =>
  defineGrant({
    grantType: badgeType,
    async decide(form, presenter, now) {
      const badge = form.get('badge') ?? ''
      const standing = await storage.status.ofGrant(await grantOf(badge, { storage, now }))
      // RFC 6749 §5.2: the provided grant is invalid.
      if (!isGrantActive(standing))
        throw new OAuthError('invalid_grant', 'The badge is not valid.', { reason: 'grant_refused' })

      const authentication = {
        authTime: now,
        acr: undefined,
        amr: ['hwk'],
        sessionId: undefined,
        sessionExpiresAt: undefined,
      }
      const family = {
        familyId: familyId(`badge-${now}`),
        authentication,
        scopes: ['openid'],
        resources: [],
        claimsRequest: undefined,
        boundSessionId: undefined,
        possession: { kind: 'none' as const },
        organizationId: undefined,
        authorizationDetails: [],
      }
      const lifetime = seconds(300)
      await storage.families.insert({
        ...family,
        grantId: standing.grant.grantId,
        clientId: presenter.client.clientId,
        userId: standing.user.userId,
        lineage: undefined,
        refresh: undefined,
        createdAt: now,
        expiresAt: after(now, lifetime),
        revokedAt: undefined,
      })
      return {
        ...presenter,
        evidence: { badge } as ReadBadge,
        target: { audience: [storage.issuer], scopes: family.scopes, lifetime, format: 'jwt' },
        forUser: {
          user: standing.user,
          grantId: standing.grant.grantId,
          familyId: family.familyId,
          authentication,
          claimsRequest: undefined,
          nonce: undefined,
        },
        refreshToken: undefined,
      }
    },
  })

async function grantOf(
  badge: string,
  { storage, now }: { readonly storage: AdminStorage; readonly now: EpochSeconds },
) {
  const user = await storage.users.find(userId(badge))
  const fresh = {
    grantId: grantId(`grant-${badge}`),
    clientId: clientId('kiosk'),
    userId: userId(badge),
    userGeneration: user?.generation ?? 0,
  }
  const inserted = await storage.grants.insert({
    ...fresh,
    scopes: ['openid'],
    resources: [],
    createdAt: now,
    authorizationDetails: [],
    clientDigest: undefined,
    revokedAt: undefined,
    version: 1,
  })
  return inserted.outcome === 'taken' ? inserted.record.grantId : fresh.grantId
}
