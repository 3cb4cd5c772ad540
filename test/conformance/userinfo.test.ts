import { clientId, userId } from '@mintmark/storage-interface'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { encode, postForm } from '../support/flow.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'
import { outcomeOf, requestUrl, signIn, userinfo } from './sign-in.ts'

/** Every standard claim (OIDC Core §5.1) by the scope that requests it (OIDC Core §5.4). */
const claimsByScope = {
  openid: {},
  profile: {
    name: 'Jane Q. Doe',
    family_name: 'Doe',
    given_name: 'Jane',
    middle_name: 'Quincy',
    nickname: 'JD',
    preferred_username: 'j.doe',
    profile: 'https://social.test/jdoe',
    picture: 'https://social.test/jdoe.jpg',
    website: 'https://doe.test',
    gender: 'female',
    birthdate: '1990-10-31',
    zoneinfo: 'Europe/Paris',
    locale: 'en-US',
    updated_at: 1_700_000_000,
  },
  email: { email: 'janedoe@example.test', email_verified: true },
  address: {
    address: {
      formatted: '1234 Hollywood Blvd.\nLos Angeles, CA 90210\nUS',
      street_address: '1234 Hollywood Blvd.',
      locality: 'Los Angeles',
      region: 'CA',
      postal_code: '90210',
      country: 'US',
    },
  },
  phone: { phone_number: '+1 (310) 123-4567', phone_number_verified: false },
}
const everything = Object.assign({}, ...Object.values(claimsByScope)) as Record<string, string>

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  const createdAt = site.clock.now()
  await site.storage.users.insert({ userId: userId('jane'), claims: { ...everything, internal_rank: 7 }, createdAt })
  await site.storage.users.insert({ userId: userId('bare'), claims: { name: null }, createdAt })
})
afterAll(() => site.close())

const answerFor = async (user: string, scope: string) =>
  userinfo(site, await outcomeOf(site, await visit(site, requestUrl(site, { scope }), user)))

describe('userinfo', () => {
  it.each(Object.entries(claimsByScope))(
    'the scope %s releases its claims and no others (OIDC Core §5.4)',
    async (scope, claims) => {
      const reply = await answerFor('jane', scope === 'openid' ? scope : `openid ${scope}`)

      expect(reply.json).toEqual({ sub: 'jane', ...claims })
    },
  )

  it('all scopes together release all claims (OIDC Core §5.4)', async () => {
    const reply = await answerFor('jane', 'phone address email profile openid')

    expect(reply.json).toEqual({ sub: 'jane', ...everything })
  })

  it('omits a claim that the user does not have, instead of sending null (OIDC Core §5.3.2)', async () => {
    const reply = await answerFor('bare', 'openid profile email')

    expect(reply.json).toEqual({ sub: 'bare' })
  })

  it('the response is JSON that must not be cached (OIDC Core §5.3.2)', async () => {
    const reply = await answerFor('jane', 'openid')

    expect(reply.status).toBe(200)
    expect(reply.header('content-type')).toBe('application/json')
    expect(reply.header('cache-control')).toBe('no-store')
  })

  it('the token may be in the header of a GET or POST, or in the body of a POST (OIDC Core §5.3.1)', async () => {
    const { tokens } = await signIn(site)
    const bearer = tokens['access_token'] ?? ''

    const replies = await Promise.all([
      site.send({ path: '/userinfo', headers: { authorization: `Bearer ${bearer}` } }),
      site.send({ method: 'POST', path: '/userinfo', headers: { authorization: `Bearer ${bearer}` } }),
      postForm(site, '/userinfo', encode({ access_token: bearer }), {}),
    ])

    expect(replies.map(({ status, json }) => [status, json['sub']])).toEqual([
      [200, 'U1'],
      [200, 'U1'],
      [200, 'U1'],
    ])
  })

  it.each(['RS256', 'ES256'])('a response signed with %s carries iss and aud (OIDC Core §5.3.2)', async (alg) => {
    await changeClient(site.storage, clientId('A'), { userinfoSignedResponseAlg: alg })

    const reply = await answerFor('jane', 'openid email')

    expect(reply.header('content-type')).toBe('application/jwt')
    expect(decodeProtectedHeader(reply.text).alg).toBe(alg)
    expect(decodeJwt(reply.text)).toEqual({ sub: 'jane', iss: site.issuer, aud: 'A', ...claimsByScope.email })
    await changeClient(site.storage, clientId('A'), { userinfoSignedResponseAlg: undefined })
  })
})
