import type { HttpService } from '@mintmark/core/http'

import type { Reply } from '../../driver/lane.ts'
import { scimRequest } from '../../driver/request-text.ts'
import { laneTo } from '../../driver/service-lane.ts'
import { requireValue } from '../../driver/workload.ts'
import { scimUser, scimUserName, scimWorkEmail } from '../../scim-user.ts'
import type { ScimSite } from '../../site.ts'
import { findStatement, type RecordedStatement, type StatementRecorder } from './recorded-statements.ts'

/** Mintmark's SCIM server, whose statements are recorded. */
export interface RecordedScim {
  readonly server: HttpService
  readonly site: ScimSite
  readonly recorder: StatementRecorder
}

/** The number of the user in the recorded requests. */
export const probe = 'probe'

/** The page in the recorded requests. */
export const probedPage = { startIndex: 8, count: 3 } as const

/** A recorded write: its statements, and values from its response. */
interface RecordedWrite {
  readonly statements: readonly RecordedStatement[]
  readonly userId: string
  readonly now: number
  /** The version of the user before the write. */
  readonly version: number
}

/** Runs each request of the workloads once. Returns the recorded statements. Deletes the user at the end. */
export async function scimStatements({ server, site, recorder }: RecordedScim) {
  const lane = laneTo(server)
  const request = (method: string, path: string, body?: object): string =>
    scimRequest(method, `/Users${path}`, { site, ...(body && { body }) })
  const list = async (query: Readonly<Record<string, string>>): Promise<RecordedStatement> => {
    const recorded = await recorder.during(async () =>
      lane.exchange(request('GET', `?${new URLSearchParams(query).toString()}`)),
    )
    // Mintmark reads the provider first, and again if the clock has reached the next second meanwhile.
    return requireValue(recorded.find(({ sql }) => !readsProvider.test(sql)))
  }
  const write = async (method: string, path: string, body: object): Promise<RecordedWrite> => {
    const replies: Reply[] = []
    const statements = await recorder.during(async () => replies.push(await lane.exchange(request(method, path, body))))
    const { id, meta } = JSON.parse(replies[0]?.body ?? '') as {
      readonly id: string
      readonly meta: Readonly<Record<'lastModified' | 'version', string>>
    }
    return {
      statements,
      userId: id,
      now: Date.parse(meta.lastModified) / 1000,
      version: Number(/\d+/.exec(meta.version)?.[0]) - 1,
    }
  }

  const insertion = await write('POST', '', scimUser(probe))
  const account = `/${insertion.userId}`
  // After these writes, the user's version differs from all other values in the statements.
  await write('PATCH', account, setting(false))
  await write('PATCH', account, setting(true))
  const deactivation = await write('PATCH', account, setting(false))
  const reactivation = await write('PATCH', account, setting(true))
  const statements = {
    insertion,
    deactivation,
    reactivation,
    provider: findStatement(readsProvider, insertion.statements),
    insert: findStatement(/^insert into "mintmark_users"/, insertion.statements),
    find: findStatement(/ from "mintmark_users" where/, deactivation.statements),
    deactivate: findStatement(/^update "mintmark_users"/, deactivation.statements),
    /** The statements that a deactivation runs after the update. */
    afterDeactivation: deactivation.statements.slice(
      1 + deactivation.statements.findIndex(({ sql }) => sql.startsWith('update ')),
    ),
    reactivate: findStatement(/^update "mintmark_users"/, reactivation.statements),
    byUserName: await list({ filter: `userName eq "${scimUserName(probe)}"` }),
    byWorkEmail: await list({ filter: `emails[type eq "work" and value eq "${scimWorkEmail(probe)}"]` }),
    page: await list({ startIndex: String(probedPage.startIndex), count: String(probedPage.count) }),
  }
  await lane.exchange(request('DELETE', account))
  return statements
}

const readsProvider = / from "mintmark_identity_providers"/

const setting = (value: boolean): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value }],
})
