import { readFileSync } from 'node:fs'

import { Client } from 'pg'

import { makeDatabase } from '../../packages/storage-sql/test/support/postgres-database.ts'
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'

/** The PostgreSQL server of a benchmark, which starts on first use. */
export interface BenchPostgres {
  /** Creates an empty database. Returns its URL and a function that removes it. */
  database(): Promise<{ readonly url: string; readonly remove: () => Promise<void> }>
  /** Returns the CPU time of all processes of the server so far, in microseconds; 0 before it is started. */
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
    // A failed start has already been reported.
    stop: async () =>
      started?.then(
        async ({ server }) => server.stop(),
        () => undefined,
      ),
  }
}

interface Started {
  readonly server: Awaited<ReturnType<typeof startPostgres>>
  /** The parent process of all other processes of the server. */
  readonly pid: number
}

async function start(): Promise<Started> {
  const server = await startPostgres()
  const client = new Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  // The parent can only be read while the process of the connection exists.
  const pid = parentOf(rows[0]?.pid ?? 0)
  await client.end()
  return { server, pid }
}

/**
 * Reads process statistics of Linux. On other systems the database is not measured. The process name, which precedes
 * the state, may contain any characters.
 */
const parentOf = (pid: number): number => Number(readText(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1] ?? 0)

const childrenOf = (pid: number): readonly number[] =>
  readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)

/** Returns the CPU time in microseconds. The scheduler counts nanoseconds. */
const cpuTimeOf = (pid: number): number => Number(readText(`/proc/${pid}/schedstat`).split(' ')[0]) / 1000

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended, or this is not Linux.
    return ''
  }
}
