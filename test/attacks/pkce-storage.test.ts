import { logEvents } from '@mintmark/core'
import type { AuthorizationCodeRecord, AdminStorage } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { dumpDatabase } from '../support/dump-database.ts'
import { obtainCode, redeem } from '../support/flow.ts'
import { expectServing, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

type Spoil = (code: AuthorizationCodeRecord) => object

const issuer = 'https://as.test'
const logged: { readonly level: string; readonly message: string }[] = []

let site: ServerUnderTest
let spoil: Spoil
beforeAll(async () => {
  const database = createMemoryDatabase()
  const storage = createMemoryStorage({ issuer, database })
  const log = (level: string) => (_fields: object, message: string) => void logged.push({ level, message })
  const events: ServerUnderTest['events'][number][] = []
  const listener = logEvents({ info: log('info'), warn: log('warn'), error: log('error') })
  const server = await startServer({
    storage: withSpoiltCodes(storage, (code) => spoil(code)),
    onEvent: (event) => {
      events.push(event)
      return listener(event)
    },
  })
  site = { ...server, events, dump: () => dumpDatabase(database, issuer) }
  spoil = (code) => code
  await expectServing(site)
})
afterAll(() => site.close())

/** A code as returned by a store that has no column for the field. */
const without =
  (field: keyof AuthorizationCodeRecord): Spoil =>
  ({ [field]: _dropped, ...rest }) =>
    rest

const withoutAuthentication =
  (field: keyof AuthorizationCodeRecord['authentication']): Spoil =>
  (code) => {
    const { [field]: _dropped, ...authentication } = code.authentication
    return { ...code, authentication }
  }

const guarding = [
  ['codeChallenge', without('codeChallenge'), 'code_challenge_lost'],
  ['codeChallengeMethod', without('codeChallengeMethod'), 'code_challenge_lost'],
  [
    'challenge and method',
    (code) => without('codeChallenge')(without('codeChallengeMethod')(code) as AuthorizationCodeRecord),
    'code_challenge_lost',
  ],
  ['codeChallenge, as null', (code) => ({ ...code, codeChallenge: null }), 'code_challenge_lost'],
  ['codeChallengeMethod, as null', (code) => ({ ...code, codeChallengeMethod: null }), 'code_challenge_lost'],
  ['both, as null', (code) => ({ ...code, codeChallenge: null, codeChallengeMethod: null }), 'code_challenge_lost'],
  ['codeChallenge, as an empty string', (code) => ({ ...code, codeChallenge: '' }), 'code_verifier_mismatch'],
  ['the method, for plain', (code) => ({ ...code, codeChallengeMethod: 'plain' }), 'code_challenge_lost'],
  ['the method, for an exemption', (code) => ({ ...code, codeChallengeMethod: 'exempt' }), 'code_challenge_lost'],
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
] as const satisfies readonly (readonly [string, Spoil, string])[]

describe('a store that loses a field of a code: nothing is redeemed and nothing crashes', () => {
  it.each(guarding)('%s', async (_, spoilt, reason) => {
    const code = await obtainCode(site, { scope: 'openid api.read', resource: 'https://api.test' })
    spoil = spoilt

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
    spoil = (intact) => intact
  })

  it.each([
    ['another user', { userId: 'U2' }, 'grant_inactive'],
    ['another client', { clientId: 'P' }, 'code_unknown'],
    ['a grant that does not exist', { grantId: 'none' }, 'grant_inactive'],
    ['a time in the distant past', { expiresAt: 1 }, 'code_unknown'],
  ] as const)('rejects a code whose field is %s', async (_, change, reason) => {
    const code = await obtainCode(site)
    spoil = (intact) => ({ ...intact, ...change })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(site, code), reason, storage: 'codes may change' },
    )
    spoil = (intact) => intact
  })

  it('rejects a code whose grant is of another client (RFC 6749 §4.1.3)', async () => {
    let ofPublicClient = 'none'
    spoil = (intact) => {
      ofPublicClient = intact.grantId
      return intact
    }
    const publicClient = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }
    await redeem(site, await obtainCode(site, publicClient), publicClient, { authorization: '' })
    const code = await obtainCode(site)
    spoil = (intact) => ({ ...intact, grantId: ofPublicClient })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(site, code), reason: 'grant_inactive', storage: 'codes may change' },
    )
    spoil = (intact) => intact
  })

  it.each([
    ['nonce', without('nonce')],
    ['claimsRequest', without('claimsRequest')],
    ['issuedAt', without('issuedAt')],
    ['acr', withoutAuthentication('acr')],
    ['sessionId', withoutAuthentication('sessionId')],
  ] as const)('losing an optional field does not block redemption: %s', async (_, spoilt) => {
    const code = await obtainCode(site)
    spoil = spoilt

    const reply = await redeem(site, code)

    expect(reply.status).toBe(200)
    spoil = (intact) => intact
  })

  it('reports it to the host as a fault of its own store', async () => {
    const code = await obtainCode(site)
    spoil = without('codeChallenge')
    logged.length = 0

    await redeem(site, code)

    expect(logged).toEqual([{ level: 'error', message: 'POST /token refused: invalid_grant (code_challenge_lost)' }])
    spoil = (intact) => intact
  })

  it('a normal request succeeds once the store works again', () => expectServing(site))
})

function withSpoiltCodes(storage: AdminStorage, spoilt: Spoil): AdminStorage {
  const read = (record: AuthorizationCodeRecord): AuthorizationCodeRecord => spoilt(record) as AuthorizationCodeRecord
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
