import { logEvents } from '@mintmark/core'
import type { AuthorizationCodeRecord, AdminStorage } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { dumpDatabase } from '../support/dump-database.ts'
import { obtainCode, redeem } from '../support/flow.ts'
import { expectServing, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

type Damage = (code: AuthorizationCodeRecord) => object

const issuer = 'https://as.test'
const logged: { readonly level: string; readonly message: string }[] = []

let site: ServerUnderTest
let damage: Damage
beforeAll(async () => {
  const database = createMemoryDatabase()
  const storage = createMemoryStorage({ issuer, database })
  const log = (level: string) => (_fields: object, message: string) => void logged.push({ level, message })
  const events: ServerUnderTest['events'][number][] = []
  const listener = logEvents({ info: log('info'), warn: log('warn'), error: log('error') })
  const server = await startServer({
    storage: withDamagedCodes(storage, (code) => damage(code)),
    onEvent: (event) => {
      events.push(event)
      return listener(event)
    },
  })
  site = { ...server, events, dump: () => dumpDatabase(database, issuer) }
  damage = (code) => code
  await expectServing(site)
})
afterAll(() => site.close())

/** Removes the field, as a store without a column for it does. */
const without =
  (field: keyof AuthorizationCodeRecord): Damage =>
  ({ [field]: _dropped, ...rest }) =>
    rest

const withoutAuthentication =
  (field: keyof AuthorizationCodeRecord['authentication']): Damage =>
  (code) => {
    const { [field]: _dropped, ...authentication } = code.authentication
    return { ...code, authentication }
  }

const requiredFields = [
  ['codeChallenge', without('codeChallenge'), 'code_challenge_lost'],
  ['codeChallengeMethod', without('codeChallengeMethod'), 'code_challenge_lost'],
  [
    'codeChallenge and codeChallengeMethod',
    (code) => without('codeChallenge')(without('codeChallengeMethod')(code) as AuthorizationCodeRecord),
    'code_challenge_lost',
  ],
  ['codeChallenge, as null', (code) => ({ ...code, codeChallenge: null }), 'code_challenge_lost'],
  ['codeChallengeMethod, as null', (code) => ({ ...code, codeChallengeMethod: null }), 'code_challenge_lost'],
  [
    'codeChallenge and codeChallengeMethod, as null',
    (code) => ({ ...code, codeChallenge: null, codeChallengeMethod: null }),
    'code_challenge_lost',
  ],
  ['codeChallenge, as an empty string', (code) => ({ ...code, codeChallenge: '' }), 'code_verifier_mismatch'],
  ['codeChallengeMethod, as plain', (code) => ({ ...code, codeChallengeMethod: 'plain' }), 'code_challenge_lost'],
  ['codeChallengeMethod, as exempt', (code) => ({ ...code, codeChallengeMethod: 'exempt' }), 'code_challenge_lost'],
  ['digest', without('digest'), 'code_incomplete'],
  ['clientId', without('clientId'), 'code_unknown'],
  ['grantId', without('grantId'), 'code_incomplete'],
  ['familyId', without('familyId'), 'code_incomplete'],
  ['userId', without('userId'), 'code_incomplete'],
  ['redirectUri', without('redirectUri'), 'code_incomplete'],
  ['redirectUri, as an empty string', (code) => ({ ...code, redirectUri: '' }), 'code_incomplete'],
  ['scopes', without('scopes'), 'code_incomplete'],
  ['scopes, as a string', (code) => ({ ...code, scopes: code.scopes.join(' ') }), 'code_incomplete'],
  ['resources', without('resources'), 'code_incomplete'],
  ['authentication', without('authentication'), 'code_incomplete'],
  ['authentication, as null', (code) => ({ ...code, authentication: null }), 'code_incomplete'],
  ['authTime', withoutAuthentication('authTime'), 'code_incomplete'],
  ['amr', withoutAuthentication('amr'), 'code_incomplete'],
  ['expiresAt', without('expiresAt'), 'code_unknown'],
  ['expiresAt, as null', (code) => ({ ...code, expiresAt: null }), 'code_unknown'],
  ['everything', () => ({}), 'code_unknown'],
] as const satisfies readonly (readonly [string, Damage, string])[]

describe('a store that loses or changes a field of a code: nothing is redeemed and nothing crashes', () => {
  it.each(requiredFields)('%s', async (_, damageCode, reason) => {
    const code = await obtainCode(site, { scope: 'openid api.read', resource: 'https://api.test' })
    damage = damageCode

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(site, code), reason, storage: 'codes may change', secrets: [code] },
    )
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(site, code, { resource: 'https://api.test' }), reason, storage: 'codes may change' },
    )
    damage = (intact) => intact
  })

  it.each([
    ['another user', { userId: 'U2' }, 'grant_inactive'],
    ['another client', { clientId: 'P' }, 'code_unknown'],
    ['a grant that does not exist', { grantId: 'none' }, 'grant_inactive'],
    ['an expiry in the distant past', { expiresAt: 1 }, 'code_unknown'],
  ] as const)('rejects a code with %s', async (_, change, reason) => {
    const code = await obtainCode(site)
    damage = (intact) => ({ ...intact, ...change })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(site, code), reason, storage: 'codes may change' },
    )
    damage = (intact) => intact
  })

  it('rejects a code whose grant belongs to another client (RFC 6749 §4.1.3)', async () => {
    let grantOfPublicClient = 'none'
    damage = (intact) => {
      grantOfPublicClient = intact.grantId
      return intact
    }
    const publicClient = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }
    await redeem(site, await obtainCode(site, publicClient), publicClient, { authorization: '' })
    const code = await obtainCode(site)
    damage = (intact) => ({ ...intact, grantId: grantOfPublicClient })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(site, code), reason: 'grant_inactive', storage: 'codes may change' },
    )
    damage = (intact) => intact
  })

  it.each([
    ['nonce', without('nonce')],
    ['claimsRequest', without('claimsRequest')],
    ['issuedAt', without('issuedAt')],
    ['acr', withoutAuthentication('acr')],
    ['sessionId', withoutAuthentication('sessionId')],
  ] as const)('losing an optional field does not block redemption: %s', async (_, damageCode) => {
    const code = await obtainCode(site)
    damage = damageCode

    const reply = await redeem(site, code)

    expect(reply.status).toBe(200)
    damage = (intact) => intact
  })

  it('logs it as an error, because the fault is in the store of the host', async () => {
    const code = await obtainCode(site)
    damage = without('codeChallenge')
    logged.length = 0

    await redeem(site, code)

    expect(logged).toEqual([{ level: 'error', message: 'POST /token refused: invalid_grant (code_challenge_lost): A' }])
    damage = (intact) => intact
  })

  it('a normal request succeeds once the store works again', () => expectServing(site))
})

function withDamagedCodes(storage: AdminStorage, damageCode: Damage): AdminStorage {
  const read = (record: AuthorizationCodeRecord): AuthorizationCodeRecord =>
    damageCode(record) as AuthorizationCodeRecord
  return {
    ...storage,
    codes: {
      ...storage.codes,
      async find(digest, client, now) {
        const found = await storage.codes.find(digest, client, now)
        return found === undefined ? undefined : read(found)
      },
      async consume(digest, client, now) {
        const consumed = await storage.codes.consume(digest, client, now)
        return consumed.outcome === 'absent' ? consumed : { ...consumed, record: read(consumed.record) }
      },
    },
  }
}
