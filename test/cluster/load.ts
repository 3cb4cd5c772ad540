import { setTimeout as pause } from 'node:timers/promises'
import { epochSeconds } from '@mintmark/storage-interface'

import { clientRequests, type Tokens } from '../processes/client-requests.ts'
import { scimRequests, userSchema } from '../processes/scim-requests.ts'
import { consent, type ProcessSite } from '../processes/test-database.ts'
import type { Reply } from '../support/send.ts'
import type { EndedFamily, Family, Ledger } from './ledger.ts'
import type { Answer, Ask } from './requester.ts'

/** What the workers of a load use. */
export interface LoadPlan {
  readonly site: ProcessSite
  readonly ask: Ask
  readonly ports: () => readonly number[]
  readonly ledger: Ledger
  /** From a seeded generator: a number from 0 up to 1. */
  readonly random: () => number
}

export interface Load {
  /** Waits until every worker has ended its current work. */
  stop(): Promise<void>
}

/** What a worker repeats. */
export type Step = (plan: LoadPlan) => Promise<void>

/**
 * Starts workers that sign users in, refresh, introspect and deactivate, about 25 requests a second together.
 * @param more what further workers do.
 */
export function startLoad(plan: LoadPlan, more: readonly Step[]): Load {
  const state = { isOver: false }
  const work = async (step: Step): Promise<void> => {
    while (!state.isOver) {
      await step(plan)
      await pause(150 + plan.random() * 200)
    }
  }
  const steps = [signIn, signIn, refresh, refresh, refresh, introspect, introspectEnded, deactivate, ...more]
  const workers = steps.map(work)
  return {
    async stop() {
      state.isOver = true
      await Promise.all(workers)
    },
  }
}

let lastUser = 0

/** Creates a user, signs it in, and redeems its code; every third code is presented to two servers at once. */
async function signIn({ site, ask, ledger, ports, random }: LoadPlan): Promise<void> {
  const [client, directory] = [clientRequests(site.clients), scimRequests(site.scimSecret)]
  lastUser += 1
  const userName = `user-${lastUser}`
  const created = await ask('write', (port) =>
    directory.send(port, 'POST', '/Users', { schemas: [userSchema], userName }),
  )
  const id = await idOfCreated(created, () =>
    ask('read', (port) =>
      directory.send(port, 'GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`),
    ),
  )
  if (id === undefined)
    return void ledger.lost.push(`creating ${userName}: ${created.reply.status} ${created.reply.text}`)
  ledger.users.add(id)
  await untilStored(() => consent(site.storage, id, epochSeconds(Date.now() / 1000)))

  const { reply: authorized } = await ask('expiring', (port) => client.authorize(port, id))
  const code = authorized.status === 303 ? authorized.location.searchParams.get('code') : null
  if (code === null) return void ledger.lost.push(`signing ${id} in: ${authorized.status} ${authorized.text}`)

  if (random() < 1 / 3) {
    const [first = 0, second = 0] = shuffled(ports(), random)
    const present = async (port: number): Promise<Redemption> => {
      const reply = await client.redeem(port, code).catch(() => undefined)
      return { port, reply, answeredAt: Date.now() }
    }
    recordRedemptions(id, await Promise.all([first, second].map(present)), ledger)
    return
  }
  const { reply, failures, elapsed } = await ask('expiring', (port) => client.redeem(port, code))
  if (reply.status === 200) ledger.families.add({ user: id, tokens: tokensOf(reply), isBusy: false })
  // The code was redeemed by an attempt whose response was lost: the user signs in once more.
  else if (failures > 0) return
  // A node of Galera that loses its majority during a commit reports a conflict after some seconds, although the write may be kept
  // (docs/adr/0072).
  else if (site.database.engine === 'mariadb' && elapsed > 3000) ledger.signedOut += 1
  else ledger.lost.push(`a code: ${reply.status} ${reply.text}`)
}

/** RFC 6749 §4.1.2: one presentation wins, and the other revokes its tokens. */
function recordRedemptions(user: string, both: readonly Redemption[], ledger: Ledger): void {
  const won = both.flatMap(({ reply }) => (reply?.status === 200 ? [reply] : []))
  if (won.length > 1) ledger.doubled.push(`one code of ${user} was redeemed twice`)
  const isRefused = both.some(({ reply }) => reply?.status === 400)
  const answers = both.map(({ port, reply, answeredAt }) => `${reply?.status} of port ${port} at ${answeredAt}`)
  for (const reply of won)
    if (isRefused)
      ledger.ended.push({
        tokens: tokensOf(reply),
        why: 'presented twice',
        evidence: `by ${user}: ${answers.join(', ')}`,
      })
}

/** How a server answered a presentation of a code, if it did. */
interface Redemption {
  readonly port: number
  readonly reply: Reply | undefined
  /** In milliseconds since 1970, like the events of the servers. */
  readonly answeredAt: number
}

/** @param find lists the users with the name, if an earlier attempt may have created the user. */
async function idOfCreated({ reply, failures }: Answer, find: () => Promise<Answer>): Promise<string | undefined> {
  if (reply.status === 201) return String(reply.json['id'])
  if (reply.status !== 409 || failures === 0) return undefined
  const { Resources = [] } = (await find()).reply.json as { readonly Resources?: readonly { readonly id: string }[] }
  return Resources[0]?.id
}

/** Refreshes; one in three times at two servers at once, which must give the same successor (RFC 9700 §4.14.2). */
async function refresh({ site, ask, ledger, random }: LoadPlan): Promise<void> {
  const client = clientRequests(site.clients)
  await withFamily(ledger, random, async (family) => {
    const { refresh_token } = family.tokens
    const send = (): Promise<Answer> => ask('write', (port) => client.refresh(port, refresh_token))
    const answers = await Promise.all(random() < 1 / 3 ? [send(), send()] : [send()])
    const renewed = answers.filter(({ reply }) => reply.status === 200).map(({ reply }) => tokensOf(reply))
    const refused = answers.find(({ reply }) => reply.status !== 200)

    if (new Set(renewed.map((tokens) => tokens.refresh_token)).size > 1)
      ledger.doubled.push('one refresh token has two successors')
    if (refused !== undefined) {
      ledger.families.delete(family)
      // For ten seconds after a rotation a repetition gets the same successor; later it is taken for a theft.
      const isRepeated = answers.length > 1 || answers.some(({ failures }) => failures > 0)
      const isTooLate = isRepeated && answers.some(({ elapsed }) => elapsed > 9000)
      if (isTooLate) ledger.signedOut += 1
      else ledger.lost.push(`a refresh token: ${refused.reply.status} ${refused.reply.text}`)
    } else if (renewed[0] !== undefined) family.tokens = renewed[0]
  })
}

async function introspect({ site, ask, ledger, random }: LoadPlan): Promise<void> {
  const client = clientRequests(site.clients)
  await withFamily(ledger, random, async (family) => {
    const { reply } = await ask('read', (port) => client.introspect(port, family.tokens.refresh_token))
    if (reply.json['active'] !== true) {
      ledger.families.delete(family)
      ledger.lost.push(`a refresh token is not active: ${reply.status} ${reply.text}`)
    }
  })
}

async function introspectEnded({ site, ask, ledger, random }: LoadPlan): Promise<void> {
  const ended = ledger.ended[Math.floor(random() * ledger.ended.length)]
  if (ended !== undefined) await requireEnded(ended, { site, ask, ledger })
}

/** Deactivates a user through SCIM, and asks every server about its tokens. */
async function deactivate({ site, ask, ledger, random, ports }: LoadPlan): Promise<void> {
  const directory = scimRequests(site.scimSecret)
  await withFamily(ledger, random, async (family) => {
    ledger.families.delete(family)
    const { reply, failures } = await ask('write', (port) => directory.deactivate(port, family.user))
    if (reply.status !== 200) {
      ledger.lost.push(`user ${family.user}: ${reply.status} ${reply.text}`)
      return
    }
    const evidence = `${family.user}, after ${failures} attempts without an answer`
    const ended = { tokens: family.tokens, why: 'deactivated', evidence } as const
    ledger.ended.push(ended)
    for (const _ of ports()) await requireEnded(ended, { site, ask, ledger })
  })
}

/** Introspects both tokens at some server. */
export async function requireEnded(
  { tokens, why, evidence }: EndedFamily,
  { site, ask, ledger }: Pick<LoadPlan, 'site' | 'ask' | 'ledger'>,
): Promise<void> {
  const client = clientRequests(site.clients)
  for (const token of [tokens.access_token, tokens.refresh_token]) {
    const { reply } = await ask('read', (port) => client.introspect(port, token))
    const sentence = `${why} (${evidence}): ${reply.status} ${reply.text}`
    if (reply.status !== 200) ledger.lost.push(`the introspection of ended tokens, ${sentence}`)
    else if (reply.json['active'] !== false) ledger.survivors.push(sentence)
  }
}

/** Works with a sign-in that no other worker uses. */
async function withFamily(
  ledger: Ledger,
  random: () => number,
  work: (family: Family) => Promise<void>,
): Promise<void> {
  const free = [...ledger.families].filter(({ isBusy }) => !isBusy)
  const family = free[Math.floor(random() * free.length)]
  if (family === undefined) return
  family.isBusy = true
  await work(family)
  family.isBusy = false
}

/** Repeats a write of the test itself, which is not measured. */
async function untilStored(write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await write()
    } catch {
      await pause(250)
    }
  }
}

const tokensOf = (reply: Reply): Tokens => reply.json as unknown as Tokens

const shuffled = (ports: readonly number[], random: () => number): readonly number[] =>
  ports
    .map((port) => ({ port, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ port }) => port)
