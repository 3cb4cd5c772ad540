import { registerClient } from '@mintmark/core'
import { registerIdentityProvider } from '@mintmark/scim'
import type { JsonObject } from '@mintmark/storage-interface'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { assertionType } from '../support/client-assertion.ts'
import { encode, postForm } from '../support/flow.ts'
import { signEs256, writeJws } from '../support/forge-jwt.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// The requirements of draft-schreiber-ipsie-scim-profile for an Application: AL1 and AL2.

const base = '/scim/v2/enterprise-idps/ipsie'
const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

let site: ServerUnderTest
let requestToken: (scope: string) => Promise<Reply>
let authorization: string

beforeAll(async () => {
  site = await startServer()
  const pair = await generateKeyPair('ES256', { extractable: true })
  await registerClient(
    {
      clientId: 'directory',
      clientName: 'Directory',
      tokenEndpointAuthMethod: 'private_key_jwt',
      grantTypes: ['client_credentials'],
      scopes: ['scim'],
      jwks: { keys: [{ ...(await exportJWK(pair.publicKey)), alg: 'ES256' }] },
    },
    { storage: site.storage, clock: site.clock.now },
  )
  await registerIdentityProvider(
    { providerId: 'ipsie', toleranceProfile: 'strict', secret: false, clientIds: ['directory'] },
    { storage: site.storage, clock: site.clock.now },
  )
  let written = 0
  requestToken = async (scope) => {
    written += 1
    const now = site.clock.now()
    const claims = { iss: 'directory', sub: 'directory', aud: site.issuer, exp: now + 60, iat: now, jti: `d${written}` }
    const assertion = await writeJws({ alg: 'ES256' }, claims, signEs256(pair.privateKey))
    const credentials = { client_assertion_type: assertionType, client_assertion: assertion }
    return postForm(site, '/token', encode({ grant_type: 'client_credentials', scope, ...credentials }), {})
  }
  const { json } = await requestToken('scim')
  authorization = `Bearer ${String(json['access_token'])}`
})
afterAll(() => site.close())

const send = (method: string, path: string, body?: object, as = authorization): Promise<Reply> =>
  site.send({
    method,
    path: base + path,
    headers: { authorization: as, 'content-type': 'application/scim+json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

const createUser = async (userName: string, more: object = {}): Promise<string> => {
  const created = await send('POST', '/Users', { schemas: [core], userName, ...more })
  expect(created.status).toBe(201)
  return String(created.json['id'])
}

const found = async (path: string): Promise<readonly string[]> => {
  const { json } = await send('GET', path)
  return (json['Resources'] as readonly JsonObject[]).map(({ id }) => (typeof id === 'string' ? id : ''))
}

describe('authentication and authorization (IPSIE SCIM)', () => {
  it('a directory without a secret authenticates with a token that its client got with a key', async () => {
    expect((await send('GET', '/Users')).status).toBe(200)
    expect((await send('GET', '/Users', undefined, `Bearer mmscim_ipsie_${'A'.repeat(43)}`)).status).toBe(401)
  })

  it('the token has the scope scim and no other, and expires', async () => {
    const reply = await requestToken('scim api.read')

    expect(reply.json).toMatchObject({ scope: 'scim', expires_in: expect.any(Number) as number })
  })

  it('the metadata names the token endpoint and the key set (RFC 8414 §2)', async () => {
    const { json } = await site.send({ path: '/.well-known/oauth-authorization-server' })

    expect(json).toMatchObject({ token_endpoint: `${site.issuer}/token`, jwks_uri: `${site.issuer}/jwks` })
  })
})

describe('users (IPSIE SCIM, AL1 and AL2)', () => {
  it('the schema has userName, displayName and active, and no password', async () => {
    const { json } = await send('GET', `/Schemas/${core}`)
    const names = (json['attributes'] as readonly JsonObject[]).map(({ name }) => name)

    expect(names).toEqual(expect.arrayContaining(['userName', 'displayName', 'active']))
    expect(names).not.toContain('password')
  })

  it('a password is refused, and no user is created', async () => {
    const before = site.dump()
    const refused = await send('POST', '/Users', { schemas: [core], userName: 'secretive', password: 'x' })

    expect([refused.status, refused.json['scimType']]).toEqual([400, 'invalidSyntax'])
    expect(site.dump()).toBe(before)
  })

  it('the four filters find a user', async () => {
    const emails = [{ value: 'f@example.com', type: 'work' }]
    const id = await createUser('filtered', { externalId: 'x-1', emails })

    for (const filter of [
      'username eq "filtered"',
      'externalId eq "x-1"',
      'emails[value eq "f@example.com"]',
      'emails[type eq "work" and value eq "f@example.com"]',
    ])
      expect([filter, await found(`/Users?${encode({ filter })}`)]).toEqual([filter, [id]])
  })

  it('one PATCH changes several attributes, deactivates and reactivates', async () => {
    const id = await createUser('patched')
    const change = (value: object) =>
      send('PATCH', `/Users/${id}`, { schemas: [patchOp], Operations: [{ op: 'replace', value }] })

    const changed = await change({ displayName: 'P', title: 'T', active: false })
    const again = await change({ active: true })

    expect(changed.json).toMatchObject({ displayName: 'P', title: 'T', active: false })
    expect(again.json).toMatchObject({ active: true })
  })

  it('after a removal, another user may have the same userName', async () => {
    const id = await createUser('returning')

    expect((await send('DELETE', `/Users/${id}`)).status).toBe(204)
    expect(await createUser('returning')).not.toBe(id)
  })
})

describe('groups (IPSIE SCIM, AL2)', () => {
  it('a group may have no members, and the three filters find it', async () => {
    const user = await createUser('member')
    const group = { schemas: [groupSchema], displayName: 'Team', externalId: 'g-1' }
    const created = await send('POST', '/Groups', group)
    const id = String(created.json['id'])
    const add = { op: 'add', path: 'members', value: [{ value: user }] }
    await send('PATCH', `/Groups/${id}`, { schemas: [patchOp], Operations: [add] })

    expect(created.status).toBe(201)
    for (const filter of ['displayName eq "Team"', 'externalId eq "g-1"', `members[value eq "${user}"]`])
      expect([filter, await found(`/Groups?${encode({ filter, excludedAttributes: 'members' })}`)]).toEqual([
        filter,
        [id],
      ])
  })

  it('one PATCH has 50 operations on members', async () => {
    const users = await Promise.all(Array.from({ length: 50 }, (_, index) => createUser(`many-${index}`)))
    const { json } = await send('POST', '/Groups', { schemas: [groupSchema], displayName: 'Many' })
    const add = users.map((value) => ({ op: 'add', path: 'members', value: [{ value }] }))
    const remove = users.map((value) => ({ op: 'remove', path: `members[value eq "${value}"]` }))
    const membersAfter = async (Operations: readonly object[]) => {
      await send('PATCH', `/Groups/${String(json['id'])}`, { schemas: [patchOp], Operations })
      const reply = await send('GET', `/Groups/${String(json['id'])}`)
      return ((reply.json['members'] ?? []) as readonly unknown[]).length
    }

    expect(await membersAfter(add)).toBe(50)
    expect(await membersAfter(remove)).toBe(0)
  })
})

describe('an access token (IPSIE SCIM, Security Considerations)', () => {
  it('is refused after it has expired', async () => {
    const { json } = await requestToken('scim')
    site.clock.advance(3601)

    const refused = await send('GET', '/Users', undefined, `Bearer ${String(json['access_token'])}`)

    expect(refused.status).toBe(401)
    authorization = `Bearer ${String((await requestToken('scim')).json['access_token'])}`
  })
})

describe('capacity (IPSIE SCIM, Performance and Efficiency)', () => {
  it('by default a directory may send 25 requests in a second, and Bulk is offered', async () => {
    const replies = await Promise.all(Array.from({ length: 25 }, () => send('GET', '/Users?count=1')))
    const { json } = await send('GET', '/ServiceProviderConfig')

    expect(replies.map(({ status }) => status)).toEqual(Array<number>(25).fill(200))
    expect(json).toMatchObject({ bulk: { supported: true }, patch: { supported: true } })
  })
})
