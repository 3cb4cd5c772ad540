import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createProofKey, writeProof } from '../support/dpop.ts'
import { encode, obtainCode, postForm, redeem, type Change } from '../support/flow.ts'
import { refused, refusedInJson } from '../support/refused.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let under: ServerUnderTest
beforeAll(async () => {
  under = await startServer()
})
afterAll(() => under.close())

const ofP = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }

/** A token request of the public client P with a genuine proof of a new key. */
async function request(form: Change) {
  const dpop = await writeProof(under, await createProofKey())
  return postForm(under, '/token', encode({ ...ofP, ...form }), { dpop })
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
    await refusedInJson(under, { status: 400, error: 'invalid_grant' }, { send: () => request(form), reason })
  })

  it('with the code of another client', async () => {
    const code = await obtainCode(under)

    await refusedInJson(
      under,
      { status: 400, error: 'invalid_grant' },
      { send: () => request({ grant_type: 'authorization_code', code }), reason: 'code_unknown' },
    )
  })

  it('with an expired code', async () => {
    const code = await obtainCode(under, ofP)
    under.clock.advance(61)

    await refused(under, { send: () => request({ grant_type: 'authorization_code', code }), reason: 'code_unknown' })
  })

  it('with the refresh token of another client', async () => {
    const native = { client_id: 'N', redirect_uri: 'http://127.0.0.1/cb' }
    const code = await obtainCode(under, { ...native, scope: 'openid offline_access' })
    const { json } = await redeem(under, code, native, { authorization: '' })

    await refused(under, {
      send: () => request({ grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) }),
      reason: 'refresh_token_unknown',
    })
  })
})

it('a replayed proof is still refused before the code is used up (RFC 9449 §11.1)', async () => {
  const dpop = await writeProof(under, await createProofKey())
  const [first, second] = [await obtainCode(under, ofP), await obtainCode(under, ofP)]
  const send = (code: string) => redeem(under, code, ofP, { authorization: '', dpop })
  expect((await send(first)).status).toBe(200)

  await refused(under, { send: () => send(second), reason: 'dpop_replayed' })

  const again = { authorization: '', dpop: await writeProof(under, await createProofKey()) }
  expect((await redeem(under, second, ofP, again)).status).toBe(200)
})
