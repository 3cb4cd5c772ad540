import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

const { runReport } = (await import(join(process.cwd(), '.ci/report.mjs'))) as {
  readonly runReport: (
    program: string,
    words: readonly string[],
    options: { readonly seconds: number },
  ) => Promise<string | undefined>
}

describe('a report of the checks never fails them', () => {
  const node = async (code: string, seconds = 60) => runReport(process.execPath, ['-e', code], { seconds })

  it('gives no reason if the command succeeds', async () => {
    expect(await node('')).toBeUndefined()
  })

  it.each([
    { name: 'writes an error', code: 'console.error("first\\nno history\\n"); process.exit(3)', reason: 'no history' },
    { name: 'writes nothing', code: 'process.exit(3)', reason: 'it ended with code 3' },
    {
      name: 'is started by pnpm',
      code: 'console.error("no history\\n[ELIFECYCLE] Command failed with exit code 1."); process.exit(1)',
      reason: 'no history',
    },
  ])('gives the reason if a command $name and fails', async ({ code, reason }) => {
    expect(await node(code)).toBe(reason)
  })

  it('gives the reason if the command cannot start', async () => {
    expect(await runReport('/no/such/program', [], { seconds: 60 })).toContain('ENOENT')
  })

  it('stops a command and the processes that it started if it does not end in time', async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })`

    // The promise resolves when all processes have closed their output.
    expect(await node(`${child}; setInterval(() => {}, 1000)`, 1)).toBe('it did not end within 1 s')
  })
})
