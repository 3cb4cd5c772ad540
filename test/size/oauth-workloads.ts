import { runCodeFlow, tokensOf, type Tokens } from '../../benchmarks/src/driver/code-flow.ts'
import { get, postForm } from '../../benchmarks/src/driver/request-text.ts'
import { spread, userIdOf } from './issuer-size.ts'
import type { SizedIssuer } from './sized-issuer.ts'
import { bodyWith, callsOfWorkload, type SizeWorkload } from './size-workload.ts'

/** Requests of users who have twenty token families each. */
export const oauthWorkloads: readonly SizeWorkload[] = [
  {
    name: 'code + PKCE',
    prepare: async (site) => (await signIn(site)).map((cookie) => async () => codeFlow(site, cookie)),
  },
  {
    name: 'refresh',
    prepare: async (site) => (await issue(site)).map((tokens) => async () => refresh(site, tokens)),
  },
  {
    name: 'introspection',
    prepare: async (site) => {
      const { lane, site: oauth } = site.oauth
      return (await issue(site)).map(
        ({ access_token: token }) =>
          async () =>
            bodyWith('"active":true', lane.exchange(postForm('/token/introspection', { token }, oauth))),
      )
    },
  },
  {
    name: 'userinfo',
    prepare: async (site) =>
      (await issue(site)).map(
        ({ access_token: token }) =>
          async () =>
            bodyWith('"sub"', site.oauth.lane.exchange(get('/userinfo', { authorization: `Bearer ${token}` }))),
      ),
  },
  {
    name: 'sign-out, with its logout tokens',
    prepare: async (site) => {
      const users = spread(callsOfWorkload, site.size, 2)
      return users.map((user) => async () => {
        await site.server.endSessions(userIdOf(user))
        await site.server.deliverOnce({ limit: 2 })
      })
    },
  },
]

/** Returns the cookies of users. */
async function signIn(site: SizedIssuer): Promise<readonly string[]> {
  const cookies: string[] = []
  for (const user of spread(callsOfWorkload, site.size, 2)) cookies.push(await site.signIn(userIdOf(user)))
  return cookies
}

const codeFlow = ({ oauth }: SizedIssuer, cookie: string): Promise<Tokens> =>
  runCodeFlow({ ...oauth.site, cookies: [cookie] }, oauth.lane)

async function issue(site: SizedIssuer): Promise<readonly Tokens[]> {
  const issued: Tokens[] = []
  for (const cookie of await signIn(site)) issued.push(await codeFlow(site, cookie))
  return issued
}

async function refresh({ oauth }: SizedIssuer, { refresh_token: token = '' }: Tokens): Promise<Tokens> {
  return tokensOf(
    await oauth.lane.exchange(postForm('/token', { grant_type: 'refresh_token', refresh_token: token }, oauth.site)),
  )
}
