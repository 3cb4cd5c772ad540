import { clientRequests, type ClientRequests, type Tokens } from '../processes/client-requests.ts'
import { startServerProcess, startServerProcesses, type ServerProcess } from '../processes/server-processes.ts'
import type { ProcessSite } from '../processes/test-database.ts'
import type { Reply } from '../support/send.ts'

/** The counts of a chaos run. */
export interface ChaosCounts {
  redeemed: number
  rotated: number
  revoked: number
  /** Codes and refresh tokens that were presented to two servers at once. */
  doubled: number
  /** Responses with status 503. */
  outages: number
  /** Requests whose server died while handling them. */
  lost: number
  /** Requests that succeeded after an outage or a lost response. */
  recovered: number
  databaseKills: number
  serverKills: number
}

/**
 * A chaos run over one database: clients send requests while servers and the database are killed and restarted.
 */
export interface ChaosPlan {
  readonly site: ProcessSite
  readonly rounds: number
  /** Kills and restarts the database; `undefined` for a database in a file. */
  readonly database: { kill(): Promise<void>; restart(): Promise<void> } | undefined
}

/** @returns the counts, and every violation of an invariant. */
export async function runChaos(
  plan: ChaosPlan,
): Promise<{ readonly counts: ChaosCounts; readonly violations: readonly string[] }> {
  const servers = [...(await startServerProcesses(plan.site.database, 3))]
  const chaos = createChaos(clientRequests(plan.site.clients), servers)
  const { counts } = chaos

  const users = Array.from({ length: 6 }, (_, index) => actAsUser(chaos, index))
  for (let round = 0; round < plan.rounds; round += 1) {
    await until(hasGrown(counts, 'revoked', 6), chaos)
    await replaceServer(plan.site, servers, round % servers.length)
    counts.serverKills += 1
    if (plan.database === undefined) continue

    await until(hasGrown(counts, 'revoked', 6), chaos)
    const outages = hasGrown(counts, 'outages', 6)
    await plan.database.kill()
    counts.databaseKills += 1
    await until(outages, chaos)
    await plan.database.restart()
  }
  await until(hasGrown(counts, 'revoked', 6), chaos)
  chaos.isOver = true
  await Promise.all(users)

  // A credential that was revoked before a kill must not be active after it.
  for (const tokens of chaos.revokedTokens.slice(-100)) await requireInactive(chaos, tokens, 'at the end')
  await Promise.all(servers.map((server) => server.kill()))
  return { counts, violations: chaos.violations }
}

interface Chaos {
  readonly requests: ClientRequests
  readonly servers: readonly ServerProcess[]
  readonly counts: ChaosCounts
  readonly violations: string[]
  readonly revokedTokens: Tokens[]
  /** Functions to call when the next request ends. */
  readonly waiting: (() => void)[]
  isOver: boolean
}

const createChaos = (requests: ClientRequests, servers: readonly ServerProcess[]): Chaos => ({
  requests,
  servers,
  counts: {
    redeemed: 0,
    rotated: 0,
    revoked: 0,
    doubled: 0,
    outages: 0,
    lost: 0,
    recovered: 0,
    databaseKills: 0,
    serverKills: 0,
  },
  violations: [],
  revokedTokens: [],
  waiting: [],
  isOver: false,
})

/**
 * One client after another signs in, refreshes and revokes; every second one presents its code to two servers at once.
 */
async function actAsUser(chaos: Chaos, user: number): Promise<void> {
  for (let round = user; !chaos.isOver; round += 1) {
    try {
      await (round % 2 === 0 ? runFlow(chaos, round) : runDoubledFlow(chaos, round))
    } catch (error) {
      chaos.violations.push(String(error))
    }
  }
}

async function runFlow(chaos: Chaos, round: number): Promise<void> {
  const { counts, requests } = chaos
  const code = await newCode(chaos, round)
  const redeemed = await retry(chaos, round, (port) => requests.redeem(port, code))
  // An earlier try used the code, but its response was lost: the client requests another code.
  if (redeemed.reply.status === 400 && redeemed.tries > 1) return
  const tokens = tokensIn(redeemed.reply, 'redeeming')
  counts.redeemed += 1

  // Whether or not the answer arrived, the client retries with the same token and gets the successor (RFC 9700
  // §4.14.2).
  const renewed = tokensIn(
    (await retry(chaos, round, (port) => requests.refresh(port, tokens.refresh_token))).reply,
    'renewing',
  )
  const again = tokensIn(
    (await retry(chaos, round, (port) => requests.refresh(port, tokens.refresh_token))).reply,
    'retrying',
  )
  if (again.refresh_token !== renewed.refresh_token) chaos.violations.push('two successors of one refresh token')
  counts.rotated += 1

  const revoked = await retry(chaos, round, (port) => requests.revoke(port, renewed.refresh_token))
  if (revoked.reply.status !== 200) chaos.violations.push(`revoking got status ${revoked.reply.status}`)
  await requireInactive(chaos, renewed, 'after revocation')
  chaos.revokedTokens.push(renewed)
  counts.revoked += 1
}

async function runDoubledFlow(chaos: Chaos, round: number): Promise<void> {
  const { requests } = chaos
  const code = await newCode(chaos, round)
  const both = await Promise.all(
    [0, 1].map((shift) => retry(chaos, round + shift, (port) => requests.redeem(port, code))),
  )
  const winners = both.filter(({ reply }) => reply.status === 200)
  if (winners.length > 1) chaos.violations.push('one code was redeemed twice')
  chaos.counts.doubled += 1
  // Both requests got a response, so the second one has revoked the tokens of the first (RFC 6749 §4.1.2).
  for (const { reply } of winners) {
    const tokens = tokensIn(reply, 'redeeming')
    await requireInactive(chaos, tokens, 'after a replay')
    chaos.revokedTokens.push(tokens)
  }
}

async function newCode(chaos: Chaos, round: number): Promise<string> {
  const { reply } = await retry(chaos, round, (port) => chaos.requests.authorize(port))
  const code = reply.status < 400 ? reply.location.searchParams.get('code') : null
  if (code === null) throw new Error(`authorizing got status ${reply.status}`)
  return code
}

/** Sends a request to one server after another until one succeeds; a 503 needs Retry-After (RFC 9110 §10.2.3). */
async function retry(
  chaos: Chaos,
  round: number,
  send: (port: number) => Promise<Reply>,
): Promise<{ readonly reply: Reply; readonly tries: number }> {
  for (let tries = 1; ; tries += 1) {
    const port = chaos.servers[(round + tries) % chaos.servers.length]?.port ?? 0
    const reply = await send(port).catch(() => undefined)
    for (const wake of chaos.waiting.splice(0)) wake()
    if (reply === undefined) {
      chaos.counts.lost += 1
      continue
    }
    if (reply.status !== 503) {
      if (tries > 1) chaos.counts.recovered += 1
      if (reply.status >= 500) chaos.violations.push(`${reply.status}: ${reply.text}`)
      return { reply, tries }
    }
    chaos.counts.outages += 1
    if (reply.header('retry-after') === undefined) chaos.violations.push('an outage without Retry-After')
  }
}

async function requireInactive(chaos: Chaos, tokens: Tokens, when: string): Promise<void> {
  for (const token of [tokens.access_token, tokens.refresh_token]) {
    const { reply } = await retry(chaos, 0, (port) => chaos.requests.introspect(port, token))
    if (reply.json['active'] !== false) chaos.violations.push(`a token is active ${when}`)
  }
}

function tokensIn(reply: Reply, action: string): Tokens {
  if (reply.status !== 200) throw new Error(`${action} got status ${reply.status}: ${reply.text}`)
  return reply.json as unknown as Tokens
}

async function replaceServer(site: ProcessSite, servers: ServerProcess[], index: number): Promise<void> {
  await servers[index]?.kill()
  servers[index] = await startServerProcess(site.database)
}

/** Returns a function that tells whether a count has grown by this number since the call. */
function hasGrown(counts: ChaosCounts, name: keyof ChaosCounts, more: number): () => boolean {
  const goal = counts[name] + more
  return () => counts[name] >= goal
}

/** Waits until the condition holds or there are too many violations to continue. */
async function until(condition: () => boolean, chaos: Chaos): Promise<void> {
  while (!condition() && chaos.violations.length < 50) {
    await new Promise<void>((resolve) => chaos.waiting.push(resolve))
  }
}
