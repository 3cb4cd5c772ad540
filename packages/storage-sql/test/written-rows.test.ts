import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { expect, test } from 'vitest'
import { byName } from './support/by-name.ts'
import { aMigratedSqlite, engines } from './support/migrated-dialects.ts'

const issuer = 'https://issuer.example'
const addresses = [{ value: 'ada@work.example', type: 'work' }, { value: 'ada@home.example' }]
const employee = {
  userName: 'ada',
  displayName: 'ada',
  name: { familyName: 'lovelace' },
  emails: addresses,
  phoneNumbers: [{ value: '+47 555' }],
}
const user = aProvisionedUser('ada', { state: aProvisionedState('ada', { comparable: employee }) })

// Every row is on a page of the file of its own. Explain the reason when you raise a count.
test('a new user is seven rows: the user, its name, two addresses, the time of its last change, and two totals', async () => {
  const dialect = await aMigratedSqlite()
  const storage = await createSqlStorage({ dialect, issuer })
  const before = await writtenRows(dialect)

  expect(await storage.provisionedUsers.insert(user)).toMatchObject({ outcome: 'inserted' })

  expect((await writtenRows(dialect)) - before).toBe(7)
})

test('a change of `active` is five rows: the user, the time of its last change, removed and written, and the revocation with its position', async () => {
  const dialect = await aMigratedSqlite()
  const storage = await createSqlStorage({ dialect, issuer })
  await storage.provisionedUsers.insert(user)
  const before = await writtenRows(dialect)

  const { providerId, userId, state, createdAt } = user
  const change = { providerId, userId, version: 1, state: { ...state, active: false }, now: createdAt }
  expect(await storage.provisionedUsers.compareAndSwap(change)).toMatchObject({ outcome: 'swapped' })

  expect((await writtenRows(dialect)) - before).toBe(5)
})

test.for(engines)(
  'on $name an address that the host declares unique belongs to one user (RFC 7643 §7)',
  async ({ open }) => {
    const { provisionedUsers } = await createSqlStorage({ dialect: await open(), issuer })
    const attribute = { extension: undefined, name: 'emails', subName: undefined, multiValued: true }
    await provisionedUsers.insert(user)
    await provisionedUsers.indexAttributes([{ attribute, elementPart: 'value', isText: true, isUnique: true }])
    const withAddress = (label: string, value: string) =>
      aProvisionedUser(label, {
        state: aProvisionedState(label, { comparable: { userName: label, emails: [{ value }] } }),
      })

    const same = await provisionedUsers.insert(withAddress('ben', 'ada@work.example'))
    const another = await provisionedUsers.insert(withAddress('cid', 'cid@work.example'))

    expect(same).toEqual({ outcome: 'taken', key: 'unique' })
    expect(another).toMatchObject({ outcome: 'inserted' })
  },
)

/** Returns how many rows this connection has inserted, changed and removed, including those of triggers. */
async function writtenRows(dialect: SqlDialect): Promise<number> {
  const [row] = byName(await dialect.all('select total_changes() as written', []))
  return Number(row?.['written'])
}
