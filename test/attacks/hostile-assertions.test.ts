import { clientId } from '@mintmark/storage-interface'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import { api, jwtBearerGrant, partner, startAssertionSite } from '../support/assertion-site.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { startServer } from '../support/server-under-test.ts'
import { stores } from '../support/stores.ts'
import { introspect, postAs } from '../support/token-calls.ts'

const now = 1_790_000_000
const deep: unknown = JSON.parse('{"act":'.repeat(200) + '{}' + '}'.repeat(200))

/** Claims that a trusted issuer signs, and what the token that they give has to be. */
const hostile: readonly (readonly [what: string, claims: Readonly<Record<string, unknown>>, status: 200 | 400])[] = [
  ['U+0000 in the subject', { sub: 'okta-kim\0' }, 400],
  ['half a surrogate pair in the subject', { sub: '\uD800' }, 400],
  ['a subject of the name of a prototype', { sub: '__proto__' }, 400],
  ['an identifier of 1,025 characters', { jti: 'j'.repeat(1025) }, 400],
  ['U+0000 in the identifier', { jti: '\0' }, 200],
  ['half a surrogate pair in the identifier', { jti: '\uDC00' }, 200],
  ['U+0000 in a method', { amr: ['pwd\0'] }, 200],
  ['half a surrogate pair in a method', { amr: ['\uD800'] }, 200],
  ['33 methods', { amr: Array.from({ length: 33 }, () => 'pwd') }, 400],
  ['a method of the name of a prototype', { amr: ['__proto__', 'constructor'] }, 200],
  ['an expiry with a fraction', { exp: now + 60.5 }, 200],
  ['an expiry without end', { exp: 1e308 }, 400],
  ['a sign-in before 1970', { auth_time: -1 }, 400],
  ['a sign-in with a fraction', { auth_time: now - 0.5 }, 400],
  ['a start in the year 1', { nbf: -62_135_596_800 }, 200],
  ['parties that are nested 200 deep', { act: deep }, 200],
  ['a key in a list', { cnf: ['jkt'] }, 400],
  ['a key of the name of a prototype', { cnf: JSON.parse('{"__proto__":{"jkt":"x"}}') as object }, 400],
  ['a scope value of 4,000 characters', { scope: 's'.repeat(4000) }, 400],
  ['2,000 scope values', { scope: 'api.read '.repeat(400) }, 200],
  ['an API of the name of a prototype', { resource: ['__proto__'] }, 400],
  ['U+0000 in an API', { resource: `${api}\0` }, 400],
  ['no number as time', { iat: String(now) }, 400],
]

describe.each(stores)('on %s, a signed assertion with hostile values', (_name, open) => {
  it.each(hostile)('is answered without an error of the server: %s', async (_what, claims, status) => {
    const site = await startAssertionSite({ storage: await open() })
    onTestFinished(() => site.close())
    await changeClient(site.storage, clientId('RS'), { servedAudiences: [api] })

    const reply = await site.present(await site.idJag(claims))

    expect(reply.status).toBe(status)
    if (status === 200)
      expect((await introspect(site, String(reply.json['access_token']), 'RS')).json).toMatchObject({ active: true })
    else expect(reply.json['access_token']).toBeUndefined()
    expect(({} as { readonly jkt?: unknown }).jkt).toBeUndefined()
    // The next assertion is accepted as usual.
    expect((await site.present(await site.idJag())).status).toBe(200)
  })
})

it('two hundred assertions that name unknown keys cost their issuer two requests a minute (RFC 8725 §3.10)', async () => {
  const fetched: string[] = []
  const keys = { keys: [{ ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), kid: 'k1' }] }
  const issuer = { issuer: partner, jwksUri: `${partner}/keys`, clients: ['M'], scopes: ['api.read'], audiences: [api] }
  const site = await startServer({
    resources: { [api]: { scopes: ['api.read'] } },
    jwtBearer: { issuers: [{ ...issuer, findUser: () => 'U1' }] },
    fetch: (url) => {
      fetched.push(new Request(url).url)
      return Promise.resolve(Response.json(keys))
    },
  })
  onTestFinished(() => site.close())
  await changeClient(site.storage, clientId('M'), { grantTypes: [jwtBearerGrant] })
  const { privateKey } = await generateKeyPair('ES256')

  const replies = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const assertion = await new SignJWT({ iss: partner, aud: site.issuer, sub: 'x', jti: `${index}`, exp: now + 60 })
        .setProtectedHeader({ alg: 'ES256', kid: `unknown-${index}` })
        .sign(privateKey)
      return postAs(site, 'M', { path: '/token', form: { grant_type: jwtBearerGrant, assertion } })
    }),
  )

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]))
  expect(site.lastReason()).toBe('assertion_invalid')
  expect(fetched.length).toBeLessThanOrEqual(2)
  expect(new Set(fetched)).toEqual(new Set([`${partner}/keys`]))
})
