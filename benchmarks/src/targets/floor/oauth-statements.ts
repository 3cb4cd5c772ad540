import type { HttpService } from '@mintmark/core/http'
import { decodeJwt } from 'jose'

import { runCodeFlow, tokensOf } from '../../driver/code-flow.ts'
import { get, postForm } from '../../driver/request-text.ts'
import { laneTo } from '../../driver/service-lane.ts'
import { requireValue } from '../../driver/workload.ts'
import type { OauthSite } from '../../site.ts'
import { digest } from './digest.ts'
import { findStatement, type StatementRecorder } from './recorded-statements.ts'

/** Mintmark's authorization server, whose statements are recorded. */
export interface RecordedOauth {
  readonly server: HttpService
  readonly site: OauthSite
  readonly recorder: StatementRecorder
}

/** Runs each request of the workloads once. Returns the recorded statements. */
export async function oauthStatements({ server, site, recorder }: RecordedOauth) {
  const lane = laneTo(server)
  const issued: Awaited<ReturnType<typeof runCodeFlow>>[] = []
  const code = await recorder.during(async () => issued.push(await runCodeFlow(site, lane)))
  const [tokens] = issued
  const refreshToken = requireValue(tokens?.refresh_token)
  const refresh = await recorder.during(async () =>
    tokensOf(
      await lane.exchange(
        postForm(site.paths.token, { grant_type: 'refresh_token', refresh_token: refreshToken }, site),
      ),
    ),
  )
  const accessToken = requireValue(tokens?.access_token)
  const userinfo = await recorder.during(async () =>
    lane.exchange(get(requireValue(site.paths.userinfo), { authorization: `Bearer ${accessToken}` })),
  )

  return {
    sessionDigest: digest(requireValue(site.cookies[0]?.split('=')[1])),
    /** The digest of the introspected token's `jti`. */
    tokenDigest: digest(requireValue(decodeJwt(accessToken).jti)),
    client: findStatement(/ from "mintmark_clients" where/, code),
    session: findStatement(/ from "mintmark_sessions"/, code),
    user: findStatement(/ from "mintmark_users" where/, code),
    consent: findStatement(/ from "mintmark_grants" where/, code),
    /** The statements with which a client joins a session: one or two. */
    join: code.filter(({ sql }) => /^(?:insert|with) .*"mintmark_session/s.test(sql)),
    insertCode: findStatement(/^insert into "mintmark_codes"/, code),
    consumeCode: findStatement(/^update "mintmark_codes"/, code),
    grantStatus: findStatement(/ from "mintmark_grants" as "grant"/, code),
    insertFamily: findStatement(/^insert into "mintmark_families"/, code),
    familyByHandle: findStatement(/ from "mintmark_families" as "family"/, refresh),
    rotate: findStatement(/^update "mintmark_families"/, refresh),
    familyOfToken: findStatement(/ from "mintmark_families" as "family"/, userinfo),
  }
}
