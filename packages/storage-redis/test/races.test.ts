import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { aCodeRecord, aDigest } from '@mintmark/storage-interface/fixtures'
import { expect, it, onTestFinished } from 'vitest'

import { createRedisStorage, type RedisClient } from '../src/index.ts'
import type { PresenterTask } from './support/presenter.ts'
import { connectClient, connectCluster } from './support/redis-clients.ts'
import { startRedisCluster } from './support/redis-cluster.ts'
import { startRedis } from './support/redis-server.ts'

const issuer = 'https://issuer.example'
const rounds = 40
const oneWinner = { won: 1, replayed: 49 }

it('law: of 50 presentations of a code by two processes at once exactly one wins', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const client = await connectClient(server)
  onTestFinished(() => client.destroy())

  const tallies = await race({ kind: 'server', urls: [server.url], client })

  expect(tallies).toEqual(Array.from({ length: rounds }, () => oneWinner))
})

it('law: of 50 presentations of a code by two processes at once exactly one wins, on a cluster', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.stop())
  const client = await connectCluster(cluster)
  onTestFinished(() => client.destroy())

  const tallies = await race({ kind: 'cluster', urls: cluster.nodes.map(({ url }) => url), client })

  expect(tallies).toEqual(Array.from({ length: rounds }, () => oneWinner))
})

interface RaceTarget {
  readonly kind: 'server' | 'cluster'
  readonly urls: readonly string[]
  readonly client: RedisClient
}

/** Runs the rounds. In each round, both processes present the code of the round 25 times at once. */
async function race({ kind, urls, client }: RaceTarget): Promise<readonly Readonly<Record<string, number>>[]> {
  const { codes } = createRedisStorage({ client, issuer })
  const presenters = await Promise.all([startPresenter(kind, urls), startPresenter(kind, urls)])
  const tallies: Readonly<Record<string, number>>[] = []

  for (let round = 0; round < rounds; round += 1) {
    const code = aCodeRecord({ digest: aDigest(`round-${round}-`) })
    await codes.insert(code)
    const task = { digest: code.digest, clientId: code.clientId, now: code.issuedAt, times: 25 }
    const outcomes = await Promise.all(presenters.map((presenter) => present(presenter, task)))
    tallies.push(tally(outcomes.flat()))
  }
  return tallies
}

function tally(outcomes: readonly string[]): Readonly<Record<string, number>> {
  const kinds = [...new Set(outcomes)]
  return Object.fromEntries(kinds.map((kind) => [kind, outcomes.filter((outcome) => outcome === kind).length]))
}

async function startPresenter(kind: string, urls: readonly string[]): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('support/presenter.ts', import.meta.url))
  const presenter = fork(file, [kind, ...urls], { execArgv: ['--conditions=@mintmark/source'] })
  onTestFinished(() => void presenter.kill())
  await once(presenter, 'message')
  return presenter
}

async function present(presenter: ChildProcess, task: PresenterTask): Promise<readonly string[]> {
  const answer = once(presenter, 'message')
  presenter.send(task)
  const [outcomes] = (await answer) as [readonly string[]]
  return outcomes
}
