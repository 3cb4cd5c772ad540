import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createSqliteReader, type SqliteReader } from './reader.ts'

const nearlyForever =
  'with recursive n(i) as (select 1 union all select i + 1 from n where i < 1e15) select count(*) from n'

test('never runs a query that is aborted before its turn', async () => {
  const reader = aReader()
  const controller = new AbortController()
  const a = { owner: 'a' }

  const before = [reader.all('select 1', [], a), reader.all('select 2', [], a)]
  const abandoned = reader.all(nearlyForever, [], { ...a, signal: controller.signal })
  const after = reader.all('select 3', [], a)
  controller.abort()

  await expect(abandoned).rejects.toThrow('aborted')
  const rows = await Promise.all([...before, after])
  expect(rows.map(([row]) => row?.values)).toEqual([[1], [2], [3]])
})

test('refuses queries after it was closed, whether it has run a query before or not', async () => {
  const [used, unused] = [aReader(), aReader()]
  await used.all('select 1', [], { owner: 'a' })

  for (const reader of [used, unused]) {
    await reader.close()
    await expect(reader.all('select 1', [], { owner: 'a' })).rejects.toThrow('The storage has been closed')
  }
})

/** Creates a reader of an empty file. */
function aReader(): SqliteReader {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-reader-'))
  const path = join(folder, 'read.db')
  new DatabaseSync(path).close()
  const reader = createSqliteReader(path, (error) => error)
  onTestFinished(async () => {
    await reader.close()
    rmSync(folder, { recursive: true })
  })
  return reader
}
