import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createProofKey, writeProof } from '../support/dpop.ts'
import { encode, obtainCode, postForm, redeem, type Change } from '../support/flow.ts'
import { expectRefusal, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

const ofP = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }

/** Sends a token request of the public client P with a valid proof of a new key. */
async function request(form: Change) {
  const dpop = await writeProof(site, await createProofKey())
  return postForm(site, '/token', encode({ ...ofP, ...form }), { dpop })
}

describe('a proof with a new key in the name of a public client is not stored (RFC 9449 §11.1)', () => {
  it.each([
    ['an unknown code', { grant_type: 'authorization_code', code: 'x'.repeat(43) }, 'code_unknown'],
    ['an unknown bound code', { grant_type: 'authorization_code', code: `bound_${'x'.repeat(43)}` }, 'code_unknown'],
    [
      'an unknown refresh token',
      { grant_type: 'refresh_token', refresh_token: 'x'.repeat(86) },
      'refresh_token_unknown',
    ],
  ] as const)('with %s', async (_case, form, reason) => {
    await expectJsonRefusal(site, { status: 400, error: 'invalid_grant' }, { send: () => request(form), reason })
  })

  it('with the code of another client', async () => {
    const code = await obtainCode(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => request({ grant_type: 'authorization_code', code }), reason: 'code_unknown' },
    )
  })

  it('with an expired code', async () => {
    const code = await obtainCode(site, ofP)
    site.clock.advance(61)

    await expectRefusal(site, {
      send: () => request({ grant_type: 'authorization_code', code }),
      reason: 'code_unknown',
    })
  })

  it('with the refresh token of another client', async () => {
    const native = { client_id: 'N', redirect_uri: 'http://127.0.0.1/cb' }
    const code = await obtainCode(site, { ...native, scope: 'openid offline_access' })
    const { json } = await redeem(site, code, native, { authorization: '' })

    await expectRefusal(site, {
      send: () => request({ grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) }),
      reason: 'refresh_token_unknown',
    })
  })
})

it('a replayed proof is still refused before the code is used up (RFC 9449 §11.1)', async () => {
  const dpop = await writeProof(site, await createProofKey())
  const [first, second] = [await obtainCode(site, ofP), await obtainCode(site, ofP)]
  const send = (code: string) => redeem(site, code, ofP, { authorization: '', dpop })
  expect((await send(first)).status).toBe(200)

  await expectRefusal(site, { send: () => send(second), reason: 'dpop_replayed' })

  const again = { authorization: '', dpop: await writeProof(site, await createProofKey()) }
  expect((await redeem(site, second, ofP, again)).status).toBe(200)
})
