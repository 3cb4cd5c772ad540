import { deepEqual, equal, rejects } from 'node:assert/strict'

import type { JsonObject } from '@mintmark/storage-interface'

import { openPartnerWorld, type PartnerAddress, type PartnerWorld } from './partner-world.ts'
import type { CheckResult } from './verdict.ts'

/** Provisions a partner from a new server, whose directory creates and changes users. @returns the result of each check. */
export async function checkPartner(address: PartnerAddress): Promise<readonly CheckResult[]> {
  const world = await openPartnerWorld(address)
  const results: CheckResult[] = []
  // In order: each check continues with the users of the one before.
  for (const [title, check] of Object.entries(partnerChecks)) {
    try {
      await check(world)
      results.push({ title })
    } catch (error) {
      results.push({ title, failure: String(error).replaceAll(/\s+/g, ' ') })
    }
  }
  return results
}

const core = 'urn:ietf:params:scim:schemas:core:2.0'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const partnerChecks: Readonly<Record<string, (world: PartnerWorld) => Promise<void>>> = {
  'refuses another bearer token, and the comparison reports it': async ({ provisioning, address }) => {
    await provisioning.targets.replaceCredential('partner', { bearerToken: 'another' })
    await rejects(provisioning.compare('partner'), /http_401/)
    await provisioning.targets.replaceCredential('partner', { bearerToken: address.bearerToken })
    await provisioning.targets.enable('partner')
  },

  'gets users with their attributes, and a group with its members': async (world) => {
    const { directory, deliver, partnerUser } = world
    await directory('POST', '/Users', { ...user('ada'), ...attributes })
    for (const name of ['alan', 'linus', 'barbara']) await directory('POST', '/Users', user(name))
    const members = []
    for (const name of ['ada', 'alan', 'barbara', 'linus']) members.push({ value: await world.ownId(name) })
    await directory('POST', '/Groups', { schemas: [`${core}:Group`], displayName: 'Team', members })
    await deliver()

    const ada = await partnerUser('ada')
    deepEqual(subset(ada, attributes), attributes)
    deepEqual([ada?.['externalId'], ada?.['active']], [await world.ownId('ada'), true])
    equal((await world.partner('/Groups'))[0]?.['displayName'], 'Team')
    deepEqual(await world.memberNames(), ['ada', 'alan', 'barbara', 'linus'])
    await world.expectEqual()
  },

  'gets changed, added and removed attributes with PATCH': async (world) => {
    const { directory, deliver, partnerUser } = world
    const before = await partnerUser('ada')
    const path = `/Users/${await world.ownId('ada')}`
    const emails = [
      { value: 'ada@work.test', type: 'work', primary: true },
      { value: 'ada@home.test', type: 'home' },
    ]
    await directory(
      'PATCH',
      path,
      patch(
        { op: 'replace', path: 'emails', value: emails },
        { op: 'replace', path: 'name.familyName', value: 'King' },
        { op: 'add', path: 'title', value: 'Countess' },
        { op: 'remove', path: 'nickName' },
        { op: 'replace', path: `${enterprise}:department`, value: 'Engines' },
      ),
    )
    await directory('PUT', `/Users/${await world.ownId('alan')}`, {
      ...user('alan'),
      schemas: [`${core}:User`, enterprise],
      [enterprise]: { department: 'Logic' },
    })
    await deliver()

    const after = await partnerUser('ada')
    equal(after?.id, before?.id)
    deepEqual((await partnerUser('alan'))?.[enterprise], { department: 'Logic' })
    const expected = {
      ...attributes,
      emails,
      title: 'Countess',
      name: { ...attributes.name, familyName: 'King' },
      [enterprise]: { ...attributes[enterprise], department: 'Engines' },
    }
    deepEqual(subset(after, { ...expected, nickName: '' }), { ...expected, nickName: undefined })
    await world.expectEqual()
  },

  'gets the deactivation and the reactivation of a user': async (world) => {
    const { directory, deliver, partnerUser } = world
    const path = `/Users/${await world.ownId('alan')}`
    const activeAfter = async (value: boolean) => {
      await directory('PATCH', path, patch({ op: 'replace', path: 'active', value }))
      await deliver()
      return (await partnerUser('alan'))?.['active']
    }
    equal(await activeAfter(false), false)
    equal(await activeAfter(true), true)
    await world.expectEqual()
  },

  'gets members who join and leave a group, and its new name': async (world) => {
    const { directory, deliver } = world
    const [team] = await directory('GET', '/Groups')
    await directory('POST', '/Users', user('grace'))
    const changed = patch(
      { op: 'add', path: 'members', value: [{ value: await world.ownId('grace') }] },
      { op: 'remove', path: `members[value eq "${await world.ownId('alan')}"]` },
      { op: 'replace', path: 'displayName', value: 'Crew' },
    )
    await directory('PATCH', `/Groups/${team?.id}`, changed)
    await deliver()

    deepEqual(await world.memberNames(), ['ada', 'barbara', 'grace', 'linus'])
    equal((await world.partner('/Groups'))[0]?.['displayName'], 'Crew')
    await world.expectEqual()
  },

  'removes a user who is removed here, also from the group': async (world) => {
    await world.directory('DELETE', `/Users/${await world.ownId('grace')}`)
    await world.deliver()

    deepEqual(await world.userNames(), ['ada', 'alan', 'barbara', 'linus'])
    deepEqual(await world.memberNames(), ['ada', 'barbara', 'linus'])
    await world.expectEqual()
  },

  'differs in the comparison after changes behind our back': async (world) => {
    const { atPartner, partner, partnerUser, provisioning } = world
    const [ada, alan] = [await partnerUser('ada'), await partnerUser('alan')]
    const [team] = await partner('/Groups')
    const members = [{ value: alan?.id ?? '' }]
    await atPartner('PATCH', `/Users/${ada?.id}`, patch({ op: 'replace', path: 'title', value: 'Baroness' }))
    await atPartner('PATCH', `/Groups/${team?.id}`, patch({ op: 'replace', path: 'members', value: members }))
    await atPartner('DELETE', `/Users/${alan?.id}`)
    await atPartner('POST', '/Users', user('eve'))

    const { divergences } = await provisioning.compare('partner')
    const shown = divergences.map(({ state, kind, name }) => `${state} ${kind} ${name}`)
    deepEqual(shown.toSorted(), ['different group Crew', 'different user ada', 'extra user eve', 'missing user alan'])
  },

  'is repaired by a synchronization, and a second one changes nothing': async (world) => {
    const { partner, partnerUser, provisioning, deliver } = world
    const differences = async () => {
      await provisioning.synchronize('partner')
      await deliver()
      return (await provisioning.compare('partner')).divergences.map(({ state, name }) => `${state} ${name}`)
    }
    deepEqual(await differences(), ['extra eve'])
    equal((await partnerUser('ada'))?.['title'], 'Countess')
    deepEqual(await world.memberNames(), ['ada', 'barbara', 'linus'])

    // With their versions.
    const before = [await partner('/Users'), await partner('/Groups')]
    await differences()
    deepEqual([await partner('/Users'), await partner('/Groups')], before)
  },

  'removes a group that is removed here': async (world) => {
    const [team] = await world.directory('GET', '/Groups')
    await world.directory('DELETE', `/Groups/${team?.id}`)
    await world.deliver()

    deepEqual(await world.partner('/Groups'), [])
    await world.expectNoFailure()
  },
}

const attributes = {
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  nickName: 'A',
  emails: [{ value: 'ada@work.test', type: 'work', primary: true }],
  addresses: [{ type: 'work', locality: 'London', country: 'GB' }],
  [enterprise]: { department: 'Research', employeeNumber: '4711' },
}

const user = (userName: string): JsonObject => ({
  schemas: [`${core}:User`],
  userName,
  externalId: `directory-${userName}`,
  active: true,
})

const patch = (...Operations: readonly JsonObject[]): JsonObject => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

/** Returns the attributes of a resource that an expectation names. */
const subset = (resource: JsonObject | undefined, expected: JsonObject) =>
  Object.fromEntries(Object.keys(expected).map((name) => [name, resource?.[name]]))
