import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import type { ProcessSite } from '../processes/test-database.ts'
import { findPartialWrites, prepareRounds } from './group-rounds.ts'

/**
 * Kills one process after another (SIGKILL) while it changes groups and their members in transactions.
 * @returns the partial writes found afterwards, and the number of rounds that the processes wrote.
 */
export async function killWriters(
  { database, storage }: ProcessSite,
  kills: number,
): Promise<{ readonly violations: readonly string[]; readonly rounds: number }> {
  await prepareRounds(storage)
  const violations: string[] = []
  let rounds = 0
  for (let kill = 0; kill < kills; kill += 1) {
    const script = fileURLToPath(new URL('writer-process.ts', import.meta.url))
    const writer = spawn(process.execPath, ['--conditions=@mintmark/source', script, JSON.stringify(database)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
      },
    })
    const ended = once(writer, 'exit')
    // The process may be at any point of a later round when the signal arrives.
    const written = await countLines(writer.stdout, 2 + (kill % 7))
    writer.kill('SIGKILL')
    await ended
    rounds += written
    violations.push(...(await findPartialWrites(storage)))
  }
  return { violations, rounds }
}

/** Waits for this number of lines. @returns fewer only if the process ended. */
async function countLines(stream: NodeJS.ReadableStream, limit: number): Promise<number> {
  let count = 0
  for await (const _ of createInterface({ input: stream })) {
    count += 1
    if (count === limit) break
  }
  return count
}
