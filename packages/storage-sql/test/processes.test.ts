import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { aCodeRecord, aFamilyRecord } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, test } from 'vitest'
import { aFolder } from './sqlite-under-test.ts'

interface RaceResult {
  readonly presented: readonly string[]
  readonly rotated: readonly string[]
  readonly claimed: readonly string[]
}

test('redeems a code once when two processes on one file present it 50 times (RFC 6749 §10.5)', async () => {
  const folder = await aFolder()
  const file = join(folder.path, 'test.db')
  const dialect = openSqliteDialect(file, { migrate: 'on-open' })
  const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  await storage.codes.insert(aCodeRecord())
  await storage.families.insert(aFamilyRecord())

  const results = await race(file)

  const count = (outcome: string, list: readonly string[]) => list.filter((each) => each === outcome).length
  const presented = results.flatMap((each) => each.presented)
  expect([presented.length, count('won', presented), count('replayed', presented)]).toEqual([50, 1, 49])
  const rotated = results.flatMap((each) => each.rotated)
  expect([rotated.length, count('rotated', rotated), count('retried', rotated)]).toEqual([50, 1, 49])
  const claimed = results.flatMap((each) => each.claimed)
  expect([claimed.length, count('fresh', claimed), count('seen', claimed)]).toEqual([50, 1, 49])
  await dialect.close()
  await folder.remove()
})

/** Starts two processes, waits until both are ready, lets them begin at once, and collects their results. */
async function race(file: string): Promise<readonly RaceResult[]> {
  const servers = ['a', 'b'].map((name) => {
    const process = startServer([file, '25', name])
    return { process, lines: createInterface({ input: process.stdout })[Symbol.asyncIterator]() }
  })
  await Promise.all(servers.map(({ lines }) => lines.next()))
  for (const { process } of servers) process.stdin.write('go\n')

  return Promise.all(
    servers.map(async ({ process, lines }) => {
      const line = await lines.next()
      if (process.exitCode === null) await once(process, 'exit')
      return JSON.parse(String(line.value)) as RaceResult
    }),
  )
}

function startServer(args: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  const script = fileURLToPath(new URL('racing-process.ts', import.meta.url))
  return spawn(process.execPath, ['--conditions=@mintmark/source', script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}
