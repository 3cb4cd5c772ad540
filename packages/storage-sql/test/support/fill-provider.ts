import type { SqlDialect } from '@mintmark/storage-sql'
import { copyingVariable } from '../../src/mariadb/engine.ts'
import { builtInAttributes } from '../../src/migrations/0001/user-value-triggers.ts'

/** Returns the keys of the user with number `n` that `fillProvider` writes. */
export const filledUser = (
  n: number,
): { readonly userId: string; readonly externalId: string; readonly userName: string; readonly workEmail: string } => ({
  userId: `filled-user-${n}`,
  externalId: `filled-external-${n}`,
  userName: `person.${n}@example.com`,
  workEmail: `person.${n}@work.example`,
})

/**
 * Writes `rows` users of `provider-1` with a few statements. Each has two e-mail addresses and a resource of the usual size,
 * and is in one of a thousand groups; every tenth is also in `filled-group-0`. On PostgreSQL and MariaDB, the rows that
 * triggers would write are written at once: a hundred thousand changes of one total in one transaction would take an hour.
 */
export async function fillProvider(
  dialect: SqlDialect,
  { issuer, rows }: { readonly issuer: string; readonly rows: number },
): Promise<void> {
  const isPostgres = dialect.engine.name === 'postgres'
  const { before, after } = withoutTriggers[dialect.engine.name] ?? { before: [], after: undefined }
  const resource = documentText({ name: `'Person.' || n || '@Example.com'`, word: `'Person '` })
  const comparable = documentText({ name: `'person.' || n || '@example.com'`, word: `'person '` })
  await dialect.atomically([
    ...before,
    `INSERT INTO mintmark_users (issuer, user_id, active, generation, claims, created_at, updated_at, version,
       provider_id, external_id, external_id_key, user_name_key, adopted, resource, comparable)
     WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${rows})
     SELECT '${issuer}', 'filled-user-' || n, ${isPostgres ? 'true' : '1'}, 0, '{"name":"Person"}', 1700000000 + n, 1700000000 + n, 1,
       'provider-1', 'filled-external-' || n, 'filled-external-' || n, 'person.' || n || '@example.com', ${isPostgres ? 'false' : '0'},
       ${resource}, (${comparable})${isPostgres ? '::jsonb' : ''}
     FROM series`,
    ...(after === undefined ? [] : [...totals(dialect, { issuer, rows }), ...indexRows(dialect.engine), ...after]),
    `INSERT INTO mintmark_groups (issuer, group_id, provider_id, display_name, display_name_key, resource, comparable, created_at, updated_at, version)
     WITH RECURSIVE series (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n < 1000)
     SELECT '${issuer}', 'filled-group-' || n, 'provider-1', 'Group ' || n, 'group ' || n, '{"displayName":"Group"}',
       ('{"displayName":"group ' || n || '"}')${isPostgres ? '::jsonb' : ''},
       1700000000 + n, 1700000000 + n, 1
     FROM series`,
    ...['0', '(1 + created_at % 1000)'].map(
      (group) => `INSERT INTO mintmark_group_members (issuer, provider_id, group_id, member_id, member_type)
     SELECT issuer, provider_id, 'filled-group-' || ${group}, user_id, 'User' FROM mintmark_users
     WHERE issuer = '${issuer}' AND provider_id = 'provider-1' ${group === '0' ? 'AND created_at % 10 = 0' : ''}`,
    ),
  ])
}

/** How triggers of users are disabled and enabled again, on engines where they would take too long. */
const withoutTriggers: Readonly<
  Record<string, { readonly before: readonly string[]; readonly after: readonly string[] }>
> = {
  postgres: {
    before: ['ALTER TABLE mintmark_users DISABLE TRIGGER USER'],
    after: ['ALTER TABLE mintmark_users ENABLE TRIGGER USER'],
  },
  mariadb: {
    before: ['SET SESSION max_recursive_iterations = 1000000', `SET ${copyingVariable} = 1`],
    after: [`SET ${copyingVariable} = NULL`],
  },
}

const totals = ({ engine }: SqlDialect, { issuer, rows }: { readonly issuer: string; readonly rows: number }) => [
  `INSERT INTO mintmark_provider_totals (issuer, provider_id, kind, total) VALUES ('${issuer}', 'provider-1', 'User', ${rows})`,
  `INSERT INTO mintmark_user_totals (issuer, total) VALUES ('${issuer}', ${rows})
   ${engine.name === 'mariadb' ? 'ON DUPLICATE KEY UPDATE' : 'ON CONFLICT (issuer) DO UPDATE SET'} total = mintmark_user_totals.total + ${rows}`,
]

const indexRows = ({ name, types }: SqlDialect['engine']) => [
  `INSERT INTO mintmark_user_values (issuer, provider_id, created_at, user_id, attribute, kind, value, is_unique)
   ${types.indexedValues({ ...builtInAttributes(types, name === 'postgres' ? 'document' : 'listed'), row: 'listed', from: 'mintmark_users AS listed' })}`,
  `INSERT INTO mintmark_user_changes (issuer, provider_id, updated_at, created_at, user_id, active)
   SELECT issuer, provider_id, updated_at, created_at, user_id, active FROM mintmark_users WHERE provider_id IS NOT NULL`,
]

const documentText = ({ name, word }: { readonly name: string; readonly word: string }): string => {
  const quoted = (text: string) => `'"' || ${text} || '"'`
  return [
    `'{"userName":'`,
    quoted(name),
    `',"name":{"familyName":'`,
    quoted(`${word} || (n % 1000)`),
    `',"givenName":"kim"},"title":"vice president of nothing in particular","department":"sales ' || (n % 50) || '","emails":[{"type":"work","primary":true,"value":'`,
    quoted(`'person.' || n || '@work.example'`),
    `'},{"type":"home","value":'`,
    quoted(`'person.' || n || '@home.example'`),
    `'}],"addresses":[{"type":"work","locality":"oslo","streetAddress":"somewhere 12","postalCode":"0150","country":"no"}],"phoneNumbers":[{"type":"work","value":"tel:+47-555-' || n || '"}]}'`,
  ].join(' || ')
}
