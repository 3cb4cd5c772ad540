import { providerId } from '../../identifiers.ts'
import { text } from '../filters.ts'
import { law, type StorageLaw } from '../law.ts'
import { everything, listedIds } from '../listed.ts'
import { recordKinds } from '../record-kinds.ts'
import { aGroup, aGroupState } from '../records/a-group.ts'
import { aProvisionedState, aProvisionedUser } from '../records/a-provisioned-user.ts'

/** Identifiers and digests are compared byte for byte, whatever is in them (RFC 6749 §2.2). */
export const identifierLaws: readonly StorageLaw[] = [
  ...recordKinds.map(({ store, make, insert, read }) =>
    law(`identifiers: ${store} are told apart byte for byte`, async ({ storage, same }) => {
      for (const id of identifiers)
        same(await insert(storage, make(id)), { outcome: 'inserted' }, `inserting ${show(id)}`)
      for (const id of identifiers) same(await read(storage, id), make(id), `reading ${show(id)}`)
      for (const id of strangers) same(await read(storage, id), undefined, `reading ${show(id)}, which is not there`)
    }),
  ),

  law('identifiers: the keys of accounts and groups are told apart byte for byte', async ({ storage, same }) => {
    const { providerId: provider } = everything
    for (const [index, key] of identifiers.entries()) {
      const state = aProvisionedState('key', { externalId: key, comparable: { userName: key } })
      const user = await storage.provisionedUsers.insert(aProvisionedUser(`${index}`, { state }))
      same(user.outcome, 'inserted', `an account with ${show(key)}`)
      const group = await storage.groups.insert(aGroup(`${index}`, { state: aGroupState('key', { externalId: key }) }))
      same(group.outcome, 'inserted', `a group with ${show(key)}`)
    }
    for (const [index, key] of [...identifiers, ...strangers].entries()) {
      const expected = index < identifiers.length ? `user-${index}` : undefined
      const user = await storage.provisionedUsers.findByExternalId(provider, key)
      same(user?.userId, expected, `the account of ${show(key)}`)
      const named = await storage.provisionedUsers.list({ ...everything, filter: text('userName', 'eq', key) })
      same(listedIds(named), expected === undefined ? [0] : [1, expected], `the account named ${show(key)}`)
      const group = await storage.groups.findByExternalId(provider, key)
      same(group?.groupId, expected && `group-${index}`, `the group of ${show(key)}`)
    }
  }),

  law('identifiers: providers are told apart byte for byte in what they have', async ({ storage, same }) => {
    for (const id of identifiers) {
      const user = aProvisionedUser(id, { providerId: providerId(id), state: aProvisionedState('same') })
      same((await storage.provisionedUsers.insert(user)).outcome, 'inserted', `an account of ${show(id)}`)
      const group = aGroup(id, { providerId: providerId(id), state: aGroupState('same'), memberIds: [user.userId] })
      same((await storage.groups.insert(group)).outcome, 'inserted', `a group of ${show(id)}`)
    }
    for (const id of [...identifiers, ...strangers]) {
      const isThere = identifiers.includes(id)
      const list = await storage.provisionedUsers.list({ ...everything, providerId: providerId(id) })
      same(listedIds(list), isThere ? [1, `user-${id}`] : [0], `accounts of ${show(id)}`)
      const group = await storage.groups.findByExternalId(providerId(id), 'external-same')
      same(group?.groupId, isThere ? `group-${id}` : undefined, `the group of ${show(id)}`)
    }
  }),
]

const identifiers = [
  'abc',
  'ABC',
  'aBc',
  'abc ',
  ' abc',
  'äbc',
  'a\u0308bc',
  '1',
  '01',
  '1.0',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'undefined',
  "a'b",
  'a"b',
  'a\\',
  'a%',
  'a_',
  'a|b',
  'https://client.example/id?a=b#c',
  '漢字😀',
  'x'.repeat(254),
  `${'x'.repeat(254)}y`,
]

const strangers = ['', 'a', 'abcd', 'a%%', 'abc\n', 'toString', 'x'.repeat(255)]

const show = (id: string): string => JSON.stringify(id.slice(0, 40))
