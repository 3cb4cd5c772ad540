import type { HttpService } from '@mintmark/core/http'

import { scimRequest } from '../../driver/request-text.ts'
import { laneTo } from '../../driver/service-lane.ts'
import { offered } from '../../driver/workload.ts'
import { scimPerson, scimUserName, scimWorkEmail } from '../../scim-person.ts'
import type { ScimSite } from '../../site.ts'
import { writtenLike, type RecordedStatement, type StatementRecorder } from './recorded-statements.ts'
import { sampleOf } from './recorded-table.ts'

/** Mintmark's SCIM server, whose statements are recorded. */
export interface RecordedScim {
  readonly server: HttpService
  readonly site: ScimSite
  readonly recorder: StatementRecorder
}

/** The number of the account that they are recorded with. */
export const probe = 'probe'

/** The page that they are recorded with. */
export const probedPage = { startIndex: 8, count: 3 } as const

/** Asks Mintmark once for all that the workloads ask. @returns the statements that ran; the account they were about is gone. */
export async function scimStatements({ server, site, recorder }: RecordedScim) {
  const lane = laneTo(server)
  const statementsOf = async (method: string, path: string, body?: object): Promise<readonly RecordedStatement[]> =>
    recorder.during(async () => lane.exchange(scimRequest(method, `/Users${path}`, { site, ...(body && { body }) })))
  const list = async (query: Readonly<Record<string, string>>): Promise<RecordedStatement> => {
    // The first is about the provider.
    const [, statement] = await statementsOf('GET', `?${new URLSearchParams(query).toString()}`)
    return offered(statement)
  }

  const post = await statementsOf('POST', '', scimPerson(probe))
  const insert = writtenLike(/^insert into "mintmark_users"/, post)
  const account = `/${sampleOf(insert, 'mintmark_users', 'user_id')}`
  // By then its version is a number that nothing else has.
  await statementsOf('PATCH', account, setting(false))
  await statementsOf('PATCH', account, setting(true))
  const deactivation = await statementsOf('PATCH', account, setting(false))
  const reactivation = await statementsOf('PATCH', account, setting(true))
  const statements = {
    provider: writtenLike(/ from "mintmark_identity_providers"/, post),
    insert,
    find: writtenLike(/ from "mintmark_users" where/, deactivation),
    deactivate: writtenLike(/^update "mintmark_users"/, deactivation),
    grants: writtenLike(/ from "mintmark_grants"/, deactivation),
    sessions: writtenLike(/ from "mintmark_sessions"/, deactivation),
    reactivate: writtenLike(/^update "mintmark_users"/, reactivation),
    byUserName: await list({ filter: `userName eq "${scimUserName(probe)}"` }),
    byWorkEmail: await list({ filter: `emails[type eq "work" and value eq "${scimWorkEmail(probe)}"]` }),
    page: await list({ startIndex: String(probedPage.startIndex), count: String(probedPage.count) }),
  }
  await statementsOf('DELETE', account)
  return statements
}

export type ScimStatements = Awaited<ReturnType<typeof scimStatements>>

const setting = (value: boolean): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value }],
})
