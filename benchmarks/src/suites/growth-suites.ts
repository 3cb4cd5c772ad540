import type { TargetSettings } from '../site.ts'
import { oauthMintmark } from './oauth-suites.ts'
import { scimFloor, scimFloorOurWork, scimMintmark } from './scim-suites.ts'
import type { Change, Suite, SuiteTarget } from './suite.ts'

/**
 * Returns the suites that show how costs grow with the number of users of a provider, or of active grants with token
 * families.
 * @param sizes the numbers of rows. The first is the base of the comparison.
 */
export const growthSuites = (sizes: readonly number[]): readonly Suite[] =>
  (['sqlite', 'postgres', 'memory'] as const).flatMap((storage) => [
    {
      name: `grant growth, ${titles[storage]}`,
      workloads: ['refresh, many families', 'introspection', 'code + PKCE'],
      targets: growthTargets(storage, sizes, oauthMintmark),
    },
    {
      name: `SCIM growth, ${titles[storage]}`,
      workloads: ['userName eq', 'work e-mail eq', 'page of 100', 'PATCH active', 'POST user'],
      targets:
        storage === 'memory'
          ? growthTargets(storage, sizes.filter(fitsInMemory), scimMintmark)
          : [
              ...[scimFloor, scimFloorOurWork].flatMap((of) => growthTargets(storage, sizes.slice(-1), of)),
              ...growthTargets(storage, sizes, scimMintmark),
            ],
    },
  ])

const titles = { memory: 'memory', sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

const growthTargets = (
  storage: TargetSettings['storage'],
  sizes: readonly number[],
  of: (name: string, change: Change) => SuiteTarget,
): readonly SuiteTarget[] => sizes.map((rows) => of(sizeName(rows), { storage, rows }))

/** A million users with all their attributes would need three gigabytes of memory, which is not realistic. */
const fitsInMemory = (rows: number): boolean => rows <= 100_000

function sizeName(rows: number): string {
  if (rows >= 1_000_000) return `${rows / 1_000_000}M`
  return rows >= 1000 ? `${rows / 1000}k` : String(rows)
}
