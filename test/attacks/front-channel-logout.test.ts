import { registerClient } from '@mintmark/core'
import { clientId, epochSeconds, sessionId, userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  obtainIdTokenHint,
  logout,
  returnUriOfA,
  startLogoutServer,
  type LogoutServer,
} from '../support/logout-server.ts'
import { expectServing } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'

let authServer: LogoutServer
beforeAll(async () => {
  authServer = await startLogoutServer({ frontChannel: true })
  await expectServing(authServer)
})
afterAll(() => authServer.close())

/** Registers a client and adds it to the session, `at` seconds from now. */
async function registerAndJoin(
  session: string,
  name: string,
  client: { readonly uri?: string; readonly sid?: boolean; at?: number },
) {
  const origin = client.uri === undefined ? `https://${name}.test` : new URL(client.uri).origin
  await registerClient(
    {
      clientId: name,
      clientName: name,
      redirectUris: [`${origin}/cb`],
      ...(client.uri !== undefined && { frontchannelLogoutUri: client.uri }),
      frontchannelLogoutSessionRequired: client.sid ?? false,
    },
    { storage: authServer.storage },
  )
  const now = epochSeconds(authServer.clock.now() + (client.at ?? 0))
  const joined = await authServer.storage.sessions.join({
    session: {
      sessionId: sessionId(session),
      userId: userId('U1'),
      userGeneration: 0,
      authTime: now,
      acr: undefined,
      amr: [],
      userAgent: undefined,
      location: undefined,
      keptUntil: epochSeconds(now + 90_000),
    },
    clientId: clientId(name),
    now,
  })
  expect(joined.outcome).toBe('joined')
}

const framesOf = (answer: Reply): readonly string[] =>
  [...answer.text.matchAll(/<iframe src="([^"]+)"/g)].map(([, src = '']) => src.replaceAll('&amp;', '&'))

describe('front-channel logout', () => {
  it('loads the logout URL of each client of the session in a frame, and allows only their origins (Front-Channel Logout §3)', async () => {
    const hint = await obtainIdTokenHint(authServer, 'session-1')
    await registerAndJoin('session-1', 'plain', { uri: 'https://plain.test/out?tenant=a&b=c' })
    await registerAndJoin('session-1', 'named', { uri: 'https://named.test/out?tenant=a', sid: true })
    await registerAndJoin('session-1', 'silent', {})
    await registerAndJoin('session-of-another', 'stranger', { uri: 'https://stranger.test/out' })

    const answer = await logout(authServer, 'session-1', {
      id_token_hint: hint,
      post_logout_redirect_uri: returnUriOfA,
      state: 'a"b',
    })

    expect([answer.status, answer.header('location'), answer.cookies]).toEqual([
      200,
      undefined,
      ['host=; Path=/; Max-Age=0'],
    ])
    expect(framesOf(answer).toSorted()).toEqual([
      `https://named.test/out?tenant=a&iss=${encodeURIComponent(authServer.issuer)}&sid=session-1`,
      'https://plain.test/out?tenant=a&b=c',
    ])
    const policy = answer.header('content-security-policy') ?? ''
    expect(/frame-src ([^;]+)/.exec(policy)?.[1]?.split(' ').toSorted()).toEqual([
      'https://named.test',
      'https://plain.test',
    ])
    expect(policy).toContain("frame-ancestors 'none'")
    expect(answer.text).toContain(`url=${returnUriOfA}&amp;state=a%22b`)
    expect(answer.text).not.toContain(hint)
    expect(authServer.endedSessions).toContain('session-1')
  })

  it('loads the logout URLs of at most twenty clients: those that the user signed in to last', async () => {
    const hint = await obtainIdTokenHint(authServer, 'session-2')
    for (let at = 1; at <= 22; at += 1)
      await registerAndJoin('session-2', `many-${at}`, { uri: `https://many-${at}.test/out`, at })

    const frames = framesOf(await logout(authServer, 'session-2', { id_token_hint: hint }))

    expect(frames).toHaveLength(20)
    expect(frames).not.toContain('https://many-1.test/out')
    expect(frames).toContain('https://many-22.test/out')
  })

  it('leaves out a client that was removed after the sign-in', async () => {
    const hint = await obtainIdTokenHint(authServer, 'session-3')
    await registerAndJoin('session-3', 'gone', { uri: 'https://gone.test/out' })
    await authServer.storage.clients.remove(clientId('gone'), authServer.clock.now())

    const answer = await logout(authServer, 'session-3', {
      id_token_hint: hint,
      post_logout_redirect_uri: returnUriOfA,
    })

    expect(answer.header('location')).toBe(returnUriOfA)
  })

  it('the page has no frames when no session ends', async () => {
    const hint = await obtainIdTokenHint(authServer, 'session-4')
    await registerAndJoin('session-4', 'waiting', { uri: 'https://waiting.test/out' })

    const [asked, signedOut] = [
      await logout(authServer, 'session-4', {}),
      await logout(authServer, undefined, { id_token_hint: hint }),
    ]

    expect([asked, signedOut].map(framesOf)).toEqual([[], []])
  })

  it('the page has no frames unless the host turns on front-channel logout', async () => {
    const site = await startLogoutServer()
    const hint = await obtainIdTokenHint(site, 'session-5')

    const answer = await logout(site, 'session-5', { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA })

    expect(answer.header('location')).toBe(returnUriOfA)
    await site.close()
  })

  it('discovery says which kinds of logout the server offers (RP-Initiated Logout §2.1, Front-Channel Logout §3)', async () => {
    const site = await startLogoutServer()
    const metadataOf = async (server: LogoutServer) =>
      (await server.send({ path: '/.well-known/openid-configuration' })).json

    const [on, off] = [await metadataOf(authServer), await metadataOf(site)]

    expect([on['end_session_endpoint'], off['end_session_endpoint']]).toEqual([
      `${authServer.issuer}/session/end`,
      `${authServer.issuer}/session/end`,
    ])
    expect([on['frontchannel_logout_supported'], on['frontchannel_logout_session_supported']]).toEqual([true, true])
    expect([off['frontchannel_logout_supported'], off['frontchannel_logout_session_supported']]).toEqual([
      undefined,
      undefined,
    ])
    await site.close()
  })
})
