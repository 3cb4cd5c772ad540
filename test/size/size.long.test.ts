import { expect, test } from 'vitest'

import { measureGrowth } from './measure-growth.ts'

// `pnpm bench size` measures a larger issuer, with a lower limit: small tables are read without their indexes.
test(
  'law: no statement reads all rows of an issuer, or of a directory with a tenth of its users',
  { timeout: 600_000 },
  async () => {
    const growth = await measureGrowth({
      users: 100_000,
      interrupted: new AbortController().signal,
      progress: () => {},
    })

    expect(growth.length).toBeGreaterThan(100)
    // A statement that reads all rows reads ten times as many.
    expect(growth.filter(({ isTooMuch, ratio }) => isTooMuch && ratio > 4)).toEqual([])
  },
)
