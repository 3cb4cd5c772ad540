// A set-up file of vitest: writes which guards each test file reaches, and how long it takes.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'

const folder = process.env['MINTMARK_REACHED']
if (folder !== undefined) {
  const reached = ((globalThis as { reachedGuards?: Set<string> }).reachedGuards ??= new Set())
  // A process loads a module once, for all of its test files.
  const atLoad = ((globalThis as { guardsAtLoad?: Set<string> }).guardsAtLoad ??= new Set())
  let startedAt = 0
  beforeAll(() => {
    for (const guard of reached) atLoad.add(guard)
    startedAt = performance.now()
  })
  afterAll(() => {
    const test = expect.getState().testPath
    const record = {
      test: test?.slice(process.cwd().length + 1),
      milliseconds: Math.round(performance.now() - startedAt),
      guards: [...new Set([...reached, ...atLoad])],
    }
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(record))
    reached.clear()
  })
}
