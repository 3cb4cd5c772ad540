import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createSqlStorage, migrate } from '@mintmark/storage-sql'
import { postgres, toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { pendingMigrations, printMigrations } from '@mintmark/storage-sql/command'
import { migrationScripts } from '../src/migrate.ts'
import { type TestDatabase } from './support/postgres-database.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'
import { migrationNames as all } from './support/migration-names.ts'

const issuer = 'https://issuer.example'

test('migrates an empty PostgreSQL database, once', async () => {
  const dialect = toPostgresDialect((await anEmptyDatabase()).pool())

  await expect(createSqlStorage({ dialect, issuer })).rejects.toMatchObject({ kind: 'behind', migrations: all })
  expect(await migrate({ dialect })).toEqual(all)
  expect(await migrate({ dialect })).toEqual([])
  expect(await pendingMigrations({ dialect })).toEqual([])
  await expect(createSqlStorage({ dialect, issuer })).resolves.toMatchObject({ issuer })
})

test('a released migration never changes: PostgreSQL databases hold its checksum', () => {
  const released = migrationScripts(postgres).map(({ name, checksum }) => `${name} ${checksum}`)

  expect(released).toMatchInlineSnapshot(`
    [
      "0001-first-tables 06ec743c76b92bdc4d9289bcc868618d52b68c79c4efb67fa3e9b3ddad882eb1",
      "0002-purge-indexes 9480defce9b689fd928ccc2b0fbaac60bca3fc3e87647acec3931860074ac8e6",
      "0003-provisioning 8f29866946824a71e8aa51e45478cb7358a010f3cccdade222994d54004334eb",
      "0004-key-schedule 4ffa1fd9b9eeeebb396e9d3b329ff8f257a6943ecedebd374ac9336e364f8d0a",
      "0005-administration 9f778d20389b17c78dab5a33f5d767b53aa94ea5036a4960807c0bc83fbcdb32",
      "0006-removal-in-turn 3a32dbdd4437551c939f533cc45a5dbe1adb944c6f4f2c1246b26fb579321c7d",
      "0007-endings a9bfaefdc0bfeddd7439a2c5d654c4ea8228e7b71a206be9c3ef9942c343f6aa",
      "0008-resource-form c55d59b2e3bb4ca498a3434477090140332a05f4ba27511896288dfc15f358c9",
      "0009-first-statistics f4a6d35dd66e82f0b082e08f54d0af8871d42a5547219bee8ceab1fb0deeb7a6",
      "0010-custom-resources 892a2d9d5adca71f40e1bd227089cd3fc2d5059288621f52d9aabcedb0be4b5f",
      "0011-custom-resource-statistics a31e14137549fe817fe82d15f5c16fbb6eb7309c369b4b4f813cc20e08976f5a",
      "0012-client-choices ed1762a0aaf7c97e0d34aa59bfeef5bbe825328a94abc4a90a2ebe5b60bc966b",
      "0013-indexed-values 023b31f6ef3a474928ceb5bf75ddbf09595e0e1ffa5c9919ee2e8b81ebc52613",
      "0014-indexed-value-statistics e2c1bb2376705be77f23f760a7471729e20d12d7b43c628bb7e1fd24520cc8f3",
      "0015-tenants 5e7bee06532df87fc85346b0a819c5c0c1854558cec4bef772cfecc5e87f457c",
      "0016-group-changes 3f3857c4cbf65b52c6335ee35107d7c05bf4dedb3754329f7984ba0e419a0e51",
      "0017-signing-key-macs f91dda4a8974531f139c1fa8f4c042c122e2c04178f7efa312941f2ba807952c",
      "0018-revoked-families 44864eccbec9689f49d79f447eee8ccea96a56648ce16e2255031fc9dfbd0a28",
      "0019-dropped-keys 42f2be80e4c76705473c8e321515cf7aefda1f7947ccfd1b1ab289db50cef883",
      "0020-logout-addresses cf9e60fa016b03bb63e037ec582897ccbd267f71e503226634b674e60ad2e5cd",
      "0021-deliveries 658051bd169289aee251ae19d3722100190c19a1fa082dd30ce51150d84e7023",
      "0022-delivery-statistics fe18d72c8f3baefcee80e401a276af78843c03a4f984acdddbe70b1877703881",
      "0023-inherited-blocks 36a7b3e82ec415aec0ec48004364f56cca548fcfd7b5c57d25eaf6ec26155b80",
      "0024-sessions 60cb21291de1ff03e1614a166692b59583ca1ebde1f9aaada95a358e0895e18f",
      "0025-session-statistics cdfda2aceb35bd43746fb7e6e30054dc9ba95a2b22f8932dfa89dba12103642d",
      "0026-group-indexes b1d243ae0e502450bac39237a1715624666a27b26b61e8d67d95aa641906e4e1",
      "0027-pushed-requests 264ab839b0c982ce8f69dcd453ff98a0b170af05c993fe22f7a28d99edb11320",
      "0028-pushed-request-statistics 3582beeaeece31be61ae370b73b3c9522d40a0ba0667c5961a2e7c9b3916d77d",
      "0029-signed-requests cba0613210ec41a45f57efc2c6ec9d764be8d0a0871eb885a6e9e9cddffcfcc9",
      "0030-security-profiles 03dfc1523817da686dfdd9111c4e20903dbe532bead856486352cfc9b8295a98",
      "0031-possession 9257746537051fde10f31aff6160aa6c304e3fecacb83e432377931067ed8a8e",
      "0032-changes 87ca3108c82f9fbe52b09489d8af662eca61dbe6b2af82f76df7433a77bd8ac0",
      "0033-change-statistics e8044f9befdf9874d00aa1b4aada8ba33f8f5f56763d2660b9f2238b9aaab094",
      "0034-organizations-of-tokens f1eb5459f838fca1a71828a27734d85d75d0c9b0b2de72d4956d11336b5b708e",
      "0035-initial-access-tokens 11e0a6f24e23f932dbdbb47a1b2f0049c066a30de511e42c77c5d791d1ec9f95",
      "0036-initial-access-token-statistics 51e499770245b4c4f8042a3521ece57328aa2e8695dbd6c09f908ee29f252724",
      "0037-client-documents dea9be9869245e2174d96d14d203ecd5da07b4637e08be37b915e51d5fe6cb27",
      "0038-self-management 944be5be1da9a514b4e8b0ea318b25d50e862236ead2a6d929df22e640989c9d",
      "0039-authorization-details 057b414266211b9ffba67a2599edcee52c7b769438183612d841f0dbbe847cb6",
      "0040-client-certificates 1ea284952e83a80525801bf6cfba01795ef0b73b9768de4748427507040af6d3",
      "0041-client-statistics 180e5ba0277d19b76c59ace43fb4174362b2f1a7d557e821673ce9ae265e9533",
      "0042-subjects 9c90455fe7869cb1ad287865c6fc9658ec6b010c4dadf8b1228466015d56519c",
      "0043-subject-statistics 0b04fe4d508c1cfa1771fc8fb80ff6587a2a0b40cbe52e1931188977c40bd7af",
      "0044-encrypted-answers 64528973168c8bac22843763e51b86b374ba28ca282d2eaf127e5701440a6d86",
      "0045-encrypted-answer-statistics 180e5ba0277d19b76c59ace43fb4174362b2f1a7d557e821673ce9ae265e9533",
      "0046-encrypted-authorization-responses 8bfe13b25bffe98651dd3069906c9378a09e14faa2cfaeb08c24b6578e8325b9",
      "0047-encrypted-authorization-response-statistics 180e5ba0277d19b76c59ace43fb4174362b2f1a7d557e821673ce9ae265e9533",
      "0048-pages-of-clients 2a4e089c44d072598702d4856f9d45d553ab7106e47a01d42eb1420ba4d30f9c",
      "0049-pages-of-clients-statistics 180e5ba0277d19b76c59ace43fb4174362b2f1a7d557e821673ce9ae265e9533",
      "0050-organizations-of-providers d8f16a37ac4103e3a0cdddbe4f29881587c0bfd2cdbd249fccc3401438318ae9",
      "0051-orders-of-lists 350378f2657d6aeb3e8a75f09d0f1d716a24fcc6ef4c4405e63972cae89b784e",
      "0052-departures 9274499ac7da3d3fe8a71dd7a54c4e8375bf3038d21ec34c2ae286548659d2e2",
      "0053-departure-statistics a83b52916273ea5152c17ab6ae5fd2cf9425560a77ebf549f71cf21fcd09dc10",
      "0054-blocks-of-kept-keys b606809cd4e09cbaa11a07d456375753df1e602fadf072e93f2a20c4938b5a2e",
      "0055-statistics-of-every-index 0ab58ae9207f8be3436798008c5ed0f82da1de5dadf46cb457209cc5e2530b66",
      "0056-retried-tokens 5d7c1680f7ee28596911961c43869bf6b0eaaccc11a90db1538b658001ad4730",
    ]
  `)
})

test('0009 leaves no sample rows: existing rows stay, and triggers and statistics targets are as before', async () => {
  const pool = (await anEmptyDatabase()).pool()
  const dialect = toPostgresDialect(pool)
  for (const { statements } of migrationScripts(postgres).filter(({ number }) => number < 9))
    await dialect.atomically(statements)
  await pool.query(`INSERT INTO mintmark_organizations VALUES ('${issuer}', 'acme', 'Acme', 1, 1, 1)`)

  expect(await migrate({ dialect })).toEqual(all.slice(8))

  const own = `SELECT oid FROM pg_class WHERE relnamespace = current_schema::REGNAMESPACE AND relkind = 'r'`
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE oid IN (${own}) ORDER BY name`,
  )
  const counted = await Promise.all(
    tables.map(async ({ name }) => [name, (await pool.query(`SELECT FROM ${name}`)).rowCount] as const),
  )
  expect(counted.filter(([, rows]) => rows !== 0)).toEqual([
    ['mintmark_migrations', all.length],
    ['mintmark_organizations', 1],
  ])
  const changed = await pool.query(
    `SELECT tgname FROM pg_trigger WHERE tgrelid IN (${own}) AND tgenabled <> 'O'
     UNION ALL SELECT attname FROM pg_attribute WHERE attrelid IN (${own}) AND attstattarget > 0`,
  )
  expect(changed.rows).toEqual([])
})

test('prints the statements that apply runs on PostgreSQL', async () => {
  const [byCommand, byHand] = [await anEmptyDatabase(), await anEmptyDatabase()]
  await migrate({ dialect: toPostgresDialect(byCommand.pool()) })

  await byHand.pool().query(printMigrations(postgres))

  expect(await schemaOf(byHand)).toEqual(await schemaOf(byCommand))
  await expect(createSqlStorage({ dialect: toPostgresDialect(byHand.pool()), issuer })).resolves.toBeDefined()
})

test('a migration that fails halfway leaves nothing behind in PostgreSQL', async () => {
  const database = await anEmptyDatabase()
  const dialect = toPostgresDialect(database.pool())
  await dialect.atomically(['CREATE TABLE mintmark_sessions (mine TEXT)'])

  await expect(migrate({ dialect })).rejects.toThrow('mintmark_sessions')

  const { rows } = await database.pool().query('SELECT tablename FROM pg_tables WHERE schemaname = current_schema')
  expect(rows).toEqual([{ tablename: 'mintmark_sessions' }])
})

test('four processes that migrate a PostgreSQL database at once all succeed, and one applies each migration', async () => {
  const database = await anEmptyDatabase()

  const results = await Promise.all([1, 2, 3, 4].map(() => mintmarkMigrate('apply', '--postgres', database.url)))

  expect(results.map(({ code, errors }) => [code, errors])).toEqual([1, 2, 3, 4].map(() => [0, '']))
  const applied = results.flatMap(({ output }) => output.match(/(?<=Applied )\S+(?=\.)/g) ?? [])
  expect(applied.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(all)
})

test('a migration of a PostgreSQL database waits for the migration of another process', async () => {
  const database = await anEmptyDatabase()
  const other = await database.pool().connect()
  await other.query('BEGIN')
  await other.query('SELECT pg_advisory_xact_lock(7883954069019128427)')
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND pid = ANY($1)`

  const pool = database.pool({ max: 1 })
  const { rows: own } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const migrating = migrate({ dialect: toPostgresDialect(pool) })
  while ((await other.query(waiting, [own.map(({ pid }) => pid)])).rows.length === 0);
  await other.query('ROLLBACK')
  other.release()

  expect(await migrating).toEqual(all)
})

test('mintmark-migrate prints the schema of a PostgreSQL database, migrates it and reports its status', async () => {
  const { url } = await anEmptyDatabase()

  const printed = await mintmarkMigrate('print', '--dialect', 'postgres')
  const before = await mintmarkMigrate('status', '--postgres', url)
  await mintmarkMigrate('apply', '--postgres', url)
  const after = await mintmarkMigrate('status', '--postgres', url)

  expect(printed).toMatchObject({ code: 0, output: printMigrations(postgres).trimEnd() + '\n' })
  expect(before).toMatchObject({ code: 1, output: all.map((name) => `Pending: ${name}.\n`).join('') })
  expect(after).toMatchObject({ code: 0, output: 'Up to date.\n' })
})

test.for(['postgres://somebody:pass-word@127.0.0.1:1/none', 'postgres://somebody:pass-word@[nowhere'])(
  'mintmark-migrate reports why it cannot use %s, without the password and without a stack trace',
  async (url) => {
    const { code, output, errors } = await mintmarkMigrate('status', '--postgres', url)

    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).not.toBe('')
    expect(errors).not.toMatch(/pass-word|^\s+at /m)
  },
)

async function anEmptyDatabase(): Promise<TestDatabase> {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  return database
}

async function schemaOf(database: TestDatabase): Promise<unknown> {
  const queries = [
    `SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
     WHERE table_schema = current_schema ORDER BY table_name, column_name`,
    `SELECT replace(indexdef, current_schema, 'schema') AS index FROM pg_indexes WHERE schemaname = current_schema ORDER BY indexname`,
    'SELECT number, name, checksum FROM mintmark_migrations ORDER BY number',
  ]
  const pool = database.pool()
  const results = await Promise.all(queries.map((query) => pool.query<Record<string, unknown>>(query)))
  return results.map(({ rows }) => rows)
}

async function mintmarkMigrate(...args: readonly string[]): Promise<{ code: unknown; output: string; errors: string }> {
  const script = fileURLToPath(new URL('../src/migrate-command.ts', import.meta.url))
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=@mintmark/source', script, ...args], (error, output, errors) =>
      resolve({ code: error?.code ?? 0, output, errors }),
    )
  })
}
