import type { Pool } from 'pg'

import type { StatementCost } from './growth.ts'

/** The settings of a PostgreSQL server whose statements are counted. Nothing runs on its own, so that two runs touch the same pages. */
export const countingSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_utility': 'off',
  'pg_stat_statements.save': 'off',
  track_io_timing: 'off',
  autovacuum: 'off',
  jit: 'off',
  shared_buffers: '2GB',
  maintenance_work_mem: '1GB',
  max_wal_size: '8GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_parallel_maintenance_workers: '0',
  max_parallel_workers_per_gather: '0',
  synchronous_commit: 'off',
} as const

/** Runs a workload, and returns what each of its statements cost. The cost of triggers is part of their statement. */
export async function costsOf(
  pool: Pool,
  { name, run }: { readonly name: string; readonly run: () => Promise<void> },
): Promise<readonly StatementCost[]> {
  await pool.query('SELECT public.pg_stat_statements_reset()')
  await run()
  const { rows } = await pool.query<{
    readonly query: string
    readonly calls: string
    readonly pages: string
    readonly rows: string
    readonly milliseconds: number
  }>(
    `SELECT query, sum(calls) AS calls, sum(shared_blks_hit + shared_blks_read) AS pages, sum(rows) AS rows, sum(total_exec_time) AS milliseconds
     FROM public.pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND query LIKE '%mintmark\\_%' GROUP BY query`,
  )
  return rows.map((row) => ({
    workload: name,
    statement: row.query,
    calls: Number(row.calls),
    rows: Number(row.rows) / Number(row.calls),
    pages: Number(row.pages) / Number(row.calls),
    milliseconds: row.milliseconds / Number(row.calls),
  }))
}
