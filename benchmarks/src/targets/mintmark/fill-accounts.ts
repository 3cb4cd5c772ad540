import { epochSeconds, userId, type AdminStorage, type UserId } from '@mintmark/storage-interface'
import { type NewProvisionedUser } from '@mintmark/storage-interface/stores'
import type { SqlDialect } from '@mintmark/storage-sql'

import { scimUserId } from '../../scim-user.ts'
import { fillUsers } from './fill-users.ts'

/** Inserts copies of a user in memory. In each copy, a number replaces each number sign. */
export async function fillAccountsInMemory(
  storage: AdminStorage,
  account: NewProvisionedUser,
  rows: number,
): Promise<void> {
  const state = JSON.stringify(account.state)
  for (let number = 1; number <= rows; number += 1) {
    await storage.provisionedUsers.insert({
      ...account,
      userId: userId(scimUserId(number)),
      createdAt: epochSeconds(account.createdAt - rows + number),
      state: JSON.parse(state.replaceAll('#', String(number))) as NewProvisionedUser['state'],
    })
  }
}

/** Inserts the same copies in a database, with one statement. */
export async function fillAccounts(dialect: SqlDialect, account: UserId, rows: number): Promise<void> {
  const isPostgres = dialect.engine.name === 'postgres'
  await fillUsers(dialect, {
    where: `user_id = '${account}'`,
    rows,
    change: {
      user_id: `'${scimUserId(`' || n`)}`,
      created_at: `template.created_at - ${rows} + n`,
      ...Object.fromEntries(
        ['claims', 'external_id', 'external_id_key', 'user_name_key', 'resource'].map((column) => [
          column,
          numbered(column),
        ]),
      ),
      comparable: isPostgres
        ? `CAST(replace(CAST(template.comparable AS TEXT), '#', CAST(n AS TEXT)) AS JSONB)`
        : numbered('comparable'),
    },
  })
  if (isPostgres) await dialect.all('ANALYZE', [])
}

const numbered = (column: string): string => `replace(template.${column}, '#', CAST(n AS TEXT))`
