import { type AdminStorage, epochSeconds, organizationId, userId } from '@mintmark/storage-interface'
import type { MembershipRecord } from '@mintmark/storage-interface/stores'
import { aUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { describe, expect, test } from 'vitest'
import { aMigratedSqlite, aMigratedPostgres } from './support/migrated-dialects.ts'

const issuer = 'https://issuer.example'
const now = epochSeconds(1_700_000_000)

describe.for([
  { name: 'SQLite', open: aMigratedSqlite },
  { name: 'PostgreSQL', open: () => aMigratedPostgres({ max: 10 }) },
])('$name', ({ open }) => {
  test('removing a user or an organization leaves no membership in the table', async () => {
    const dialect = await open()
    const { users, organizations } = await twoByTwo(dialect)

    await users.remove(userId('u1'), now)
    expect(await storedMemberships(dialect)).toEqual(['o1 u2', 'o2 u2'])
    await organizations.remove(organizationId('o1'), now)
    expect(await storedMemberships(dialect)).toEqual(['o2 u2'])
  })

  test.for(['user', 'organization'])(
    'a membership that is added while the %s is being removed has no effect',
    async (removed) => {
      const dialect = await open()
      const { users, organizations } = await twoByTwo(dialect)
      const member = aMembership('o1', 'u1')
      if (removed === 'user') await users.remove(member.userId, now)
      else await organizations.remove(member.organizationId, now)

      // The row of a statement that saw both, and that wrote after the trigger had run.
      await dialect.all(
        `INSERT INTO mintmark_memberships (issuer, organization_id, user_id, roles, created_at, updated_at, version)
       VALUES ('${issuer}', 'o1', 'u1', '[]', 0, 0, 1)`,
        [],
      )

      const pages = { organizationId: member.organizationId, after: undefined, limit: 9 }
      expect(await organizations.findMember(member.organizationId, member.userId)).toBeUndefined()
      expect((await organizations.listMembers(pages)).map((each) => each.userId)).not.toContain('u1')
      expect((await organizations.listByUser(member.userId)).map((each) => each.organizationId)).not.toContain('o1')
      expect(await organizations.compareAndSwapMember(member, 1)).toEqual({ outcome: 'absent' })
      expect(await organizations.removeMember(member.organizationId, member.userId, now)).toEqual({ outcome: 'absent' })
      expect(await organizations.insertMember(member)).toMatchObject({ outcome: 'absent' })
    },
  )

  test('concurrent removals of users and organizations remove all of them, and all memberships', async () => {
    const dialect = await open()
    const storages = [await createSqlStorage({ dialect, issuer }), await createSqlStorage({ dialect, issuer })] as const
    const names = Array.from({ length: 6 }, (_, index) => String(index))
    await fill(storages[0], { users: names, organizations: names })

    const removals = await Promise.all(
      names.flatMap((name) => [
        storages[0].users.remove(userId(name), now),
        storages[1].organizations.remove(organizationId(name), now),
      ]),
    )

    expect(new Set(removals.map(({ outcome }) => outcome))).toEqual(new Set(['removed']))
    expect(await storedMemberships(dialect)).toEqual([])
  })
})

async function twoByTwo(dialect: SqlDialect): Promise<AdminStorage> {
  const storage = await createSqlStorage({ dialect, issuer })
  await fill(storage, { users: ['u1', 'u2'], organizations: ['o1', 'o2'] })
  return storage
}

/** Inserts users and organizations, and makes every user a member of every organization. */
async function fill(
  storage: AdminStorage,
  names: { readonly users: readonly string[]; readonly organizations: readonly string[] },
): Promise<void> {
  for (const user of names.users) await storage.users.insert(aUser({ userId: userId(user) }))
  for (const organization of names.organizations) {
    const record = {
      organizationId: organizationId(organization),
      displayName: organization,
      createdAt: now,
      updatedAt: now,
      version: 1,
    }
    await storage.organizations.insert(record)
    for (const user of names.users) await storage.organizations.insertMember(aMembership(organization, user))
  }
}

const aMembership = (organization: string, user: string): MembershipRecord => ({
  organizationId: organizationId(organization),
  userId: userId(user),
  roles: ['member'],
  createdAt: now,
  updatedAt: now,
  version: 1,
})

async function storedMemberships(dialect: SqlDialect): Promise<readonly string[]> {
  const rows = await dialect.all('SELECT organization_id, user_id FROM mintmark_memberships ORDER BY 1, 2', [])
  return rows.map(({ values }) => values.join(' '))
}
