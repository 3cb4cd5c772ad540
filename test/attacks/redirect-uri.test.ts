import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { authorize, obtainCode, redeem } from '../support/flow.ts'
import { expectServing, expectJsonRefusal, expectErrorPage } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// One file, because most of its lines are the tables of redirect URIs.
let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

/** Strings that the error page must not contain, whatever the redirect URI. */
const secrets = ['evil', 'alert', 'app.test', '127.0.0.1', 'localhost']

describe('client A, registered for https://app.test/cb: any other URI is rejected on a page (RFC 9700 §2.1)', () => {
  it.each([
    ['RFC 9700 §4.1.3', undefined, 'redirect_uri_missing'],
    ['RFC 9700 §4.1.3', '', 'redirect_uri_missing'],
    ...[
      ['RFC 9700 §4.1.3', 'https://app.test/CB'],
      ['RFC 9700 §4.1.3', 'HTTPS://APP.TEST/cb'],
      ['RFC 9700 §2.1', 'https://App.test/cb'],
      ['RFC 9700 §2.1', 'https://app.test/cb/'],
      ['RFC 9700 §2.1', 'https://app.test/c'],
      ['RFC 9700 §2.1', 'https://app.test/cb2'],
      ['RFC 9700 §2.1', 'https://app.test/cb/x'],
      ['RFC 9700 §2.1', 'https://app.test/'],
      ['RFC 9700 §2.1', 'https://app.test'],
      ['RFC 9700 §2.1', 'https://app.test:443/cb'],
      ['RFC 9700 §4.1.3', 'https://app.test:8443/cb'],
      ['RFC 9700 §2.1', 'https://app.test:/cb'],
      ['RFC 9700 §4.1.3', 'http://app.test/cb'],
      ['RFC 9700 §2.1', 'https://app.test/cb?'],
      ['RFC 9700 §2.1', 'https://app.test/cb?a=b'],
      ['RFC 9700 §4.1.3', 'https://app.test/cb?code=evil&state=evil&iss=evil'],
      ['RFC 9700 §4.1.3', 'https://app.test/cb#'],
      ['RFC 9700 §4.1.3', 'https://app.test/cb#x'],
      ['RFC 9700 §4.1.3', 'https://app.test/cb%23'],
      ['RFC 3986 §3.2.1', 'https://app.test@evil.test/cb'],
      ['RFC 3986 §3.2.1', 'https://evil@app.test/cb'],
      ['RFC 3986 §3.2.1', 'https://app.test:evil@evil.test/cb'],
      ['RFC 3986 §3.2.1', 'https://evil.test#@app.test/cb'],
      ['RFC 3986 §3.2.1', 'https://evil.test?@app.test/cb'],
      ['RFC 9700 §4.1.3', 'https://evil.test\\@app.test/cb'],
      ['RFC 9700 §4.1.3', 'https:\\\\app.test\\cb'],
      ['RFC 9700 §4.1.3', 'https:/\\app.test/cb'],
      ['RFC 9700 §4.1.3', 'https://app.test.evil.test/cb'],
      ['RFC 9700 §4.1.3', 'https://evilapp.test/cb'],
      ['RFC 9700 §2.1', 'https://sub.app.test/cb'],
      ['RFC 9700 §2.1', 'https://app.test./cb'],
      ['RFC 9700 §2.1', 'https://evil.test/https://app.test/cb'],
      ['RFC 9700 §2.1', 'https://evil.test/?u=https://app.test/cb'],
      ['RFC 9700 §4.1.3', 'https://app.test/cb/../evil'],
      ['RFC 9700 §4.1.3', 'https://app.test/cb/..;/x'],
      ['RFC 9700 §4.1.3', 'https://app.test/%2e%2e/evil'],
      ['RFC 9700 §4.1.3', 'https://app.test/./cb'],
      ['RFC 9700 §4.1.3', 'https://app.test/x/../cb'],
      ['RFC 9700 §4.1.3', 'https://app.test/cb/..%2fevil'],
      ['RFC 9700 §4.1.3', 'https://app.test/cb/%252e%252e/evil'],
      ['RFC 9700 §4.1.3', 'https://app.test//cb'],
      ['RFC 9700 §4.1.3', 'https:///app.test/cb'],
      ['RFC 9700 §4.1.3', '//app.test/cb'],
      ['RFC 9700 §4.1.3', '/cb'],
      ['RFC 9700 §4.1.3', 'cb'],
      ['RFC 9700 §4.1.3', 'https:app.test/cb'],
      ['RFC 9700 §2.1', ' https://app.test/cb'],
      ['RFC 9700 §2.1', 'https://app.test/cb '],
      ['RFC 9700 §2.1', 'https://app.test/cb\n'],
      ['RFC 9700 §2.1', '\thttps://app.test/cb'],
      ['RFC 9700 §2.1', 'https://app.test/c\nb'],
      ['RFC 9700 §2.1', 'https://app.test/cb\r\nLocation: https://evil.test'],
      ['RFC 9700 §4.1.3', 'https://app.test/%63b'],
      ['RFC 9700 §4.1.3', 'https://%61pp.test/cb'],
      ['RFC 9700 §4.1.3', 'https://\u0430pp.test/cb'],
      ['RFC 9700 §4.1.3', 'https://xn--pp-6kc.test/cb'],
      ['RFC 9700 §4.1.3', 'https://app\u3002test/cb'],
      ['RFC 9700 §4.1.3', 'https://a\u200Bpp.test/cb'],
      ['RFC 9700 §4.1.3', 'https://\uFF41pp.test/cb'],
      ['RFC 9700 §4.1.3', 'javascript:alert(1)'],
      ['RFC 9700 §4.1.3', 'JaVaScRiPt:alert(1)'],
      ['RFC 9700 §4.1.3', 'java\tscript:alert(1)'],
      ['RFC 9700 §4.1.3', 'javascript://app.test/cb%0aalert(1)'],
      ['RFC 9700 §4.1.3', 'data:text/html,<script>alert(1)</script>'],
      ['RFC 9700 §4.1.3', 'vbscript:alert(1)'],
      ['RFC 9700 §4.1.3', 'blob:https://app.test/x'],
      ['RFC 9700 §4.1.3', 'file:///etc/passwd'],
      ['RFC 9700 §4.1.3', 'about:blank'],
      ['RFC 9700 §4.1.3', 'https://app.test/cb\0.evil.test'],
      ['RFC 9700 §4.1.3', 'https://app.test\0.evil.test/cb'],
      ['RFC 9700 §2.1', '*'],
      ['RFC 9700 §2.1', 'https://*'],
      ['RFC 9700 §2.1', 'https://app.test/*'],
      ['RFC 9700 §4.1.3', 'https://appXtest/cb'],
      ['RFC 9700 §2.1', 'https://spa.test/cb'],
      ['RFC 9700 §2.1', 'http://127.0.0.1/cb'],
      ['RFC 9700 §2.1', `https://app.test/cb?${'a'.repeat(5000)}`],
      ['RFC 6749 §3.1.2.4', '__proto__'],
    ].map(([id, uri]) => [id, uri, 'redirect_uri_mismatch'] as const),
  ] as const)('%s %j', async (_, uri, reason) => {
    await expectErrorPage(site, { send: () => authorize(site, { redirect_uri: uri }), reason, secrets })
  })

  it('the registered URI itself is accepted (RFC 9700 §2.1)', async () => {
    const reply = await authorize(site, { redirect_uri: 'https://app.test/cb' })

    expect(reply.location.searchParams.has('code')).toBe(true)
  })

  it('requires redirect_uri from a client with several redirect URIs', async () => {
    await changeClient(site.storage, clientId('X'), { redirectUris: ['https://x.test/cb', 'https://x.test/cb2'] })

    await expectErrorPage(site, {
      send: () => authorize(site, { client_id: 'X', redirect_uri: undefined }),
      reason: 'redirect_uri_missing',
    })
  })

  it('rejects the redirect URI of another client (OIDC Core §3.1.2.1)', async () => {
    await expectErrorPage(site, {
      send: () => authorize(site, { client_id: 'P', redirect_uri: 'https://app.test/cb' }),
      reason: 'redirect_uri_mismatch',
    })
  })
})

describe('client N, registered for http://127.0.0.1/cb (RFC 8252 §7.3)', () => {
  const requestFor = (uri: string) => () => authorize(site, { client_id: 'N', redirect_uri: uri })

  it.each([
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000/cb/x'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000/cb?a=b'],
    ['RFC 9700 §4.1.3', 'http://u@127.0.0.1:51000/cb'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000@evil.test/cb'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000/cb#x'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000/cb#'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000/'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000/CB'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000//cb'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:51000/x/../cb'],
    ['RFC 9700 §4.1.3', 'http://localhost:51000/cb'],
    ['RFC 9700 §4.1.3', 'http://localhost/cb'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.2:51000/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1.evil.test/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:51000.evil.test/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:0/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:65536/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:99999/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:051000/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:+5/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:5e3/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:5 /cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:\uFF15/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:5\\cb'],
    ['RFC 8252 §7.3', 'http:127.0.0.1:5/cb'],
    ['RFC 8252 §7.3', 'http://127.0.0.1:5/cb\n'],
    ['RFC 9700 §4.1.3', 'http://2130706433/cb'],
    ['RFC 9700 §4.1.3', 'http://0x7f.1/cb'],
    ['RFC 9700 §4.1.3', 'http://127.1/cb'],
    ['RFC 9700 §4.1.3', 'http://0177.0.0.1/cb'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1./cb'],
    ['RFC 9700 §4.1.3', 'http://127.000.000.001/cb'],
    ['RFC 9700 §4.1.3', 'http://\u2460\u2461\u2466.0.0.1/cb'],
    ['RFC 9700 §4.1.3', 'http://[::ffff:127.0.0.1]/cb'],
    ['RFC 9700 §4.1.3', 'http://0.0.0.0:5/cb'],
    ['RFC 9700 §4.1.3', 'http://[::1]:5/cb'],
    ['RFC 9700 §4.1.3', 'http://[::1]/cb'],
    ['RFC 9700 §4.1.3', 'https://127.0.0.1:5/cb'],
    ['RFC 9700 §4.1.3', 'https://127.0.0.1/cb'],
    ['RFC 9700 §4.1.3', 'HTTP://127.0.0.1:5/cb'],
  ])('rejects %s %j on a page', async (_, uri) => {
    await expectErrorPage(site, { send: requestFor(uri), reason: 'redirect_uri_mismatch', secrets })
  })

  it.each(['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb', 'http://127.0.0.1:51000/cb', 'http://127.0.0.1:65535/cb'])(
    'accepts %s: only the port differs',
    async (uri) => {
      const reply = await requestFor(uri)()

      expect(reply.location.pathname).toBe('/consent')
    },
  )

  it('only loopback hosts may have any port (RFC 8252 §7.3)', async () => {
    await changeClient(site.storage, clientId('X'), {
      redirectUris: ['http://192.168.0.1/cb', 'https://127.0.0.1/cb'],
    })

    for (const uri of ['http://192.168.0.1:5/cb', 'https://127.0.0.1:5/cb']) {
      await expectErrorPage(site, {
        send: () => authorize(site, { client_id: 'X', redirect_uri: uri }),
        reason: 'redirect_uri_mismatch',
      })
    }
  })
})

describe('a private-use scheme (RFC 8252 §7.1)', () => {
  it.each([
    'com.example.app:/cb2/',
    'com.example.app:/cb',
    'com.example.app://cb2',
    'com.example.app:cb2',
    'com.example.app2:/cb2',
    'com.example.APP:/cb2',
    'com.example.app:/cb2?x',
    'com.example.app:/cb2#x',
    'com.example:/cb2',
  ])('%s does not match com.example.app:/cb2', async (uri) => {
    await changeClient(site.storage, clientId('N'), { redirectUris: ['com.example.app:/cb2'] })

    await expectErrorPage(site, {
      send: () => authorize(site, { client_id: 'N', redirect_uri: uri }),
      reason: 'redirect_uri_mismatch',
    })
  })
})

describe('the redirect URI at the token endpoint (RFC 6749 §4.1.3)', () => {
  it('rejects a request without the redirect_uri of the authorization request', async () => {
    const code = await obtainCode(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => redeem(site, code, { redirect_uri: undefined }), reason: 'redirect_uri_missing', secrets: [code] },
    )

    expect((await redeem(site, code)).status).toBe(200)
  })

  it.each([
    'https://app.test/CB',
    'https://app.test/cb/',
    'https://app.test/cb?',
    'https://app.test/cb#',
    'https://app.test:443/cb',
    'https://app.test/%63b',
    'https://evil.test/cb',
    'https://app.test/cb\0',
    ' https://app.test/cb',
    'cb',
  ])('rejects %j, which was not in the authorization request, and uses up the code', async (uri) => {
    const code = await obtainCode(site)
    const refusal = { storage: 'codes may change', secrets: [code, 'evil'] } as const

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { ...refusal, send: () => redeem(site, code, { redirect_uri: uri }), reason: 'redirect_uri_mismatch' },
    )

    expect((await redeem(site, code)).json['error']).toBe('invalid_grant')
  })

  it('requires the port of the authorization request (RFC 8252 §7.3)', async () => {
    await changeClient(site.storage, clientId('A'), { redirectUris: ['https://app.test/cb', 'http://127.0.0.1/cb'] })
    const code = await obtainCode(site, { redirect_uri: 'http://127.0.0.1:5/cb' })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      {
        send: () => redeem(site, code, { redirect_uri: 'http://127.0.0.1:6/cb' }),
        reason: 'redirect_uri_mismatch',
        storage: 'codes may change',
      },
    )
  })
})

it('a normal request still succeeds after all these attacks', () => expectServing(site))
