import { hash } from 'node:crypto'

import type { HttpService } from '@mintmark/core/http'
import { decodeJwt } from 'jose'

import { runCodeFlow, tokensOf } from '../../driver/code-flow.ts'
import { get, postForm } from '../../driver/request-text.ts'
import { laneTo } from '../../driver/service-lane.ts'
import { offered } from '../../driver/workload.ts'
import type { OauthSite } from '../../site.ts'
import { writtenLike, type StatementRecorder } from './recorded-statements.ts'

/** Mintmark's authorization server with its statements recorded. */
export interface RecordedOauth {
  readonly server: HttpService
  readonly site: OauthSite
  readonly recorder: StatementRecorder
}

/** Runs each request of the workloads once. @returns the executed statements. */
export async function oauthStatements({ server, site, recorder }: RecordedOauth) {
  const lane = laneTo(server)
  const issued: Awaited<ReturnType<typeof runCodeFlow>>[] = []
  const code = await recorder.during(async () => issued.push(await runCodeFlow(site, lane)))
  const [tokens] = issued
  const refreshToken = offered(tokens?.refresh_token)
  const refresh = await recorder.during(async () =>
    tokensOf(
      await lane.exchange(
        postForm(site.paths.token, { grant_type: 'refresh_token', refresh_token: refreshToken }, site),
      ),
    ),
  )
  const accessToken = offered(tokens?.access_token)
  const userinfo = await recorder.during(async () =>
    lane.exchange(get(offered(site.paths.userinfo), { authorization: `Bearer ${accessToken}` })),
  )

  return {
    sessionDigest: digest(offered(site.cookies[0]?.split('=')[1])),
    /** The digest of the introspected token's `jti`. */
    tokenDigest: digest(offered(decodeJwt(accessToken).jti)),
    client: writtenLike(/ from "mintmark_clients" where/, code),
    session: writtenLike(/ from "mintmark_sessions"/, code),
    user: writtenLike(/ from "mintmark_users" where/, code),
    consent: writtenLike(/ from "mintmark_grants" where/, code),
    insertCode: writtenLike(/^insert into "mintmark_codes"/, code),
    consumeCode: writtenLike(/^update "mintmark_codes"/, code),
    grantStanding: writtenLike(/ from "mintmark_grants" as "grant"/, code),
    insertFamily: writtenLike(/^insert into "mintmark_families"/, code),
    familyByHandle: writtenLike(/ from "mintmark_families" as "family"/, refresh),
    rotate: writtenLike(/^update "mintmark_families"/, refresh),
    familyById: writtenLike(/ from "mintmark_families" as "family"/, userinfo),
    revoked: writtenLike(/ from "mintmark_claims"/, userinfo),
  }
}

const digest = (value: string): string => hash('sha256', value, 'base64url')
