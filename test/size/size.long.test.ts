import { expect, test } from 'vitest'

import { measureGrowth } from './measure-growth.ts'

// The test of `pnpm bench size`, which measures a larger issuer.
test(
  'law: no statement touches more pages because the issuer is ten times as large',
  { timeout: 600_000 },
  async () => {
    const growth = await measureGrowth({
      users: 100_000,
      interrupted: new AbortController().signal,
      progress: () => {},
    })

    expect(growth.length).toBeGreaterThan(100)
    expect(growth.filter(({ isTooMuch }) => isTooMuch)).toEqual([])
  },
)
