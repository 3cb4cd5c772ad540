import { createScimServer, registerIdentityProvider } from '@mintmark/scim'
import { userId } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'
import { z } from 'zod'

import { protectLastAdministrators } from '../src/index.ts'
import { expectRefused, issuer, startAdmin, type AdminUnderTest } from './admin-under-test.ts'

const rule = { protectedRoles: ['owner'], administrators: 'claims.nickname eq "root" and not (provider pr)' }

/** Creates an organization with two owners and a member, and two administrators of the service. */
async function withOwners(): Promise<AdminUnderTest> {
  const system = startAdmin({ lastAdministrators: rule })
  for (const id of ['ann', 'bob', 'cy']) await system.admin.users.create({ userId: id })
  for (const id of ['root1', 'root2']) await system.admin.users.create({ userId: id, claims: { nickname: 'root' } })
  await system.admin.organizations.create({ organizationId: 'acme', displayName: 'Acme' })
  for (const id of ['ann', 'bob'])
    await system.admin.organizations.writeMember({ organizationId: 'acme', userId: id }, ['owner', 'staff'])
  await system.admin.organizations.writeMember({ organizationId: 'acme', userId: 'cy' }, ['staff'])
  return system
}

const asMember = (id: string) => ({ organizationId: 'acme', userId: id })

it('the last owner of an organization cannot be deactivated, removed, or lose the role or the membership', async () => {
  const system = await withOwners()
  const { users, organizations } = system.admin
  await users.deactivate('bob')

  await expectRefused(system, () => users.deactivate('ann'), 'last_administrator')
  await expectRefused(system, () => users.remove('ann'), 'last_administrator')
  await expectRefused(system, () => organizations.writeMember(asMember('ann'), ['staff']), 'last_administrator')
  await expectRefused(system, () => organizations.removeMember(asMember('ann')), 'last_administrator')
  expect(await organizations.writeMember(asMember('ann'), ['owner'])).toMatchObject({ roles: ['owner'] })
  expect(await users.deactivate('cy')).toMatchObject({ user: { active: false } })
})

it('an owner can be deactivated while there is another owner, and removed after the organization was removed', async () => {
  const system = await withOwners()

  expect(await system.admin.users.deactivate('ann')).toMatchObject({ user: { active: false } })
  await system.admin.organizations.remove({ organizationId: 'acme' })
  expect(await system.admin.users.remove('bob')).toEqual({ grants: [], sessionIds: [] })
})

it('an owner can be deactivated if the only other owner is at the end of a long list of members', async () => {
  const { users, organizations } = startAdmin({ lastAdministrators: rule }).admin
  const members = Array.from({ length: 250 }, (_, index) => `member${index}`)
  await users.upsert(['ann', ...members, 'zoe'].map((id) => ({ userId: id })))
  await organizations.create({ organizationId: 'acme', displayName: 'Acme' })
  for (const id of members) await organizations.writeMember(asMember(id), ['staff'])
  for (const id of ['ann', 'zoe']) await organizations.writeMember(asMember(id), ['owner'])

  expect(await users.deactivate('ann')).toMatchObject({ user: { active: false } })
})

it('the last administrator of the service cannot be deactivated, or lose the claim that makes them an administrator', async () => {
  const system = await withOwners()
  const { users } = system.admin
  await users.update({ userId: 'root2' }, { claims: { nickname: null } })

  await expectRefused(
    system,
    () => users.update({ userId: 'root1' }, { claims: { nickname: 'no' } }),
    'last_administrator',
  )
  await expectRefused(system, () => users.deactivate('root1'), 'last_administrator')
  expect(await users.update({ userId: 'root1' }, { claims: { locale: 'en' } })).toMatchObject({
    claims: { nickname: 'root', locale: 'en' },
  })
})

it('law: when owners remove each other concurrently, one owner remains active', async () => {
  for (let round = 0; round < 20; round += 1) {
    const system = await withOwners()
    const { users, organizations } = system.admin

    await Promise.allSettled([
      round % 3 === 0 ? organizations.removeMember(asMember('ann')) : users.deactivate('ann'),
      round % 2 === 0 ? organizations.writeMember(asMember('bob'), []) : users.deactivate('bob'),
    ])

    const members = (await organizations.listMembers('acme')).items.filter(({ roles }) => roles.includes('owner'))
    const active = await Promise.all(members.map(async (member) => (await users.read(member.userId)).active))
    expect(active).toContain(true)
  }
})

it('law: when two administrators are deactivated, removed or lose the claim concurrently, one remains', async () => {
  for (let round = 0; round < 20; round += 1) {
    const system = await withOwners()
    const { users } = system.admin
    const end = (id: string, how: number) =>
      [
        () => users.deactivate(id),
        () => users.remove(id),
        () => users.update({ userId: id }, { claims: { nickname: null } }),
      ][how % 3]?.()

    await Promise.allSettled([end('root1', round), end('root2', round + Math.floor(round / 3))])

    const { total } = await users.list({ filter: `active eq true and ${rule.administrators}` })
    expect(total).toBeGreaterThan(0)
  }
})

const staffFields = [
  { name: 'staff_role', claim: 'staff_role', schema: z.string() },
  { name: 'level', claim: 'level', type: 'decimal', schema: z.number() },
] as const

it('a directory cannot deactivate the last administrator: 403, and the user is not changed', async () => {
  const system = await withOwners()
  const { storage } = system
  const { secret } = await registerIdentityProvider({ providerId: 'corp' }, { storage })
  const mayChange = protectLastAdministrators({ ...rule, storage })
  const scim = createScimServer({ issuer, storage, clock: () => system.clock.now(), mayChange })
  const send = (method: string, path: string, body?: object) =>
    scim.handle({
      method,
      url: new URL(`${issuer}/scim/v2/enterprise-idps/corp${path}`),
      headers: new Map([
        ['authorization', `Bearer ${secret}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
    })
  const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
  const created = await send('POST', '/Users', { schemas: [core], userName: 'dee' })
  const { id } = JSON.parse(String(created.body)) as { id: string }
  for (const owner of ['ann', 'bob'])
    await system.admin.organizations.removeMember(asMember(owner)).catch(() => undefined)
  await system.admin.organizations.writeMember(asMember(id), ['owner'])
  await system.admin.organizations.removeMember(asMember('bob')).catch(() => undefined)
  const replace = (active: boolean) =>
    send('PATCH', `/Users/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', value: { active } }],
    })

  expect((await replace(false)).status).toBe(403)
  expect((await send('DELETE', `/Users/${id}`)).status).toBe(403)
  expect(await storage.users.find(userId(id))).toMatchObject({ active: true, generation: 0 })
  await system.admin.organizations.writeMember(asMember('cy'), ['owner'])
  expect((await replace(false)).status).toBe(200)
})

it.each([
  'claims.nickname eq "root"',
  'claims.nickname eq "root" or not (provider pr)',
  'not (claims.nickname eq "user")',
  'active eq true and (claims.email ew "@example.com" or claims.name eq "Root")',
  'claims.nickname eq "root" and provider pr',
  'claims.nickname eq "root" and not (provider eq "corp")',
  'claims.NickName eq "root"',
  'claims pr',
  'provider eq "corp"',
  'not (provider eq "corp")',
  'active eq true',
  'created gt "2020-01-01T00:00:00Z"',
  'id ne "root"',
  'id sw "a"',
  'not (id eq "root")',
  'claims.staff_role ne "guest"',
  'not (claims.staff_role eq "guest")',
  'not (claims.staff_role pr)',
  'not (not (provider pr))',
  'claims.level ne 0',
  'claims.staff_role eq "admin" or active eq true',
])('rejects the filter %s, because a directory could make its users match it', (administrators) => {
  expect(() => startAdmin({ customFields: [...staffFields], lastAdministrators: { administrators } })).toThrow(
    TypeError,
  )
})

it.each([
  'claims.nickname eq "root" and not (provider pr)',
  'not (provider pr) and (claims.nickname eq "root" or claims.email eq "ops@example.com")',
  'id eq "root"',
  'claims.staff_role eq "admin"',
  'claims.staff_role pr',
  'claims.level ge 3',
  'claims.staff_role sw "admin" and claims.staff_role ne "admin-of-nothing"',
  'id eq "root" or claims.staff_role eq "admin"',
])('accepts the filter %s, because no directory could make its users match it', (administrators) => {
  expect(() => startAdmin({ customFields: [...staffFields], lastAdministrators: { administrators } })).not.toThrow()
})

it('a directory can neither link the last administrator nor take away their claim', async () => {
  const administrators = 'claims.nickname eq "root" and not (provider pr)'
  const system = startAdmin({ lastAdministrators: { administrators } })
  const { storage } = system
  await system.admin.users.create({ userId: 'root', claims: { nickname: 'root' } })
  const { secret } = await registerIdentityProvider({ providerId: 'T1' }, { storage })
  const scim = createScimServer({
    issuer,
    storage,
    link: () => Promise.resolve(userId('root')),
    mayChange: protectLastAdministrators({ storage, administrators }),
  })
  const send = (name: string) =>
    scim.handle({
      method: 'POST',
      url: new URL(`${issuer}/scim/v2/enterprise-idps/T1/Users`),
      headers: new Map([
        ['authorization', `Bearer ${secret}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(
        JSON.stringify({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: name, nickName: 'x' }),
      ),
    })

  expect((await send('root')).status).toBe(403)
  expect(await storage.users.find(userId('root'))).toMatchObject({ version: 1, providerId: undefined })

  await system.admin.users.create({ userId: 'second', claims: { nickname: 'root' } })
  expect((await send('root')).status).toBe(201)
})

it('a directory cannot make a linked user an administrator through a claim that outlives the link: 403, and nothing is written', async () => {
  const administrators = 'claims.nickname eq "root" and not (provider pr)'
  const system = startAdmin({ lastAdministrators: { administrators } })
  const { storage } = system
  await system.admin.users.create({ userId: 'root', claims: { nickname: 'root' } })
  await system.admin.users.create({ userId: 'ann', claims: { nickname: 'root' } })
  await system.admin.users.create({ userId: 'will', claims: { email: 'will@example.com' } })
  const { secret } = await registerIdentityProvider({ providerId: 'T1' }, { storage })
  const reasons: string[] = []
  const scim = createScimServer({
    issuer,
    storage,
    link: async ({ externalId = '' }) => (['ann', 'will'].includes(externalId) ? userId(externalId) : undefined),
    mayChange: protectLastAdministrators({ storage, administrators }),
    onEvent: (event) => void (event.type === 'request.refused' && reasons.push(event.reason)),
  })
  const send = async (method: string, path: string, externalId: string, nickName: string) => {
    const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: externalId, externalId, nickName }
    const { status } = await scim.handle({
      method,
      url: new URL(`${issuer}/scim/v2/enterprise-idps/T1/Users${path}`),
      headers: new Map([
        ['authorization', `Bearer ${secret}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(JSON.stringify(user)),
    })
    return status
  }

  expect(await send('POST', '', 'will', 'root')).toBe(403)
  expect(await storage.users.find(userId('will'))).toMatchObject({ version: 1, providerId: undefined })
  expect(await send('POST', '', 'will', 'Will')).toBe(201)
  expect(await send('PUT', '/will', 'will', 'root')).toBe(403)
  expect(reasons).toEqual(['change_refused', 'change_refused'])
  expect(await storage.users.find(userId('will'))).toMatchObject({ version: 2, claims: { nickname: 'Will' } })
  // The directory's own users may have any claims: they are removed together with their SCIM resources.
  expect(await send('POST', '', 'dee', 'root')).toBe(201)
  // Ann has been an administrator before.
  expect(await send('POST', '', 'ann', 'root')).toBe(201)
})
