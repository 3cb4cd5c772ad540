import type { HttpService } from '@mintmark/core/http'

import type { Reply } from '../../driver/lane.ts'
import { scimRequest } from '../../driver/request-text.ts'
import { laneTo } from '../../driver/service-lane.ts'
import { offered } from '../../driver/workload.ts'
import { scimPerson, scimUserName, scimWorkEmail } from '../../scim-person.ts'
import type { ScimSite } from '../../site.ts'
import { writtenLike, type RecordedStatement, type StatementRecorder } from './recorded-statements.ts'

/** Mintmark's SCIM server with its statements recorded. */
export interface RecordedScim {
  readonly server: HttpService
  readonly site: ScimSite
  readonly recorder: StatementRecorder
}

/** The number of the user in the recorded requests. */
export const probe = 'probe'

/** The page in the recorded requests. */
export const probedPage = { startIndex: 8, count: 3 } as const

/** A recorded write: its statements and its answer. */
interface RecordedWrite {
  readonly statements: readonly RecordedStatement[]
  readonly userId: string
  readonly now: number
  /** The user's version at that time. */
  readonly version: number
}

/** Runs each request of the workloads once. @returns the statements; their user is deleted again. */
export async function scimStatements({ server, site, recorder }: RecordedScim) {
  const lane = laneTo(server)
  const request = (method: string, path: string, body?: object): string =>
    scimRequest(method, `/Users${path}`, { site, ...(body && { body }) })
  const list = async (query: Readonly<Record<string, string>>): Promise<RecordedStatement> => {
    // The first statement reads the provider.
    const [, statement] = await recorder.during(async () =>
      lane.exchange(request('GET', `?${new URLSearchParams(query).toString()}`)),
    )
    return offered(statement)
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

  const insertion = await write('POST', '', scimPerson(probe))
  const account = `/${insertion.userId}`
  // By now no other value equals the user's version.
  await write('PATCH', account, setting(false))
  await write('PATCH', account, setting(true))
  const deactivation = await write('PATCH', account, setting(false))
  const reactivation = await write('PATCH', account, setting(true))
  const statements = {
    insertion,
    deactivation,
    reactivation,
    provider: writtenLike(/ from "mintmark_identity_providers"/, insertion.statements),
    insert: writtenLike(/^insert into "mintmark_users"/, insertion.statements),
    find: writtenLike(/ from "mintmark_users" where/, deactivation.statements),
    deactivate: writtenLike(/^update "mintmark_users"/, deactivation.statements),
    /** Further statements that deactivation runs. */
    afterDeactivation: deactivation.statements.slice(
      1 + deactivation.statements.findIndex(({ sql }) => sql.startsWith('update ')),
    ),
    reactivate: writtenLike(/^update "mintmark_users"/, reactivation.statements),
    byUserName: await list({ filter: `userName eq "${scimUserName(probe)}"` }),
    byWorkEmail: await list({ filter: `emails[type eq "work" and value eq "${scimWorkEmail(probe)}"]` }),
    page: await list({ startIndex: String(probedPage.startIndex), count: String(probedPage.count) }),
  }
  await lane.exchange(request('DELETE', account))
  return statements
}

const setting = (value: boolean): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value }],
})
