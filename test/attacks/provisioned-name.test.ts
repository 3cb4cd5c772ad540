import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { openTables } from '../../packages/create-mintmark/template/databases/sqlite/code/database.ts'
import { openUsers, type Users } from '../../packages/create-mintmark/template/users/ours/code/users.ts'
import {
  forgetRemoved,
  keepPassword,
} from '../../packages/create-mintmark/template/users/ours/code/provisioned-users.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { startServer } from '../support/server-under-test.ts'

let tables: ReturnType<typeof openTables>
let users: Users
let site: ScimSite
beforeAll(async () => {
  const oauth = await startServer()
  const password = (submitted: Parameters<ReturnType<typeof keepPassword>>[0]) =>
    keepPassword(users, oauth.storage)(submitted)
  site = await startScimSite({ oauth, password, onEvent: (event) => forgetRemoved(users)(event) })
  tables = openTables(':memory:')
  users = await openUsers({ tables })
  await users.add({
    username: 'ada',
    email: 'ada@example.org',
    password: 'engine',
    givenName: 'Ada',
    familyName: 'Lovelace',
  })
})
afterAll(async () => {
  tables.close()
  await site.close()
})

/** Provisions a user with the password `evil` through the directory T1, for the duration of the test. */
async function provision({ userName, email }: { readonly userName: string; readonly email: string }): Promise<string> {
  const reply = await site.send({
    method: 'POST',
    path: '/Users',
    body: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName,
      emails: [{ value: email, primary: true }],
      password: 'evil',
    },
  })
  expect(reply.status).toBe(201)
  const id = String(reply.json['id'])
  onTestFinished(async () => void (await site.send({ method: 'DELETE', path: `/Users/${id}` })))
  return id
}

describe('the starter signs in by user name or e-mail address, and a directory cannot take either from a local user (RFC 7644 §7)', () => {
  it.each([
    ['a userName that is an e-mail address', { userName: 'ada@example.org', email: 'eve@example.org' }],
    ['a userName that is an e-mail address in capitals', { userName: 'ADA@Example.ORG', email: 'eve@example.org' }],
    ['an e-mail address that is a username', { userName: 'eve@example.org', email: 'ada' }],
    ['both, crossed', { userName: 'ada@example.org', email: 'ada' }],
  ])('keeps the sign-in names of a local user when a directory provisions %s', async (_, user) => {
    await provision(user)

    for (const username of ['ada', 'ada@example.org']) {
      expect((await users.verify({ username, password: 'engine' }))?.username).toBe('ada')
    }
    expect((await users.list()).filter(({ directory }) => directory === '')).toMatchObject([{ username: 'ada' }])
  })

  it('a user with a password can still change it when the directory later assigns them the name of a local user', async () => {
    const id = await provision({ userName: 'kim@example.org', email: 'kim@example.org' })

    await site.send({
      method: 'PATCH',
      path: `/Users/${id}`,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', value: { userName: 'ada', password: 'garden' } }],
      },
    })

    expect((await users.verify({ username: 'T1/kim@example.org', password: 'garden' }))?.subject).toBe(id)
    expect((await users.verify({ username: 'ada', password: 'engine' }))?.username).toBe('ada')
    expect((await users.list()).map(({ username }) => username)).toEqual(['ada', 'kim@example.org'])
  })

  it('a user deleted by the directory cannot sign in, and the name may be given to a new user', async () => {
    const kim = { userName: 'kim@example.org', email: 'kim@example.org' }
    const before = await provision(kim)
    await site.send({ method: 'DELETE', path: `/Users/${before}` })
    expect(await users.find(before)).toBeUndefined()

    const after = await provision(kim)

    expect((await users.verify({ username: `T1/${kim.userName}`, password: 'evil' }))?.subject).toBe(after)
  })
})

it('a directory cannot take the name of a user whom another directory creates later (RFC 7644 §7)', async () => {
  const create = (provider: 'T1' | 'T2', password: string) =>
    site.send({
      method: 'POST',
      path: '/Users',
      provider,
      headers: { authorization: `Bearer ${site.secrets[provider]}` },
      body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ceo@bank.test', password },
    })
  const evil = String((await create('T1', 'evil')).json['id'])
  const ceo = String((await create('T2', 'right')).json['id'])

  const verify = async (username: string, password: string) => (await users.verify({ username, password }))?.subject
  expect(await verify('T2/ceo@bank.test', 'right')).toBe(ceo)
  expect(await verify('T1/ceo@bank.test', 'evil')).toBe(evil)
  expect(await verify('T2/ceo@bank.test', 'evil')).toBeUndefined()
  expect(await verify('ceo@bank.test', 'evil')).toBeUndefined()
  expect(await verify('/ceo@bank.test', 'evil')).toBeUndefined()
})
