import { readFileSync } from 'node:fs'

import { Client } from 'pg'

import { makeDatabase } from '../../packages/storage-sql/test/support/postgres-database.ts'
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'

/** The PostgreSQL of a benchmark, which starts when it is first needed. */
export interface BenchPostgres {
  /** A new, empty database, and how it is removed. */
  database(): Promise<{ readonly url: string; readonly remove: () => Promise<void> }>
  /** CPU time of all its processes so far, in microseconds; 0 while it is not started. */
  cpuTime(): number
  stop(): Promise<void>
}

export function benchPostgres(): BenchPostgres {
  let started: Promise<Started> | undefined
  let postmaster: number | undefined

  return {
    async database() {
      started ??= start()
      const { server, pid } = await started
      postmaster = pid
      return makeDatabase(server.url)
    },
    cpuTime: () =>
      postmaster === undefined ? 0 : childrenOf(postmaster).reduce((sum, pid) => sum + cpuTimeOf(pid), 0),
    // What could not start has said so.
    stop: async () =>
      started?.then(
        async ({ server }) => server.stop(),
        () => undefined,
      ),
  }
}

interface Started {
  readonly server: Awaited<ReturnType<typeof startPostgres>>
  /** Of the process that all others are children of. */
  readonly pid: number
}

async function start(): Promise<Started> {
  const server = await startPostgres()
  const client = new Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  // While it is connected: of a process that has ended nobody can tell whose child it was.
  const pid = parentOf(rows[0]?.pid ?? 0)
  await client.end()
  return { server, pid }
}

/** What Linux tells of processes; elsewhere the database's part is not measured. The name before the state may hold anything. */
const parentOf = (pid: number): number => Number(readText(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1] ?? 0)

const childrenOf = (pid: number): readonly number[] =>
  readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)

/** The scheduler counts nanoseconds. */
const cpuTimeOf = (pid: number): number => Number(readText(`/proc/${pid}/schedstat`).split(' ')[0]) / 1000

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended, or this is not Linux.
    return ''
  }
}
