import { epochSeconds } from '@mintmark/storage-interface'

import type { Reply } from '../support/send.ts'
import { clientRequests, codeOf, tokensOf, type Tokens } from './client-requests.ts'
import type { Race } from './races.ts'
import { idOf, scimRequests, userSchema } from './scim-requests.ts'
import { consent, type ProcessSite } from './test-database.ts'
import { violationUnless } from './violation-unless.ts'

/** Returns the races between an identity provider and other requests, over the servers at these ports. */
export function scimRacesOf(site: ProcessSite, ports: readonly number[]): Readonly<Record<string, Race>> {
  const requests = clientRequests(site.clients)
  const port = (index: number): number => ports[index % ports.length] ?? 0
  const requestsOfT1 = scimRequests(site.scimSecret)
  const scim = (at: number, method: string, path: string, body?: object): Promise<Reply> =>
    requestsOfT1.send(port(at), method, path, body)
  const patch = (at: number, path: string, ...Operations: readonly object[]): Promise<Reply> =>
    requestsOfT1.patch(port(at), path, ...Operations)
  const deactivate = (at: number, id: string): Promise<Reply> => requestsOfT1.deactivate(port(at), id)

  const provision = (round: number, name: string): Promise<string> =>
    requestsOfT1.provision(port(round), unique(round, name))
  const user = async (round: number): Promise<string> => {
    const id = await provision(round, 'target')
    await consent(site.storage, id, epochSeconds(Date.now() / 1000))
    return id
  }
  const findActiveTokens = async (all: readonly Tokens[]): Promise<readonly string[]> => {
    const tokens = all.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])
    const activeStates = await Promise.all(
      tokens.map(async (token) => (await requests.introspect(port(0), token)).json['active']),
    )
    const refreshed = await Promise.all(all.map(({ refresh_token }) => requests.refresh(port(1), refresh_token)))
    return [
      ...violationUnless(
        activeStates.every((active) => active === false),
        'a token is active after its user was deactivated',
      ),
      ...violationUnless(
        refreshed.every(({ status }) => status === 400),
        'a refresh token works after its user was deactivated',
      ),
    ]
  }

  return {
    'refreshed tokens do not survive the deactivation of their user': async (round) => {
      const id = await user(round)
      const first = tokensOf(await requests.redeem(port(round), codeOf(await requests.authorize(port(round), id))))

      const [deactivated, ...refreshed] = await Promise.all([
        deactivate(round, id),
        ...ports.map((_, index) => requests.refresh(port(index), first.refresh_token)),
      ])

      const issued = refreshed.filter(({ status }) => status === 200).map(tokensOf)
      return [
        ...violationUnless(deactivated.status === 200, `the deactivation got status ${deactivated.status}`),
        ...(await findActiveTokens([first, ...issued])),
      ]
    },

    'tokens for a code do not survive the deactivation of their user': async (round) => {
      const id = await user(round)
      const code = codeOf(await requests.authorize(port(round), id))

      const [redeemed, deactivated] = await Promise.all([requests.redeem(port(round), code), deactivate(round + 1, id)])

      const issued = redeemed.status === 200 ? [tokensOf(redeemed)] : []
      return [
        ...violationUnless(deactivated.status === 200, `the deactivation got status ${deactivated.status}`),
        ...(await findActiveTokens(issued)),
      ]
    },

    'a userName is assigned once': async (round) => {
      const userName = unique(round, 'name')
      const cases = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? userName : userName.toUpperCase()))

      const replies = await Promise.all(
        cases.map((name, index) => scim(index, 'POST', '/Users', { schemas: [userSchema], userName: name })),
      )

      const created = replies.filter(({ status }) => status === 201).length
      const refused = replies.filter(({ status }) => status === 409).length
      return violationUnless(
        created === 1 && refused === 7,
        `one userName was assigned ${created} times and refused ${refused} times`,
      )
    },

    'concurrent changes of a group are all stored': async (round) => {
      const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => provision(round, `member${index}`)))
      const [leaving, ...joining] = ids
      const group = idOf(
        await scim(round, 'POST', '/Groups', {
          schemas: [groupSchema],
          displayName: 'Ops',
          members: [{ value: leaving }],
        }),
      )

      const replies = await Promise.all([
        ...joining.map((value, index) =>
          patch(index, `/Groups/${group}`, { op: 'add', path: 'members', value: [{ value }] }),
        ),
        patch(round, `/Groups/${group}`, { op: 'remove', path: `members[value eq "${leaving}"]` }),
        patch(round + 1, `/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'Operations' }),
      ])

      const after = (await scim(round, 'GET', `/Groups/${group}`)).json as {
        members?: { value: string }[]
        displayName: string
      }
      const found = (after.members ?? []).map(({ value }) => value)
      return [
        ...violationUnless(
          replies.every(({ status }) => status < 300),
          `the changes got the statuses ${replies.map(({ status }) => status).join(' ')}`,
        ),
        ...violationUnless(
          joining.every((id) => found.includes(id)),
          `${joining.length - found.length} members were lost`,
        ),
        ...violationUnless(leaving === undefined || !found.includes(leaving), 'a removed member is still in the group'),
        ...violationUnless(after.displayName === 'Operations', 'the new name was lost'),
      ]
    },
  }
}

/** Returns a new name for each round of each run, because `pnpm stress race` runs many rounds over one database. */
const unique = (round: number, name: string): string => `${name}-${process.pid}-${round}-${Date.now()}@x.test`

const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
