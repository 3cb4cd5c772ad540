import type { TargetSettings } from '../site.ts'
import { oauthMintmark } from './oauth-suites.ts'
import { scimFloor, scimFloorOurs, scimMintmark } from './scim-suites.ts'
import type { Change, Suite, SuiteTarget } from './suite.ts'

/**
 * How a cost grows with what is there: accounts of a provider, or people's live grants with their families of tokens.
 * @param sizes how many rows; the first is what the others are compared with.
 */
export const growthSuites = (sizes: readonly number[]): readonly Suite[] =>
  (['sqlite', 'postgres', 'memory'] as const).flatMap((storage) => [
    {
      name: `grant growth, ${titles[storage]}`,
      workloads: ['refresh, many families', 'introspection', 'code + PKCE'],
      targets: grown(storage, sizes, oauthMintmark),
    },
    {
      name: `SCIM growth, ${titles[storage]}`,
      workloads: ['userName eq', 'work e-mail eq', 'page of 100', 'PATCH active', 'POST user'],
      targets:
        storage === 'memory'
          ? grown(storage, sizes.filter(fitsInMemory), scimMintmark)
          : [
              ...[scimFloor, scimFloorOurs].flatMap((of) => grown(storage, sizes.slice(-1), of)),
              ...grown(storage, sizes, scimMintmark),
            ],
    },
  ])

const titles = { memory: 'memory', sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

const grown = (
  storage: TargetSettings['storage'],
  sizes: readonly number[],
  of: (name: string, change: Change) => SuiteTarget,
): readonly SuiteTarget[] => sizes.map((rows) => of(sizeName(rows), { storage, rows }))

/** A million accounts with all that a provider says of them are no store that anybody has: three gigabytes of objects. */
const fitsInMemory = (rows: number): boolean => rows <= 100_000

function sizeName(rows: number): string {
  if (rows >= 1_000_000) return `${rows / 1_000_000}M`
  return rows >= 1000 ? `${rows / 1000}k` : String(rows)
}
