import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { addressOfTheRun } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import type { DatabaseAddress } from './server-config.ts'
import { openPostgresSite, openSqliteSite, type ProcessSite } from './test-database.ts'

/** A process that manages the keys and executes commands. */
interface KeyProcess {
  readonly execute: (command: string) => Promise<unknown>
  readonly end: () => Promise<void>
}

describe.for([
  { name: 'PostgreSQL', open: async () => openPostgresSite(await addressOfTheRun()) },
  { name: 'SQLite', open: openSqliteSite },
])('four processes that manage the keys of one $name database', ({ open }) => {
  let site: ProcessSite
  let processes: readonly KeyProcess[]

  beforeAll(async () => {
    site = await open()
    processes = await Promise.all(Array.from({ length: 4 }, () => startKeyProcess(site.database)))
  })
  afterAll(async () => {
    await Promise.all(processes.map(({ end }) => end()))
    await site.close()
  })

  const executeOnAll = (command: string): Promise<readonly unknown[]> =>
    Promise.all(processes.map(({ execute }) => execute(command)))

  it('create one key when all of them need the first key at once (RFC 7517 §5)', async () => {
    const signing = await executeOnAll('sign')

    expect(new Set(signing).size).toBe(1)
    expect(await site.storage.signingKeys.list()).toHaveLength(1)
  })

  it('create one key when all of them rotate at once, and all return that key (OIDC Core §10.1.1)', async () => {
    const rotations = (await executeOnAll('rotate')) as readonly { readonly outcome: string; readonly keyId: string }[]

    expect(rotations.filter(({ outcome }) => outcome === 'announced')).toHaveLength(1)
    expect(new Set(rotations.map(({ keyId }) => keyId)).size).toBe(1)
    expect(await site.storage.signingKeys.list()).toHaveLength(2)
    const published = await executeOnAll('publish')
    expect(published).toEqual(Array.from({ length: 4 }, () => published[0]))
  })

  it('agree on the next key when all of them drop the signing key at once, twice in a row (RFC 7517 §5)', async () => {
    for (const keys of [2, 3]) {
      const [signing] = await executeOnAll('sign')

      const drops = (await executeOnAll(`drop ${String(signing)}`)) as readonly { readonly outcome: string }[]

      expect(drops.filter(({ outcome }) => outcome === 'revoked')).toHaveLength(1)
      const next = await executeOnAll('sign')
      expect(new Set(next).size).toBe(1)
      expect(next).not.toContain(signing)
      expect(await executeOnAll('publish')).toEqual(next.map((keyId) => [keyId]))
      expect(await site.storage.signingKeys.list()).toHaveLength(keys)
    }
  })
})

async function startKeyProcess(database: DatabaseAddress): Promise<KeyProcess> {
  const script = fileURLToPath(new URL('key-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@mintmark/source', script, JSON.stringify(database)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
    },
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value))
  await answer()

  return {
    execute: (command) => {
      child.stdin.write(`${command}\n`)
      return answer()
    },
    end: async () => {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
