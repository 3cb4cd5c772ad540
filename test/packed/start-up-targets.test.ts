import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

import { packTarget } from '../../benchmarks/src/start-up/pack-target.ts'

// `pnpm bench start` measures these bundles, and is run by hand.
test.each(['floor/floor.ts', 'floor/scim-floor.ts', 'mintmark/mintmark.ts', 'mintmark/mintmark-scim.ts'])(
  'bundles %s, as pnpm bench start does, from the files of the last build',
  async (program) => {
    const folder = await mkdtemp(join(tmpdir(), 'mintmark-packed-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))

    const [outside, inside] = await Promise.all([
      packTarget(program, { dependencies: 'outside', folder }),
      packTarget(program, { dependencies: 'inside', folder }),
    ])

    expect(outside.text.length).toBeGreaterThan(0)
    expect(inside.text.length).toBeGreaterThan(0)
  },
)
