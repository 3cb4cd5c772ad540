import { clientId } from '@mintmark/storage-interface'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createProofKey, proofForUserinfo, writeProof, type ProofKey } from '../support/dpop.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { authorize, obtainCode, obtainTokens, redeem } from '../support/flow.ts'
import { startProbedServer, type ProbedServer } from '../support/probed-server.ts'
import { push, obtainRequestUri, signInAndConsent, visitPushed } from '../support/pushed-requests.ts'
import type { Reply } from '../support/send.ts'
import { pushObject, visitObject, writeRequestObject } from '../support/request-object.ts'
import { authenticateEveryClient, refresh, serviceToken, tokensOf } from '../support/token-calls.ts'

let site: ProbedServer
let key: ProofKey
beforeEach(async () => {
  site = await startProbedServer()
  await authenticateEveryClient(site)
  key = await createProofKey()
})
afterEach(() => site.close())

const ofP = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }

/**
 * Repeats a request and makes a later storage call fail each time, until no call fails. Each failure must produce an
 * outage response and leave storage unchanged.
 * @returns the calls that failed, and the reply when none failed.
 */
async function failEachCall(
  send: () => Promise<Reply>,
  isOutage: (reply: Reply) => boolean = isUnavailable,
): Promise<{ readonly failed: readonly string[]; readonly reply: Reply }> {
  const failed: string[] = []
  for (;;) {
    const before = site.dump()
    let call: string | undefined
    site.probe.failWhen((name, index) => {
      if (index !== failed.length + 1) return false
      call = name
      return true
    })
    const reply = await send()
    const done = site.probe.calls.slice(0, -1)
    site.probe.failWhen(undefined)
    if (call === undefined) return { failed, reply }

    expect([call, isOutage(reply), reply.status]).toEqual([call, true, reply.status])
    expect([call, site.lastReason()]).toEqual([call, 'storage_unavailable'])
    expect(reply.text).not.toMatch(/is down/)
    // A stored assertion or proof is used up; the client signs a new one.
    if (!writes.some((written) => done.includes(written))) expect(site.dump()).toBe(before)
    failed.push(call)
  }
}

/** Storage must be unchanged as long as none of these calls has succeeded. */
const writes = ['replays.markUsed', 'families.rotate']

const isUnavailable = (reply: Reply): boolean =>
  reply.status === 503 &&
  reply.json['error'] === 'temporarily_unavailable' &&
  reply.header('retry-after') === '5' &&
  reply.header('cache-control') === 'no-store'

const isRedirected = (reply: Reply): boolean =>
  reply.status === 303 && reply.location.searchParams.get('error') === 'temporarily_unavailable'

const isPage = (reply: Reply): boolean =>
  reply.status === 503 && reply.header('content-type') === 'text/html; charset=utf-8'

describe('while storage does not answer, nothing is used up', () => {
  it('by a pushed request, and the request is answered 503 (RFC 9126 §2.3)', async () => {
    const { failed, reply } = await failEachCall(() => push(site))

    expect(failed).toEqual(expect.arrayContaining(['clients.find', 'pushedRequests.insert']))
    expect(reply.status).toBe(201)
  })

  it('by an authorization request that was pushed, and its request_uri stays usable (RFC 9126 §4)', async () => {
    const requestUri = await obtainRequestUri(site)

    const { failed, reply } = await failEachCall(
      () => visitPushed(site, requestUri),
      (outage) => isPage(outage) || isRedirected(outage),
    )

    expect(failed).toContain('pushedRequests.find')
    expect((await signInAndConsent(site, reply)).location.searchParams.has('code')).toBe(true)
  })

  it('by an authorization request with a request object (RFC 9101 §6)', async () => {
    const object = await writeRequestObject(site)

    const { failed, reply } = await failEachCall(
      () => visitObject(site, object),
      (outage) => isPage(outage) || isRedirected(outage),
    )

    expect(failed).toContain('clients.find')
    expect([reply.status, reply.location.pathname]).toEqual([303, '/login'])
  })

  it('by a pushed request object (RFC 9126 §3)', async () => {
    const { failed, reply } = await failEachCall(() => pushObject(site, writeRequestObject(site)))

    expect(failed).toEqual(expect.arrayContaining(['replays.markUsed', 'pushedRequests.insert']))
    expect(reply.status).toBe(201)
  })

  it('by a token request whose proof cannot be stored: neither its code nor its proof (RFC 9449 §11.1)', async () => {
    const code = await obtainCode(site, { ...ofP, dpop_jkt: key.jkt })
    const dpop = await writeProof(site, key)
    site.probe.failWhen((call) => call === 'replays.markUsed')
    const outage = await redeem(site, code, ofP, { authorization: '', dpop })
    site.probe.failWhen(undefined)

    expect([isUnavailable(outage), site.lastReason()]).toEqual([true, 'storage_unavailable'])
    expect((await redeem(site, code, ofP, { authorization: '', dpop })).status).toBe(200)
  })

  it('by a refresh with a proof, whichever call fails (RFC 9449 §5)', async () => {
    const code = await obtainCode(site, { ...ofP, scope: 'openid offline_access' })
    const tokens = tokensOf(await redeem(site, code, ofP, { authorization: '', dpop: await writeProof(site, key) }))

    const { failed, reply } = await failEachCall(async () =>
      refresh(site, tokens.refresh_token, {}, 'P', { dpop: await writeProof(site, key) }),
    )

    expect(failed).toEqual(expect.arrayContaining(['status.ofRefreshHandle', 'replays.markUsed', 'families.rotate']))
    expect(reply.status).toBe(200)
    const next = { dpop: await writeProof(site, key) }
    expect((await refresh(site, tokensOf(reply).refresh_token, {}, 'P', next)).status).toBe(200)
  })
})

describe('while storage fails, a request with an access token gets 503, and succeeds afterwards', () => {
  it('at userinfo, with a DPoP proof (RFC 9449 §7.1)', async () => {
    const code = await obtainCode(site, ofP)
    const proven = { authorization: '', dpop: await writeProof(site, key) }
    const { access_token: token } = tokensOf(await redeem(site, code, ofP, proven))

    const { failed, reply } = await failEachCall(async () => {
      const dpop = await proofForUserinfo(site, key, token)
      return site.send({ path: '/userinfo', headers: { authorization: `DPoP ${token}`, dpop } })
    })

    expect(failed).toEqual(expect.arrayContaining(['replays.markUsed', 'status.ofAccessToken']))
    expect([reply.status, reply.json['sub']]).toEqual([200, 'U1'])
  })

  it('at grant management, and a request with 503 does not revoke the grant (Grant Management §6.5)', async () => {
    await site.close()
    site = await startProbedServer({ grantManagement: true })
    await authenticateEveryClient(site)
    await changeClient(site.storage, clientId('A'), {
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes: ['openid', 'profile', 'offline_access', 'grant_management_revoke'],
    })
    const { grant_id: grant = '' } = await obtainTokens(site)
    const token = tokensOf(await serviceToken(site, { scope: 'grant_management_revoke' }, 'A')).access_token

    const { failed, reply } = await failEachCall(() =>
      site.send({ method: 'DELETE', path: `/grants/${grant}`, headers: { authorization: `Bearer ${token}` } }),
    )

    expect(failed).toEqual(expect.arrayContaining(['revocations.isTokenRevoked', 'status.ofGrant', 'grants.revoke']))
    expect(reply.status).toBe(204)
  })
})

it('an outage while a code is issued is an error page, and the next visit succeeds (RFC 6749 §4.1.2.1)', async () => {
  await obtainCode(site)
  await changeClient(site.storage, clientId('A'), { authorizationSignedResponseAlg: 'ES256' })
  site.probe.failWhen((call) => call === 'codes.insert')
  const outage = await authorize(site, { response_mode: 'jwt' })
  site.probe.failWhen(undefined)

  const next = await authorize(site, { response_mode: 'jwt' })

  expect([isPage(outage), next.status, next.location.searchParams.has('response')]).toEqual([true, 303, true])
})
