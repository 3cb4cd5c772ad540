import { adminLaws } from '@mintmark/storage-interface/contract'
import { migrate, type SqlDialect } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { oneMemoryUnderTest } from './sqlite-under-test.ts'
import { fillAndAnalyse } from './support/analysed-database.ts'
import { byName } from './support/by-name.ts'
import { collectStatements } from './support/collect-statements.ts'
import { planOf, readsTable } from './support/sqlite-plan.ts'

// The laws call every method with every outcome, and so run every statement that the storage ever runs.
const statements = new Set<string>()

beforeAll(async () => {
  const emptyStore = await oneMemoryUnderTest(collectStatements(statements))
  for (const law of adminLaws) await law.run(emptyStore)
}, 180_000)

test('the laws run every kind of statement on every table', () => {
  const kinds = [...statements].map(
    (text) =>
      /^(insert into|update|select|delete from|with).*?(mintmark_\w+)/s.exec(text)?.slice(1, 3).join(' ') ?? text,
  )

  expect([...new Set(kinds)].toSorted(byText)).toMatchInlineSnapshot(`
    [
      "delete from mintmark_changes",
      "delete from mintmark_codes",
      "delete from mintmark_custom_resource_keys",
      "delete from mintmark_custom_resources",
      "delete from mintmark_decoupled_requests",
      "delete from mintmark_deliveries",
      "delete from mintmark_families",
      "delete from mintmark_grants",
      "delete from mintmark_group_changes",
      "delete from mintmark_group_members",
      "delete from mintmark_groups",
      "delete from mintmark_initial_access_tokens",
      "delete from mintmark_interactions",
      "delete from mintmark_logs",
      "delete from mintmark_memberships",
      "delete from mintmark_opaque_tokens",
      "delete from mintmark_pushed_requests",
      "delete from mintmark_replays",
      "delete from mintmark_revocations",
      "delete from mintmark_sessions",
      "delete from mintmark_signing_keys",
      "delete from mintmark_subjects",
      "delete from mintmark_webhooks",
      "insert into mintmark_change_positions",
      "insert into mintmark_clients",
      "insert into mintmark_codes",
      "insert into mintmark_cursors",
      "insert into mintmark_custom_resource_keys",
      "insert into mintmark_custom_resources",
      "insert into mintmark_decoupled_requests",
      "insert into mintmark_deliveries",
      "insert into mintmark_families",
      "insert into mintmark_grants",
      "insert into mintmark_group_members",
      "insert into mintmark_groups",
      "insert into mintmark_identity_providers",
      "insert into mintmark_initial_access_tokens",
      "insert into mintmark_interactions",
      "insert into mintmark_logs",
      "insert into mintmark_memberships",
      "insert into mintmark_opaque_tokens",
      "insert into mintmark_organizations",
      "insert into mintmark_pushed_requests",
      "insert into mintmark_replays",
      "insert into mintmark_session_participants",
      "insert into mintmark_sessions",
      "insert into mintmark_signing_keys",
      "insert into mintmark_subjects",
      "insert into mintmark_users",
      "insert into mintmark_webhooks",
      "select mintmark_change_positions",
      "select mintmark_changes",
      "select mintmark_clients",
      "select mintmark_codes",
      "select mintmark_cursors",
      "select mintmark_custom_resources",
      "select mintmark_decoupled_requests",
      "select mintmark_deliveries",
      "select mintmark_departures",
      "select mintmark_families",
      "select mintmark_grants",
      "select mintmark_group_changes",
      "select mintmark_group_members",
      "select mintmark_groups",
      "select mintmark_identity_providers",
      "select mintmark_indexed_attributes",
      "select mintmark_initial_access_tokens",
      "select mintmark_interactions",
      "select mintmark_logs",
      "select mintmark_memberships",
      "select mintmark_opaque_tokens",
      "select mintmark_organizations",
      "select mintmark_provider_totals",
      "select mintmark_pushed_requests",
      "select mintmark_replays",
      "select mintmark_revocation_positions",
      "select mintmark_session_participants",
      "select mintmark_sessions",
      "select mintmark_signing_keys",
      "select mintmark_subjects",
      "select mintmark_user_totals",
      "select mintmark_users",
      "select mintmark_webhooks",
      "update mintmark_change_positions",
      "update mintmark_changes",
      "update mintmark_clients",
      "update mintmark_codes",
      "update mintmark_cursors",
      "update mintmark_custom_resources",
      "update mintmark_decoupled_requests",
      "update mintmark_deliveries",
      "update mintmark_families",
      "update mintmark_grants",
      "update mintmark_groups",
      "update mintmark_identity_providers",
      "update mintmark_initial_access_tokens",
      "update mintmark_interactions",
      "update mintmark_memberships",
      "update mintmark_opaque_tokens",
      "update mintmark_organizations",
      "update mintmark_pushed_requests",
      "update mintmark_sessions",
      "update mintmark_signing_keys",
      "update mintmark_users",
      "update mintmark_webhooks",
      "with mintmark_custom_resources",
      "with mintmark_group_members",
      "with mintmark_users",
    ]
  `)
})

const databases: readonly { readonly name: string; readonly fill: (dialect: SqlDialect) => Promise<void> }[] = [
  { name: 'a new file', fill: async () => {} },
  { name: 'a full file that was analysed', fill: fillAndAnalyse },
]

test.for(databases)('no statement reads a whole table of $name', async ({ fill }) => {
  const dialect = openSqliteDialect(':memory:')
  onTestFinished(() => dialect.close())
  await migrate({ dialect })
  await fill(dialect)

  const plans = await Promise.all([...statements].map(async (text) => ({ text, plan: await planOf(dialect, text) })))

  expect(plans.filter(({ plan }) => plan.some(readsTable))).toEqual([])
  // An issuer has few keys, a user has few sessions, and a page has few rows. Members are sorted as they are read.
  const sorting = plans.filter(({ plan }) => plan.some((step) => step.includes('TEMP B-TREE FOR ORDER BY')))
  expect(
    sorting.filter(
      ({ text }) =>
        !/mintmark_signing_keys|from "mintmark_sessions" as "session"|^with (page|sized) as|^select group_id|with due as|with recursive lanes/.test(
          text,
        ),
    ),
  ).toEqual([])
})

test.for(databases)('no trigger reads a whole table of $name', async ({ fill }) => {
  const dialect = openSqliteDialect(':memory:')
  onTestFinished(() => dialect.close())
  await migrate({ dialect })
  const existing = byName(await dialect.all(`SELECT sql FROM sqlite_schema WHERE type = 'trigger'`, []))
  await fill(dialect)
  const triggered = existing.flatMap(({ sql }) => statementsOf(String(sql)))

  const plans = await Promise.all(
    triggered.map(async (text) => ({ text, plan: await planOf(dialect, text.replaceAll(/\b(OLD|NEW)\.\w+/g, '?')) })),
  )

  expect(plans.filter(({ plan }) => plan.some(readsTable))).toEqual([])
  expect(plans.length).toBeGreaterThan(50)
})

test('law: the number of statements does not depend on the values', () => {
  // All values are parameters: with a value in the SQL text, the laws would have run hundreds of variants of a statement.
  expect(statements.size).toBeLessThan(240)
})

/** Returns the statements of a trigger. */
const statementsOf = (trigger: string): readonly string[] =>
  trigger
    .slice(trigger.indexOf(' BEGIN\n') + ' BEGIN\n'.length, trigger.lastIndexOf('END'))
    .split(';\n')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}
