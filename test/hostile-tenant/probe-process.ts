// The clients of another tenant. Its argument is a ProbeConfig in JSON. It sends token requests on a fixed schedule, so
// that a server that stalls delays all of them. It responds to each message with the latencies since the last one.
import { setTimeout as pause } from 'node:timers/promises'

import { clientRequests, codeOf, tokensOf } from '../processes/client-requests.ts'
import { basic } from '../support/flow.ts'
import type { FixtureClients } from '../support/fixture-clients.ts'
import { send } from '../support/send.ts'

export interface ProbeConfig {
  readonly port: number
  readonly secrets: { readonly A: string; readonly M: string }
  /** Whether the server only answers `POST /token`; no token is refreshed then. */
  readonly isBare: boolean
}

/** The latencies of token requests in milliseconds, from the time at which each was due. */
export interface Measured {
  /** Requests with client credentials, for which the server writes nothing. */
  readonly reading: readonly number[]
  /** Requests with refresh tokens, which the server rotates. */
  readonly writing: readonly number[]
  readonly failures: readonly string[]
}

const { port, secrets, isBare } = JSON.parse(process.argv[2] ?? '') as ProbeConfig
const interval = 20
const families = 40

let measured = { reading: [] as number[], writing: [] as number[], failures: [] as string[] }
const client = clientRequests({ A: { secret: secrets.A } } as FixtureClients)
const tokens = await Promise.all(
  Array.from({ length: isBare ? 0 : families }, async () => {
    const granted = tokensOf(await client.redeem(port, codeOf(await client.authorize(port))))
    return granted.refresh_token
  }),
)

process.on('message', () => {
  process.send?.(measured satisfies Measured)
  measured = { reading: [], writing: [], failures: [] }
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
await Promise.all([every(interval, readOnce), ...tokens.map((token, place) => rotate(token, place))])

/** Calls at fixed times, whether or not earlier calls have finished. */
async function every(milliseconds: number, call: (due: number) => Promise<void>): Promise<void> {
  for (let due = performance.now(); ; due += milliseconds) {
    await pause(Math.max(due - performance.now(), 0))
    void call(due).catch((error: unknown) => measured.failures.push(String(error)))
  }
}

async function readOnce(due: number): Promise<void> {
  const reply = await send(port, {
    method: 'POST',
    path: '/token',
    headers: { authorization: basic('M', secrets.M), 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
  if (reply.status === 200) measured.reading.push(performance.now() - due)
  else measured.failures.push(`${reply.status} ${reply.text}`)
}

/** Refreshes one family at fixed times. A late response delays the next refresh of the family as well. */
async function rotate(first: string, place: number): Promise<void> {
  let token = first
  const start = performance.now()
  for (let turn = 0; ; turn += 1) {
    const due = start + (turn * families + place) * interval
    await pause(Math.max(due - performance.now(), 0))
    try {
      token = tokensOf(await client.refresh(port, token)).refresh_token
      measured.writing.push(performance.now() - due)
    } catch (error) {
      measured.failures.push(String(error))
    }
  }
}
