import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'

import { packTarget } from '../../benchmarks/src/start-up/pack-target.ts'

// `pnpm bench start` measures these bundles, and is run by hand.
test.each(['floor/floor.ts', 'floor/scim-floor.ts', 'mintmark/mintmark.ts', 'mintmark/mintmark-scim.ts'])(
  'bundles %s, as pnpm bench start does, from the files of the last build',
  async (program) => {
    const [outside, inside] = await Promise.all([
      packTarget(program, { dependencies: 'outside', folder: await temporaryFolder() }),
      packTarget(program, { dependencies: 'inside', folder: await temporaryFolder() }),
    ])

    expect(outside.text.length).toBeGreaterThan(0)
    expect(inside.text.length).toBeGreaterThan(0)
  },
)

/**
 * Every host loads this code at each start, whether it uses a feature or not. If a feature needs more, let the host pass it as a
 * value, or import it when it is used. Otherwise raise the limit, and measure docs/performance.md (start-up) again.
 */
test.each([
  { program: 'mintmark/mintmark.ts', storage: 'memory', kilobytes: 513, gzipped: 165 },
  { program: 'mintmark/mintmark.ts', storage: 'sqlite', kilobytes: 816, gzipped: 241 },
  { program: 'mintmark/mintmark-scim.ts', storage: 'sqlite', kilobytes: 745, gzipped: 216 },
] as const)(
  '$program with its storage in $storage loads at most $kilobytes kB at start, $gzipped kB gzipped',
  async ({ program, storage, kilobytes, gzipped }) => {
    const { text } = await packTarget(program, { dependencies: 'inside', folder: await temporaryFolder(), storage })

    expect(text.length / 1000).toBeLessThanOrEqual(kilobytes)
    expect(gzipSync(text).length / 1000).toBeLessThanOrEqual(gzipped)
    // A pattern that no longer matches a file would leave its size out.
    expect(text.length / 1000).toBeGreaterThan(kilobytes * 0.9)
  },
)

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-packed-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
