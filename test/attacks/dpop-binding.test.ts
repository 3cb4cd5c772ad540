import { clientId, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { assertionOf } from '../support/client-assertion.ts'
import { createProofKey, proofForUserinfo, writeProof, type ProofChange, type ProofKey } from '../support/dpop.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { authorize, obtainCode, verifier, type Change } from '../support/flow.ts'
import { readJws } from '../support/forge-jwt.ts'
import { push, signInAndConsent, visitPushed } from '../support/pushed-requests.ts'
import { expectRefusal, expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  postAs,
  tokensOf,
  type ClientName,
  type Tokens,
} from '../support/token-calls.ts'

let site: ServerUnderTest
let key: ProofKey
let thief: ProofKey
beforeAll(async () => {
  site = await startServer()
  await authenticateEveryClient(site)
  key = await createProofKey()
  thief = await createProofKey()
})
afterAll(() => site.close())

const redirectUris = { A: 'https://app.test/cb', P: 'https://spa.test/cb' } as const
const scope = 'openid profile offline_access'

const codeFor = (client: 'A' | 'P', change: Change = {}, server = site): Promise<string> =>
  obtainCode(server, { client_id: client, redirect_uri: redirectUris[client], scope, ...change })

/** Sends POST /token, with a proof if a key is given. */
async function send(client: ClientName, form: Change, proofKey?: ProofKey, server = site): Promise<Reply> {
  const headers = proofKey === undefined ? {} : { dpop: await writeProof(server, proofKey) }
  return postAs(server, client, { path: '/token', form, headers })
}

const redeem = (client: 'A' | 'P', code: string, proofKey?: ProofKey, server = site): Promise<Reply> =>
  send(
    client,
    { grant_type: 'authorization_code', code, redirect_uri: redirectUris[client], code_verifier: verifier },
    proofKey,
    server,
  )

const refresh = (client: 'A' | 'P', token: string, proofKey?: ProofKey, server = site): Promise<Reply> =>
  send(client, { grant_type: 'refresh_token', refresh_token: token }, proofKey, server)

async function obtainBoundTokens(client: 'A' | 'P', server = site): Promise<Tokens> {
  return tokensOf(await redeem(client, await codeFor(client, {}, server), key, server))
}

const confirmationOf = (reply: Reply): unknown => readJws(String(reply.json['access_token'])).payload['cnf']

describe('a code that is bound to a key', () => {
  it('is redeemed with that key (RFC 9449 §10)', async () => {
    const reply = await redeem('P', await codeFor('P', { dpop_jkt: key.jkt }), key)

    expect([reply.status, reply.json['token_type'], confirmationOf(reply)]).toEqual([200, 'DPoP', { jkt: key.jkt }])
  })

  it('is neither redeemed nor used up with another key or without one (RFC 9449 §10)', async () => {
    const code = await codeFor('P', { dpop_jkt: key.jkt })

    await expectRefusal(site, { send: () => redeem('P', code), reason: 'dpop_proof_missing' })
    // Storage changes, because the server remembers the proof of the thief.
    const stolen = await expectRefusal(site, {
      send: () => redeem('P', code, thief),
      reason: 'code_key_mismatch',
      storage: 'may change',
    })

    expect([stolen.status, stolen.json['error']]).toEqual([400, 'invalid_grant'])
    expect((await redeem('P', code, key)).status).toBe(200)
  })

  it('is not redeemed without its prefix bound_ (RFC 9449 §10)', async () => {
    const code = await codeFor('P', { dpop_jkt: key.jkt })

    const reply = await redeem('P', code.replace(/^bound_/, ''))

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([400, 'invalid_grant', 'code_unknown'])
  })

  it('is not redeemed when storage has lost the binding (RFC 9449 §10)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const forgetful = {
      ...storage,
      codes: {
        ...storage.codes,
        insert: (code: Parameters<typeof storage.codes.insert>[0]) => {
          const { possession: _possession, ...rest } = code
          return storage.codes.insert(rest as typeof code)
        },
      },
    }
    const own = await startServer({ storage: forgetful })
    onTestFinished(() => own.close())

    const reply = await redeem('P', await codeFor('P', { dpop_jkt: key.jkt }, own), key, own)

    expect([reply.status, reply.json['error'], own.lastReason()]).toEqual([400, 'invalid_grant', 'code_incomplete'])
  })

  it.each([
    ['42 characters', 'x'.repeat(42)],
    ['44 characters', 'x'.repeat(44)],
    ['a character outside the base64url alphabet', `${'x'.repeat(42)}=`],
    ['unused bits that are not zero', `${'x'.repeat(42)}B`],
  ])('is not issued for a dpop_jkt with %s (RFC 9449 §10)', async (_case, dpop_jkt) => {
    await expectErrorRedirect(
      site,
      { error: 'invalid_request' },
      { send: () => authorize(site, { dpop_jkt }), reason: 'dpop_jkt_malformed' },
    )
  })
})

describe('a pushed request with a DPoP proof', () => {
  const proofForPush = (change: ProofChange = {}): Promise<string> =>
    writeProof(site, key, { ...change, claims: { htu: `${site.issuer}/auth/push`, ...change.claims } })

  it('binds the code to its key (RFC 9449 §10.1)', async () => {
    const pushed = await push(site, {}, { dpop: await proofForPush() })
    const started = await visitPushed(site, String(pushed.json['request_uri']))
    const code = (await signInAndConsent(site, started)).location.searchParams.get('code') ?? ''

    const stolen = await redeem('A', code, thief)
    const redeemed = await redeem('A', code, key)

    expect([stolen.json['error'], redeemed.status, confirmationOf(redeemed)]).toEqual([
      'invalid_grant',
      200,
      { jkt: key.jkt },
    ])
  })

  it('is refused when its dpop_jkt belongs to another key (RFC 9449 §10.1)', async () => {
    const dpop = await proofForPush()

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => push(site, { dpop_jkt: thief.jkt }, { dpop }), reason: 'dpop_jkt_contradicted' },
    )
  })

  it('is refused with a proof for the token endpoint (RFC 9449 §4.3)', async () => {
    const dpop = await writeProof(site, key)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_dpop_proof' },
      { send: () => push(site, {}, { dpop }), reason: 'dpop_target' },
    )
  })

  it('is asked for a nonce before its assertion is used up (RFC 9449 §8)', async () => {
    const own = await startServer({ dpop: { nonces: 'required' } })
    onTestFinished(() => own.close())
    const assertion = await assertionOf(own)
    const pushAsB = async (nonce?: string) =>
      push(
        own,
        { client_id: 'B', redirect_uri: 'https://b.test/cb', ...assertion },
        { authorization: '', dpop: await writeProof(own, key, { claims: { htu: `${own.issuer}/auth/push`, nonce } }) },
      )

    const challenged = await pushAsB()
    const pushed = await pushAsB(challenged.header('dpop-nonce'))

    expect([challenged.status, challenged.json['error'], pushed.status]).toEqual([400, 'use_dpop_nonce', 201])
  })
})

describe('the refresh token of a public client', () => {
  it('is refused with another key or without one, and stays usable with its own (RFC 9449 §5)', async () => {
    const { refresh_token } = await obtainBoundTokens('P')

    const missing = { status: 400, error: 'invalid_dpop_proof' }
    await expectJsonRefusal(site, missing, { send: () => refresh('P', refresh_token), reason: 'dpop_proof_missing' })
    const families = (): unknown => (JSON.parse(site.dump()) as { families: unknown }).families
    const before = families()
    const stolen = await refresh('P', refresh_token, thief)
    expect([stolen.status, stolen.json['error'], site.lastReason()]).toEqual([
      400,
      'invalid_grant',
      'refresh_token_key_mismatch',
    ])
    expect(families()).toEqual(before)

    const reply = await refresh('P', refresh_token, key)
    expect([reply.status, reply.json['token_type'], confirmationOf(reply)]).toEqual([200, 'DPoP', { jkt: key.jkt }])
  })

  it('can be used again within the retry window only with its key (RFC 9449 §5)', async () => {
    const { refresh_token } = await obtainBoundTokens('P')
    const first = tokensOf(await refresh('P', refresh_token, key))

    const stolen = await refresh('P', refresh_token, thief)
    const retried = tokensOf(await refresh('P', refresh_token, key))

    expect(stolen.json['error']).toBe('invalid_grant')
    expect(retried.refresh_token).toBe(first.refresh_token)
  })

  it('is not rotated when only unbound tokens rotate, and needs its key each time (RFC 9700 §4.14.2)', async () => {
    const own = await startServer({ refreshTokenRotation: 'unbound_only' })
    onTestFinished(() => own.close())
    const { refresh_token } = await obtainBoundTokens('P', own)

    for (const later of [0, 60]) {
      own.clock.advance(later)
      expect((await refresh('P', refresh_token, thief, own)).status).toBe(400)
      expect(tokensOf(await refresh('P', refresh_token, key, own)).refresh_token).toBe(refresh_token)
    }
  })

  it('revokes its family when it is reused after the retry window with its key, but not with another key (RFC 9700 §4.14.2)', async () => {
    const own = await startServer()
    onTestFinished(() => own.close())
    const { refresh_token } = await obtainBoundTokens('P', own)
    const next = tokensOf(await refresh('P', refresh_token, key, own))
    own.clock.advance(31)

    await refresh('P', refresh_token, thief, own)
    const current = tokensOf(await refresh('P', next.refresh_token, key, own))
    await refresh('P', refresh_token, key, own)
    expect(own.lastReason()).toBe('refresh_token_reused')

    expect((await refresh('P', current.refresh_token, key, own)).status).toBe(400)
  })

  it('is refused for a deactivated user, even with its key (RFC 6749 §5.2)', async () => {
    const own = await startServer()
    onTestFinished(() => own.close())
    const { refresh_token, access_token } = await obtainBoundTokens('P', own)
    await own.storage.users.deactivate(userId('U1'), own.clock.now())

    const reply = await refresh('P', refresh_token, key, own)
    const userinfo = await own.send({
      path: '/userinfo',
      headers: { authorization: `DPoP ${access_token}`, dpop: await proofForUserinfo(own, key, access_token) },
    })

    expect([reply.status, userinfo.status]).toEqual([400, 401])
  })

  it('is refused when storage has lost the binding (RFC 9449 §5)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const forgetful = {
      ...storage,
      families: {
        ...storage.families,
        insert: (family: Parameters<typeof storage.families.insert>[0]) => {
          const { possession: _possession, ...rest } = family
          return storage.families.insert(rest as typeof family)
        },
      },
    }
    const own = await startServer({ storage: forgetful })
    onTestFinished(() => own.close())
    const { refresh_token } = await obtainBoundTokens('P', own)

    const reply = await refresh('P', refresh_token, undefined, own)

    expect([reply.status, reply.json['error'], own.lastReason()]).toEqual([
      400,
      'invalid_grant',
      'refresh_token_unknown',
    ])
  })
})

describe('the refresh token of a confidential client', () => {
  it('is not bound: each access token is bound to the key of its request (RFC 9449 §5)', async () => {
    const { refresh_token } = await obtainBoundTokens('A')
    const other = await createProofKey()

    const reply = await refresh('A', refresh_token, other)
    const unbound = await refresh('A', tokensOf(reply).refresh_token)

    expect([reply.status, confirmationOf(reply)]).toEqual([200, { jkt: other.jkt }])
    expect([unbound.status, unbound.json['token_type'], confirmationOf(unbound)]).toEqual([200, 'Bearer', undefined])
  })
})

describe('a client that must use DPoP', () => {
  it('gets no token without a proof, and its code stays usable (RFC 9449 §5.2)', async () => {
    const own = await startServer()
    onTestFinished(() => own.close())
    await changeClient(own.storage, clientId('P'), { dpopBoundAccessTokens: true })
    const code = await codeFor('P', {}, own)

    await expectJsonRefusal(
      own,
      { status: 400, error: 'invalid_dpop_proof' },
      { send: () => redeem('P', code, undefined, own), reason: 'dpop_proof_missing' },
    )

    expect((await redeem('P', code, key, own)).json['token_type']).toBe('DPoP')
  })
})

describe('a bound access token at userinfo', () => {
  const userinfo = (headers: Readonly<Record<string, string>>): Promise<Reply> =>
    site.send({ path: '/userinfo', headers })
  const challengeOf = (error: string) =>
    expect.stringMatching(new RegExp(`^DPoP algs="ES256 EdDSA Ed25519 PS256", error="${error}"`)) as unknown

  it.each(['DPoP', 'dpop', 'DPOP'])('is accepted with a proof and the scheme %s (RFC 9449 §7.1)', async (scheme) => {
    const { access_token } = await obtainBoundTokens('A')
    const dpop = await proofForUserinfo(site, key, access_token)

    const reply = await userinfo({ authorization: `${scheme} ${access_token}`, dpop })

    expect([reply.status, reply.json['sub']]).toEqual([200, 'U1'])
    expect(reply.header('dpop-nonce')).toMatch(/^[\w-]{28}$/)
  })

  it('is refused as a bearer token, with and without a proof, and in a form (RFC 9449 §7.2)', async () => {
    const { access_token } = await obtainBoundTokens('A')
    const dpop = await proofForUserinfo(site, key, access_token)
    const authorization = `Bearer ${access_token}`

    for (const headers of [{ authorization }, { authorization, dpop }]) {
      const reply = await expectRefusal(site, { send: () => userinfo(headers), reason: 'access_token_bound' })
      expect([reply.status, reply.json['error']]).toEqual([401, 'invalid_token'])
    }
    const form = { method: 'POST', path: '/userinfo', body: `access_token=${access_token}` }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await expectRefusal(site, {
      send: () => site.send({ ...form, headers }),
      reason: 'access_token_bound',
    })
    expect(reply.status).toBe(401)
  })

  it('is not accepted by accessToken(), which gets no proof from the host (RFC 9449 §7.2)', async () => {
    const { access_token } = await obtainBoundTokens('A')

    expect(await site.server.accessToken(access_token)).toBeUndefined()
  })

  it('is refused with the proof of another key (RFC 9449 §7.1)', async () => {
    const { access_token } = await obtainBoundTokens('A')
    const dpop = await proofForUserinfo(site, thief, access_token)
    const reply = await expectRefusal(site, {
      send: () => userinfo({ authorization: `DPoP ${access_token}`, dpop }),
      reason: 'access_token_key_mismatch',
    })

    expect([reply.status, reply.header('www-authenticate')]).toEqual([401, challengeOf('invalid_token')])
  })

  it.each<readonly [string, ProofChange, string]>([
    ['without ath', { claims: { ath: undefined } }, 'dpop_access_token_hash'],
    ['with an ath that is a number', { claims: { ath: 1 } }, 'dpop_access_token_hash'],
    ['with the ath of another token', { claims: { ath: 'A'.repeat(43) } }, 'dpop_access_token_hash'],
    ['for POST', { claims: { htm: 'POST' } }, 'dpop_target'],
    ['for the token endpoint', { claims: { htu: 'https://as.test/token' } }, 'dpop_target'],
  ])('is refused with a proof %s (RFC 9449 §4.3)', async (_case, change, reason) => {
    const { access_token } = await obtainBoundTokens('A')
    const dpop = await proofForUserinfo(site, key, access_token, change)
    const send = () => userinfo({ authorization: `DPoP ${access_token}`, dpop })

    const reply = await expectRefusal(site, { send, reason: reason as 'dpop_target' })

    expect([reply.status, reply.header('www-authenticate')]).toEqual([401, challengeOf('invalid_dpop_proof')])
  })

  it('is refused without a proof, and with a proof that was used before (RFC 9449 §7.1, §11.1)', async () => {
    const { access_token } = await obtainBoundTokens('A')
    const authorization = `DPoP ${access_token}`
    const dpop = await proofForUserinfo(site, key, access_token)

    const missing = await expectRefusal(site, { send: () => userinfo({ authorization }), reason: 'dpop_proof_missing' })
    await userinfo({ authorization, dpop })
    const replayed = await expectRefusal(site, {
      send: () => userinfo({ authorization, dpop }),
      reason: 'dpop_replayed',
    })

    expect([missing.status, replayed.status]).toEqual([401, 401])
  })

  it('cannot be replaced by an unbound token with a proof (RFC 9449 §7.1)', async () => {
    const { access_token } = tokensOf(await redeem('A', await codeFor('A')))
    const dpop = await proofForUserinfo(site, key, access_token)

    const asDpop = await expectRefusal(site, {
      send: () => userinfo({ authorization: `DPoP ${access_token}`, dpop }),
      reason: 'access_token_key_mismatch',
    })
    const asBearer = await expectRefusal(site, {
      send: () => userinfo({ authorization: `Bearer ${access_token}`, dpop }),
      reason: 'access_token_bound',
    })

    expect([asDpop.status, asBearer.status]).toEqual([401, 401])
  })

  it('is refused with 401 and a nonce when the proof has no nonce (RFC 9449 §9)', async () => {
    const own = await startServer({ dpop: { nonces: 'required' } })
    onTestFinished(() => own.close())
    const challenged = await redeem('A', await codeFor('A', {}, own), key, own)
    const nonce = challenged.header('dpop-nonce')
    const code = await codeFor('A', {}, own)
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUris.A, code_verifier: verifier }
    const headers = { dpop: await writeProof(own, key, { claims: { nonce } }) }
    const { access_token } = tokensOf(await postAs(own, 'A', { path: '/token', form, headers }))
    const dpop = await proofForUserinfo(own, key, access_token)

    const reply = await own.send({ path: '/userinfo', headers: { authorization: `DPoP ${access_token}`, dpop } })

    expect([reply.status, reply.header('www-authenticate')]).toEqual([401, challengeOf('use_dpop_nonce')])
    expect(reply.header('dpop-nonce')).toBe(nonce)
  })

  it('has its key and type in the introspection response (RFC 9449 §6.2)', async () => {
    const { access_token } = await obtainBoundTokens('A')

    const reply = await introspect(site, access_token)

    expect(reply.json).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: key.jkt } })
  })

  it('can be sent by a page of its client, which can read the nonce (RFC 9449 §8)', async () => {
    const { access_token } = await obtainBoundTokens('P')
    const dpop = await proofForUserinfo(site, key, access_token)

    const reply = await userinfo({ origin: 'https://spa.test', authorization: `DPoP ${access_token}`, dpop })

    expect(reply.header('access-control-allow-origin')).toBe('https://spa.test')
    expect(reply.header('access-control-expose-headers')).toContain('DPoP-Nonce')
  })
})
