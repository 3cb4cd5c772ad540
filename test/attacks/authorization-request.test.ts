import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { authorize, baseRequest, encode, postForm, signedInAs, type Change } from '../support/flow.ts'
import { expectServing, expectRefusal, expectErrorPage } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

/** Returns a function that sends GET /auth. The prefix of the query may repeat parameters or be malformed. */
const authorizeRaw =
  (prefix: string, change: Change = {}) =>
  () =>
    site.send({
      path: `/auth?${prefix}&${encode({ ...baseRequest, ...change })}`,
      headers: { cookie: signedInAs(site, 'U1') },
    })

it('an error page shows the correlation identifier of the event', async () => {
  const replies = [await authorizeRaw('', { client_id: 'zzz' })(), await authorizeRaw('', { client_id: 'zzz' })()]

  const [first, second] = site.events.filter(({ type }) => type === 'request.refused').slice(-2)
  expect(first?.correlationId).not.toBe(second?.correlationId)
  expect(replies.map(({ text }) => /Reference: <code>([^<]+)</.exec(text)?.[1])).toEqual([
    first?.correlationId,
    second?.correlationId,
  ])
})

describe('until the client is known, an error is shown on a local page (RFC 6749 §4.1.2.1)', () => {
  const none = { client_id: undefined }

  it.each([
    ['no client_id', '', none, 'client_id_missing'],
    ['an empty client_id', 'client_id=', none, 'client_id_missing'],
    ['an unknown client_id', '', { client_id: 'zzz' }, 'client_unknown'],
    ['a client_id with a NUL', 'client_id=A%00', none, 'client_unknown'],
    ['a client_id with a leading space', 'client_id=%20A', none, 'client_unknown'],
    ['a client_id with a trailing space', 'client_id=A%20', none, 'client_unknown'],
    ['a client_id in lower case', 'client_id=a', none, 'client_unknown'],
    ['a client_id in full-width letters', 'client_id=%EF%BC%A1', none, 'client_unknown'],
    ['SQL in client_id', "client_id='%20OR%201=1--", none, 'client_unknown'],
    ['a wildcard in client_id', 'client_id=%25', none, 'client_unknown'],
    ['a NoSQL operator in client_id', 'client_id[$ne]=x', none, 'client_id_missing'],
    ['a client_id of 10,000 characters', `client_id=${'A'.repeat(10_000)}`, none, 'client_unknown'],
    ['a client_id named like an Object.prototype member', '', { client_id: 'constructor' }, 'client_unknown'],
    ['a client_id named like an inherited object member', '', { client_id: '__proto__' }, 'client_unknown'],
    ['a client_id with markup', '', { client_id: '<script>alert(1)</script>' }, 'client_unknown'],
    ['two client_id values', 'client_id=A', {}, 'client_id_repeated'],
    ['two client_id values, the second unknown', 'client_id=A', { client_id: 'zzz' }, 'client_id_repeated'],
    ['two client_id values, one empty', 'client_id=', {}, 'client_id_repeated'],
    [
      'two redirect_uri values, the second valid',
      'redirect_uri=https%3A%2F%2Fevil.test%2Fcb',
      {},
      'redirect_uri_repeated',
    ],
    ['two redirect_uri values, both valid', 'redirect_uri=https%3A%2F%2Fapp.test%2Fcb', {}, 'redirect_uri_repeated'],
    ['two redirect_uri values, one empty', 'redirect_uri=', {}, 'redirect_uri_repeated'],
    [
      'prompt=none with an unregistered redirect_uri',
      'prompt=none',
      { redirect_uri: 'https://evil.test/cb' },
      'redirect_uri_mismatch',
    ],
    [
      'a pushed request with an unregistered redirect_uri',
      'request_uri=urn:x',
      { redirect_uri: 'https://evil' },
      'redirect_uri_mismatch',
    ],
    [
      'a guessed pushed request (RFC 9126 §2.2)',
      'request_uri=urn:ietf:params:oauth:request_uri:guess',
      {},
      'request_uri_unknown',
    ],
    ['a query with a malformed escape', 'x=%zz', {}, 'parameters_malformed'],
    ['a query that is not UTF-8', 'state=%FF', {}, 'parameters_malformed'],
    ['a query of 2,000 parameters', 'x&'.repeat(2000), {}, 'parameters_malformed'],
  ] as const)('%s', async (_, prefix, change, reason) => {
    await expectErrorPage(site, {
      send: authorizeRaw(prefix, change),
      reason,
      secrets: ['evil', 'zzz', 'alert', 'OR 1', '__proto__', 'constructor'],
    })
  })

  it.each([
    ['no client_id', { client_id: undefined }, 'client_id_missing'],
    ['an unknown client_id', { client_id: 'zzz' }, 'client_unknown'],
    ['an unregistered redirect_uri', { redirect_uri: 'https://evil.test/cb' }, 'redirect_uri_mismatch'],
  ] as const)('by POST: %s (OIDC Core §3.1.2.1)', async (_, change, reason) => {
    const body = encode({ ...baseRequest, ...change })

    await expectErrorPage(site, {
      send: () => postForm(site, '/auth', body, { cookie: signedInAs(site, 'U1') }),
      reason,
    })
  })

  it.each([
    ['no Content-Type', ''],
    ['JSON', 'application/json'],
    ['plain text, which a form of another site can send', 'text/plain'],
    ['multipart', 'multipart/form-data; boundary=x'],
  ])('rejects a POST with %s, whatever its query says (OIDC Core §3.1.2.1)', async (_, contentType) => {
    const query = encode(baseRequest)

    await expectErrorPage(site, {
      send: () => postForm(site, `/auth?${query}`, query, { 'content-type': contentType }),
      reason: 'body_not_a_form',
    })
  })

  it('gives the same answer for a disabled client as for an unknown one', async () => {
    await changeClient(site.storage, clientId('B'), { disabledAt: epochSeconds(1) })

    const unknown = await expectErrorPage(site, {
      send: () => authorize(site, { client_id: 'zzz' }),
      reason: 'client_unknown',
    })
    const disabled = await expectErrorPage(site, {
      send: () => authorize(site, { client_id: 'B' }),
      reason: 'client_disabled',
    })

    // The reference is random, and different for every request.
    const [unknownText, disabledText] = [unknown, disabled].map(({ text }) =>
      text.replace(/Reference: <code>[^<]+<\/code>/, ''),
    )
    expect(disabledText).toBe(unknownText)
  })
})

describe('requests that are too large to be parsed', () => {
  it.each([
    ['scope', 'scope'],
    ['id_token_hint', 'id_token_hint'],
    ['state', 'state'],
    ['claims', 'claims'],
  ])('rejects %s of 1 MiB by POST (RFC 9110 §15.5.14)', async (_, name) => {
    const body = encode({ ...baseRequest, [name]: 'a'.repeat(1_048_576) })

    const reply = await expectRefusal(site, {
      send: () => postForm(site, '/auth', body, {}),
      reason: 'message_too_large',
    })

    expect(reply.status).toBe(413)
    expect(reply.header('location')).toBeUndefined()
  })
})

it('a normal request still succeeds after all these attacks', () => expectServing(site))
