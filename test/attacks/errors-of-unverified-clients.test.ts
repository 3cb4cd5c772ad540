import type { RefusalReason } from '@mintmark/core'
import { clientId, type ClientRecord } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { describe, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import {
  answerInteraction,
  authorize,
  browserCookie,
  browserCookies,
  type Change,
  signedInAs,
} from '../support/flow.ts'
import { expectErrorRedirect, expectErrorPage } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const at = 'https://stranger.test/cb'
const clients = [
  ['registered itself', startWithRegistered, { client_id: 'R', redirect_uri: at }],
  [
    'publishes its own metadata',
    startWithDocuments,
    { client_id: 'https://stranger.test/oauth.json', redirect_uri: at },
  ],
] as const

describe('an error for an unverified client (RFC 9700 §4.11.2)', () => {
  const claims = JSON.stringify({ userinfo: { name: { values: ['x'.repeat(3900)] } } })
  const large = { state: 's'.repeat(1024), nonce: 'n'.repeat(1024), claims }
  const nobody = JSON.stringify({ id_token: { sub: { values: [] } } })
  const wrong: readonly (readonly [string, Change, RefusalReason])[] = [
    ['response_type', { response_type: 'token' }, 'response_type_unsupported'],
    ['max_age', { max_age: 'x' }, 'max_age_invalid'],
    ['claims that no user has', { claims: nobody }, 'no_user_matches'],
  ]

  describe.each(clients)('if the client %s', (_, start, client) => {
    it('is shown on a page of the server when no user is signed in: the request is too large', async () => {
      const site = await start()
      const send = () => authorize(site, { ...client, ...large }, { cookie: '' })

      await expectErrorPage(site, { send, reason: 'request_too_large' })
    })

    describe.each(wrong)('%s', (_name, change, reason) => {
      it.each([undefined, 'none', 'login'])(
        'is shown on a page of the server when no user is signed in: prompt=%s',
        async (prompt) => {
          const site = await start()
          const send = () => authorize(site, { ...client, ...change, prompt }, { cookie: '' })

          await expectErrorPage(site, { send, reason })
        },
      )
    })

    it('is shown on a page of the server in every response mode: prompt=none', async () => {
      const site = await start()

      for (const mode of ['query', 'form_post']) {
        const wrongMode = { ...client, max_age: 'x', prompt: 'none', response_mode: mode }
        const send = () => authorize(site, wrongMode, { cookie: '' })
        await expectErrorPage(site, { send, reason: 'max_age_invalid' })
      }
    })

    it('is returned to the client when a user is signed in', async () => {
      const site = await start()
      const send = () => authorize(site, { ...client, max_age: 'x' })

      await expectErrorRedirect(site, { error: 'invalid_request', at }, { send, reason: 'max_age_invalid' })
    })

    it.each([
      ['login_required', ''],
      ['consent_required', undefined],
    ] as const)(
      'is returned to the client as the answer to prompt=none: %s (OIDC Core §3.1.2.6)',
      async (error, cookie) => {
        const site = await start()
        const send = () => authorize(site, { ...client, prompt: 'none' }, { cookie: cookie ?? signedInAs(site, 'U1') })

        await expectErrorRedirect(site, { error, at }, { send, reason: error })
      },
    )
  })
})

describe('an unverified client that changes itself after its request was accepted (RFC 9700 §4.11.2)', () => {
  const changes: readonly (readonly [string, Partial<ClientRecord>, RefusalReason, string])[] = [
    ['drops its scopes', { scopes: [] }, 'scope_not_allowed', 'invalid_scope'],
    ['drops its grant type', { grantTypes: [] }, 'grant_type_not_registered', 'unauthorized_client'],
  ]

  describe.each(changes)('it %s', (_, change, reason, error) => {
    it.each(['GET', 'POST'])('gets no redirect when no user is signed in: %s', async (method) => {
      const site = await startWithRegistered()
      const started = await begin(site, '')
      await changeClient(site.storage, clientId('R'), change)

      await expectErrorPage(site, { send: () => visit(site, started, { method }), reason })
    })

    it('gets the error of a user who had a session when the request was accepted', async () => {
      const site = await startWithRegistered()
      const started = await begin(site, signedInAs(site, 'U1'))
      await changeClient(site.storage, clientId('R'), change)
      const send = () => visit(site, started, { cookie: browserCookies(started) })

      await expectErrorRedirect(site, { error, at }, { send, reason })
    })

    it('gets the error of a user who has signed in to the interaction', async () => {
      const site = await startWithRegistered()
      const started = await begin(site, '')
      await answerInteraction(site, started, `subject=U1&auth_time=${site.clock.now()}`)
      await changeClient(site.storage, clientId('R'), change)

      await expectErrorRedirect(site, { error, at }, { send: () => visit(site, started), reason })
    })

    it('gets the error of a user who has signed in at the host', async () => {
      const site = await startWithRegistered()
      const started = await begin(site, '')
      await changeClient(site.storage, clientId('R'), change)
      const cookie = `${browserCookie(started)}; ${signedInAs(site, 'U1')}`

      await expectErrorRedirect(site, { error, at }, { send: () => visit(site, started, { cookie }), reason })
    })
  })
})

const begin = (site: ServerUnderTest, cookie: string): Promise<Reply> =>
  authorize(site, { client_id: 'R', redirect_uri: at }, { cookie })

/** Opens the page of an interaction, or posts a form there, in the browser that started it. */
const visit = (
  site: ServerUnderTest,
  started: Reply,
  { method = 'GET', cookie = browserCookie(started) }: { readonly method?: string; readonly cookie?: string } = {},
): Promise<Reply> =>
  site.send({
    method,
    path: started.location.pathname + started.location.search,
    headers: { cookie, origin: site.issuer, 'content-type': 'application/x-www-form-urlencoded' },
    body: method === 'POST' ? 'subject=U1' : '',
  })

async function startWithRegistered(): Promise<ServerUnderTest> {
  const site = await startServer()
  onTestFinished(() => site.close())
  await site.storage.clients.insert({
    ...aClientRecord(),
    clientId: clientId('R'),
    redirectUris: [at],
    origin: 'registration',
    selfManagement: { statementIssuer: null },
  })
  return site
}

async function startWithDocuments(): Promise<ServerUnderTest> {
  const document = { client_id: 'https://stranger.test/oauth.json', client_name: 'Tool', redirect_uris: [at] }
  const headers = { 'content-type': 'application/json' }
  const site = await startServer({
    fetch: () => Promise.resolve(new Response(JSON.stringify(document), { headers })),
    clientDocuments: { allow: '*', scopes: ['openid', 'profile', 'offline_access'] },
  })
  onTestFinished(() => site.close())
  return site
}
