import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { adapters } from '../support/adapters.ts'
import { basic, encode, obtainCode, obtainTokens, postForm, redeem, token, verifier } from '../support/flow.ts'
import { expectServing, expectRefusal, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// One file, because all tests send variants of one valid token request over each adapter.
const form = 'application/x-www-form-urlencoded'

const malformed = { status: 400, error: 'invalid_request' }

describe.each(adapters)('on $name', (adapter) => {
  let site: ServerUnderTest
  let authorization: string
  beforeAll(async () => {
    site = await startServer({}, adapter)
    authorization = basic('A', site.clients.A.secret)
    // Storage records the first use of a secret, so it happens before the tests compare storage.
    await expectServing(site)
  })
  afterAll(() => site.close())

  /** Creates the body of a request that redeems a fresh code. */
  const goodBody = async (): Promise<string> =>
    encode({
      grant_type: 'authorization_code',
      code: await obtainCode(site),
      redirect_uri: 'https://app.test/cb',
      code_verifier: verifier,
    })

  describe('media types at the token endpoint', () => {
    it.each([
      ['JSON', 'application/json'],
      ['JSON with a charset', 'application/json; charset=utf-8'],
      ['two types in one header', `application/json, ${form}`],
      ['two media types, the form first', `${form}, application/json`],
      ['a multipart form (RFC 6749 §4.1.3)', 'multipart/form-data; boundary=x'],
      ['plain text (RFC 6749 §4.1.3)', 'text/plain'],
      ['a media type that begins like the media type of forms (RFC 6749 §4.1.3)', `${form}2`],
      ['the form as a parameter (RFC 6749 §4.1.3)', `text/plain; x=${form}`],
      ['a body without a media type', ''],
      ['an empty parameter list (RFC 6749 §4.1.3)', ';'],
      ['charset UTF-16', `${form}; charset=utf-16`],
      ['charset UTF-7 in quotes (RFC 6749 App. B)', `${form}; x=y; Charset = "utf-7"`],
      ['charset ISO-2022-JP (RFC 6749 App. B)', `${form};charset=iso-2022-jp`],
      ['two charsets (RFC 6749 App. B)', `${form}; charset=utf-8; charset=utf-16`],
    ])('rejects %s, whatever the body contains', async (_, contentType) => {
      const body = await goodBody()

      await expectJsonRefusal(site, malformed, {
        send: () => postForm(site, '/token', body, { authorization, 'content-type': contentType }),
        reason: 'body_not_a_form',
      })
    })

    it('rejects a correct grant sent as JSON', async () => {
      const body = JSON.stringify(Object.fromEntries(new URLSearchParams(await goodBody())))

      await expectJsonRefusal(site, malformed, {
        send: () => postForm(site, '/token', body, { authorization, 'content-type': 'application/json' }),
        reason: 'body_not_a_form',
      })
    })

    it.each(['gzip', 'deflate', 'br', 'gzip, gzip', 'x-unknown'])(
      'rejects a body with Content-Encoding %s, because it is not decoded (RFC 9110 §8.4)',
      async (coding) => {
        const body = await goodBody()

        await expectJsonRefusal(site, malformed, {
          send: () => postForm(site, '/token', body, { authorization, 'content-encoding': coding }),
          reason: 'body_not_a_form',
        })
      },
    )

    it.each(['\u00E9', '\u00C3\u00A9'])(
      'rejects a form in ISO-8859-1 with the characters %s, which would be misread (RFC 6749 App. B)',
      async (text) => {
        const body = `${await goodBody()}&x=${text}`
        const contentType = `${form}; charset=ISO-8859-1`

        await expectJsonRefusal(site, malformed, {
          send: () => postForm(site, '/token', body, { authorization, 'content-type': contentType }),
          reason: 'body_not_a_form',
        })
      },
    )

    it.each([
      `${form}; charset=UTF-8`,
      `${form};charset="utf-8"`,
      `${form.toUpperCase()}; charset=utf-8; x=y`,
      `${form}; charset=ISO-8859-1`,
      `${form}; charset="windows-1252"`,
    ])('accepts the type %s as a form (RFC 6749 App. B)', async (contentType) => {
      const reply = await postForm(site, '/token', await goodBody(), { authorization, 'content-type': contentType })

      expect(reply.status).toBe(200)
    })
  })

  describe('bodies at the token endpoint', () => {
    it.each([
      ['grant_type twice', 'grant_type=authorization_code&CODE', 'parameter_repeated'],
      ['code twice', 'code=b&CODE', 'parameter_repeated'],
      ['code twice, once empty', 'code=&CODE', 'parameter_repeated'],
      ['redirect_uri twice (RFC 6749 §3.2)', 'redirect_uri=https%3A%2F%2Fapp.test%2Fcb&CODE', 'parameter_repeated'],
      ['code_verifier twice (RFC 6749 §3.2)', 'code_verifier=x&CODE', 'parameter_repeated'],
      ['client_id twice (RFC 6749 §3.2)', 'client_id=A&client_id=A&CODE', 'parameter_repeated'],
      ['an unknown parameter twice (RFC 6749 §3.2)', 'x=1&x=2&CODE', 'parameter_repeated'],
      ['names that are equal after decoding (RFC 6749 §3.2)', '%63ode=b&CODE', 'parameter_repeated'],
      ['parameters whose names end with brackets', 'grant_type[]=authorization_code&code[x]=1', 'grant_type_missing'],
      ['a code parameter whose name ends with brackets', 'grant_type=authorization_code&code[]=1', 'code_missing'],
      ['an empty grant_type', 'grant_type=', 'grant_type_missing'],
      ['a grant_type without equals sign', 'grant_type', 'grant_type_missing'],
      ['an empty body (RFC 6749 §3.2)', '', 'grant_type_missing'],
      ['an empty code (RFC 6749 §3.2)', 'grant_type=authorization_code&code=&redirect_uri=x', 'code_missing'],
      [
        'parameters separated by semicolons (RFC 6749 App. B)',
        'x=1;grant_type=authorization_code',
        'grant_type_missing',
      ],
      ['a byte order mark (RFC 6749 App. B)', '%EF%BB%BFgrant_type=authorization_code', 'grant_type_missing'],
      ['65 parameters', `CODE&${Array.from({ length: 61 }, (_, at) => `p${at}=1`).join('&')}`, 'parameters_malformed'],
      ['invalid UTF-8', 'grant_type=authorization_code&code=%FF%FE', 'parameters_malformed'],
      ['an overlong encoding (RFC 6749 App. B)', 'grant_type=authorization_code&code=%C0%AF', 'parameters_malformed'],
      ['a lone percent sign', 'CODE&x=%', 'parameters_malformed'],
      ['an escape that is not hexadecimal', 'CODE&x=%zz', 'parameters_malformed'],
      ['a truncated escape', 'CODE&x=%4', 'parameters_malformed'],
      ['a malformed escape in a name (RFC 6749 App. B)', 'CODE&%zz=1', 'parameters_malformed'],
      ['a lone surrogate', 'CODE&x=%ED%A0%80', 'parameters_malformed'],
      ['a code point beyond Unicode (RFC 6749 App. B)', 'CODE&x=%F4%90%80%80', 'parameters_malformed'],
    ] as const)('rejects %s', async (_, text, reason) => {
      const body = text.replace('CODE', await goodBody())

      await expectJsonRefusal(site, malformed, {
        send: () => postForm(site, '/token', body, { authorization }),
        reason,
      })
    })

    it('rejects bytes that are not UTF-8', async () => {
      const body = Buffer.concat([Buffer.from('grant_type=authorization_code&code='), Buffer.from([0xff, 0xfe])])

      await expectJsonRefusal(site, malformed, {
        send: () =>
          site.send({ method: 'POST', path: '/token', headers: { authorization, 'content-type': form }, body }),
        reason: 'parameters_malformed',
      })
    })

    it.each([
      ['a string with a NUL', { code: 'a\0b' }, 'code_unknown'],
      ['only spaces', { code: '   ' }, 'code_unknown'],
      ['15,000 characters', { code: 'a'.repeat(15_000) }, 'code_unknown'],
      ['a string with line breaks', { code: 'a\r\nX: y' }, 'code_unknown'],
    ] as const)('rejects %s as a code (RFC 6749 §5.2)', async (_, change, reason) => {
      await expectJsonRefusal(
        site,
        { status: 400, error: 'invalid_grant' },
        { send: () => redeem(site, '', change), reason, secrets: [change.code] },
      )
    })

    it('never reads parameters from the query', async () => {
      const query = await goodBody()

      await expectJsonRefusal(site, malformed, {
        send: () => postForm(site, `/token?${query}`, '', { authorization }),
        reason: 'grant_type_missing',
      })
    })

    it('a parameter in the query does not complete the body', async () => {
      const [grantType, ...rest] = (await goodBody()).split('&')

      await expectJsonRefusal(site, malformed, {
        send: () => postForm(site, `/token?${grantType}`, rest.join('&'), { authorization }),
        reason: 'grant_type_missing',
      })
    })

    it('a parameter in the query does not conflict with the body (OAuth 2.1 draft-16 §3.2)', async () => {
      const reply = await postForm(site, '/token?grant_type=password&code=x&client_id=B', await goodBody(), {
        authorization,
      })

      expect(reply.status).toBe(200)
    })

    it('rejects a body one byte larger than 16 KiB', async () => {
      const body = `${await goodBody()}&x=`

      const reply = await expectRefusal(site, {
        send: () => postForm(site, '/token', body.padEnd(16_385, 'a'), { authorization }),
        reason: 'message_too_large',
      })

      expect(reply.status).toBe(413)
      expect(reply.header('cache-control')).toBe('no-store')
    })

    it('accepts a body of exactly 16 KiB', async () => {
      const body = `${await goodBody()}&x=`

      expect((await postForm(site, '/token', body.padEnd(16_384, 'a'), { authorization })).status).toBe(200)
    })

    it('accepts 64 parameters', async () => {
      const body = [await goodBody(), ...Array.from({ length: 60 }, (_, at) => `p${at}=1`)].join('&')

      expect((await postForm(site, '/token', body, { authorization })).status).toBe(200)
    })

    it.each([
      [
        'parameters with the names of Object.prototype members',
        '__proto__=x&constructor=x&prototype=x&toString=x&hasOwnProperty=x',
      ],
      [
        'parameters with the same names in brackets',
        '__proto__[admin]=1&constructor[prototype][admin]=1&__proto__.admin=1',
      ],
      ['parameters whose names end with brackets', 'grant_type[]=password&code[x]=1&code_verifier[]=x'],
      ['unknown parameters (RFC 6749 §3.2)', 'username=a&password=b&resource_owner=c&audience=d'],
    ])('ignores %s in an otherwise valid request', async (_, extra) => {
      const reply = await postForm(site, '/token', `${extra}&${await goodBody()}`, { authorization })

      expect(reply.status).toBe(200)
      expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
    })
  })

  describe('repeated headers', () => {
    it('rejects two Authorization headers at the token endpoint (RFC 9110 §5.3)', async () => {
      await expectJsonRefusal(site, malformed, {
        send: () =>
          site.send({
            method: 'POST',
            path: '/token',
            headers: { 'content-type': form, authorization: [authorization, authorization] },
            body: 'grant_type=x',
          }),
        reason: 'client_authentication_twice',
        secrets: [site.clients.A.secret],
      })
    })

    it('rejects two Authorization headers at userinfo (RFC 6750 §2)', async () => {
      const tokens = await obtainTokens(site)
      const bearer = `Bearer ${tokens['access_token']}`

      const reply = await expectRefusal(site, {
        send: () => site.send({ path: '/userinfo', headers: { authorization: [bearer, bearer] } }),
        reason: 'bearer_twice',
      })

      expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_request'])
    })

    it('rejects two Content-Type headers (RFC 6749 §4.1.3)', async () => {
      const body = await goodBody()

      await expectJsonRefusal(site, malformed, {
        send: () =>
          site.send({
            method: 'POST',
            path: '/token',
            headers: { authorization, 'content-type': [form, form] },
            body,
          }),
        reason: 'body_not_a_form',
      })
    })
  })

  it('a normal request still succeeds after all these attacks', async () => {
    expect((await token(site, { grant_type: 'nothing' })).json['error']).toBe('unsupported_grant_type')
    await expectServing(site)
  })
})
