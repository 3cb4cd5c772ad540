import { after, seconds, type AdminStorage } from '@mintmark/storage-interface'
import { aDelivery } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { describe, expect, test } from 'vitest'
import type { SqlValue } from '../src/dialect.ts'
import { aMigratedPostgres, engines } from './support/migrated-dialects.ts'
import type { PlanNode } from './support/postgres-plan.ts'

const issuer = 'https://issuer.example'
const { channel, createdAt: now } = aDelivery('any')

describe.for([
  { name: 'memory', open: async () => createMemoryStorage({ issuer }) },
  ...engines.map(({ name, open }) => ({ name, open: async () => createSqlStorage({ dialect: await open(), issuer }) })),
])('$name', ({ open }) => {
  test('leases deliveries behind any number that wait for an earlier one of their lane', async () => {
    const storage = await open()
    await storage.deliveries.enqueue(numbers(1, 1200).map((sequence) => inLane('slow', sequence)))
    expect(await lease(storage, 'first')).toEqual(['slow-1001'])
    await storage.deliveries.enqueue([
      ...['x', 'y'].flatMap((lane) => numbers(1, 2).map((sequence) => inLane(lane, sequence, 5))),
      aDelivery('z-free', { recipient: 'z', createdAt: after(now, seconds(5)) }),
      inLane('excepted', 1, 5),
      inLane('later', 1, 500),
    ])

    const behind = await lease(storage, 'second', 10)
    const none = await lease(storage, 'third', 10)
    const again = await lease(storage, 'fourth', 60)

    expect(behind).toEqual(['x-1001', 'y-1001', 'z-free'])
    expect(none).toEqual([])
    expect(again).toEqual(['slow-1001', 'x-1001', 'y-1001', 'z-free'])
  })
})

test('what a lease reads on PostgreSQL does not grow with the deliveries that wait in a lane', async () => {
  const { dialect, leases } = recordingLeases(await aMigratedPostgres())
  const storage = await createSqlStorage({ dialect, issuer })
  await storage.deliveries.enqueue([inLane('slow', 1)])
  await lease(storage, 'first')

  const pages: number[] = []
  for (const backlog of [2000, 20_000]) {
    await dialect.all(copies, [backlog])
    await dialect.atomically(['ANALYZE mintmark_deliveries'])
    leases.length = 0
    expect(await lease(storage, 'again', 5)).toEqual([])
    const read = await Promise.all(leases.map(async ({ text, values }) => pagesOf(dialect, text, values)))
    pages.push(read.reduce((sum, count) => sum + count, 0))
  }

  expect(leases).toHaveLength(2)
  // An index of ten times as many entries may have one level more.
  expect(pages[1]).toBeLessThan(1.3 * (pages[0] ?? 0))
})

/** Adds copies of the leased delivery, which wait behind it. */
const copies = `INSERT INTO mintmark_deliveries (issuer, delivery_id, dedupe_key, channel, recipient, content, state, attempts,
    created_at, due_at, expires_at, kept_until, lane, sequence)
  SELECT issuer, 'copy-' || n, 'copy-' || n, channel, recipient, content, state, 0, created_at, created_at, expires_at, kept_until,
    lane, sequence + n
  FROM mintmark_deliveries CROSS JOIN generate_series(1, $1::bigint) AS n WHERE delivery_id = 'slow-1001' ON CONFLICT DO NOTHING`

/** Returns the pages that a statement touches. It changes nothing. */
async function pagesOf(dialect: SqlDialect, text: string, values: readonly SqlValue[]): Promise<number> {
  const [row] = await dialect.all(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values, { lifetime: 'passing' })
  const [{ Plan: plan } = { Plan: undefined }] = (row?.values[0] ?? []) as readonly { readonly Plan: PagesNode }[]
  return plan === undefined ? 0 : plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

interface PagesNode extends PlanNode {
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
}

const inLane = (lane: string, sequence: number, later = 0) =>
  aDelivery(`${lane}-${1000 + sequence}`, { lane, sequence, recipient: lane, createdAt: after(now, seconds(later)) })

const numbers = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Leases for half a minute, and returns the identifiers. */
async function lease({ deliveries }: AdminStorage, token: string, later = 0): Promise<readonly string[]> {
  const leased = await deliveries.lease({
    channel,
    now: after(now, seconds(later)),
    until: after(now, seconds(later + 30)),
    token,
    limit: 10,
    perRecipient: 5,
    except: ['excepted'],
  })
  return leased.map(({ deliveryId }) => deliveryId)
}

/** Returns the dialect, and the leases that it has run. */
function recordingLeases(dialect: SqlDialect) {
  const leases: { readonly text: string; readonly values: readonly SqlValue[] }[] = []
  const all: SqlDialect['all'] = async (text, values, options) => {
    if (text.startsWith('update "mintmark_deliveries" set "due_at"')) leases.push({ text, values })
    return dialect.all(text, values, options)
  }
  return { dialect: { ...dialect, all }, leases }
}
