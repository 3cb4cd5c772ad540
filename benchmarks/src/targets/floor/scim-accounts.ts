import { randomBytes } from 'node:crypto'

import { scimPerson, scimUserName, scimWorkEmail } from '../../scim-person.ts'
import { issuer } from '../fixture.ts'
import { andThen } from '../later.ts'
import { accountState } from './account-state.ts'
import { byHand, type Values } from './by-hand.ts'
import type { RecordedStatement } from './recorded-statements.ts'
import { recordedTable, sampleOf } from './recorded-table.ts'
import type { ScimDocument, ScimDocuments } from './scim-documents.ts'
import { probe, probedPage, scimStatements, type RecordedScim } from './scim-statements.ts'
import type { SqlConnection } from './sql-connection.ts'

/** Accounts in Mintmark's own tables, by the statements that Mintmark runs for the same requests; they are in no group. */
export async function scimAccounts(recorded: RecordedScim, connection: SqlConnection): Promise<ScimDocuments> {
  const statements = await scimStatements(recorded)
  const { columns: sample } = accountState(scimPerson(probe))
  const idOfProbe = sampleOf(statements.insert, users, 'user_id')
  const base = `${issuer}${recorded.site.basePath}/Users/`

  const prepare = <Name extends string>(statement: RecordedStatement, samples: Readonly<Record<Name, string | number>>) =>
    byHand(statement, samples, connection)
  const swapped = (statement: RecordedStatement) =>
    prepare(statement, { ...sample, userId: idOfProbe, now: Number(sampleOf(statement, users, 'updated_at')), version: Number(sampleOf(statement, users, 'version')) - 1 })

  const provider = prepare(statements.provider, {})
  const insert = prepare(statements.insert, { ...sample, userId: idOfProbe, now: Number(sampleOf(statements.insert, users, 'created_at')) })
  const find = prepare(statements.find, { userId: idOfProbe })
  const deactivate = swapped(statements.deactivate)
  const reactivate = swapped(statements.reactivate)
  const grants = prepare(statements.grants, { userId: idOfProbe })
  const sessions = prepare(statements.sessions, { userId: idOfProbe, now: Number(sampleOf(statements.deactivate, users, 'updated_at')) })
  const byUserName = prepare(statements.byUserName, { userName: scimUserName(probe) })
  const byWorkEmail = prepare(statements.byWorkEmail, { value: scimWorkEmail(probe) })
  const page = prepare(statements.page, { offset: probedPage.startIndex - 1, limit: probedPage.count + 1 })

  const secretDigest = secretReader(statements.provider)
  const found = recordedTable(statements.find, users, ['resource', 'external_id', 'active', 'version'])
  const { at: { comparable: comparableAt } } = recordedTable(statements.byWorkEmail, users, ['comparable'])
  const { at: { total: totalAt } } = recordedTable(statements.page, users, ['total'])
  const inserted = accountText(statements.insert, base)
  const changed = accountText(statements.deactivate, base)
  const named = accountText(statements.byUserName, base)
  const addressed = accountText(statements.byWorkEmail, base)
  const paged = accountText(statements.page, base)

  return {
    secretDigest: () => andThen(provider({}), ([row = []]) => secretDigest(row)),
    byUserName: (userName) => andThen(byUserName({ userName }), (rows) => rows.map(named)),
    byWorkEmail: (value) =>
      andThen(byWorkEmail({ value }), (rows) => rows.filter((row) => isForWork(String(row[comparableAt]), value)).map(addressed)),
    // One more, as Mintmark asks for it to know whether there are more.
    page: (offset, limit) =>
      andThen(page({ offset, limit: limit + 1 }), (rows) => ({ texts: rows.slice(0, limit).map(paged), total: Number(rows[0]?.[totalAt]) })),
    insert: async (document) => {
      const [row = []] = await insert({ ...accountState(document).columns, userId: randomBytes(16).toString('base64url'), now: seconds() })
      return inserted(row)
    },
    change: async (userId, members) => {
      const [row = []] = await find({ userId })
      const values = found.valuesOf(row)
      const kept = { externalId: String(values[found.at.external_id]), active: Boolean(values[found.at.active]) }
      const document = { ...(JSON.parse(String(values[found.at.resource])) as ScimDocument), ...kept, ...members }
      const { active, columns } = accountState(document)
      const now = seconds()
      const [written = []] = await (active ? reactivate : deactivate)({ ...columns, userId, now, version: Number(values[found.at.version]) })
      // What ends with the account is told to the host.
      if (!active) await Promise.all([grants({ userId }), sessions({ userId, now })])
      return changed(written)
    },
  }
}

/** The digest of the provider's secret; nothing that could be one when it is disabled. */
function secretReader(statement: RecordedStatement): (row: Values) => string {
  const { at, valuesOf } = recordedTable(statement, 'mintmark_identity_providers', ['secrets', 'disabled_at'])
  return (row) => {
    const values = valuesOf(row)
    if (values[at.disabled_at] !== null) return ''
    return (JSON.parse(String(values[at.secrets])) as readonly { readonly digest: string }[])[0]?.digest ?? ''
  }
}

/** The text of an account out of a row. */
function accountText(statement: RecordedStatement, base: string): (row: Values) => string {
  const columns = ['resource', 'user_id', 'external_id', 'active', 'created_at', 'updated_at', 'version'] as const
  const { at, valuesOf } = recordedTable(statement, users, columns)
  return (row) => {
    const values = valuesOf(row)
    const id = String(values[at.user_id])
    return (
      `${String(values[at.resource]).slice(0, -1)},"id":"${id}","externalId":${JSON.stringify(values[at.external_id])},` +
      `"active":${Boolean(values[at.active])},"meta":{"resourceType":"User","created":"${dateTime(values[at.created_at])}",` +
      `"lastModified":"${dateTime(values[at.updated_at])}","location":"${base}${id}","version":"W/\\"${String(values[at.version])}\\""}}`
    )
  }
}

const users = 'mintmark_users'

const dateTime = (time: unknown): string => new Date(Number(time) * 1000).toISOString()

const isForWork = (comparable: string, address: string): boolean =>
  (JSON.parse(comparable) as ScimDocument).emails.some(({ type, value }) => type === 'work' && value === address)

const seconds = (): number => Math.floor(Date.now() / 1000)
